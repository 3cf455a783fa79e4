import type { Json, JsonObject } from '@millrace/engine';
import { expect, test } from 'vitest';
import { implementations } from '../runtime.ts';
import { realEgress } from '../testing/real-egress.ts';
import { runNode } from '../testing/run-node.ts';
import { type SeenRequest, type ServerAnswer, serveJson } from '../testing/servers/json-server.ts';

const ORDERS = Array.from({ length: 2_100 }, (_, id) => ({ id, status: 'open' }));

/** Strict about paths, verbs, keys and headers, as https://docs.postgrest.org/en/stable/references/api.html describes them. */
function api({ method, path, query, headers, body }: SeenRequest): ServerAnswer {
  if (headers['authorization'] !== 'Bearer canary-key' || headers['apikey'] !== 'canary-key')
    return { status: 401, body: { message: 'Invalid API key' } };
  const profile = headers[method === 'GET' ? 'accept-profile' : 'content-profile'];
  if (profile !== 'public' && profile !== 'shop') return { status: 406, body: { message: 'no such schema' } };
  if (path === '/rest/v1/') return { body: { definitions: { people: {}, orders: {} } } };
  if (path !== '/rest/v1/orders') return { status: 404, body: { message: 'relation does not exist' } };
  switch (method) {
    case 'GET': {
      const from = Number(query['offset']);
      const most = Math.min(Number(query['limit']), 800);
      return { body: ORDERS.slice(from, from + most) };
    }
    case 'POST':
      if (headers['prefer']?.includes('return=representation') !== true) return { status: 201 };
      return { status: 201, body };
    case 'PATCH':
    case 'DELETE':
      return { body: [{ id: 7 }] };
    default:
      return { status: 405 };
  }
}

async function run(supabaseOperation: string, data: JsonObject = {}, inputs: Record<string, Json> = {}) {
  const server = await serveJson(api);
  const values = { supabase_url: server.url, supabase_key: 'canary-key', supabase_schema: 'public' };
  const result = await runNode(
    'supabase',
    { credentialId: 'c', supabaseTable: 'orders', supabaseOperation, ...data },
    {
      inputs,
      services: {
        http: realEgress(),
        credential: async () => ({ id: 'c', name: 'c', type: 'supabase', values }),
      },
    },
  );
  return { result, seen: server.seen, values };
}

test('rows are found by filter, columns and order', async () => {
  const { result, seen } = await run('select', {
    supabaseSelectColumns: 'id,status',
    supabaseFilter: '{"status": "open", "total": {"gte": 10}}',
    supabaseOrderBy: 'id',
    supabaseAscending: false,
    supabaseLimit: '3',
    supabaseSchema: 'shop',
  });
  expect(result).toEqual({
    output: { success: true, operation: 'select', rows: ORDERS.slice(0, 3), count: 3 },
  });
  expect(seen[0]).toMatchObject({
    method: 'GET',
    headers: { 'accept-profile': 'shop' },
    query: {
      select: 'id,status',
      status: 'eq.open',
      total: 'gte.10',
      order: 'id.desc',
      limit: '3',
      offset: '0',
    },
  });
});

test.each([
  ['0', 2_100, 4],
  [1_500, 1_500, 2],
])('with the limit %s there are %i rows, on %i pages', async (supabaseLimit, count, pages) => {
  const { result, seen } = await run('select', { supabaseLimit });
  expect(result).toMatchObject({ output: { count } });
  expect(seen).toHaveLength(pages);
});

test.each([
  ['a value', { a: 'x, "y"' }, { a: 'eq.x, "y"' }],
  ['null', { a: null }, { a: 'is.null' }],
  ['a list', { a: ['x', 'y,z', 1] }, { a: 'in.(x,"y,z",1)' }],
  [
    'operators',
    { a: { neq: 1 }, b: { ilike: '%x%' }, c: { is: true } },
    { a: 'neq.1', b: 'ilike.%x%', c: 'is.true' },
  ],
  [
    'either of two',
    { or: [{ a: 1 }, { b: { gt: 2 }, c: 'x)y' }] },
    { or: '(a.eq.1,and(b.gt.2,c.eq."x)y"))' },
  ],
  ['both of two', { and: [{ a: { gte: 1 } }, { a: { lt: 5 } }] }, { and: '(a.gte.1,a.lt.5)' }],
])('a filter by %s', async (_, filter, query) => {
  const { seen } = await run('select', { supabaseFilter: JSON.stringify(filter), supabaseLimit: 1 });
  expect(seen[0]?.query).toEqual({ select: '*', limit: '1', offset: '0', ...query });
});

