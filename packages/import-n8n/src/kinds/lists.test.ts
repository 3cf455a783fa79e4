import { createScope, evaluate, isJsonObject, type Json, type JsonObject, problems } from '@millrace/engine';
import { catalog } from '@millrace/nodes/catalog';
import { describe, expect, it } from 'vitest';
import { base, convert, one } from '../testing/converted.ts';

const main = (...targets: readonly string[]): Json[] =>
  targets.map((node) => ({ node, type: 'main', index: 0 }));

const ROWS = [
  { id: 1, name: 'Ada', tags: ['a', 'b'], notes: ['x'] },
  { id: 5, name: 'Bob', tags: [], notes: [] },
  { id: 9, name: 'Cy', tags: ['c'], notes: ['y'] },
];

const evaluateCode = (code: unknown, values: JsonObject): unknown =>
  evaluate(String(code), 'value', createScope({ values, now: () => 0, uuid: () => '', random: () => 0 }));

const send = (name: string, text: string): JsonObject => ({
  name,
  type: base('telegram'),
  parameters: { chatId: '1', text },
  executeOnce: true,
});

/** A node between rows of a database, or one object, and a message that reads its first item. */
function between(type: string, version: number, parameters: JsonObject, script: string) {
  const converted = convert({
    nodes: [
      { name: 'Start', type: base('manualTrigger') },
      { name: 'Rows', type: base('postgres'), parameters: { operation: 'select', table: 't' } },
      { name: 'One', type: base(type), typeVersion: version, parameters },
      send('Send', `={{ ${script} }}`),
    ],
    connections: {
      Start: { main: [main('Rows')] },
      Rows: { main: [main('One')] },
      One: { main: [main('Send')] },
    },
  });
  return { ...converted, message: converted.node('Send')?.data['message'] };
}

const evaluateItems = (data: JsonObject | undefined, values: JsonObject): unknown => {
  const mappings = data?.['mappings'];
  const [row] = Array.isArray(mappings) ? mappings : [];
  return evaluateCode(isJsonObject(row ?? null) ? (row as JsonObject)['value'] : '', values);
};

const larger = (leftValue: string, rightValue: Json) => ({
  conditions: {
    combinator: 'and',
    conditions: [{ leftValue, rightValue, operator: { type: 'number', operation: 'gt' } }],
  },
});

describe('a filter of a list', () => {
  it('keeps the items that fit, and ends the branch when there are none', () => {
    const { node, edges, message, lines, document } = between(
      'filter',
      2,
      larger('={{ $json.id }}', 3),
      '$json.name',
    );
    expect(edges).toEqual(['Start:>Rows:', 'Rows:>OneKept:', 'One:true>Send:', 'OneKept:>One:']);
    const kept = evaluateItems(node('OneKept')?.data, { Rows: { rows: ROWS } });
    expect(kept).toEqual(ROWS.slice(1));
    const condition = node('One')?.data['condition'];
    expect(evaluateCode(condition, { OneKept: { items: kept as Json } })).toBe(true);
    expect(evaluateCode(condition, { OneKept: { items: [] } })).toBe(false);
    expect(evaluateCode(message, { OneKept: { items: kept as Json } })).toBe('Bob');
    expect(lines('One')).toEqual([]);
    expect(problems(document, catalog).filter(({ code }) => code !== 'missing_param')).toEqual([]);
  });

  it('may compare with data of one object before the list', () => {
    const { node } = convert({
      nodes: [
        { name: 'Start', type: base('manualTrigger') },
        {
          name: 'Limit',
          type: base('set'),
          typeVersion: 3.4,
          parameters: { assignments: { assignments: [{ name: 'least', value: 4, type: 'number' }] } },
        },
        { name: 'Rows', type: base('postgres'), parameters: { operation: 'select', table: 't' } },
        {
          name: 'One',
          type: base('filter'),
          typeVersion: 2,
          parameters: larger('={{ $json.id }}', "={{ $('Limit').item.json.least }}"),
        },
      ],
      connections: {
        Start: { main: [main('Limit')] },
        Limit: { main: [main('Rows')] },
        Rows: { main: [main('One')] },
      },
    });
    expect(evaluateItems(node('OneKept')?.data, { Rows: { rows: ROWS }, Limit: { least: 4 } })).toEqual(
      ROWS.slice(1),
    );
  });

  it('of one object is a condition', () => {
    const { node } = convert({
      nodes: [
        { name: 'Start', type: base('manualTrigger') },
        { name: 'One', type: base('filter'), typeVersion: 2, parameters: larger('={{ $json.id }}', 3) },
      ],
      connections: { Start: { main: [main('One')] } },
    });
    expect(node('OneKept')).toBeUndefined();
    expect(evaluateCode(node('One')?.data['condition'], { Start: { id: 5 } })).toBe(true);
  });

  it('is kept when it reads items of another list', () => {
    const { node, lines } = convert({
      nodes: [
        { name: 'A', type: base('postgres'), parameters: { operation: 'select', table: 't' } },
        { name: 'B', type: base('postgres'), parameters: { operation: 'select', table: 't' } },
        {
          name: 'One',
          type: base('filter'),
          typeVersion: 2,
          parameters: larger('={{ $json.id }}', "={{ $('A').item.json.id }}"),
        },
      ],
      connections: { A: { main: [main('B')] }, B: { main: [main('One')] } },
    });
    expect(node('One')?.type).toBe(base('filter'));
    expect(lines('One')[0]).toContain('does not belong to an item of the list');
  });
});

