import type { Json, JsonObject } from '@millrace/engine';
import { describe, expect, test } from 'vitest';
import { checkArguments, typedArguments } from './arguments.ts';

const buildObjectSchema = (properties: JsonObject, required: string[] = []): JsonObject => ({
  type: 'object',
  properties,
  required,
});

describe('types of arguments', () => {
  test.each<[string, Json, Json, Json]>([
    ['an integer', { type: 'integer' }, '5', 5],
    ['a number', { type: 'number' }, ' -1.5 ', -1.5],
    ['a switch, as templates write it', { type: 'boolean' }, 'True', true],
    ['a list', { type: 'array' }, '[1, 2]', [1, 2]],
    ['an object', { type: 'object' }, '{"a": 1}', { a: 1 }],
    ['nothing', { type: ['integer', 'null'] }, 'null', null],
    ['one of several', { anyOf: [{ type: 'integer' }, { type: 'boolean' }] }, '7', 7],
    ['one of listed numbers', { enum: [1, 2] }, '2', 2],
    ['a text that looks like a number', { type: 'string' }, '5', '5'],
    ['a text where numbers are taken too', { type: ['string', 'integer'] }, '5', '5'],
    ['anything', {}, '5', '5'],
    ['what cannot be read stays as it is', { type: 'integer' }, 'many', 'many'],
    [
      'a number that would lose digits stays a text',
      { type: 'integer' },
      '9007199254740993',
      '9007199254740993',
    ],
    ['numbers in JSON keep their digits', { type: 'array' }, '[9007199254740993]', ['9007199254740993']],
    ['broken JSON stays as it is', { type: 'array' }, '[1', '[1'],
    ['what is no text is kept', { type: 'integer' }, 5, 5],
  ])('%s', (_, schema, value, expected) => {
    expect(typedArguments({ a: value }, buildObjectSchema({ a: schema }))).toEqual({ a: expected });
  });

  test('an empty text is left out unless the tool asks for a text', () => {
    const schema = buildObjectSchema(
      { a: { type: 'string' }, b: { type: 'string' }, c: { type: 'integer' } },
      ['a'],
    );
    expect(typedArguments({ a: '', b: '', c: '' }, schema)).toEqual({ a: '' });
  });

  test('an argument that the schema does not name is sent as it is', () => {
    expect(typedArguments({ other: '5' }, buildObjectSchema({}))).toEqual({ other: '5' });
  });
});

describe('the check of arguments', () => {
  test('a pattern of the server is not run here', async () => {
    const slow = buildObjectSchema({ pattern: { type: 'string', pattern: '^(a+)+$' } });
    const started = performance.now();
    expect(await checkArguments({ pattern: `${'a'.repeat(40)}!` }, slow)).toBe(true);
    expect(performance.now() - started).toBeLessThan(2_000);
    await expect(checkArguments({ pattern: 5 }, slow)).rejects.toThrow('"pattern" must be string');
  });

  test('names that only patterns allow are not refused', async () => {
    const schema = {
      ...buildObjectSchema({}),
      patternProperties: { '^x-': {} },
      additionalProperties: false,
    };
    expect(await checkArguments({ 'x-a': 1 }, schema)).toBe(true);
  });

  test('a schema that cannot be read is left to the server', async () => {
    expect(await checkArguments({}, { type: 'nonsense' })).toBe(false);
    expect(await checkArguments({}, { $ref: 'https://example.com/schema.json' })).toBe(false);
    expect(await checkArguments({}, { type: 'object', description: 'x'.repeat(300_000) })).toBe(false);
  });

  test('all that is wrong is named', async () => {
    const schema = buildObjectSchema({
      a: { type: 'integer' },
      b: { type: 'object', properties: { c: { type: 'string' } } },
    });
    await expect(checkArguments({ a: 'x', b: { c: 1 } }, schema)).rejects.toThrow(
      '"a" must be integer, "b.c" must be string',
    );
  });
});
