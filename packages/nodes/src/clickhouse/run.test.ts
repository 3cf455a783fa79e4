import type { Json, JsonObject } from '@millrace/engine';
import { expect, test } from 'vitest';
import { catalog } from '../catalog.ts';
import { realEgress } from '../testing/real-egress.ts';
import { runNode } from '../testing/run-node.ts';
import { type SeenRequest, type ServerAnswer, serveJson } from '../testing/servers/json-server.ts';

const COLUMNS = [
  { name: 'id', type: 'UInt64' },
  { name: 'status', type: 'LowCardinality(String)' },
  { name: 'day', type: 'Nullable(Date)' },
];
const META = [
  { name: 'id', type: 'UInt64' },
  { name: 'status', type: 'String' },
];

/** Strict about verb, user and parameters, as https://clickhouse.com/docs/interfaces/http describes them. */
function api({ method, path, query, headers }: SeenRequest): ServerAnswer {
  const isUser = headers['x-clickhouse-user'] === 'default' && headers['x-clickhouse-key'] === 'canary-key';
  if (!isUser) return { status: 403, body: 'Code: 516. DB::Exception: default: Authentication failed' };
  if (method !== 'POST' || path !== '/' || headers['x-clickhouse-database'] !== 'shop')
    return { status: 400 };
  const sql = query['query'] ?? '';
  for (const [, name] of sql.matchAll(/\{(\w+):[^}]+\}/g))
    if (query[`param_${name}`] === undefined)
      return { status: 400, body: `Code: 456. DB::Exception: Substitution \`${name}\` is not set` };
  if (sql.includes('system.columns')) return { body: { meta: [], data: COLUMNS } };
  if (sql.startsWith('SELECT count()'))
    return { body: { meta: [{ name: 'n', type: 'UInt64' }], data: [{ n: '2' }] } };
  if (!sql.startsWith('SELECT')) return { body: '' };
  if (sql.includes('broken')) return { status: 404, body: 'Code: 60. DB::Exception: Unknown table' };
  return {
    body: {
      meta: META,
      data: [
        { id: '7', status: 'open' },
        { id: '18446744073709551615', status: 'open' },
      ],
    },
  };
}

async function run(clickhouseOperation: string, data: JsonObject = {}, inputs: Record<string, Json> = {}) {
  const server = await serveJson(api);
  const { hostname, port } = new URL(server.url);
  const values = {
    host: hostname,
    port: Number(port),
    username: 'default',
    password: 'canary-key',
    database: 'shop',
    secure: false,
  };
  const result = await runNode(
    'clickhouse',
    { credentialId: 'c', clickhouseTable: 'orders', clickhouseOperation, ...data },
    {
      inputs,
      services: {
        http: realEgress(),
        credential: async () => ({ id: 'c', name: 'c', type: 'clickhouse', values }),
      },
    },
  );
  const seen = server.seen.filter(({ query }) => !query['query']?.includes('system.columns'));
  const [first] = seen;
  const { query: sql = '', ...rest } = first?.query ?? {};
  const params = Object.fromEntries(Object.entries(rest).filter(([name]) => name.startsWith('param_')));
  return { result, sql, params, seen };
}

const ROWS = [
  { id: 7, status: 'open' },
  { id: '18446744073709551615', status: 'open' },
];

test('rows are found by bound values of the types of their columns', async () => {
  const { result, sql, params } = await run('find', {
    clickhouseFilter: JSON.stringify({ id: 7, status: "o'p\\e\nn", day: null }),
    clickhouseSort: 'status, -id',
    clickhouseLimit: '5',
  });
  expect(result).toEqual({ output: { success: true, operation: 'find', rows: ROWS, count: 2 } });
  expect(sql).toBe(
    'SELECT * FROM `orders` WHERE `id` = {p0:UInt64} AND `status` = {p1:String} AND isNull(`day`) ORDER BY `status` ASC, `id` DESC LIMIT 5',
  );
  expect(params).toEqual({ param_p0: '7', param_p1: "o'p\\\\e\\nn" });
});

test('a filter by a list finds any of its values', async () => {
  const { sql, params } = await run('find', { clickhouseFilter: '{"status": ["open", "x"]}' });
  expect(sql).toContain('WHERE `status` IN ({p0:String}, {p1:String})');
  expect(params).toEqual({ param_p0: 'open', param_p1: 'x' });
});

test('names cannot leave their quotation marks', async () => {
  const { sql } = await run('getAll', { clickhouseTable: 'a`; DROP TABLE x; --.b\\' });
  expect(sql).toBe('SELECT * FROM `a\\`; DROP TABLE x; --`.`b\\\\` LIMIT 100');
});

