import { createScope, evaluate, type Json, type JsonObject, problems } from '@millrace/engine';
import { catalog } from '@millrace/nodes/catalog';
import { runNode } from '@millrace/nodes/testing';
import { describe, expect, it } from 'vitest';
import { base, convert } from '../../testing/converted.ts';

const main = (node: string, index = 0): Json[] => [{ node, type: 'main', index }];

/** Orders of one database and customers of another at a merge node, with a message that reads its first item. */
function merged(
  version: number,
  parameters: JsonObject,
  { script = '$json.name', customers = 'postgres' }: { script?: string; customers?: string } = {},
) {
  const converted = convert({
    nodes: [
      { name: 'Start', type: base('manualTrigger') },
      { name: 'Orders', type: base('postgres'), parameters: { operation: 'select', table: 'orders' } },
      { name: 'Customers', type: base(customers), parameters: { operation: 'select', table: 'customers' } },
      { name: 'Merge', type: base('merge'), typeVersion: version, parameters },
      {
        name: 'Send',
        type: base('telegram'),
        parameters: { chatId: '1', text: `={{ ${script} }}` },
        executeOnce: true,
      },
    ],
    connections: {
      Start: { main: [[...main('Orders'), ...main('Customers')]] },
      Orders: { main: [main('Merge')] },
      Customers: { main: [main('Merge', 1)] },
      Merge: { main: [main('Send')] },
    },
  });
  return { ...converted, message: converted.node('Send')?.data['message'] };
}

const ORDERS: Json[] = [
  { customer: 7, total: 3, note: 'order' },
  { customer: 8, total: 4, note: 'order' },
  { customer: 7, total: 5, note: 'order' },
];
const CUSTOMERS: Json[] = [
  { id: 7, name: 'Ada', note: 'person' },
  { id: 9, name: 'Cy', note: 'person' },
];
const VALUES = { Orders: { rows: ORDERS }, Customers: { rows: CUSTOMERS } };

const evaluateCode = (code: unknown, values: JsonObject): unknown =>
  evaluate(String(code), 'value', createScope({ values, now: () => 0, uuid: () => '', random: () => 0 }));

/** The rows as the join of the conversion hands them on. */
async function joinedBy({ node }: ReturnType<typeof merged>, values: JsonObject = VALUES): Promise<unknown> {
  const result = await runNode('join', node('Merge')?.data ?? {}, { inputs: values });
  return 'output' in result ? (result.output as { items?: unknown }).items : result;
}

const different = (rest: JsonObject = {}): JsonObject => ({
  mode: 'combine',
  advanced: true,
  mergeByFields: { values: [{ field1: 'customer', field2: 'id' }] },
  ...rest,
});
const person = (order: Json | undefined) => ({
  ...(order as JsonObject),
  id: 7,
  name: 'Ada',
  note: 'person',
});