describe('fields of a list', () => {
  const assigned = (rest: JsonObject): JsonObject => ({
    assignments: {
      assignments: [
        { name: 'label', value: '={{ $json.name.toUpperCase() }}-{{ $json.id }}', type: 'string' },
      ],
    },
    ...rest,
  });

  it('are set for every item', () => {
    const { node, message, lines } = between('set', 3.4, assigned({}), '$json.label');
    const items = evaluateItems(node('One')?.data, { Rows: { rows: ROWS } });
    expect(items).toEqual([{ label: 'ADA-1' }, { label: 'BOB-5' }, { label: 'CY-9' }]);
    expect(evaluateCode(message, { One: { items: items as Json } })).toBe('ADA-1');
    expect(lines('One')).toEqual([]);
  });

  it('are added to every item', () => {
    const { node, message } = between('set', 3.4, assigned({ includeOtherFields: true }), '$json.name');
    const items = evaluateItems(node('One')?.data, { Rows: { rows: ROWS } });
    expect(items).toEqual(ROWS.map((row) => ({ ...row, label: `${row.name.toUpperCase()}-${row.id}` })));
    expect(evaluateCode(message, { One: { items: items as Json } })).toBe('Ada');
  });

  it('that are one expression of JSON are that object', () => {
    const { node } = convert({
      nodes: [
        { name: 'Start', type: base('manualTrigger') },
        {
          name: 'One',
          type: base('set'),
          typeVersion: 3.4,
          parameters: { mode: 'raw', jsonOutput: '={{ $json.order }}' },
        },
        send('Send', '={{ $json.total }}'),
      ],
      connections: { Start: { main: [main('One')] }, One: { main: [main('Send')] } },
    });
    const order = evaluateItems(node('One')?.data, { Start: { order: { total: 7 } } });
    expect(evaluateCode(node('Send')?.data['message'], { One: { json: order as Json } })).toBe('7');
  });
});

describe('splitting', () => {
  const split = (parameters: JsonObject) => {
    const { node } = convert({
      nodes: [
        { name: 'Start', type: base('manualTrigger') },
        { name: 'One', type: base('splitOut'), parameters },
      ],
      connections: { Start: { main: [main('One')] } },
    });
    return evaluateItems(node('One')?.data, { Start: { a: [1, 2], b: ['x'], c: 'z' } });
  };
  it('puts entries of several fields together', () => {
    expect(split({ fieldToSplitOut: 'a, b' })).toEqual([
      { a: 1, b: 'x' },
      { a: 2, b: null },
    ]);
    expect(split({ fieldToSplitOut: 'a,b', options: { destinationFieldName: 'n, m' } })).toEqual([
      { n: 1, m: 'x' },
      { n: 2, m: null },
    ]);
  });
  it('keeps chosen fields beside each entry', () => {
    expect(split({ fieldToSplitOut: 'a', include: 'selectedOtherFields', fieldsToInclude: 'c' })).toEqual([
      { c: 'z', a: 1 },
      { c: 'z', a: 2 },
    ]);
  });
  it('some fields of all items become one list', () => {
    const { node } = between(
      'aggregate',
      1,
      { aggregate: 'aggregateAllItemData', include: 'specifiedFields', fieldsToInclude: 'id, name' },
      '$json.data',
    );
    expect(evaluateItems(node('One')?.data, { Rows: { rows: ROWS } })).toEqual(
      ROWS.map(({ id, name }) => ({ id, name })),
    );
  });
});

