import { createScope, evaluate, type Json, type JsonObject } from '@millrace/engine';
import { describe, expect, it } from 'vitest';
import { base, convert, one } from '../testing/converted.ts';

const main = (...targets: readonly string[]): Json[] =>
  targets.map((node) => ({ node, type: 'main', index: 0 }));

const send = (name: string, text = 'a'): JsonObject => ({
  name,
  type: base('telegram'),
  parameters: { chatId: '1', text },
});

describe('what n8n does and an import loses is reported', () => {
  it('the last item of a list is read, and that of one object is the object', () => {
    const { node } = convert({
      nodes: [
        { name: 'Rows', type: base('postgres'), parameters: { operation: 'select', table: 't' } },
        { name: 'One', type: base('wait'), parameters: { amount: 1 } },
        send(
          'Send',
          "={{ $('Rows').last().json.id }} {{ $input.last().json.id }} {{ $('Rows').first().json.id }}",
        ),
      ],
      connections: { Rows: { main: [main('One')] }, One: { main: [main('Send')] } },
    });
    expect(node('Send')?.data['message']).toBe(
      '$concat(Rows.rows.last().id) $concat(Rows.rows.last().id) $concat(Rows.rows[0].id)',
    );
  });

  it('methods of a webhook that are not received here', () => {
    const { settings, lines } = one(base('webhook'), 2, {
      httpMethod: ['HEAD', 'POST'],
      multipleMethods: true,
    });
    expect(settings['methods']).toEqual(['POST']);
    expect(lines).toContain('The method "HEAD" is not received here');
  });

  it('answers of a webhook that are streamed', () => {
    const { settings, lines } = one(base('webhook'), 2, { responseMode: 'streaming' });
    expect(settings['respond']).toBe('immediately');
    expect(lines).toContain('It answers at once here; the response mode "streaming" has no equal');
  });

  it('all items that a called workflow gets', () => {
    const called = (parameters: JsonObject) =>
      convert({
        nodes: [
          { name: 'Rows', type: base('postgres'), parameters: { operation: 'select', table: 't' } },
          { name: 'Call', type: base('executeWorkflow'), typeVersion: 1.2, parameters },
        ],
        connections: { Rows: { main: [main('Call')] } },
      });
    const said = expect.stringContaining('n8n gives the workflow all items');
    expect(called({}).lines('Call')).toContainEqual(said);
    expect(called({ mode: 'each' }).lines('Call')).not.toContainEqual(said);
    expect(called({ mode: 'each' }).node('Call')?.data['executeInput']).toBe('$CallLoop.item');
    expect(one(base('executeWorkflow'), 1.2, {}).lines).not.toContainEqual(said);
  });
});

describe('what was wrong without a word', () => {
  it('code of LangChain is kept, and said to be', () => {
    const { type, lines } = one('@n8n/n8n-nodes-langchain.code', 1, {
      code: { execute: { code: 'return 1;' } },
    });
    expect(type).toBe('@n8n/n8n-nodes-langchain.code');
    expect(lines).toContainEqual(expect.stringContaining('cannot run here'));
  });

  it('connections to and from nodes that are not there are named', () => {
    const { edges, warnings } = convert({
      nodes: [send('Send')],
      connections: { Send: { main: [main('Gone')] }, Lost: { main: [main('Send')] } },
    });
    expect(edges).toEqual([]);
    const reason = 'was left out, because one of the two nodes is not in the file';
    expect(warnings).toContainEqual({
      field: 'connections.Send',
      message: `Send: The connection to "Gone" ${reason}`,
    });
    expect(warnings).toContainEqual({
      field: 'connections.Lost',
      message: `Lost: The connection to "Send" ${reason}`,
    });
  });

  it('a value that is longer than an expression may be is kept, and said to be', () => {
    const value = `=${'a'.repeat(10_001)}{{ $json.x }}`;
    const { settings, lines } = one(base('set'), 3.4, {
      assignments: { assignments: [{ name: 'y', value, type: 'string' }] },
    });
    expect(settings['mappings']).toEqual([{ key: 'y', value }]);
    expect(lines).toContainEqual(expect.stringMatching(/10022 characters here, of which .* 10000/));
  });
});