describe('a merge by fields', () => {
  it('joins by fields of different names, where the second input replaces fields of the first', async () => {
    const converted = merged(3.2, different());
    expect(converted.edges).toEqual([
      'Start:>Orders:',
      'Start:>Customers:',
      'Orders:>MergeInputs:input-0',
      'Customers:>MergeInputs:input-1',
      'Merge:>SendHasItems:',
      'MergeInputs:>Merge:',
      'SendHasItems:true>Send:',
    ]);
    expect(await joinedBy(converted)).toEqual([person(ORDERS[0]), person(ORDERS[2])]);
    expect(evaluateCode(converted.message, { Merge: { items: [{ name: 'Ada' }] } })).toBe('Ada');
    expect(converted.lines('Merge')).toEqual([
      'An object that both items have under one name is replaced here; n8n merges the two',
    ]);
    const found = problems(converted.document, catalog).filter(({ code }) => code !== 'missing_param');
    expect(found).toEqual([]);
  });

  it('joins by fields of the same name', async () => {
    const converted = merged(3, { mode: 'combine', fieldsToMatchString: 'id, kind' });
    expect(converted.node('Merge')?.data).toMatchObject({ joinBy: 'id, kind', keep: 'both' });
    expect(converted.node('Merge')?.data).not.toHaveProperty('otherKey');
    const rows = {
      Orders: { rows: [{ id: 1, kind: 'a' }] },
      Customers: { rows: [{ id: 1, kind: 'a', x: 2 }] },
    };
    expect(await joinedBy(converted, rows)).toEqual([{ id: 1, kind: 'a', x: 2 }]);
  });

  it.each<[string, JsonObject, Json[]]>([
    ['the matches of input 1', { outputDataFrom: 'input1' }, [ORDERS[0] ?? null, ORDERS[2] ?? null]],
    ['the matches of input 2', { outputDataFrom: 'input2' }, [CUSTOMERS[0] ?? null]],
    ['no matches', { joinMode: 'keepNonMatches' }, [ORDERS[1] ?? null, CUSTOMERS[1] ?? null]],
    [
      'no matches of input 2',
      { joinMode: 'keepNonMatches', outputDataFrom: 'input2' },
      [CUSTOMERS[1] ?? null],
    ],
    ['input 1', { joinMode: 'enrichInput1' }, [person(ORDERS[0]), ORDERS[1] ?? null, person(ORDERS[2])]],
    [
      'input 2, which the first one enriches',
      { joinMode: 'enrichInput2' },
      [
        { ...person(ORDERS[0]), note: 'order' },
        { ...person(ORDERS[2]), note: 'order' },
        CUSTOMERS[1] ?? null,
      ],
    ],
    [
      'everything',
      {
        joinMode: 'keepEverything',
        options: { clashHandling: { values: { resolveClash: 'preferInput1' } } },
      },
      [
        { ...person(ORDERS[0]), note: 'order' },
        ORDERS[1] ?? null,
        { ...person(ORDERS[2]), note: 'order' },
        CUSTOMERS[1] ?? null,
      ],
    ],
  ])('keeps %s', async (_, rest, items) => {
    expect(await joinedBy(merged(3, different(rest)))).toEqual(items);
  });

  it('of version 2 names its fields and its mode otherwise', async () => {
    const converted = merged(2.1, {
      mode: 'combine',
      combinationMode: 'mergeByFields',
      mergeByFields: { values: [{ field1: 'customer', field2: 'id' }] },
      joinMode: 'enrichInput1',
      options: {},
    });
    expect(await joinedBy(converted)).toHaveLength(3);
  });

  it('of version 1 looks up the last item of a key', () => {
    const { node, edges } = merged(1, { mode: 'mergeByKey', propertyName1: 'customer', propertyName2: 'id' });
    expect(node('Merge')?.data).toMatchObject({
      joinBy: 'customer',
      otherKey: 'id',
      keep: 'first',
      prefer: 'other',
      others: '$MergePartners.items',
    });
    expect(node('MergePartners')).toMatchObject({
      type: 'deduplicate',
      data: { compareBy: 'id', keep: 'last' },
    });
    expect(edges).toContain('MergeInputs:>MergePartners:');
    expect(edges).toContain('MergePartners:>Merge:');
  });

  it('takes a branch that did not run as a list without items', async () => {
    expect(await joinedBy(merged(3, different()), { Orders: { rows: ORDERS } })).toEqual([]);
  });

  it('takes one item of an input as a list of one', async () => {
    const converted = merged(3, different(), { customers: 'manualTrigger' });
    const items = await joinedBy(converted, { Orders: { rows: ORDERS }, Customers: { id: 8, name: 'Bea' } });
    expect(items).toEqual([{ customer: 8, id: 8, name: 'Bea', total: 4, note: 'order' }]);
  });

  it.each<[string, JsonObject]>([
    ['compares values of different types', different({ options: { fuzzyCompare: true } })],
    [
      'adds the number of the input to names of fields',
      different({ options: { clashHandling: { values: { resolveClash: 'addSuffix' } } } }),
    ],
    ['its fields are expressions', { mode: 'combine', fieldsToMatchString: '={{ $json.key }}' }],
    ['it names no fields', { mode: 'combine' }],
    ['combines more than two inputs', { mode: 'combine', combineBy: 'combineByPosition', numberInputs: 3 }],
    ['does not join items as "combine" does in n8n.', { mode: 'combine', combineBy: 'combineBySomething' }],
  ])('waits for its inputs alone where it %s', (reason, parameters) => {
    const { node, lines, edges } = merged(3, parameters);
    expect(node('Merge')?.type).toBe('merge');
    expect(lines('Merge')[0]).toContain(reason);
    expect(edges).toContain('Customers:>Merge:input-1');
  });

  it('joins items with fields that a node only hands on', () => {
    const { node } = convert({
      nodes: [
        { name: 'Start', type: base('manualTrigger') },
        {
          name: 'Named',
          type: base('set'),
          typeVersion: 3.4,
          parameters: {
            includeOtherFields: true,
            assignments: { assignments: [{ name: 'x', value: 'y', type: 'string' }] },
          },
        },
        { name: 'Customers', type: base('postgres'), parameters: { operation: 'select', table: 't' } },
        { name: 'Merge', type: base('merge'), typeVersion: 3, parameters: different() },
      ],
      connections: {
        Start: { main: [[...main('Named'), ...main('Customers')]] },
        Named: { main: [main('Merge')] },
        Customers: { main: [main('Merge', 1)] },
      },
    });
    expect(node('Merge')?.type).toBe('join');
    const items = String(node('Merge')?.data['items']);
    expect(evaluateCode(items, { Start: { customer: 7 }, Named: { x: 'y' } })).toEqual([
      { customer: 7, x: 'y' },
    ]);
  });
});

