import { createScope, evaluate, type Json, type JsonObject } from '@millrace/engine';
import { describe, expect, it } from 'vitest';
import { base, convert } from '../testing/converted.ts';

const main = (...targets: readonly string[]): Json[] =>
  targets.map((node) => ({ node, type: 'main', index: 0 }));

const evaluateCode = (code: unknown, values: JsonObject): unknown =>
  evaluate(String(code), 'value', createScope({ values, now: () => 0, uuid: () => '', random: () => 0 }));

const rows = (name: string, rest: JsonObject = {}): JsonObject => ({
  name,
  type: base('postgres'),
  parameters: { operation: 'select', table: 't' },
  ...rest,
});
const collect = (name: string): JsonObject => ({
  name,
  type: base('aggregate'),
  parameters: { aggregate: 'aggregateAllItemData' },
});
const test = (leftValue: string, type: string, operation: string): JsonObject => ({
  conditions: {
    combinator: 'and',
    conditions: [{ leftValue, rightValue: '', operator: { type, operation } }],
  },
});
const branch = (name: string, parameters: JsonObject, rest: JsonObject = {}): JsonObject => ({
  name,
  type: base('if'),
  typeVersion: 2.2,
  parameters,
  ...rest,
});
const filter = (name: string, parameters: JsonObject, rest: JsonObject = {}): JsonObject => ({
  ...branch(name, parameters, rest),
  type: base('filter'),
});

/** Nodes one after the other, behind a manual trigger. */
function inRow(...nodes: readonly JsonObject[]) {
  const all = [{ name: 'Start', type: base('manualTrigger') }, ...nodes];
  const names = all.map(({ name }) => String(name));
  const connections = Object.fromEntries(
    names.slice(0, -1).map((name, index) => [name, { main: [main(names[index + 1] ?? '')] }]),
  );
  return convert({ nodes: all, connections });
}

const mapped = ({ node }: ReturnType<typeof convert>, label: string, values: JsonObject) =>
  Object.fromEntries(
    ((node(label)?.data['mappings'] ?? []) as { key: string; value: unknown }[]).map(({ key, value }) => [
      key,
      evaluateCode(value, values),
    ]),
  );

describe('a node that would make something of no items', () => {
  it('runs only when there are some, as in n8n', () => {
    const converted = inRow(rows('Rows'), collect('All'));
    expect(converted.edges).toEqual(['Start:>Rows:', 'Rows:>AllHasItems:', 'AllHasItems:true>All:']);
    const { condition } = converted.node('AllHasItems')?.data ?? {};
    expect(evaluateCode(condition, { Rows: { rows: [] } })).toBe(false);
    expect(evaluateCode(condition, { Rows: { rows: [{}] } })).toBe(true);
  });

  it('is asked for the list that nodes before it made of theirs', () => {
    const sorted = { name: 'Sorted', type: base('sort'), parameters: { sortFieldsUi: { sortField: [] } } };
    const converted = inRow(rows('Rows'), sorted, collect('All'));
    expect(converted.node('SortedHasItems')).toBeUndefined();
    expect(converted.node('AllHasItems')?.data['condition']).toBe('$len(Sorted.items) > 0');
  });

  it('runs after an error that the run goes past, too', () => {
    const { node } = inRow(rows('Rows', { onError: 'continueRegularOutput' }), collect('All'));
    const { condition } = node('AllHasItems')?.data ?? {};
    expect(evaluateCode(condition, { Rows: { error: 'x' } })).toBe(true);
    expect(evaluateCode(condition, { Rows: { rows: [] } })).toBe(false);
  });

  it('needs no condition for one item, behind a filter, or without items that n8n hands on itself', () => {
    const labels = ({ document }: ReturnType<typeof convert>) =>
      document.nodes.map(({ data }) => String(data['label']));
    const single = { name: 'Set', type: base('set'), parameters: { values: { string: [{ name: 'x' }] } } };
    expect(labels(inRow(single, collect('All')))).not.toContain('AllHasItems');
    const kept = filter('Fit', test('={{ $json.id }}', 'number', 'exists'));
    expect(labels(inRow(rows('Rows'), kept, collect('All')))).not.toContain('AllHasItems');
    expect(labels(inRow(rows('Rows', { alwaysOutputData: true }), collect('All')))).not.toContain(
      'AllHasItems',
    );
  });
});