describe('what was lost before', () => {
  it('the text that the first node of OpenAI asks', () => {
    const { type, settings } = one(base('openAi'), 1, {
      operation: 'complete',
      prompt: '=Say {{ $json.x }}',
    });
    expect(type).toBe('llm');
    expect(settings['userMessage']).toBe('Say $concat(Before.x)');
  });

  it.each<[string, Json, unknown]>([
    ['a list as a value', [1, { a: 'b' }], [1, { a: 'b' }]],
    ['an object with the key of a locator', { value: 5, other: 6 }, { value: 5, other: 6 }],
    ['a list as text', '[{"a": 1}]', [{ a: 1 }]],
    ['a list with an expression', '=[{{ $json.x }}, 2]', ['1', 2]],
    ['a value that is written as JSON', '={"a": {{ JSON.stringify($json.q) }}}', { a: 'say "x"' }],
    ['one value that is written as JSON', '={{ JSON.stringify($json) }}', { x: '1', q: 'say "x"' }],
    [
      'a text with escapes of its own',
      '={"a": "{{ JSON.stringify($json.q).slice(1, -1) }}!"}',
      { a: 'say "x"!' },
    ],
    [
      'a text whose quotes are escaped',
      String.raw`={"a": "{{ $json.q.replace(/"/g, '\\"') }}"}`,
      { a: 'say "x"' },
    ],
  ])('a body of HTTP that is %s', (_, jsonBody, expected) => {
    const { settings } = one(base('httpRequest'), 4.2, {
      method: 'POST',
      url: 'https://example.com',
      sendBody: true,
      specifyBody: 'json',
      jsonBody,
    });
    const [, body = ''] = /--data-raw '(.*)'$/.exec(String(settings['curl'])) ?? [];
    const scope = createScope({
      values: { Before: { x: '1', q: 'say "x"' } },
      now: () => 0,
      uuid: () => '',
      random: () => 0,
    });
    const sent: unknown = body.startsWith('$') ? evaluate(body, 'raw', scope) : JSON.parse(body);
    expect(sent).toEqual(expected);
  });

  it.each<[string, string]>([
    ['a, b', '["a","b"]'],
    ['={{ $json.x }}', '$([Before.x])'],
    ['={{ $json.x }}, (b)', '$([Before.x, "(b)"])'],
    ['={{ $json.x }} {{ $json.y }}, "q"', String.raw`$([concat(Before.x, " ", Before.y), "\"q\""])`],
    ['={{ [$json.x, 2] }}', '$([Before.x, 2])'],
  ])('values of a query: %s', (queryReplacement, queryParameters) => {
    const { settings } = one(base('postgres'), 2, {
      operation: 'executeQuery',
      query: 'SELECT $1',
      options: { queryReplacement },
    });
    expect(settings['queryParameters']).toBe(queryParameters);
  });

  it('values of a query with an expression that cannot be translated stay as they are', () => {
    const { settings, lines } = one(base('postgres'), 2, {
      operation: 'executeQuery',
      query: 'SELECT $1, $2',
      options: { queryReplacement: '={{ $env.A }}, b' },
    });
    expect(settings['queryParameters']).toBe('={{ $env.A }}, b');
    expect(lines).toContainEqual(expect.stringContaining('The expression cannot be translated'));
  });
});

describe('outputs of a switch', () => {
  const rule = (value2: string, output: number) => ({ operation: 'equal', value2, output });
  const convertEdges = (typeVersion: number, parameters: JsonObject, rest: JsonObject = {}) => {
    const { edges, lines } = convert({
      nodes: [
        { name: 'Route', type: base('switch'), typeVersion, parameters, ...rest },
        ...['A', 'B', 'C', 'D', 'E'].map((name) => send(name)),
      ],
      connections: { Route: { main: ['A', 'B', 'C', 'D', 'E'].map((name) => main(name)) } },
    });
    return { edges, lines: lines('Route').filter((line) => line.includes('never taken')) };
  };
  const first = { dataType: 'string', value1: 'x', rules: { rules: [rule('a', 0), rule('b', 1)] } };

  it('of the first version that no rule names are left out with a line each', () => {
    const { edges, lines } = convertEdges(1, first);
    expect(edges).toEqual(['Route:case-0>A:', 'Route:case-1>B:']);
    expect(lines).toHaveLength(3);
    expect(lines[0]).toBe('Its output 3 is never taken, so the connection to "C" was left out');
  });

  it('lead what fits no rule to the output that is set for it', () => {
    expect(convertEdges(1, { ...first, fallbackOutput: 3 }).edges).toEqual([
      'Route:case-0>A:',
      'Route:case-1>B:',
      'Route:default>D:',
    ]);
    expect(convertEdges(3, { rules: { values: [] }, options: { fallbackOutput: 'extra' } }).edges).toEqual([
      'Route:default>A:',
    ]);
  });

  it('lead errors to the one after them', () => {
    const { edges } = convertEdges(1, { ...first, fallbackOutput: 3 }, { onError: 'continueErrorOutput' });
    expect(edges).toContain('Route:error>E:');
  });

  it('that an expression chooses are as many as are set', () => {
    const { edges } = convertEdges(2, { mode: 'expression', outputsAmount: 2, output: '=1' });
    expect(edges).toEqual(['Route:case-0>A:', 'Route:case-1>B:']);
  });
});

describe('a number that is an expression', () => {
  const kept = (type: string, parameters: JsonObject) =>
    one(`@n8n/n8n-nodes-langchain.${type}`, 1.3, parameters);

  it('is kept where the field takes one', () => {
    const { settings } = kept('vectorStoreQdrant', { mode: 'load', prompt: 'q', topK: '={{ $json.x }}' });
    expect(settings).toMatchObject({ searchLimit: '$Before.x' });
  });

  it('is reported where it is not taken over', () => {
    const { settings, lines } = kept('agent', { options: { maxIterations: '={{ $json.x }}' } });
    expect(settings).toMatchObject({ maxToolIterations: 10 });
    expect(lines).toContainEqual(expect.stringMatching(/"options.maxIterations" has no equal here/));
  });
});
