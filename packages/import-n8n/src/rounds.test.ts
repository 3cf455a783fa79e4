import { createScope, evaluate, type Json, type JsonObject, problems } from '@millrace/engine';
import { catalog } from '@millrace/nodes/catalog';
import { runNode } from '@millrace/nodes/testing';
import { describe, expect, it } from 'vitest';
import { base, convert } from './testing/converted.ts';

const main = (...targets: readonly string[]): Json[] =>
  targets.map((node) => ({ node, type: 'main', index: 0 }));

const evaluateCode = (code: unknown, values: JsonObject): unknown =>
  evaluate(String(code), 'value', createScope({ values, now: () => 0, uuid: () => '', random: () => 0 }));

const ROWS = [
  { id: 1, name: 'Ada' },
  { id: 5, name: 'Bob' },
];

const rows = (name: string): JsonObject => ({
  name,
  type: base('postgres'),
  parameters: { operation: 'select', table: 't' },
});
const send = (name: string, script: string, rest: JsonObject = {}): JsonObject => ({
  name,
  type: base('telegram'),
  parameters: { chatId: '1', text: `={{ ${script} }}` },
  ...rest,
});
const request = (name: string, rest: JsonObject = {}): JsonObject => ({
  name,
  type: base('httpRequest'),
  typeVersion: 4.2,
  parameters: { url: '=https://example.com/{{ $json.id }}' },
  ...rest,
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

const evaluateMessage = ({ node }: ReturnType<typeof convert>, values: JsonObject, name = 'Send'): unknown =>
  evaluateCode(node(name)?.data['message'], values);

describe('fields that are set on every item', () => {
  it('may call functions, which may read the item', () => {
    const { node, lines } = inRow(rows('Rows'), {
      name: 'Set',
      type: base('set'),
      typeVersion: 3.4,
      parameters: {
        assignments: {
          assignments: [
            {
              name: 'same',
              type: 'array',
              value: '={{ $json.list.filter(x => x.id === $json.id).map(x => x.name) }}',
            },
          ],
        },
      },
    });
    const list = [
      { id: 1, name: 'a' },
      { id: 5, name: 'b' },
    ];
    const values = { Rows: { rows: ROWS.map((row) => ({ ...row, list })) } };
    const [{ value } = { value: '' }] = (node('Set')?.data['mappings'] ?? []) as { value: string }[];
    expect(evaluateCode(value, values)).toEqual([{ same: ['a'] }, { same: ['b'] }]);
    expect(lines('Set')).toEqual([]);
  });
});

describe('fields that are set on every item, from its place', () => {
  const named = (value: string): JsonObject => ({
    name: 'Set',
    type: base('set'),
    typeVersion: 3.4,
    parameters: {
      includeOtherFields: true,
      assignments: { assignments: [{ name: 'made', type: 'string', value }] },
    },
  });
  const madeBy = ({ node }: ReturnType<typeof convert>, values: JsonObject): unknown => {
    const [{ value } = { value: '' }] = (node('Set')?.data['mappings'] ?? []) as { value: string }[];
    return evaluateCode(value, values);
  };

  it('is its number', () => {
    const converted = inRow(rows('Rows'), named('={{ $itemIndex + 1 }}: {{ $json.name }}'));
    expect(converted.lines('Set')).toEqual([]);
    expect(madeBy(converted, { Rows: { rows: ROWS } })).toEqual([
      { id: 1, name: 'Ada', made: '1: Ada' },
      { id: 5, name: 'Bob', made: '2: Bob' },
    ]);
  });

  it('is the item of another list that it was made of', () => {
    const converted = inRow(
      rows('Rows'),
      send('Send', '$json.name'),
      named("={{ $('Rows').item.json.name }}"),
    );
    expect(converted.lines('Set')).toEqual([]);
    const values = { Rows: { rows: ROWS }, SendLoop: { results: [{ sent: 1 }, { sent: 2 }] } };
    expect(madeBy(converted, values)).toEqual([
      { sent: 1, made: 'Ada' },
      { sent: 2, made: 'Bob' },
    ]);
  });

  it('is still known to nodes after it', () => {
    const converted = inRow(
      rows('Rows'),
      named('={{ $json.name }}'),
      send('Send', "$('Rows').item.json.name"),
    );
    expect(converted.lines('Send')).toEqual([]);
    const values = { Rows: { rows: ROWS }, SendLoop: { item: {}, index: 1 } };
    expect(evaluateMessage(converted, values)).toBe('Bob');
  });
});

describe('items that are chosen by the item of another list', () => {
  const byName = (type: string): JsonObject => ({
    name: 'Choose',
    type: base(type),
    typeVersion: 2.2,
    parameters: {
      conditions: {
        combinator: 'and',
        conditions: [
          {
            leftValue: "={{ $('Rows').item.json.name }}",
            rightValue: 'Bob',
            operator: { type: 'string', operation: 'equals' },
          },
        ],
      },
    },
  });
  const values = { Rows: { rows: ROWS }, SendLoop: { results: [{ sent: 1 }, { sent: 2 }] } };

  it.each([
    ['filter', 'ChooseKept', 'items'],
    ['if', 'ChooseLists', 'output0'],
  ])('are in the list of a %s', (type, label, key) => {
    const { node, lines } = inRow(rows('Rows'), send('Send', '$json.name'), byName(type), rows('After'));
    const mappings = (node(label)?.data['mappings'] ?? []) as { key: string; value: string }[];
    const chosen = mappings.find((mapping) => mapping.key === key);
    expect(evaluateCode(chosen?.value, values)).toEqual([{ sent: 2 }]);
    expect(lines('Choose')).toEqual([]);
  });
});

describe('an item that a node hands on', () => {
  const keeping: JsonObject[] = [
    {
      name: 'Fit',
      type: base('filter'),
      typeVersion: 2,
      parameters: {
        conditions: {
          combinator: 'and',
          conditions: [
            { leftValue: '={{ $json.id }}', rightValue: 3, operator: { type: 'number', operation: 'gt' } },
          ],
        },
      },
    },
    { name: 'Some', type: base('limit'), parameters: { maxItems: 1 } },
  ];

  it('is the item of every node that it came through', () => {
    const converted = inRow(rows('Rows'), ...keeping, send('Send', "$('Rows').item.json.name"));
    expect(converted.lines('Send')).toEqual([]);
    const item = ROWS[1] as JsonObject;
    expect(evaluateMessage(converted, { SendLoop: { item, index: 0 }, Rows: { rows: ROWS } })).toBe('Bob');
  });

  it('has lost its place where other items were made of it before', () => {
    const { lines } = inRow(
      rows('Rows'),
      send('First', '$json.name'),
      ...keeping,
      send('Send', "$('Rows').item.json.name"),
    );
    expect(lines('Send')).toEqual([expect.stringContaining('here it runs once, with the first one')]);
  });
});

describe('a node that n8n runs for each item of a list', () => {
  it('is in a loop over the list', () => {
    const converted = inRow(rows('Rows'), send('Send', '$json.name'), rows('After'));
    expect(converted.edges).toEqual([
      'Start:>Rows:',
      'Rows:>SendLoop:',
      'SendLoop:done>AfterLoop:',
      'SendLoop:loop>Send:',
      'Send:>SendLoop:loop',
      'AfterLoop:loop>After:',
      'After:>AfterLoop:loop',
    ]);
    const list = converted.node('SendLoop')?.data['arrayExpression'];
    expect(evaluateCode(list, { Rows: { rows: ROWS } })).toEqual(ROWS);
    expect(evaluateMessage(converted, { SendLoop: { item: ROWS[1] as JsonObject, index: 1 } })).toBe('Bob');
    expect(converted.lines('Send')).toEqual([]);
    expect(problems(converted.document, catalog).filter(({ code }) => code !== 'missing_param')).toEqual([]);
  });

  it('reads the first and the last item, the whole list and the place of its item', () => {
    const values = { Rows: { rows: ROWS }, SendLoop: { item: ROWS[1] as JsonObject, index: 1 } };
    const read = (script: string) => evaluateMessage(inRow(rows('Rows'), send('Send', script)), values);
    expect(read('$json.name')).toBe('Bob');
    expect(read("$('Rows').item.json.name")).toBe('Bob');
    expect(read("$('Rows').first().json.name")).toBe('Ada');
    expect(read('$input.first().json.name')).toBe('Ada');
    expect(read("$('Rows').last().json.name")).toBe('Bob');
    expect(read('$input.all().length')).toBe('2');
    expect(read('$itemIndex + 1')).toBe('2');
  });

  it('hands on the list of what it answered, to nodes that read the item it was made from as well', () => {
    const converted = inRow(
      rows('Rows'),
      send('Tell', '$json.name'),
      send('Send', "$json.result.message_id + ' for ' + $('Rows').item.json.name"),
    );
    const results = [{ result: { message_id: 3 } }, { result: { message_id: 4 } }];
    const list = evaluateCode(converted.node('SendLoop')?.data['arrayExpression'], { TellLoop: { results } });
    expect(list).toEqual(results);
    const item = evaluateCode('$TellLoop.results[1]', { TellLoop: { results } }) as JsonObject;
    const values = { Rows: { rows: ROWS }, SendLoop: { item, index: 1 } };
    expect(evaluateMessage(converted, values)).toContain(' for Bob');
  });

  it('hands on the entries of every answer that is a list', () => {
    const converted = inRow(rows('Rows'), request('Fetch'), send('Send', '$json.title'));
    expect(converted.node('Fetch')?.data['curl']).toContain('FetchLoop.item.id');
    const results = [{ body: { title: 'One' } }, { body: [{ title: 'Two' }, { title: 'Three' }] }];
    const list = evaluateCode(converted.node('SendLoop')?.data['arrayExpression'], {
      FetchLoop: { results },
    });
    expect(list).toEqual([{ title: 'One' }, { title: 'Two' }, { title: 'Three' }]);
  });

  it('hands on one list of all rows, which belong to no single item before', () => {
    const query = { ...rows('Find'), parameters: { operation: 'executeQuery', query: 'SELECT 1' } };
    const converted = inRow(rows('Rows'), query, send('Send', '$json.n'));
    const results = [{ rows: [{ n: 1 }, { n: 2 }] }, { rows: [] }, { rows: [{ n: 3 }] }];
    const list = evaluateCode(converted.node('SendLoop')?.data['arrayExpression'], { FindLoop: { results } });
    expect(list).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
    const other = inRow(rows('Rows'), query, send('Send', "$('Rows').item.json.name"));
    expect(other.node('SendLoop')).toBeUndefined();
    expect(other.lines('Send')).toContainEqual(expect.stringContaining('n8n runs it for each item'));
  });

  it('hands on what was answered in the rounds of a loop of the file', () => {
    const { node, edges } = convert({
      nodes: [
        rows('Rows'),
        { name: 'Each', type: base('splitInBatches'), typeVersion: 3, parameters: {} },
        request('Fetch'),
        send('Send', '$json.title'),
      ],
      connections: {
        Rows: { main: [main('Each')] },
        Each: { main: [main('Send'), main('Fetch')] },
        Fetch: { main: [main('Each')] },
      },
    });
    expect(edges).toEqual(expect.arrayContaining(['Each:loop>Fetch:', 'Fetch:>Each:loop']));
    expect(node('FetchLoop')).toBeUndefined();
    const list = node('SendLoop')?.data['arrayExpression'];
    expect(evaluateCode(list, { Each: { results: [{ body: { title: 'One' } }] } })).toEqual([
      { title: 'One' },
    ]);
  });

  it.each([
    ['of version 3', 3, { batchSize: 2 }, [2, 1], 2],
    ['of an older version', 2, {}, [3], 10],
  ] as const)('gets the items of a batch in a loop %s', async (...[, version, parameters, sizes, size]) => {
    const [loop, done] = version === 3 ? [1, 0] : [0, 1];
    const outputs: Json[] = [];
    outputs[loop] = main('Tell');
    outputs[done] = main('Send');
    const converted = convert({
      nodes: [
        rows('Rows'),
        { name: 'Each', type: base('splitInBatches'), typeVersion: version, parameters },
        send('Tell', '$json.name'),
        send('Send', '$json.result.message_id'),
      ],
      connections: {
        Rows: { main: [main('Each')] },
        Each: { main: outputs },
        Tell: { main: [main('Each')] },
      },
    });
    const { node, edges, lines } = converted;
    expect(edges).toEqual(
      expect.arrayContaining([
        'Rows:>EachBatches:',
        'EachBatches:>Each:',
        'Each:loop>TellLoop:',
        'TellLoop:loop>Tell:',
        'Tell:>TellLoop:loop',
        'TellLoop:done>Each:loop',
        'Each:done>SendLoop:',
      ]),
    );
    expect(lines('Each')).toEqual([]);
    const inputs = { Rows: { rows: [...ROWS, { id: 7, name: 'Cy' }] } };
    const batches = await runNode('split', node('EachBatches')?.data ?? {}, { inputs });
    const lists = 'output' in batches ? ((batches.output as JsonObject)['items'] as Json[][]) : [];
    expect(node('EachBatches')?.data).toMatchObject({ operation: 'parts', size });
    expect(lists.map(({ length }) => length)).toEqual(sizes);
    expect(node('Each')?.data['arrayExpression']).toBe('$EachBatches.items');
    const list = evaluateCode(node('TellLoop')?.data['arrayExpression'], {
      Each: { item: lists[0] ?? null },
    });
    expect(list).toEqual(lists[0]);
    const rounds = [
      { results: [{ result: { message_id: 3 } }, { result: { message_id: 4 } }] },
      { results: [] },
    ];
    const told = evaluateCode(node('SendLoop')?.data['arrayExpression'], { Each: { results: rounds } });
    expect(told).toEqual([{ result: { message_id: 3 } }, { result: { message_id: 4 } }]);
    expect(problems(converted.document, catalog).filter(({ code }) => code !== 'missing_param')).toEqual([]);
  });

  it('counts the rounds of the one loop around it', () => {
    const each = (name: string) => ({ name, type: base('splitInBatches'), typeVersion: 3, parameters: {} });
    const [start, tell, after] = [
      send('Before', '$runIndex'),
      send('Send', '$runIndex + 1'),
      send('After', '$runIndex'),
    ];
    const inLoop = convert({
      nodes: [rows('Rows'), start, each('Each'), tell, after],
      connections: {
        Rows: { main: [main('Before')] },
        Before: { main: [main('Each')] },
        Each: { main: [main('After'), main('Send')] },
        Send: { main: [main('Each')] },
      },
    });
    expect(evaluateMessage(inLoop, { Each: { index: 2 } })).toBe('3');
    for (const name of ['Before', 'After']) expect(evaluateMessage(inLoop, {}, name)).toBe('0');
    const nested = convert({
      nodes: [rows('Rows'), each('Outer'), each('Inner'), tell],
      connections: {
        Rows: { main: [main('Outer')] },
        Outer: { main: [[], main('Inner')] },
        Inner: { main: [main('Outer'), main('Send')] },
        Send: { main: [main('Inner')] },
      },
    });
    expect(nested.lines('Send')).toContainEqual(expect.stringContaining('rounds of several loops'));
  });

  it('reads the results of a summary by the names that n8n gives them', async () => {
    const summary: JsonObject = {
      name: 'Sum',
      type: base('summarize'),
      typeVersion: 1.1,
      parameters: {
        fieldsToSummarize: { values: [{ aggregation: 'sum', field: 'order.total' }] },
        fieldsToSplitBy: 'my country, a.b',
      },
    };
    const script = '[$json.sum_order_total, $json.my_country, $json.a_b].join("-")';
    const converted = inRow(rows('Rows'), summary, send('Send', script));
    const sold = [{ order: { total: 3 }, 'my country': 'DE', a: { b: 'x' } }];
    const result = await runNode('aggregate', converted.node('Sum')?.data ?? {}, {
      inputs: { Rows: { rows: sold } },
    });
    const output = 'output' in result ? result.output : null;
    const list = String(converted.node('SendLoop')?.data['arrayExpression']);
    const scope = createScope({ values: { Sum: output }, now: () => 0, uuid: () => '', random: () => 0 });
    const items = evaluate(list, 'value', scope);
    expect(items).toEqual([{ my_country: 'DE', a_b: 'x', sum_order_total: 3 }]);
    expect(evaluateMessage(converted, { SendLoop: { item: (items as Json[])[0] ?? null } })).toBe('3-DE-x');
  });

  it('hands on the dates of its rounds by the names that n8n gives them', () => {
    const parameters = { operation: 'formatDate', date: '={{ $json.born }}', options: {} };
    const date: JsonObject = { name: 'Date', type: base('dateTime'), typeVersion: 2, parameters };
    const all: JsonObject = {
      name: 'All',
      type: base('aggregate'),
      typeVersion: 1,
      parameters: { aggregate: 'aggregateAllItemData' },
    };
    const { node } = inRow(rows('Rows'), date, all, send('Send', '$json.data.length'));
    const [mapping] = (node('All')?.data['mappings'] ?? []) as { value: string }[];
    const results = [{ value: '05/01/1993', unix: 736_214_400 }];
    const scope = createScope({
      values: { DateNodeLoop: { results } },
      now: () => 0,
      uuid: () => '',
      random: () => 0,
    });
    expect(evaluate(mapping?.value ?? '', 'value', scope)).toEqual([{ formattedDate: '05/01/1993' }]);
  });

  it('does not count the rounds of a circle', () => {
    const { lines } = convert({
      nodes: [
        rows('Rows'),
        send('Send', '$runIndex'),
        { name: 'If', type: base('if'), typeVersion: 2, parameters: {} },
      ],
      connections: {
        Rows: { main: [main('Send')] },
        Send: { main: [main('If')] },
        If: { main: [main('Send')] },
      },
    });
    expect(lines('Send')).toContainEqual(expect.stringContaining('rounds of a circle'));
  });

  it('reads the item of the round by the name of the loop, and what the rounds gave behind it', () => {
    const { node } = convert({
      nodes: [
        rows('Rows'),
        { name: 'Each', type: base('splitInBatches'), typeVersion: 3, parameters: {} },
        send('Send', "$('Each').item.json.name"),
        send('After', "$('Each').first().json.result.message_id"),
      ],
      connections: {
        Rows: { main: [main('Each')] },
        Each: { main: [main('After'), main('Send')] },
        Send: { main: [main('Each')] },
      },
    });
    expect(evaluateCode(node('Send')?.data['message'], { Each: { item: { name: 'Ada' } } })).toBe('Ada');
    const results = [{ result: { message_id: 3 } }];
    expect(evaluateCode(node('After')?.data['message'], { Each: { results }, AfterLoop: { index: 0 } })).toBe(
      '3',
    );
  });

  it.each([
    [
      'a wait before the next round',
      [{ name: 'Wait', type: base('wait'), parameters: { amount: 1 } }],
      ['Send', 'Wait', 'Each'],
    ],
    ['nodes that do nothing', [{ name: 'No', type: base('noOp'), parameters: {} }], ['Send', 'No', 'Each']],
  ])('hands on what was answered behind %s', (_, more, way) => {
    const { node, lines } = convert({
      nodes: [
        rows('Rows'),
        { name: 'Each', type: base('splitInBatches'), typeVersion: 3, parameters: { batchSize: 5 } },
        send('Send', '$json.name'),
        send('After', '$json.result.message_id'),
        ...more,
      ],
      connections: {
        Rows: { main: [main('Each')] },
        Each: { main: [main('After'), main('Send')] },
        ...Object.fromEntries(
          way.slice(0, -1).map((name, at) => [name, { main: [main(way[at + 1] ?? '')] }]),
        ),
      },
    });
    expect(lines('Each')).toEqual([]);
    const rounds = [
      { results: [{ result: { message_id: 3 } }] },
      { results: [{ result: { message_id: 4 } }] },
    ];
    const told = evaluateCode(node('AfterLoop')?.data['arrayExpression'], { Each: { results: rounds } });
    expect(told).toEqual([{ result: { message_id: 3 } }, { result: { message_id: 4 } }]);
  });

  it('reads the item of a round that only waits, and the error of one that failed', () => {
    const each = { name: 'Each', type: base('splitInBatches'), typeVersion: 3, parameters: {} };
    const wait = { name: 'Wait', type: base('wait'), parameters: { amount: 1 } };
    const waits = convert({
      nodes: [rows('Rows'), each, wait, send('After', '$json.name')],
      connections: {
        Rows: { main: [main('Each')] },
        Each: { main: [main('After'), main('Wait')] },
        Wait: { main: [main('Each')] },
      },
    });
    const list = waits.node('AfterLoop')?.data['arrayExpression'];
    expect(evaluateCode(list, { Each: { results: [{ item: { name: 'Ada' }, index: 0 }] } })).toEqual([
      { name: 'Ada' },
    ]);
    expect(waits.lines('Each')).toEqual([]);
    const failed = convert({
      nodes: [
        rows('Rows'),
        each,
        request('Fetch', { onError: 'continueErrorOutput' }),
        wait,
        send('After', '$json.error.message'),
      ],
      connections: {
        Rows: { main: [main('Each')] },
        Each: { main: [main('After'), main('Fetch')] },
        Fetch: { main: [[], main('Wait')] },
        Wait: { main: [main('Each')] },
      },
    });
    expect(failed.node('AfterLoop')?.data['arrayExpression']).toBe('$Each.results');
    expect(evaluateMessage(failed, { AfterLoop: { item: { error: 'gone' } } }, 'After')).toBe('gone');
  });

  it('says so when a node that is switched off leads back', () => {
    const { lines } = convert({
      nodes: [
        rows('Rows'),
        { name: 'Each', type: base('splitInBatches'), typeVersion: 3, parameters: {} },
        { name: 'Wait', type: base('wait'), parameters: { amount: 1 }, disabled: true },
        send('After', '$json.name'),
      ],
      connections: {
        Rows: { main: [main('Each')] },
        Each: { main: [main('After'), main('Wait')] },
        Wait: { main: [main('Each')] },
      },
    });
    expect(lines('Each')).toContainEqual(expect.stringContaining('check what they read'));
  });

  it('says so when it is not certain what the rounds hand on', () => {
    const { node, lines } = convert({
      nodes: [
        rows('Rows'),
        { name: 'Each', type: base('splitInBatches'), typeVersion: 3, parameters: { batchSize: 2.5 } },
        { name: 'If', type: base('if'), typeVersion: 2, parameters: {} },
        send('Send', '$json.name'),
        send('After', '$json.name'),
      ],
      connections: {
        Rows: { main: [main('Each')] },
        Each: { main: [main('After'), main('If')] },
        If: { main: [main('Send'), main('Each')] },
        Send: { main: [main('Each')] },
      },
    });
    expect(node('EachBatches')?.data['size']).toBe(2);
    expect(lines('Each')).toContainEqual(expect.stringContaining('check what they read'));
  });

  it('begins the next round after an error, when it continues then', () => {
    const { edges } = inRow(rows('Rows'), request('Fetch', { onError: 'continueRegularOutput' }));
    expect(edges).toEqual(expect.arrayContaining(['Fetch:>FetchLoop:loop', 'Fetch:error>FetchLoop:loop']));
  });

  it('has its parts itself, and not its loop', () => {
    const { edges } = convert({
      nodes: [
        rows('Rows'),
        {
          name: 'Agent',
          type: '@n8n/n8n-nodes-langchain.agent',
          parameters: { promptType: 'define', text: '={{ $json.name }}' },
        },
        {
          name: 'Tool',
          type: base('httpRequestTool'),
          typeVersion: 4.2,
          parameters: { url: 'https://example.com' },
        },
      ],
      connections: {
        Rows: { main: [main('Agent')] },
        Tool: { ai_tool: [[{ node: 'Agent', type: 'ai_tool', index: 0 }]] },
      },
    });
    expect(edges).toEqual(
      expect.arrayContaining([
        'Rows:>AgentLoop:',
        'AgentLoop:loop>Agent:',
        'Tool:tool-output>Agent:tool-input',
      ]),
    );
  });
});

describe('a node runs once', () => {
  it.each<[string, JsonObject]>([
    ['when it did so in n8n', send('Send', '$json.name', { executeOnce: true })],
    ['when it waits', { name: 'Send', type: base('wait'), parameters: { amount: 1 } }],
    ['when it answers the caller', { name: 'Send', type: base('respondToWebhook'), parameters: {} }],
    ['when it is switched off', send('Send', '$json.name', { disabled: true })],
  ])('%s', (_, node) => {
    const { node: made, lines } = inRow(rows('Rows'), node);
    expect(made('SendLoop')).toBeUndefined();
    expect(lines('Send').filter((line) => line.startsWith('n8n runs it'))).toEqual([]);
  });

  it.each<[string, JsonObject]>([
    ['when errors take a way of their own', send('Send', '$json.name', { onError: 'continueErrorOutput' })],
    ['when it reads an item of another list', send('Send', "$('Other').item.json.name")],
  ])('and the report says so %s', (_, node) => {
    const { node: made, lines } = inRow(rows('Other'), { ...rows('Rows'), executeOnce: true }, node);
    expect(made('SendLoop')).toBeUndefined();
    expect(lines('Send')).toContainEqual(expect.stringContaining('n8n runs it for each item of a list'));
  });

  it('and the report says so when it is in a circle, or gets data of several nodes', () => {
    const circle = convert({
      nodes: [rows('A'), rows('B')],
      connections: { A: { main: [main('B')] }, B: { main: [main('A')] } },
    });
    expect(circle.document.nodes).toHaveLength(2);
    const several = convert({
      nodes: [rows('A'), rows('B'), send('Send', '$json.name')],
      connections: { A: { main: [main('Send')] }, B: { main: [main('Send')] } },
    });
    expect(several.node('SendLoop')).toBeUndefined();
    expect(several.lines('Send')).toContainEqual(expect.stringContaining('n8n runs it for each item'));
  });
});

it('converts long chains of lists, in any order of the file, without running out of stack', () => {
  const count = 3_000;
  const nodes = Array.from({ length: count }, (_, index) => rows(`R${index}`));
  const connections = Object.fromEntries(
    nodes.slice(1).map((_, index) => [`R${index}`, { main: [main(`R${index + 1}`)] }]),
  );
  for (const order of [nodes, nodes.toReversed()]) {
    const { document, node } = convert({ nodes: order, connections });
    expect(document.nodes.length).toBeGreaterThanOrEqual(count);
    expect(node('R1Loop')).toBeDefined();
  }
});