test('rows are inserted, and inserted or updated', async () => {
  const row = { name: 'Zoë', big: 12 };
  const inserted = await run('insert', { supabaseRows: '[{"name": "Zoë", "big": 12}]' });
  expect(inserted.result).toMatchObject({ output: { rows: [row], count: 1, operation: 'insert' } });
  expect(inserted.seen).toMatchObject([
    {
      method: 'POST',
      body: [row],
      headers: { prefer: 'return=representation', 'content-profile': 'public' },
    },
  ]);
  const upserted = await run(
    'upsert',
    {
      supabaseRowsInputMode: 'auto',
      supabaseIgnoredInputFields: 'secret, other',
      supabaseOnConflict: 'name, big',
    },
    { a: { ...row, secret: 1 } },
  );
  expect(upserted.seen).toMatchObject([
    {
      body: [row],
      query: { on_conflict: 'name,big' },
      headers: { prefer: 'resolution=merge-duplicates,return=representation' },
    },
  ]);
});

test('rows are updated and deleted by a filter', async () => {
  const updated = await run('update', { supabaseFilter: '{"id": 7}', supabaseData: '{"status": "done"}' });
  expect(updated.result).toMatchObject({ output: { rows: [{ id: 7 }], count: 1 } });
  expect(updated.seen).toMatchObject([{ method: 'PATCH', query: { id: 'eq.7' }, body: { status: 'done' } }]);
  const deleted = await run('delete', { supabaseFilter: '{"id": 7}' });
  expect(deleted.seen).toMatchObject([{ method: 'DELETE', query: { id: 'eq.7' } }]);
});

test.each([
  ['update', { supabaseData: '{"a": 1}' }, 'supabaseFilter'],
  ['delete', { supabaseFilter: '{}' }, 'supabaseFilter'],
  ['delete', { supabaseFilter: '{broken' }, 'supabaseFilter'],
  ['select', { supabaseFilter: '{"a": {"near": 1}}' }, 'supabaseFilter'],
  ['select', { supabaseLimit: 'many' }, 'supabaseLimit'],
  ['insert', { supabaseRows: '[]' }, 'supabaseRows'],
  ['insert', { supabaseRows: '[1]' }, 'supabaseRows'],
  ['update', { supabaseFilter: '{"a": 1}', supabaseData: '{}' }, 'supabaseData'],
])('%s with %j is refused before anything is sent', async (operation, data, field) => {
  const { result, seen } = await run(operation, data);
  expect(result).toMatchObject({ failure: { kind: 'params', field, final: true } });
  expect(seen).toEqual([]);
});

test('what the project refuses is told in its words', async () => {
  const { result } = await run('select', { supabaseTable: 'nothing' });
  expect(result).toMatchObject({ failure: { message: expect.stringContaining('relation does not exist') } });
});

test('tables are offered to choose', async () => {
  const { values } = await run('select', { supabaseLimit: 1 });
  const server = await serveJson(api);
  const caller = {
    http: realEgress(),
    now: () => 0,
    sleepUntil: () => Promise.resolve(),
    signal: new AbortController().signal,
    max_wait_ms: 0,
    idempotency_key: '',
  };
  const context = { caller, config: { ...values, supabase_url: server.url } };
  const choices = implementations.get('supabase')?.choices['tables'];
  expect(await choices?.(context, { params: {}, search: 'ord', cursor: null })).toEqual({
    items: [{ value: 'orders', label: 'orders' }],
    next_cursor: null,
  });
});
