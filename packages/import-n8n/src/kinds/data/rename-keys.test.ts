import { createScope, evaluate, type JsonObject } from '@millrace/engine';
import { describe, expect, it } from 'vitest';
import { base, convert, one } from '../../testing/converted.ts';

const rename = (rows: JsonObject[], more: JsonObject = {}): JsonObject => ({ keys: { key: rows }, ...more });

describe('rename keys', () => {
  it('renames fields of each item, in a list too', () => {
    const { node, lines } = convert({
      nodes: [
        { name: 'Rows', type: base('postgres'), parameters: { operation: 'select', table: 't' } },
        {
          name: 'One',
          type: base('renameKeys'),
          parameters: rename([
            { currentKey: 'id', newKey: 'number' },
            { currentKey: 'a b', newKey: 'c' },
            { currentKey: '', newKey: 'd' },
          ]),
        },
        {
          name: 'After',
          type: base('set'),
          typeVersion: 3.4,
          executeOnce: true,
          parameters: { assignments: { assignments: [{ name: 'v', value: '={{ $json.number }}' }] } },
        },
      ],
      connections: {
        Rows: { main: [[{ node: 'One', type: 'main', index: 0 }]] },
        One: { main: [[{ node: 'After', type: 'main', index: 0 }]] },
      },
    });
    const scope = (values: JsonObject) =>
      createScope({ values, now: () => 0, uuid: () => '', random: () => 0 });
    const read = (label: string, values: JsonObject) => {
      const mappings = (node(label)?.data['mappings'] ?? []) as { key: string; value: string }[];
      return evaluate(mappings[0]?.value ?? '', 'value', scope(values));
    };
    const items = read('One', { Rows: { rows: [{ id: 1, 'a b': 2, e: 3 }, { e: 4 }] } });
    expect(items).toEqual([{ number: 1, c: 2, e: 3 }, { e: 4 }]);
    expect(read('After', { One: { items } as JsonObject })).toBe(1);
    expect(lines('One')).toEqual([]);
  });

  it.each<[JsonObject, RegExp]>([
    [rename([{ currentKey: 'a.b', newKey: 'c' }]), /inside of another/],
    [rename([{ currentKey: '={{ $json.x }}', newKey: 'c' }]), /expression/],
    [
      rename([
        { currentKey: 'a', newKey: 'b' },
        { currentKey: 'b', newKey: 'c' },
      ]),
      /twice/,
    ],
    [
      rename([], { additionalOptions: { regexReplacement: { replacements: [{ searchRegex: 'a' }] } } }),
      /patterns/,
    ],
  ])('is kept as it is where it has no equal: %o', (parameters, reason) => {
    const { type, lines } = one(base('renameKeys'), 1, parameters);
    expect(type).toBe(base('renameKeys'));
    expect(lines.join()).toMatch(reason);
  });
});
