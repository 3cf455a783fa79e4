import { randomUUID } from 'node:crypto';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Json, JsonObject } from '@millrace/engine';
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { catalog } from '../catalog.ts';
import { implementations } from '../runtime.ts';
import { choiceContext } from '../testing/choice-context.ts';
import { realEgress } from '../testing/real-egress.ts';
import { runNode } from '../testing/run-node.ts';
import { answers, describeOn, droppingProxy, testConnection } from '../testing/servers/databases.ts';
import { certificate, certificateKey } from '../testing/servers/tls.ts';

const url = new URL(process.env['TEST_DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres');
const PORT = Number(url.port || '5432');
const SERVER = {
  host: '127.0.0.1',
  port: PORT,
  database: url.pathname.slice(1) || 'postgres',
  username: decodeURIComponent(url.username),
  password: decodeURIComponent(url.password),
  use_tls: false,
};
const isThere = await answers(PORT);
const SCHEMA = `nodes_${randomUUID().replaceAll('-', '')}`;

const run = (
  data: JsonObject,
  {
    config = SERVER,
    inputs = {},
    signal = new AbortController().signal,
  }: { config?: JsonObject; inputs?: Record<string, Json>; signal?: AbortSignal } = {},
) =>
  runNode(
    'postgres',
    { credentialId: 'c', schema: SCHEMA, table: 'orders', ...data },
    {
      inputs,
      signal,
      services: {
        http: realEgress(),
        credential: async () => ({ id: 'c', name: 'c', type: 'postgres', values: config }),
      },
    },
  );

const query = (text: string, parameters: Json[] = [], more: JsonObject = {}) =>
  run({ operation: 'executeQuery', query: text, queryParameters: JSON.stringify(parameters), ...more });

test.each([
  [{ operation: 'executeQuery', query: 'SELECT 1', queryParameters: '{}' }, 'queryParameters'],
  [{ operation: 'delete', where: '{}' }, 'where'],
  [{ operation: 'update', data: '{"a": 1}' }, 'where'],
  [{ operation: 'update', data: '{}', where: '{"a": 1}' }, 'data'],
  [{ operation: 'insert', data: '[]' }, 'data'],
  [{ operation: 'insert', data: '[{}]' }, 'data'],
  [{ operation: 'select', limit: 'many' }, 'limit'],
  [{ operation: 'select', where: '[1]' }, 'where'],
])('%j is refused before anything is sent', async (data, field) => {
  const result = await run(data, { config: { ...SERVER, port: 1 } });
  expect(result).toMatchObject({ failure: { kind: 'params', field, final: true } });
});

test('only a query that the database keeps from changes may be repeated', () => {
  const effect = catalog.get('postgres')?.effect;
  if (typeof effect !== 'function') throw new Error('no effect');
  expect(effect({ operation: 'executeQuery', query: 'SELECT 1' })).toBe('unsafe');
  expect(effect({ operation: 'executeQuery', readOnly: true })).toBe('read');
  expect(effect({ operation: 'insert', readOnly: true })).toBe('unsafe');
});

describeOn('PostgreSQL', isThere, () => {
  const admin = new pg.Client({
    host: SERVER.host,
    port: PORT,
    database: SERVER.database,
    user: SERVER.username,
    password: SERVER.password,
  });
  beforeAll(async () => {
    await admin.connect();
    await admin.query(`CREATE SCHEMA ${SCHEMA}`);
    await admin.query(`CREATE TABLE ${SCHEMA}.orders (
      id bigint PRIMARY KEY, "the ""note" text, total numeric(10,2) DEFAULT 1.50, tags text[], data jsonb,
      day date, at timestamptz, bytes bytea, big bigint, ratio float8)`);
  });
  afterAll(async () => {
    await admin.query(`DROP SCHEMA ${SCHEMA} CASCADE`);
    await admin.end();
  });

  test('rows are inserted with defaults, found, changed and deleted', async () => {
    const rows = [
      { id: 1, 'the "note': "Zoë's; DROP TABLE x", tags: ['a', 'b,c'], data: [{ n: 1 }], day: '2026-03-29' },
      { id: 2, data: { k: 'v' }, at: '2026-01-02T03:04:05+02:00', big: '9007199254740993', ratio: 'NaN' },
      { id: 3, total: 12.5, big: 42 },
    ];
    const inserted = await run({ operation: 'insert', data: JSON.stringify(rows) });
    expect(inserted).toMatchObject({ output: { success: true, operation: 'insert', count: 3, affected: 3 } });
    const found = await run({ operation: 'select', where: '{"id": {"lte": 2}}', sort: '-id' });
    expect(found).toMatchObject({
      output: {
        count: 2,
        rows: [
          {
            id: 2,
            total: '1.50',
            data: { k: 'v' },
            at: '2026-01-02T01:04:05.000Z',
            big: '9007199254740993',
            ratio: 'NaN',
          },
          {
            id: 1,
            'the "note': "Zoë's; DROP TABLE x",
            tags: ['a', 'b,c'],
            data: [{ n: 1 }],
            day: '2026-03-29',
            at: null,
          },
        ],
      },
    });
    expect(await run({ operation: 'select', where: '{"id": [1, 3], "big": 42}' })).toMatchObject({
      output: { rows: [{ id: 3, big: 42 }] },
    });
    expect(await run({ operation: 'select', where: '{"big": null}' })).toMatchObject({
      output: { rows: [{ id: 1 }] },
    });
    const updated = await run({
      operation: 'update',
      where: '{"id": 3}',
      dataMode: 'selective',
      columns: [{ key: 'total', value: 7 }],
    });
    expect(updated).toMatchObject({ output: { affected: 1, rows: [{ id: 3, total: '7.00' }] } });
    const upserted = await run({
      operation: 'upsert',
      data: '[{"id": 3, "total": 8}, {"id": 4, "total": 9}]',
      columnsToMatchOn: 'id',
    });
    expect(upserted).toMatchObject({ output: { affected: 2, rows: [{ id: 3, total: '8.00' }, { id: 4 }] } });
    expect(await run({ operation: 'delete', where: '{"id": {"gt": 2}}' })).toMatchObject({
      output: { affected: 2 },
    });
    expect(await run({ operation: 'select' })).toMatchObject({ output: { count: 2 } });
  });

  test('values of a query are bound', async () => {
    const result = await run(
      {
        operation: 'executeQuery',
        query: 'SELECT $1::text AS t, $2::int + 1 AS n',
        queryParameters: '["$input.t", 4]',
      },
      { inputs: { a: { t: "'; DROP TABLE x; --" } } },
    );
    expect(result).toMatchObject({
      output: { rows: [{ t: "'; DROP TABLE x; --", n: 5 }], truncated: false },
    });
  });

  test('more rows than the limit stay on the server', async () => {
    const result = await query('SELECT generate_series(1, 1000000000) AS n', [], { limit: 2_500 });
    expect(result).toMatchObject({ output: { count: 2_500, truncated: true } });
  });

  test('a statement that changes rows says how many, also behind WITH', async () => {
    const text = `WITH a AS (INSERT INTO ${SCHEMA}.orders (id) VALUES ($1) RETURNING id) SELECT id FROM a`;
    expect(await query(text, [77])).toMatchObject({ output: { rows: [{ id: 77 }] } });
    expect(await query(`DELETE FROM ${SCHEMA}.orders WHERE id = $1`, [77])).toMatchObject({
      output: { rows: [], affected: 1 },
    });
  });

  test('a failure in the middle leaves nothing behind', async () => {
    const failed = await run({ operation: 'insert', data: '[{"id": 50}, {"id": 50}]' });
    expect(failed).toMatchObject({
      failure: { kind: 'upstream', final: true, message: expect.stringContaining('duplicate key') },
    });
    const two = `INSERT INTO ${SCHEMA}.orders (id) VALUES (51); SELECT 1 / 0`;
    expect(await query(two)).toMatchObject({
      failure: { message: expect.stringContaining('division by zero') },
    });
    expect(await run({ operation: 'select', where: '{"id": [50, 51]}' })).toMatchObject({
      output: { count: 0 },
    });
  });

  test('a query that only reads cannot change anything', async () => {
    const result = await query(`DELETE FROM ${SCHEMA}.orders`, [], { readOnly: true });
    expect(result).toMatchObject({ failure: { message: expect.stringContaining('read-only transaction') } });
  });

  test('a statement that takes too long is ended by the server', async () => {
    const result = await query('SELECT pg_sleep(20)', [], { timeoutSeconds: 1 });
    expect(result).toMatchObject({ failure: { kind: 'timeout' } });
  });

  test('a run that is cancelled cancels its statement on the server', async () => {
    const cancelled = new AbortController();
    const text = `INSERT INTO ${SCHEMA}.orders (id) SELECT 90 FROM pg_sleep(60)`;
    const running = run({ operation: 'executeQuery', query: text }, { signal: cancelled.signal });
    const active = async () => {
      const { rows } = await admin.query<{ n: number }>(
        `SELECT count(*)::int AS n FROM pg_stat_activity WHERE state = 'active' AND query = $1`,
        [text],
      );
      return rows[0]?.n;
    };
    await vi.waitUntil(async () => (await active()) === 1, { timeout: 10_000, interval: 50 });
    cancelled.abort();
    expect(await running).toMatchObject({ failure: { kind: 'cancelled' } });
    await vi.waitUntil(async () => (await active()) === 0, { timeout: 5_000, interval: 50 });
    expect(await run({ operation: 'select', where: '{"id": 90}' })).toMatchObject({ output: { count: 0 } });
  });

  test('a server that does not answer the end of a statement does not hold up the run', async () => {
    const { port, close } = await droppingProxy(SERVER.port, 'pg_cancel_backend');
    const cancelled = new AbortController();
    const data = { operation: 'executeQuery', query: 'SELECT pg_sleep(12)' };
    const running = run(data, { config: { ...SERVER, port }, signal: cancelled.signal });
    setTimeout(() => cancelled.abort(), 1_000);
    expect(await running).toMatchObject({ failure: { kind: 'cancelled' } });
    close();
  });

  test.each([
    ['a port without a server', { port: 1 }, 'ECONNREFUSED'],
    ['a database that is not there', { database: 'nothing' }, 'has no database "nothing"'],
    ['TLS that the server does not offer', { use_tls: true, host: 'other.example' }, 'TLS'],
  ])('the connection test says what is wrong with %s', async (_, changed, words) => {
    expect(await testConnection('postgres', SERVER)).toBe('works');
    expect(await testConnection('postgres', { ...SERVER, ...changed })).toContain(words);
  });

  test('TLS is spoken with a server whose certificate has the name of the host', async () => {
    // In front of the real server: answers the request for TLS (section 55.2.11 of the manual) and passes the rest on.
    const server = createServer((socket: Socket) => {
      socket.once('data', () => {
        socket.write('S');
        const secure = new TLSSocket(socket, { isServer: true, cert: certificate, key: certificateKey });
        const to = connect(PORT, '127.0.0.1');
        secure.pipe(to).pipe(secure);
        for (const end of [secure, to, socket]) end.on('error', () => to.destroy());
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const config = { ...SERVER, host: 'tls.example', port, use_tls: true };
    expect(await testConnection('postgres', config, { http: realEgress(certificate) })).toBe('works');
    expect(await testConnection('postgres', config)).toContain('TLS connection that can be trusted');
    server.close();
  });

  test('tables are offered to choose', async () => {
    const context = choiceContext(realEgress(), SERVER);
    const choices = implementations.get('postgres')?.choices['tables'];
    const request = { params: { schema: SCHEMA }, search: 'ord', cursor: null };
    expect(await choices?.(context, request)).toEqual({
      items: [{ value: 'orders', label: 'orders' }],
      next_cursor: null,
    });
  });
});