describe('a merge without a key', () => {
  const both = (order: number, customer: number): Json => ({
    ...(ORDERS[order] as JsonObject),
    ...(CUSTOMERS[customer] as JsonObject),
  });
  const inPlace = [both(0, 0), both(1, 1)];

  it.each<[string, number, JsonObject, Json[]]>([
    ['by position', 3.2, { mode: 'combine', combineBy: 'combineByPosition' }, inPlace],
    ['by position, of version 2', 2.1, { mode: 'combine', combinationMode: 'mergeByPosition' }, inPlace],
    [
      'by position, with those that are left',
      3,
      { mode: 'combine', combineBy: 'combineByPosition', options: { includeUnpaired: true } },
      [...inPlace, ORDERS[2] ?? null],
    ],
    ['by index, of version 1', 1, { mode: 'mergeByIndex', join: 'inner' }, inPlace],
    ['by index with all of the first', 1, { mode: 'mergeByIndex' }, [...inPlace, ORDERS[2] ?? null]],
    [
      'of all possible pairs',
      3,
      { mode: 'combine', combineBy: 'combineAll' },
      [both(0, 0), both(0, 1), both(1, 0), both(1, 1), both(2, 0), both(2, 1)],
    ],
  ])('%s', async (_, version, parameters, items) => {
    const converted = merged(version, parameters);
    expect(await joinedBy(converted)).toEqual(items);
    const found = problems(converted.document, catalog).filter(({ code }) => code !== 'missing_param');
    expect(found).toEqual([]);
  });

  it('pairs each item of the second input with all of the first, when that one is preferred', async () => {
    const clashHandling = { values: { resolveClash: 'preferInput1' } };
    const converted = merged(3, { mode: 'combine', combineBy: 'combineAll', options: { clashHandling } });
    const items = (await joinedBy(converted)) as JsonObject[];
    expect(items.map(({ id, total, note }) => [id, total, note])).toEqual([
      [7, 3, 'order'],
      [7, 4, 'order'],
      [7, 5, 'order'],
      [9, 3, 'order'],
      [9, 4, 'order'],
      [9, 5, 'order'],
    ]);
  });

  it('prefers the first input where it says so', async () => {
    const clashHandling = { values: { resolveClash: 'preferInput1', mergeMode: 'shallowMerge' } };
    const converted = merged(3, {
      mode: 'combine',
      combineBy: 'combineByPosition',
      options: { clashHandling },
    });
    expect(await joinedBy(converted)).toMatchObject([{ note: 'order' }, { note: 'order' }]);
    expect(converted.lines('Merge')).toEqual([]);
  });

  it('leaves two single items where they are', () => {
    const { node, edges } = convert({
      nodes: [
        { name: 'One', type: base('webhook'), typeVersion: 2 },
        { name: 'Two', type: base('webhook'), typeVersion: 2 },
        {
          name: 'Merge',
          type: base('merge'),
          typeVersion: 3,
          parameters: { mode: 'combine', combineBy: 'combineByPosition' },
        },
      ],
      connections: { One: { main: [main('Merge')] }, Two: { main: [main('Merge', 1)] } },
    });
    expect(node('Merge')?.type).toBe('merge');
    expect(edges).toContain('Two:>Merge:input-1');
  });
});

