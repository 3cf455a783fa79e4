import { describe, expect, it } from 'vitest';
import { readJsonAnswer, readSchema } from './structured.ts';

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