describe('a node that always hands on data', () => {
  it('hands on one empty item where it has none, which a condition sends to its second output', () => {
    const converted = inRow(
      rows('Rows', { alwaysOutputData: true }),
      branch('Found', test('={{ $json.id }}', 'number', 'exists')),
      collect('All'),
    );
    expect(converted.lines('Rows')).toEqual([]);
    expect(converted.edges).toContain('RowsOrEmptyItem:>FoundLists:');
    expect(mapped(converted, 'RowsOrEmptyItem', { Rows: { rows: [] } })).toEqual({ items: [{}] });
    expect(mapped(converted, 'RowsOrEmptyItem', { Rows: { rows: [{ id: 1 }] } })).toEqual({
      items: [{ id: 1 }],
    });
    expect(mapped(converted, 'FoundLists', { RowsOrEmptyItem: { items: [{}] } })).toEqual({
      output0: [],
      output1: [{}],
    });
  });

  it('does so once for all rounds over a list', () => {
    const converted = inRow(
      rows('Ids'),
      {
        ...rows('Rows', { alwaysOutputData: true }),
        typeVersion: 2.5,
        parameters: {
          operation: 'executeQuery',
          query: 'select $1',
          options: { queryReplacement: '={{ [$json.id] }}' },
        },
      },
      collect('All'),
    );
    expect(converted.edges).toContain('RowsLoop:done>RowsOrEmptyItem:');
    expect(converted.edges).toContain('RowsOrEmptyItem:>All:');
    const none = { RowsLoop: { results: [{ rows: [] }, { rows: [] }] } };
    expect(mapped(converted, 'RowsOrEmptyItem', none)).toEqual({ items: [{}] });
  });

  it.each<[string, JsonObject, Json]>([
    ['a list', { Rows: { rows: [{ id: 1 }, { id: 5 }] } }, [{ id: 5 }]],
    ['a list of which it keeps nothing', { Rows: { rows: [{ id: 1 }] } }, [{}]],
  ])('is a filter of %s', (_, values, kept) => {
    const parameters = test('={{ $json.id > 3 }}', 'boolean', 'true');
    const converted = inRow(rows('Rows'), filter('Fit', parameters, { alwaysOutputData: true }));
    expect(mapped(converted, 'FitKept', values)).toEqual({ items: kept });
    expect(evaluateCode(converted.node('Fit')?.data['condition'], values)).toBe(true);
    expect(evaluateCode(converted.node('Fit')?.data['condition'], { Rows: { rows: [] } })).toBe(false);
  });

  it('is a filter of one item', () => {
    const set = {
      name: 'Set',
      type: base('set'),
      typeVersion: 3.4,
      parameters: { mode: 'raw', jsonOutput: '{"id": 1}' },
    };
    const parameters = test('={{ $json.id > 3 }}', 'boolean', 'true');
    const converted = inRow(set, filter('Fit', parameters, { alwaysOutputData: true }));
    expect(mapped(converted, 'FitKept', { Set: { id: 1 } })).toEqual({ items: [{}] });
    expect(mapped(converted, 'FitKept', { Set: { id: 4 } })).toEqual({ items: [{ id: 4 }] });
  });

  it('is a condition whose first output gets none', () => {
    const parameters = test('={{ $json.id > 3 }}', 'boolean', 'true');
    const converted = inRow(rows('Rows'), branch('Big', parameters, { alwaysOutputData: true }));
    expect(mapped(converted, 'BigLists', { Rows: { rows: [{ id: 1 }] } })).toEqual({
      output0: [{}],
      output1: [{ id: 1 }],
    });
  });

  it('says where it does not', () => {
    const on = { alwaysOutputData: true };
    expect(inRow(rows('Rows', { ...on, onError: 'continueRegularOutput' })).lines('Rows')).toContainEqual(
      expect.stringContaining('without items, nodes after it do not run'),
    );
    const one = branch('One', test('={{ $json.id }}', 'number', 'exists'), on);
    expect(inRow(one).lines('One')).toContainEqual(expect.stringContaining('at its first output'));
  });
});

describe('a node that always hands on data, and is no node with one list behind it', () => {
  const on = { alwaysOutputData: true };

  it('stays a tool of its agent', () => {
    const { edges, lines } = convert({
      nodes: [
        { name: 'Start', type: base('manualTrigger') },
        { name: 'Agent', type: '@n8n/n8n-nodes-langchain.agent', typeVersion: 2, parameters: { text: 'x' } },
        { ...rows('Query', on), type: base('postgresTool') },
      ],
      connections: {
        Start: { main: [main('Agent')] },
        Query: { ai_tool: [[{ node: 'Agent', type: 'ai_tool', index: 0 }]] },
      },
    });
    expect(edges).toContain('QueryNode:tool-output>Agent:tool-input');
    expect(lines('Query')).toContainEqual(expect.stringContaining('"Always output data" has no meaning'));
  });

  it('stays a loop over batches', () => {
    const { edges, lines } = convert({
      nodes: [
        { name: 'Start', type: base('manualTrigger') },
        rows('Rows'),
        { name: 'Loop', type: base('splitInBatches'), typeVersion: 3, parameters: { batchSize: 10 }, ...on },
        collect('All'),
        collect('Last'),
      ],
      connections: {
        Start: { main: [main('Rows')] },
        Rows: { main: [main('Loop')] },
        Loop: { main: [main('Last'), main('All')] },
        All: { main: [main('Loop')] },
      },
    });
    expect(edges).toContain('Loop:loop>All:');
    expect(edges.filter((edge) => edge.includes('OrEmptyItem'))).toEqual([]);
    expect(lines('Loop')).toContainEqual(expect.stringContaining('first output of the loop'));
  });
});

