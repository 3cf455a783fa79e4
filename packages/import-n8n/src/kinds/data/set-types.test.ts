import { createScope, evaluate, type Json, type JsonObject } from '@millrace/engine';
import { describe, expect, it } from 'vitest';
import { base, one } from '../../testing/converted.ts';

const evaluateField = (field: unknown, x: Json): unknown =>
  typeof field === 'string'
    ? evaluate(
        field,
        'value',
        createScope({ values: { Before: { x } }, now: () => 0, uuid: () => '', random: () => 0 }),
      )
    : field;

/** The values of the fields of a set node, after a node whose field `x` has that value. */
function convertFields(assignments: JsonObject[], x: Json = '1', rest: JsonObject = {}) {
  const { settings, lines } = one(base('set'), 3.4, { ...rest, assignments: { assignments } });
  const mappings = settings['mappings'] as { key: string; value: Json }[];
  return {
    lines,
    values: Object.fromEntries(mappings.map(({ key, value }) => [key, evaluateField(value, x)])),
  };
}

describe('types of fields that are set', () => {
  it.each<[string, string, Json, Json]>([
    ['number', '={{ $json.x }}', '5', 5],
    ['number', '={{ $json.x }}', null, null],
    ['number', '={{ $json.x * 2 }}', '5', 10],
    ['number', '=1', '5', 1],
    ['array', '["a", 1]', '5', ['a', 1]],
    ['array', '=[{{ $json.x }}, "{{ $json.x }}"]', 5, [5, '5']],
    ['array', '={{ [$json.x] }}', 5, [5]],
    ['object', '{"a": {"b": true}}', 5, { a: { b: true } }],
    ['object', '={"a": "<{{ $json.x }}>"}', 'it is "5"', { a: '<it is "5">' }],
    ['object', 'no JSON', 5, 'no JSON'],
    ['string', '[1]', 5, '[1]'],
  ])('%s: %s', (type, value, x, result) => {
    expect(convertFields([{ name: 'y', type, value }], x).values['y']).toEqual(result);
  });
});

describe('names with dots', () => {
  const assignments = [
    { name: 'a.b', type: 'string', value: '={{ $json.x }}' },
    { name: 'a.c.d', type: 'number', value: '2' },
    { name: 'e', type: 'string', value: 'f' },
  ];

  it('are places in objects', () => {
    const { values, lines } = convertFields(assignments);
    expect(values).toEqual({ e: 'f', a: { b: '1', c: { d: 2 } } });
    expect(lines).toEqual([]);
  });

  it('keep what else is in the object when other fields are kept', () => {
    const inX = [{ name: 'x.b', type: 'string', value: '2' }];
    expect(convertFields(inX, { a: '1', b: '1' }, { includeOtherFields: true }).values).toEqual({
      x: { a: '1', b: '2' },
    });
    expect(convertFields(inX, { a: '1', b: '1' }).values).toEqual({ x: { b: '2' } });
  });

  it('are names where the node says so', () => {
    const { values } = convertFields(assignments, '1', { options: { dotNotation: false } });
    expect(values).toEqual({ 'a.b': '1', 'a.c.d': 2, e: 'f' });
  });

  it('are reported where they are places in lists', () => {
    const { lines } = convertFields([{ name: 'a.b[0]', type: 'string', value: '1' }]);
    expect(lines).toEqual([expect.stringContaining('Names with a dot make one field')]);
  });
});