describe('tools that an MCP trigger offers', () => {
  const tool = (name: string, parameters: JsonObject) => ({
    name,
    type: base('httpRequestTool'),
    typeVersion: 4.2,
    parameters,
  });
  it('are branches of a choice, and read what the caller gives', () => {
    const { node, edges, document } = convert({
      nodes: [
        { name: 'MCP', type: '@n8n/n8n-nodes-langchain.mcpTrigger', parameters: { path: 'p' } },
        tool('Get', {
          url: "=https://example.com/{{ $fromAI('id', 'which') }}",
          toolDescription: 'Gets one',
        }),
        tool('Add', {
          method: 'POST',
          url: 'https://example.com',
          sendBody: true,
          bodyParameters: { parameters: [{ name: 'title', value: "={{ $fromAI('new title') }}" }] },
        }),
      ],
      connections: Object.fromEntries(
        ['Get', 'Add'].map((name) => [name, { ai_tool: [[{ node: 'MCP', type: 'ai_tool', index: 0 }]] }]),
      ),
    });
    expect(node('MCP')?.data['inputFields']).toEqual([{ key: 'tool' }, { key: 'id' }, { key: 'new title' }]);
    expect(edges).toEqual(['MCPTool:case-0>Get:', 'MCPTool:case-1>Add:', 'MCP:>MCPTool:']);
    expect(node('MCPTool')?.data).toMatchObject({ expression: '$MCP.tool', cases: ['Get', 'Add'] });
    expect(node('Get')?.data['curl']).toContain('https://example.com/$concat(MCP.id)');
    expect(node('Get')?.data['active']).toBeUndefined();
    expect(problems(document, catalog)).toEqual([]);
  });
});

describe('texts that a model sorts', () => {
  const classified = (parameters: JsonObject) =>
    convert({
      nodes: [
        { name: 'Start', type: base('manualTrigger') },
        { name: 'Model', type: '@n8n/n8n-nodes-langchain.lmChatOpenAi', parameters: { model: 'm' } },
        { name: 'Topic', type: '@n8n/n8n-nodes-langchain.textClassifier', parameters },
        send('A', '={{ $json.text }}'),
        send('B', '={{ $json.text }}'),
      ],
      connections: {
        Start: { main: [main('Topic')] },
        Model: { ai_languageModel: [[{ node: 'Topic', type: 'ai_languageModel', index: 0 }]] },
        Topic: { main: [main('A'), main('B')] },
      },
    });
  const parameters = {
    inputText: '={{ $json.text }}',
    categories: { categories: [{ category: 'Bug', description: 'does not work' }] },
    options: { fallback: 'other' },
  };
  it('take the branch of the category that it answers, with the data as it came', () => {
    const { node, edges, document } = classified(parameters);
    expect(node('Topic')?.type).toBe('llm');
    expect(node('Topic')?.data).toMatchObject({
      model: 'm',
      userMessage: '$concat(Start.text)',
      jsonOutputEnabled: true,
    });
    expect(JSON.parse(String(node('Topic')?.data['jsonOutputSchema']))).toMatchObject({
      properties: { category: { enum: ['Bug', 'other'] } },
    });
    expect(node('TopicBranch')?.data).toMatchObject({
      expression: '$Topic.category',
      cases: ['Bug', 'other'],
    });
    expect(edges).toEqual([
      'Start:>Topic:',
      'TopicBranch:case-0>A:',
      'TopicBranch:case-1>B:',
      'Topic:>TopicBranch:',
    ]);
    expect(node('A')?.data['message']).toBe('$concat(Start.text)');
    expect(problems(document, catalog).filter(({ code }) => code !== 'missing_param')).toEqual([]);
  });
});

describe('waits', () => {
  const waits = (parameters: JsonObject) => {
    const { node, edges } = convert({
      nodes: [
        { name: 'Start', type: base('manualTrigger') },
        { name: 'One', type: base('wait'), typeVersion: 1.1, parameters },
        send('Send', 'a'),
      ],
      connections: { Start: { main: [main('One')] }, One: { main: [main('Send')] } },
    });
    return { data: node('One')?.data, type: node('One')?.type, edges };
  };
  it('for a time that an expression gives', () => {
    const { data } = waits({ amount: '={{ $json.n }}', unit: 'minutes' });
    expect(evaluateCode(data?.['duration'], { Start: { n: 2 } })).toBe(120_000);
  });
  it('until a moment, and not at all when it is over', () => {
    const { data } = waits({ resume: 'specificTime', dateTime: '={{ $json.at }}' });
    expect(evaluateCode(data?.['duration'], { Start: { at: '1970-01-01T00:00:05Z' } })).toBe(5000);
    expect(evaluateCode(data?.['duration'], { Start: { at: '1969-01-01T00:00:05Z' } })).toBe(0);
  });
  it('for a call', () => {
    const { type, data, edges } = waits({
      resume: 'webhook',
      limitWaitTime: true,
      resumeAmount: 2,
      resumeUnit: 'minutes',
    });
    expect(type).toBe('callback');
    expect(data?.['timeoutSeconds']).toBe(120);
    expect(edges).toContain('One:called>Send:');
  });
});