describe('a merge that appends', () => {
  it('makes one list of two', () => {
    const { node, message, lines } = merged(3, {}, { script: '$json.total' });
    expect(node('Merge')?.type).toBe('set');
    const [mapping] = (node('Merge')?.data['mappings'] ?? []) as JsonObject[];
    const value = mapping?.['value'];
    const items = evaluateCode(value, VALUES);
    expect(items).toEqual([...ORDERS, ...CUSTOMERS]);
    expect(evaluateCode(value, { Customers: { rows: CUSTOMERS } })).toEqual(CUSTOMERS);
    expect(evaluateCode(message, { Merge: { items: items as Json } })).toBe('3');
    expect(lines('Merge')).toEqual([]);
  });

  /** Two nodes at a merge, and the items that it makes of what they have handed on. */
  function appended(nodes: readonly JsonObject[], values: JsonObject) {
    const [one, two] = nodes.map(({ name }) => String(name));
    const converted = convert({
      nodes: [
        { name: 'Start', type: base('manualTrigger') },
        ...nodes,
        { name: 'Merge', type: base('merge'), typeVersion: 3, parameters: {} },
        { name: 'Send', type: base('telegram'), parameters: { chatId: '1', text: '={{ $json.x }}' } },
      ],
      connections: {
        Start: { main: [[...main(one ?? ''), ...main(two ?? '')]] },
        [one ?? '']: { main: [main('Merge')] },
        [two ?? '']: { main: [main('Merge', 1)] },
        Merge: { main: [main('Send')] },
      },
    });
    const [mapping] = (converted.node('Merge')?.data['mappings'] ?? []) as JsonObject[];
    return { ...converted, items: evaluateCode(mapping?.['value'], values) };
  }
  const fields = (name: string) => ({
    name,
    type: base('set'),
    typeVersion: 3.4,
    parameters: { assignments: { assignments: [{ name: 'x', value: name, type: 'string' }] } },
  });

  it('makes a list of single items, so that the next node runs for each as in n8n', () => {
    const nodes = [fields('One'), fields('Two')];
    const { items, edges, node, lines } = appended(nodes, { One: { x: 1 }, Two: { x: 2 } });
    expect(items).toEqual([{ x: 1 }, { x: 2 }]);
    expect(edges).toContain('Merge:>SendLoop:');
    expect(node('Send')?.data['message']).toBe('$concat(SendLoop.item.x)');
    expect(lines('Merge')).toEqual([]);
    expect(lines('Send').filter((line) => line.includes('first'))).toEqual([]);
  });

  it('has the items of the branch that has run', () => {
    expect(appended([fields('One'), fields('Two')], { Two: { x: 2 } }).items).toEqual([{ x: 2 }]);
  });

  it('gives fields that are called otherwise here their names of n8n', () => {
    const chain = { name: 'Ask', type: '@n8n/n8n-nodes-langchain.chainLlm', parameters: { text: 'Hi' } };
    const agent = { name: 'Agent', type: '@n8n/n8n-nodes-langchain.agent', parameters: { text: 'Hi' } };
    const values = { Ask: { text: 'a' }, Agent: { text: 'b' } };
    expect(appended([chain, agent], values).items).toMatchObject([{ text: 'a' }, { output: 'b' }]);
  });

  it('has the entries of an answer that is a list', () => {
    const http = {
      name: 'Get',
      type: base('httpRequest'),
      typeVersion: 4.2,
      parameters: { url: 'https://a.test' },
    };
    const nodes = [http, fields('Two')];
    const two = { Two: { x: 2 } };
    expect(appended(nodes, { Get: { body: [{ x: 0 }, { x: 1 }] }, ...two }).items).toEqual([
      { x: 0 },
      { x: 1 },
      { x: 2 },
    ]);
    expect(appended(nodes, { Get: { body: { x: 0 } }, ...two }).items).toEqual([{ x: 0 }, { x: 2 }]);
  });

  it('stays a wait for items with files, and says so', () => {
    const file = {
      name: 'Load',
      type: base('googleDrive'),
      parameters: { operation: 'download', fileId: 'a' },
    };
    const { node, lines } = appended([file, fields('Two')], {});
    expect(node('Merge')?.type).toBe('merge');
    expect(lines('Merge')[0]).toContain(
      'does not join items as "append" does in n8n, because its items have files',
    );
  });
});