describe('a node that would hand on an empty item where n8n does not run it', () => {
  const text = (name: string): JsonObject => ({
    name,
    type: base('telegram'),
    parameters: { chatId: '1', text: 'Hi' },
  });

  it('runs only for items', () => {
    const split = {
      name: 'Split',
      type: base('splitOut'),
      parameters: { fieldToSplitOut: 'x' },
      alwaysOutputData: true,
    };
    const converted = inRow(rows('Rows'), split, text('Send'));
    expect(converted.edges).toEqual(
      expect.arrayContaining([
        'Rows:>SplitHasItems:',
        'SplitHasItems:true>Split:',
        'Split:>SplitOrEmptyItem:',
      ]),
    );
    expect(converted.node('SplitHasItems')?.data['condition']).toBe('$len(Rows.rows) > 0');
  });

  it('waits for its inputs first', () => {
    const merge = {
      name: 'Both',
      type: base('merge'),
      typeVersion: 3.2,
      parameters: { mode: 'append' },
      alwaysOutputData: true,
    };
    const { edges, node } = convert({
      nodes: [{ name: 'Start', type: base('manualTrigger') }, rows('One'), rows('Two'), merge, text('Send')],
      connections: {
        Start: { main: [main('One', 'Two')] },
        One: { main: [main('Both')] },
        Two: { main: [[{ node: 'Both', type: 'main', index: 1 }]] },
        Both: { main: [main('Send')] },
      },
    });
    expect(edges).toEqual(
      expect.arrayContaining([
        'One:>BothInputs:input-0',
        'Two:>BothInputs:input-1',
        'Both:>BothHasItems:',
        'BothHasItems:true>BothOrEmptyItem:',
      ]),
    );
    const { condition } = node('BothHasItems')?.data ?? {};
    expect(evaluateCode(condition, { One: { rows: [] }, Two: { rows: [] } })).toBe(false);
    expect(evaluateCode(condition, { One: { rows: [] }, Two: { rows: [{}] } })).toBe(true);
  });
});

describe('an answer that may be an empty list', () => {
  const get = (rest: JsonObject = {}): JsonObject => ({
    name: 'Get',
    type: base('httpRequest'),
    typeVersion: 4.2,
    parameters: { url: 'https://example.com' },
    ...rest,
  });

  it.each([
    [collect('All')],
    [{ name: 'All', type: base('code'), typeVersion: 2, parameters: { jsCode: 'return $input.all()' } }],
  ])('runs no node that takes lists', (node) => {
    const { edges, node: find } = inRow(get(), node);
    expect(edges).toContain('AllHasItems:true>All:');
    const { condition } = find('AllHasItems')?.data ?? {};
    const answers: [Json, boolean][] = [
      [[], false],
      [[{}], true],
      [{ id: 1 }, true],
    ];
    for (const [body, runs] of answers) expect(evaluateCode(condition, { Get: { body } })).toBe(runs);
    // After an error that the run goes past, the error is the item.
    expect(evaluateCode(condition, { Get: { error: 'x' } })).toBe(true);
  });

  it('runs them when it always has data, and the report says what they get', () => {
    const { node, lines } = inRow(get({ alwaysOutputData: true }), collect('All'));
    expect(node('AllHasItems')).toBeUndefined();
    expect(lines('Get')).toContainEqual(expect.stringContaining('but without an empty item'));
  });

  it.each<[Json, Json]>([
    [[{ id: 1 }, { id: 5 }], [{ id: 5 }]],
    [{ id: 5 }, [{ id: 5 }]],
    [{ id: 1 }, [{}]],
  ])('is filtered item by item: %j', (body, kept) => {
    const fit = filter('Fit', test('={{ $json.id > 3 }}', 'boolean', 'true'), { alwaysOutputData: true });
    expect(mapped(inRow(get(), fit), 'FitKept', { Get: { body } })).toEqual({ items: kept });
  });
});