it('reports what would let more through than in n8n', () => {
  const call = { resume: 'webhook', incomingAuthentication: 'basicAuth' };
  expect(one(base('wait'), 1, call).lines).toContainEqual(expect.stringMatching(/need no sign-in here/));
  const filter = one(base('filter'), 2, { conditions: '={{ $json.rules }}' });
  expect(filter.type).toBe(base('filter'));
  expect(filter.lines).toContainEqual(expect.stringMatching(/its conditions are one expression/));
});

describe('an aggregation that makes one list of lists', () => {
  it('has their entries', () => {
    const { node, message } = between(
      'aggregate',
      1,
      {
        options: { mergeLists: true },
        fieldsToAggregate: { fieldToAggregate: [{ fieldToAggregate: 'tags' }] },
      },
      '$json.tags',
    );
    expect(evaluateItems(node('One')?.data, { Rows: { rows: ROWS } })).toEqual(['a', 'b', 'c']);
    expect(evaluateCode(message, { One: { tags: ['a'] } })).toBe('["a"]');
  });
});

describe('an answer in a thread of Slack', () => {
  it.each<[number, Json]>([
    [1, '={{ $json.name }}'],
    [2.1, { replyValues: { thread_ts: '={{ $json.name }}' } }],
  ])('stays one in version %s', (version, thread) => {
    const { settings } = one(base('slack'), version, { text: 'a', otherOptions: { thread_ts: thread } });
    expect(settings['threadTs']).toBe('$concat(Before.name)');
  });
});

describe('an answer that may be one object or a list', () => {
  const answered = (node: JsonObject) =>
    convert({
      nodes: [
        { name: 'Start', type: base('manualTrigger') },
        {
          name: 'Get',
          type: base('httpRequest'),
          typeVersion: 4.2,
          parameters: { url: 'https://example.com' },
        },
        node,
      ],
      connections: {
        Start: { main: [[{ node: 'Get', type: 'main', index: 0 }]] },
        Get: { main: [[{ node: 'Next', type: 'main', index: 0 }]] },
      },
    });

  it.each<[string, Json]>([
    ['one object', { id: 1 }],
    ['a list', [{ id: 1 }]],
  ])('is a list for nodes that work on one: %s', (_, body) => {
    const { node, lines } = answered({
      name: 'Next',
      type: base('aggregate'),
      parameters: { aggregate: 'aggregateAllItemData' },
    });
    const [{ value } = { value: '' }] = (node('Next')?.data['mappings'] ?? []) as { value: string }[];
    const scope = createScope({ values: { Get: { body } }, now: () => 0, uuid: () => '', random: () => 0 });
    expect(evaluate(value, 'value', scope)).toEqual([{ id: 1 }]);
    expect(lines('Next')).toEqual([]);
  });

  it('is one object for other nodes, and the report says so', () => {
    const { lines } = answered({
      name: 'Next',
      type: base('telegram'),
      parameters: { chatId: '1', text: '={{ $json.id }}' },
    });
    expect(lines('Next')).toContainEqual(expect.stringContaining('the list counts as one object'));
  });

  it('is no matter for a node that reads nothing of it', () => {
    const { lines } = answered({
      name: 'Next',
      type: base('telegram'),
      parameters: { chatId: '1', text: 'Done' },
    });
    expect(lines('Next').filter((line) => line.includes('counts as one object'))).toEqual([]);
  });
});

it.each<[string, Json]>([
  ['a text', 'secret, "x"'],
  ['rows, as in the oldest shape', { fields: [{ fieldName: 'secret' }, { fieldName: 'x' }] }],
])('collects all fields of the items except some, named in %s', (_, fieldsToExclude) => {
  const { node, lines } = convert({
    nodes: [
      { name: 'Start', type: base('manualTrigger') },
      { name: 'Rows', type: base('postgres'), parameters: { operation: 'select', table: 't' } },
      {
        name: 'All',
        type: base('aggregate'),
        parameters: {
          aggregate: 'aggregateAllItemData',
          include: 'allFieldsExcept',
          fieldsToExclude,
          destinationFieldName: 'kept',
        },
      },
    ],
    connections: {
      Start: { main: [[{ node: 'Rows', type: 'main', index: 0 }]] },
      Rows: { main: [[{ node: 'All', type: 'main', index: 0 }]] },
    },
  });
  const [{ key, value } = { key: '', value: '' }] = (node('All')?.data['mappings'] ?? []) as {
    key: string;
    value: string;
  }[];
  const values = { Rows: { rows: [{ id: 1, secret: 's' }, { id: 2 }] } };
  const scope = createScope({ values, now: () => 0, uuid: () => '', random: () => 0 });
  expect([key, evaluate(value, 'value', scope)]).toEqual(['kept', [{ id: 1 }, { id: 2 }]]);
  expect(lines('All')).toEqual([]);
});