test('rows are counted, and one is found by its id', async () => {
  expect((await run('count')).result).toEqual({ output: { success: true, operation: 'count', count: 2 } });
  const { result, sql, params } = await run('getById', { clickhouseRowId: '$input.id' }, { a: { id: 7 } });
  expect(result).toMatchObject({ output: { row: { id: 7 }, found: true } });
  expect([sql, params]).toEqual([
    'SELECT * FROM `orders` WHERE `id` = {p0:UInt64} LIMIT 1',
    { param_p0: '7' },
  ]);
});

test('rows are inserted as JSON', async () => {
  const { result, sql, seen } = await run('insert', { clickhouseData: '[{"id": 8}, {"id": 9}]' });
  expect(result).toMatchObject({ output: { success: true, count: 2, result: { inserted: 2 } } });
  expect(sql).toBe('INSERT INTO `orders` FORMAT JSONEachRow');
  expect(seen[0]?.body).toEqual([{ id: 8 }, { id: 9 }]);
});

test('rows are updated and deleted, and the change is waited for', async () => {
  const updated = await run('update', {
    clickhouseRowId: '7',
    clickhouseInputMode: 'selective',
    clickhouseMappings: [{ key: 'status', value: 'done' }],
  });
  expect([updated.sql, updated.params]).toEqual([
    'ALTER TABLE `orders` UPDATE `status` = {p0:String} WHERE `id` = {p1:UInt64} SETTINGS mutations_sync = 2',
    { param_p0: 'done', param_p1: '7' },
  ]);
  const removed = await run('remove', { clickhouseFilter: '{"day": "2026-01-01"}' });
  expect([removed.sql, removed.params]).toEqual([
    'ALTER TABLE `orders` DELETE WHERE `day` = {p0:Nullable(Date)} SETTINGS mutations_sync = 2',
    { param_p0: '2026-01-01' },
  ]);
  expect(removed.result).toEqual({
    output: { success: true, operation: 'remove', result: { deleted: true } },
  });
});

test('an upsert updates what is there', async () => {
  const { result, seen } = await run('upsert', {
    clickhouseRowId: '7',
    clickhouseData: '{"status": "done"}',
  });
  expect(result).toMatchObject({ output: { result: { updated: true } } });
  expect(seen.map(({ query }) => query['query']?.split(' ')[0])).toEqual(['SELECT', 'ALTER']);
});

test('a query has its values bound', async () => {
  const { result, sql, params } = await run(
    'query',
    {
      clickhouseQuery: 'SELECT * FROM orders WHERE id = {id:UInt64} AND status IN {s:Array(String)};',
      clickhouseParameters: '{"id": "$input.id", "s": ["a\'b"]}',
    },
    { a: { id: 7 } },
  );
  expect(result).toMatchObject({ output: { rows: ROWS, count: 2 } });
  expect(sql).toBe('SELECT * FROM orders WHERE id = {id:UInt64} AND status IN {s:Array(String)}');
  expect(params).toEqual({ param_id: '7', param_s: "['a\\'b']" });
});

test('only a query that reads may be repeated', () => {
  const effect = catalog.get('clickhouse')?.effect;
  if (typeof effect !== 'function') throw new Error('no effect');
  expect(effect({ clickhouseOperation: 'query', clickhouseQuery: ' select 1' })).toBe('read');
  expect(effect({ clickhouseOperation: 'query', clickhouseQuery: 'INSERT INTO x SELECT 1' })).toBe('unsafe');
  expect(effect({ clickhouseOperation: 'query', clickhouseQuery: 'WITH 1 AS a SELECT a' })).toBe('unsafe');
  expect(effect({ clickhouseOperation: 'insert', clickhouseQuery: 'select 1' })).toBe('unsafe');
});

test.each([
  ['remove', {}, 'clickhouseFilter'],
  ['update', { clickhouseFilter: '{}', clickhouseData: '{"a": 1}' }, 'clickhouseFilter'],
  ['update', { clickhouseRowId: '7', clickhouseData: '{}' }, 'clickhouseData'],
  ['insert', { clickhouseData: '[]' }, 'clickhouseData'],
  ['insert', {}, 'clickhouseData'],
  ['find', { clickhouseFilter: '[1]' }, 'clickhouseFilter'],
  ['find', { clickhouseLimit: '-1' }, 'clickhouseLimit'],
  ['query', { clickhouseQuery: ' ' }, 'clickhouseQuery'],
])('%s with %j is refused before anything is sent', async (operation, data, field) => {
  const { result, seen } = await run(operation, data);
  expect(result).toMatchObject({ failure: { kind: 'params', field } });
  expect(seen).toEqual([]);
});

test('what the server refuses is told in its words', async () => {
  const { result } = await run('getAll', { clickhouseTable: 'broken' });
  expect(result).toMatchObject({ failure: { message: expect.stringContaining('Unknown table') } });
});
