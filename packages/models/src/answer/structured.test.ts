import { describe, expect, it } from 'vitest';
import { readJsonAnswer, readSchema, readSchemaCheck } from './structured.ts';

describe('a schema of an answer', () => {
  it('is closed at every object and nowhere else', () => {
    const schema = {
      type: 'object',
      properties: {
        properties: { type: 'array', items: { type: 'object', properties: { a: { type: 'integer' } } } },
        kind: { enum: ['x', { type: 'object' }] },
      },
      required: ['kind'],
    };
    expect(readSchema(JSON.stringify(schema)).value?.strict).toEqual({
      type: 'object',
      additionalProperties: false,
      required: ['kind'],
      properties: {
        properties: {
          type: 'array',
          items: { type: 'object', properties: { a: { type: 'integer' } }, additionalProperties: false },
        },
        kind: { enum: ['x', { type: 'object' }] },
      },
    });
  });

  it('says which part of an answer does not follow it', () => {
    const text =
      '{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"string"}}}}}';
    const schema = readSchema(text).value;
    expect(schema?.problemWith({ a: { b: 'x' } })).toBeUndefined();
    expect(schema?.problemWith({ a: { b: 1 } })).toMatch(/^"a\.b": /);
    expect(schema?.problemWith([])).toMatch(/^the answer: /);
  });

  it('matches patterns in linear time, also one that would hold the process for years', () => {
    const schema = readSchema(
      '{"type":"object","properties":{"a":{"type":"string","pattern":"^(a+)+$"}}}',
    ).value;
    expect(schema?.problemWith({ a: 'a'.repeat(50_000) })).toBeUndefined();
    expect(schema?.problemWith({ a: `${'a'.repeat(50_000)}!` })).toMatch(/^"a": .*\(a\+\)\+/);
  });

  it.each([
    [{ type: 'array', items: { type: 'string', pattern: 'b' } }, ['abc'], ['xyz']],
    [
      { type: 'object', properties: { pattern: { pattern: '^\\d{2}$', type: 'string' } } },
      { pattern: '12' },
      { pattern: '123' },
    ],
    [{ anyOf: [{ type: 'string', pattern: '^x' }, { type: 'number' }] }, 'xy', 'yx'],
    [
      { $defs: { w: { type: 'string', pattern: '^w$' } }, type: 'array', items: { $ref: '#/$defs/w' } },
      ['w'],
      ['v'],
    ],
    [{ type: ['string', 'null'], pattern: '^\\u0061$' }, 'a', 'b'],
    [{ type: 'string', enum: ['a'], description: 'x' }, 'a', 'b'],
    [
      {
        allOf: [
          { type: 'string', pattern: 'a' },
          { type: 'string', pattern: 'b' },
        ],
      },
      'ab',
      'ac',
    ],
    [{ type: 'object', additionalProperties: { type: 'string', pattern: '^y$' } }, { k: 'y' }, { k: 'n' }],
  ])('%j is kept wherever its patterns are', (schema, good, bad) => {
    const check = readSchemaCheck(JSON.stringify(schema)).value;
    expect(check?.(good)).toBeUndefined();
    expect(check?.(bad)).toEqual(expect.any(String));
  });

  it.each([
    ['{"type":"string","pattern":"(a)\\\\1"}', /the pattern .* cannot be used .* back-references/],
    ['{"type":"string","pattern":"(?=a)"}', /cannot be used/],
    [`{"type":"string","pattern":"${'a'.repeat(501)}"}`, /longer than 500 characters/],
    [
      '{"type":"object","patternProperties":{"(a+)+$":{"type":"string"}}}',
      /"patternProperties" is not supported/,
    ],
    ['{"type":"object","propertyNames":{"pattern":"(a+)+$"}}', /not supported at this place/],
  ])('%s is refused with what to change', (text, problem) => {
    expect(readSchemaCheck(text).problem).toMatch(problem);
  });

  it.each([
    ['integer', undefined],
    ['number', undefined],
    ['string', undefined],
    ['boolean', /boolean/],
  ])('a whole number with its digits as text follows the type %s: %s', (type, problem) => {
    const schema = readSchema(
      JSON.stringify({ type: 'object', properties: { ids: { type: 'array', items: { type } } } }),
    ).value;
    const found = schema?.problemWith(readJsonAnswer('{"ids": [9007199254740993]}', false).value ?? null);
    if (problem === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(problem);
  });

  it('a whole number with its digits as text is held to the maximum of its schema', () => {
    const text = JSON.stringify({ anyOf: [{ type: 'integer', maximum: 100 }, { type: 'boolean' }] });
    expect(readSchema(text).value?.problemWith('9007199254740993')).toBeDefined();
    expect(readSchema(text).value?.problemWith('-9007199254740993')).toBeUndefined();
  });

  it.each([
    ['{', /^is not JSON: /],
    ['[1]', /^must be a JSON object$/],
    ['{"type":"nonsense"}', /^is not a usable JSON Schema: /],
  ])('%s is refused', (text, problem) => {
    expect(readSchema(text).problem).toMatch(problem);
  });
});

describe('an answer in JSON', () => {
  it.each([
    ['as it is', '{"a": 1}', { a: 1 }],
    ['in a Markdown fence', '```json\n{"a": 1}\n```', { a: 1 }],
    ['with a comma too many', '{"a": [1, 2,],}', { a: [1, 2] }],
    ['with single quotes', "{'a': 'b'}", { a: 'b' }],
    ['with all digits of a whole number', '{"id": 9007199254740993}', { id: '9007199254740993' }],
    ['with all digits when it is repaired', '{id: 9007199254740993,}', { id: '9007199254740993' }],
  ])('is read %s', (_, text, value) => {
    expect(readJsonAnswer(text, true).value).toEqual(value);
  });

  it('has no keys that could reach a prototype', () => {
    const text = '{"__proto__": {"a": 1}, "constructor": 2, "b": {"prototype": 3, "c": 4}}';
    expect(readJsonAnswer(text, true).value).toEqual({ b: { c: 4 } });
  });

  it('is not repaired when it may not be', () => {
    expect(readJsonAnswer('{"a": 1', false).problem).toBeDefined();
  });

  it('is not made out of plain words', () => {
    expect(readJsonAnswer('I cannot do that', true).problem).toBeDefined();
  });
});

describe('mistakes in the JSON of a long answer', () => {
  const long = `[${"{a: 'b'}, ".repeat(150)}`;

  it('are only repaired on request, because it can take minutes', () => {
    expect(readJsonAnswer(long, true).problem).toBeDefined();
    expect(readJsonAnswer(long, true, Number.POSITIVE_INFINITY).value).toHaveLength(150);
    expect(readJsonAnswer(long.slice(0, 500), true).value).toBeDefined();
  });
});
