// cspell:ignore inno
import { randomUUID } from 'node:crypto';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Json, JsonObject } from '@millrace/engine';
import { type Connection, createConnection } from 'mysql2/promise';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { catalog } from '../catalog.ts';
import { implementations } from '../runtime.ts';
import { choiceContext } from '../testing/choice-context.ts';
import { realEgress } from '../testing/real-egress.ts';
import { runNode } from '../testing/run-node.ts';
import { answers, describeOn, droppingProxy, testConnection } from '../testing/servers/databases.ts';
import { certificate, certificateKey } from '../testing/servers/tls.ts';

const url = new URL(process.env['TEST_MYSQL_URL'] ?? 'mysql://root@127.0.0.1:3306/test');
const PORT = Number(url.port || '3306');
const SERVER = {
  host: '127.0.0.1',
  port: PORT,
  database: url.pathname.slice(1) || 'test',
  username: decodeURIComponent(url.username),
  password: decodeURIComponent(url.password),
  use_tls: false,
};
const isThere = await answers(PORT);
const TABLE = `orders_${randomUUID().replaceAll('-', '')}`;

const run = (
  data: JsonObject,
  {
    config = SERVER,
    inputs = {},
    signal = new AbortController().signal,
  }: { config?: JsonObject; inputs?: Record<string, Json>; signal?: AbortSignal } = {},
) =>
  runNode(
    'mysql',
    { credentialId: 'c', table: TABLE, ...data },
    {
      inputs,
      signal,
      services: {
        http: realEgress(),
        credential: async () => ({ id: 'c', name: 'c', type: 'mysql', values: config }),
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
  [{ operation: 'select', where: '{"a": {"ilike": "x"}}' }, 'where'],
  [{ operation: 'select', table: 'a..b' }, 'table'],
])('%j is refused before anything is sent', async (data, field) => {
  const result = await run(data, { config: { ...SERVER, port: 1 } });
  expect(result).toMatchObject({ failure: { kind: 'params', field, final: true } });
});

test('only a query that the database keeps from changes may be repeated', () => {
  const effect = catalog.get('mysql')?.effect;
  if (typeof effect !== 'function') throw new Error('no effect');
  expect(effect({ operation: 'executeQuery', query: 'SELECT 1' })).toBe('unsafe');
  expect(effect({ operation: 'executeQuery', readOnly: true })).toBe('read');
  expect(effect({ operation: 'insert', readOnly: true })).toBe('unsafe');
  expect(effect({ operation: 'upsert' })).toBe('idempotent');
});

describeOn('MariaDB or MySQL', isThere, () => {
  let admin: Connection;
  beforeAll(async () => {
    const { host, username: user, password, database } = SERVER;
    admin = await createConnection({ host, port: PORT, user, password, database });
    await admin.query(`CREATE TABLE ${TABLE} (
      id bigint PRIMARY KEY AUTO_INCREMENT, \`the \`\`note\` text, total decimal(10,2) DEFAULT 1.50, day date,
      at timestamp NULL, stamp datetime(3), bytes varbinary(20), big bigint unsigned, ratio double, yes boolean
    ) ENGINE=InnoDB CHARACTER SET utf8mb4`);
  });
  afterAll(async () => {
    await admin.query(`DROP TABLE ${TABLE}`);
    await admin.end();
  });

  test('rows are inserted with defaults, found, changed and deleted', async () => {
    const rows = [
      { id: 1, 'the `note': "Zoë's 🎈; DROP TABLE x", day: '2026-03-29', yes: true, ratio: 0.1 },
      { id: 2, at: '2026-01-02 03:04:05', stamp: '2026-01-02 03:04:05.678', big: '18446744073709551615' },
      { id: 3, total: 12.5, big: 42, bytes: 'ä' },
    ];
    expect(await run({ operation: 'insert', data: JSON.stringify(rows) })).toMatchObject({
      output: { success: true, operation: 'insert', rows: [], count: 0, affected: 3 },
    });
    expect(await run({ operation: 'select', where: '{"id": {"lte": 3}}', sort: '-id' })).toMatchObject({
      output: {
        count: 3,
        rows: [
          { id: 3, total: '12.50', big: 42, bytes: Buffer.from('ä').toString('base64') },
          {
            id: 2,
            total: '1.50',
            at: '2026-01-02T03:04:05Z',
            stamp: '2026-01-02 03:04:05.678',
            big: '18446744073709551615',
          },
          { id: 1, 'the `note': "Zoë's 🎈; DROP TABLE x", day: '2026-03-29', yes: 1, ratio: 0.1, at: null },
        ],
      },
    });
    const changed = await run({ operation: 'update', where: '{"id": [1, 2]}', data: '{"total": 5}' });
    expect(changed).toMatchObject({ output: { affected: 2 } });
    const upserted = await run({
      operation: 'upsert',
      data: '[{"id": 1, "total": 6}, {"id": 4, "total": 7}]',
    });
    expect(upserted).toMatchObject({ output: { success: true } });
    expect(await run({ operation: 'select', where: '{"total": {"in": [6, 7]}}', sort: 'id' })).toMatchObject({
      output: { rows: [{ id: 1 }, { id: 4 }] },
    });
    expect(await run({ operation: 'select', where: '{"id": []}' })).toMatchObject({ output: { count: 0 } });
    expect(await run({ operation: 'delete', where: '{"day": null}' })).toMatchObject({
      output: { affected: 3 },
    });
  });

  test('a new row tells the number that it got', async () => {
    const inserted = await run({ operation: 'insert', data: '{"total": 1}' });
    expect(inserted).toMatchObject({ output: { affected: 1, insert_id: expect.any(Number) } });
  });

  test('values of a query are bound', async () => {
    const result = await run(
      {
        operation: 'executeQuery',
        query: 'SELECT ? AS t, ? + 1 AS n, ? AS nothing',
        queryParameters: '["$input.t", 4, null]',
      },
      { inputs: { a: { t: "'; DROP TABLE x; -- ?" } } },
    );
    expect(result).toMatchObject({
      output: { rows: [{ t: "'; DROP TABLE x; -- ?", n: 5, nothing: null }], truncated: false },
    });
    expect(await query('SELECT 1; SELECT 2')).toMatchObject({ failure: { kind: 'upstream', final: true } });
  });

  test('columns may have the names of properties that every object has', async () => {
    const columns = "1 AS `__proto__`, 'ResultSetHeader' AS `constructor`, 2 AS `a`";
    const result = await query(`SELECT ${columns}`);
    expect(JSON.stringify(result)).toContain('[{"__proto__":1,"constructor":"ResultSetHeader","a":2}]');
  });

  test('rows over the limit are left out', async () => {
    const numbers =
      'WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 900) SELECT i FROM n';
    expect(await query(numbers, [], { limit: 250 })).toMatchObject({
      output: { count: 250, truncated: true },
    });
    expect(await query(numbers, [], { limit: 900 })).toMatchObject({
      output: { count: 900, truncated: false },
    });
  });

  test('a failure in the middle leaves nothing behind', async () => {
    const failed = await run({ operation: 'insert', data: '[{"id": 50}, {"id": 50}]' });
    expect(failed).toMatchObject({
      failure: { kind: 'upstream', final: true, message: expect.stringContaining('Duplicate entry') },
    });
    expect(await run({ operation: 'select', where: '{"id": 50}' })).toMatchObject({ output: { count: 0 } });
  });

  test('a query that only reads cannot change anything', async () => {
    const result = await query(`DELETE FROM ${TABLE}`, [], { readOnly: true });
    expect(result).toMatchObject({ failure: { message: expect.stringContaining('READ ONLY transaction') } });
  });

  test('a statement that takes too long is ended on the server', async () => {
    const text = `SELECT SLEEP(30), '${randomUUID()}'`;
    expect(await query(text, [], { timeoutSeconds: 1 })).toMatchObject({ failure: { kind: 'timeout' } });
    await vi.waitUntil(async () => (await running(text)) === 0, { timeout: 5_000, interval: 50 });
  });

  test('a run that is cancelled ends its statement on the server', async () => {
    const cancelled = new AbortController();
    const text = `INSERT INTO ${TABLE} (id) SELECT 90 FROM (SELECT SLEEP(60)) AS slept`;
    const result = run({ operation: 'executeQuery', query: text }, { signal: cancelled.signal });
    await vi.waitUntil(async () => (await running(text)) === 1, { timeout: 10_000, interval: 50 });
    cancelled.abort();
    expect(await result).toMatchObject({ failure: { kind: 'cancelled' } });
    await vi.waitUntil(async () => (await running(text)) === 0, { timeout: 5_000, interval: 50 });
    expect(await run({ operation: 'select', where: '{"id": 90}' })).toMatchObject({ output: { count: 0 } });
  });

  async function running(text: string): Promise<number> {
    const [rows] = await admin.query(
      'SELECT COUNT(*) AS n FROM information_schema.processlist WHERE info = ?',
      [text],
    );
    return Number((rows as { n: number }[])[0]?.n);
  }

  test.each([
    ['a port without a server', { port: 1 }, 'ECONNREFUSED'],
    ['a database that is not there', { database: 'nothing' }, 'has no database "nothing"'],
    ['another password', { username: 'no_such_user', password: 'canary-word' }, 'refused the user name'],
    ['TLS that the server does not offer', { use_tls: true }, 'TLS'],
  ])('the connection test says what is wrong with %s', async (_, changed, words) => {
    expect(await testConnection('mysql', SERVER)).toBe('works');
    const said = await testConnection('mysql', { ...SERVER, ...changed });
    expect(said).toContain(words);
    expect(said).not.toContain('canary-word');
  });

  test('TLS is spoken with a server whose certificate has the name of the host', async () => {
    const server = createServer((socket: Socket) => offerTls(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const config = { ...SERVER, host: 'tls.example', port, use_tls: true };
    expect(await testConnection('mysql', config, { http: realEgress(certificate) })).toBe('works');
    expect(await testConnection('mysql', config)).toContain('TLS connection that can be trusted');
    const other = { ...config, host: 'other.example' };
    expect(await testConnection('mysql', other, { http: realEgress(certificate) })).toContain('be trusted');
    server.close();
  });

  test('a server that does not answer the end of a statement does not hold up the run', async () => {
    const { port, close } = await droppingProxy(PORT, 'KILL');
    const config = { ...SERVER, port };
    const data = { operation: 'executeQuery', query: 'SELECT SLEEP(12)', timeoutSeconds: 1 };
    expect(await run(data, { config })).toMatchObject({ failure: { kind: 'timeout' } });
    close();
  });

  test('tables are offered to choose', async () => {
    const choices = implementations.get('mysql')?.choices['tables'];
    const request = { params: {}, search: TABLE, cursor: null };
    expect(await choices?.(choiceContext(realEgress(), SERVER), request)).toEqual({
      items: [{ value: TABLE, label: TABLE }],
      next_cursor: null,
    });
  });
});

const HEADER_BYTES = 4;
const REQUEST_BYTES = HEADER_BYTES + 32;
/** CLIENT_SSL of the capability flags, in their second byte. */
const CLIENT_SSL = 0x08;

/**
 * A proxy in front of the real server that adds TLS (Protocol::SSLRequest of the manual): the greeting says that there is TLS, the request
 * for it is answered by the handshake, and the packets of the sign-in behind it are counted without it.
 */
function offerTls(socket: Socket): void {
  const to = connect(PORT, '127.0.0.1');
  for (const end of [socket, to]) end.on('error', () => to.destroy());
  socket.on('close', () => to.destroy());
  to.once('data', (greeting: Buffer) => {
    // Version, its text, the id of the connection, the first part of the nonce and a filler precede the flags.
    const flags = greeting.indexOf(0, HEADER_BYTES + 1) + 1 + 4 + 8 + 1;
    greeting[flags + 1] = (greeting[flags + 1] ?? 0) | CLIENT_SSL;
    socket.write(greeting);
    to.pause();
    socket.once('data', (asked: Buffer) => {
      // The client begins its handshake without an answer, so that both may come at once.
      socket.pause();
      if (asked.length > REQUEST_BYTES) socket.unshift(asked.subarray(REQUEST_BYTES));
      const secure = new TLSSocket(socket, { isServer: true, cert: certificate, key: certificateKey });
      secure.on('error', () => to.destroy());
      secure.once('data', (signIn: Buffer) => {
        signIn[3] = (signIn[3] ?? 0) - 1;
        signIn[HEADER_BYTES + 1] = (signIn[HEADER_BYTES + 1] ?? 0) & ~CLIENT_SSL;
        to.write(signIn);
        to.once('data', (answer: Buffer) => {
          answer[3] = (answer[3] ?? 0) + 1;
          secure.write(answer);
          secure.pipe(to).pipe(secure);
        });
        to.resume();
      });
    });
  });
}
