import type { Json, JsonObject } from '@millrace/engine';
import { runNode } from '@millrace/nodes/testing';
import { describe, expect, it } from 'vitest';
import { base, convert, one } from '../../testing/converted.ts';

/** The output of the node for rows of a database, and its lines in the report. */
async function run(type: string, parameters: JsonObject, rows: Json[], more: JsonObject = {}) {
  const { node, lines } = convert({
    nodes: [
      { name: 'Rows', type: base('postgres'), parameters: { operation: 'select', table: 't' } },
      { name: 'One', type: base(type), typeVersion: 2, parameters, ...more },
    ],
    connections: { Rows: { main: [[{ node: 'One', type: 'main', index: 0 }]] } },
  });
  const { type: made = '', data = {} } = node('One') ?? {};
  if (made === base(type)) return { lines: lines('One') };
  const result = await runNode(made, data, { inputs: { Rows: { rows } } });
  if (!('output' in result)) throw new Error(JSON.stringify(result));
  return { output: result.output, lines: lines('One') };
}

describe('lists', () => {
  const fields = { fieldToAggregate: [{ fieldToAggregate: 'o.x' }, { fieldToAggregate: 'n' }] };
  const holders = [
    { o: { x: 1 }, n: null },
    { o: {}, n: 2 },
  ];

  it.each<[JsonObject, JsonObject]>([
    [{}, { groups: [{ x: [1], n: [2] }] }],
    [{ keepMissing: true }, { x: [1, null], n: [null, 2] }],
  ])('aggregates fields, with the options %j', async (options, expected) => {
    const { output, lines } = await run('aggregate', { fieldsToAggregate: fields, options }, holders);
    expect(output).toMatchObject(expected);
    expect(lines).toEqual([]);
  });

  it('reads a field with a dot in its name where paths are switched off', async () => {
    const parameters = {
      fieldsToAggregate: { fieldToAggregate: [{ fieldToAggregate: 'o.x' }] },
      options: { keepMissing: true, disableDotNotation: true },
    };
    const { output } = await run('aggregate', parameters, [{ 'o.x': 1 }, { o: { x: 2 } }]);
    expect(output).toEqual({ 'o.x': [1, null] });
  });

  it('gives a node that is executed once the first item only', async () => {
    const parameters = { aggregate: 'aggregateAllItemData', options: {} };
    const rows = [{ id: 1 }, { id: 2 }];
    const { output } = await run('aggregate', parameters, rows, { executeOnce: true });
    expect(output).toEqual({ data: [{ id: 1 }] });
  });

  it('keeps the first of items that differ only in some fields', async () => {
    const rows = [
      { id: 1, n: 'a' },
      { id: 2, n: 'a' },
      { id: 3, n: 'b' },
    ];
    const parameters = { compare: 'allFieldsExcept', fieldsToExclude: 'id', options: {} };
    expect(await run('removeDuplicates', parameters, rows)).toEqual({
      output: { items: [rows[0], rows[2]] },
      lines: [],
    });
    const inside = await run('removeDuplicates', { ...parameters, fieldsToExclude: 'a.b' }, rows);
    expect(inside.lines.join()).toMatch(/inside of others/);
  });

  it('splits a field under another name beside the others', async () => {
    const rows = [
      { id: 1, list: ['a', { b: 1 }] },
      { id: 2, list: [] },
      { id: 3, list: 'c' },
    ];
    const parameters = {
      fieldToSplitOut: 'list',
      include: 'allOtherFields',
      options: { destinationFieldName: 'entry' },
    };
    expect(await run('splitOut', parameters, rows)).toEqual({
      output: {
        items: [
          { id: 1, entry: 'a' },
          { id: 1, entry: { b: 1 } },
          { id: 3, entry: 'c' },
        ],
      },
      lines: [],
    });
    const inside = await run('splitOut', { ...parameters, fieldToSplitOut: 'a.list' }, rows);
    expect(inside.lines.join()).toMatch(/inside of another/);
  });

  it('splits an object into its values', async () => {
    const rows = [{ map: { a: 1, b: { c: 'deep' }, d: 'sp' } }];
    expect(await run('splitOut', { fieldToSplitOut: 'map' }, rows)).toEqual({
      output: { items: [{ map: 1 }, { c: 'deep' }, { map: 'sp' }] },
      lines: [],
    });
  });

  it('summarizes into one item where there are no groups, and keeps the node where there are', async () => {
    const parameters = {
      fieldsToSummarize: { values: [{ aggregation: 'sum', field: 'n' }] },
      options: { outputFormat: 'singleItem' },
    };
    const { output, lines } = await run('summarize', parameters, [{ n: 1 }, { n: 2 }]);
    expect(output).toMatchObject({ groups: [{ sum_n: 3 }] });
    expect(lines).toEqual([]);
    const grouped = await run('summarize', { ...parameters, fieldsToSplitBy: 'g' }, []);
    expect(grouped.lines.join()).toMatch(/parts of one item/);
  });
});

it.each<[number | string, RegExp]>([
  [0, /without characters/],
  [-2, /without characters/],
  ['={{ $json.x }}', /length is an expression/],
])('keeps the node for random digits of the length %s', (stringLength, reason) => {
  const { lines } = one(base('crypto'), 1, { action: 'generate', encodingType: 'hex', stringLength });
  expect(lines.join()).toMatch(reason);
});

it('makes random hexadecimal digits, and keeps the node for other random text', async () => {
  const { output } = await run('crypto', { action: 'generate', encodingType: 'hex', stringLength: 12 }, []);
  expect((output as JsonObject)['value']).toMatch(/^[0-9a-f]{12}$/);
  const odd = await run('crypto', { action: 'generate', encodingType: 'hex', stringLength: 5 }, []);
  expect(odd.lines.join()).toMatch(/in pairs/);
  const other = await run('crypto', { action: 'generate', encodingType: 'base64' }, []);
  expect(other.lines.join()).toMatch(/other text/);
});
