import type { JsonObject } from '@millrace/engine';
import { buildSchema, graphqlSync } from 'graphql';
import { expect, test } from 'vitest';
import { implementations } from '../runtime.ts';
import { routedEgress } from '../testing/routed-egress.ts';
import { runNode, traceNode } from '../testing/run-node.ts';
import { type SeenRequest, type ServerAnswer, serveJson } from '../testing/servers/json-server.ts';

const schema = buildSchema(`
  type Order { id: ID!, total: Float! }
  type Query { order(id: ID!): Order, broken: String }
  type Mutation { add(id: ID!, total: Float!): Order! }
`);
const rootValue = {
  order: ({ id }: { id: string }) => (id === '7' ? { id, total: 1.5 } : null),
  broken: () => {
    throw new Error('out of order');
  },
  add: (order: object) => order,
};

interface Sent {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly operationName?: string;
}

/** The answer of the reference implementation, as https://graphql.github.io/graphql-over-http has it. */
function served({ method, path, body }: SeenRequest): ServerAnswer {
  if (method !== 'POST' || path !== '/graphql') return { status: 404 };
  // Guarantee of the test: it sends what the node makes.
  const { query, variables, operationName } = body as Sent;
  const answer = graphqlSync({
    schema,
    source: query,
    rootValue,
    variableValues: variables ?? {},
    operationName: operationName ?? null,
  });
  return { status: 'data' in answer ? 200 : 400, body: answer };
}

async function send(data: JsonObject, answer: (request: SeenRequest) => ServerAnswer = served) {
  const server = await serveJson(answer);
  const result = await runNode(
    'graphql',
    { endpoint: 'https://shop.example/graphql?v=1', ...data },
    { services: { http: routedEgress({ 'shop.example': server.url }) } },
  );
  return { result, seen: server.seen };
}

const QUERY = 'query Find($id: ID!) { order(id: $id) { id total } } query Other { broken }';

test('a query with variables: its $ are its own, and values do not become part of it', async () => {
  const { result, seen } = await send({
    query: QUERY,
    variables: { id: '7' },
    operationName: 'Find',
    headers: [{ key: 'X-Key', value: 'canary' }],
  });
  expect(result).toEqual({ output: { data: { order: { id: '7', total: 1.5 } } } });
  expect(seen).toMatchObject([
    {
      query: { v: '1' },
      headers: { 'x-key': 'canary', 'content-type': 'application/json' },
      body: { query: QUERY, variables: { id: '7' }, operationName: 'Find' },
    },
  ]);
});

test('a mutation', async () => {
  const { result } = await send({
    query: 'mutation ($id: ID!, $total: Float!) { add(id: $id, total: $total) { total } }',
    variables: { id: 'x") { total } #', total: 2 },
  });
  expect(result).toEqual({ output: { data: { add: { total: 2 } } } });
});

test('errors beside data fail with their words and keep both', async () => {
  const { result } = await send({ query: '{ broken order(id: 7) { id } }' });
  expect(result).toMatchObject({
    failure: {
      kind: 'upstream',
      message: 'shop.example: out of order (broken)',
      details: { data: { broken: null, order: { id: '7' } } },
    },
  });
});

test('a document that is wrong is answered with 400 and the words of the service', async () => {
  const { result } = await send({ query: '{ unknown }' });
  expect(result).toMatchObject({
    failure: { message: expect.stringContaining('Cannot query field "unknown"') },
  });
});

test.each([
  [QUERY, 2],
  ['mutation Find($id: ID!) { add(id: $id, total: 1) { id } }', 1],
])('%s: a server that is away is asked %i times', async (query, times) => {
  let isAway = true;
  const { seen } = await send({ query, variables: { id: '7' }, operationName: 'Find' }, (request) => {
    if (!isAway) return served(request);
    isAway = false;
    return { status: 503, body: {} };
  });
  expect(seen).toHaveLength(times);
});

test('what a crash means follows from whether the document changes data', () => {
  const declared = implementations.get('graphql')?.definition.effect;
  const effect = (data: JsonObject) => (typeof declared === 'function' ? declared(data) : declared);
  expect(effect({ query: QUERY })).toBe('read');
  expect(effect({ query: 'mutation { add }' })).toBe('unsafe');
  expect(effect({ query: '{ a }\nmutation Add { add }', onUnknownOutcome: 'repeat' })).toBe('idempotent');
  expect(effect({})).toBe('unsafe');
});

test.each([
  [{ status: 200, body: {} }, 'answered without data'],
  [{ status: 200, body: 'text' }, 'answered without data'],
  [{ status: 401, body: { message: 'no key' } }, 'no key'],
])('%j is a failure', async (answer, words) => {
  const { result } = await send({ query: '{ broken }' }, () => answer);
  expect(result).toMatchObject({ failure: { message: expect.stringContaining(words) } });
});

test('a refused sign-in names the headers, where it is set', async () => {
  const { result } = await send({ query: '{ a }' }, () => ({ status: 401, body: {} }));
  expect(result).toMatchObject({
    failure: { kind: 'upstream', field: 'headers', message: expect.stringContaining('requires a sign-in') },
  });
});

test.each([
  [{ endpoint: 'shop' }, 'endpoint'],
  [{ endpoint: 'https://user:word@shop.example' }, 'endpoint'],
  [{ query: ' ' }, 'query'],
  [{ variables: '{broken' }, 'variables'],
  [{ headers: [{ key: 'a b', value: 'x' }] }, 'headers'],
  [{ headers: [{ key: 'a', value: 'x\r\ny: z' }] }, 'headers'],
])('%j is refused by the name of its field, and nothing is sent', async (more, field) => {
  const data = { endpoint: 'https://shop.example', query: '{ a }', ...more };
  const { trace, result } = await traceNode('graphql', data);
  expect(result).toMatchObject({ failure: { kind: 'params', field } });
  expect(trace.requests).toEqual([]);
});
