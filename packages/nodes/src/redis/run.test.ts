import { randomUUID } from 'node:crypto';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { Json, JsonObject } from '@millrace/engine';
import { createClient, type RedisClientType } from 'redis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { realEgress } from '../testing/real-egress.ts';
import { runNode } from '../testing/run-node.ts';
import { answers, describeOn, testConnection } from '../testing/servers/databases.ts';
import { certificate, certificateKey } from '../testing/servers/tls.ts';

const PORT = 6379;
const SERVER = { redis_host: '127.0.0.1', redis_port: PORT };
const isThere = await answers(PORT);

const run = (
  data: JsonObject,
  {
    config = SERVER,
    inputs = {},
    authorities,
    signal = new AbortController().signal,
  }: {
    config?: JsonObject;
    inputs?: Record<string, Json>;
    authorities?: string;
    signal?: AbortSignal;
  } = {},
) =>
  runNode(
    'redis',
    { credentialId: 'c', ...data },
    {
      inputs,
      signal,
      services: {
        http: realEgress(authorities),
        credential: async () => ({ id: 'c', name: 'c', type: 'redis', values: config }),
      },
    },
  );

const PREFIX = `millrace-test:${randomUUID()}:`;

test.each([
  ['a key that is empty', { redisKey: ' ' }, 'redisKey'],
  ['a time that is no number', { redisKey: 'a', redisTtl: 'soon' }, 'redisTtl'],
  ['a time of zero', { redisKey: 'a', redisTtl: 0 }, 'redisTtl'],
  ['a time before now', { redisKey: 'a', redisTtl: '-5' }, 'redisTtl'],
])('%s is refused before anything is sent', async (_, data, field) => {
  const result = await run(
    { redisOperation: 'set', ...data },
    { config: { redis_host: 'x', redis_port: 1 } },
  );
  expect(result).toMatchObject({ failure: { kind: 'params', field, final: true } });
});

test('a credential is required, with no server of its own accord', async () => {
  const result = await runNode('redis', { redisOperation: 'get', redisKey: 'a' });
  expect(result).toMatchObject({ failure: { field: 'credentialId' } });
});

test('a server that never answers is left when the run is cancelled', async () => {
  const server = createServer(() => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const cancel = new AbortController();
  const running = run(
    { redisOperation: 'get', redisKey: 'a' },
    { config: { ...SERVER, redis_port: port }, signal: cancel.signal },
  );
  const socket = await new Promise<Socket>((resolve) => server.once('connection', resolve));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.on('error', () => undefined).resume();
  cancel.abort();
  expect(await running).toMatchObject({ failure: { kind: 'cancelled' } });
  await closed;
  server.close();
});

describeOn('Redis', isThere, () => {
  let admin: RedisClientType;
  beforeAll(async () => {
    admin = createClient({ url: `redis://127.0.0.1:${PORT}` });
    admin.on('error', () => undefined);
    await admin.connect();
  });
  afterAll(async () => {
    for (const key of await admin.keys(`${PREFIX}*`)) await admin.del(key);
    await admin.aclDelUser('millrace-test');
    admin.destroy();
  });

  test('a value is stored under the key, read, found and deleted', async () => {
    const key = `${PREFIX}order ü`;
    expect(
      await run(
        { redisOperation: 'set', redisKey: key, redisValue: '$input.text' },
        { inputs: { a: { text: 'grün' } } },
      ),
    ).toEqual({ output: { success: true, key, ttl: null } });
    expect([await admin.get(key), await admin.ttl(key)]).toEqual(['grün', -1]);
    expect(await run({ redisOperation: 'get', redisKey: key })).toEqual({
      output: { value: 'grün', exists: true, key },
    });
    expect(await run({ redisOperation: 'hasKey', redisKey: key })).toEqual({ output: { exists: true, key } });
    expect(await run({ redisOperation: 'deleteKey', redisKey: key })).toEqual({
      output: { deleted: true, key },
    });
    expect(await run({ redisOperation: 'deleteKey', redisKey: key })).toEqual({
      output: { deleted: false, key },
    });
    expect(await run({ redisOperation: 'hasKey', redisKey: key })).toEqual({
      output: { exists: false, key },
    });
    expect(await run({ redisOperation: 'get', redisKey: key })).toEqual({
      output: { value: null, exists: false, key },
    });
  });

  test('an object is stored as JSON text, which is read as text', async () => {
    const key = `${PREFIX}object`;
    await run(
      { redisOperation: 'set', redisKey: key, redisValue: '$input' },
      { inputs: { a: { n: 1, t: 'x' } } },
    );
    expect(JSON.parse((await admin.get(key)) ?? '')).toEqual({ n: 1, t: 'x' });
    expect(await run({ redisOperation: 'get', redisKey: key })).toMatchObject({
      output: { value: expect.stringMatching(/^\{/) },
    });
  });

  test.each([90, '90', '$input.seconds'])('a key expires after %s seconds', async (redisTtl) => {
    const key = `${PREFIX}ttl`;
    const result = await run(
      { redisOperation: 'set', redisKey: key, redisValue: 'x', redisTtl },
      { inputs: { a: { seconds: 90 } } },
    );
    expect(result).toEqual({ output: { success: true, key, ttl: 90 } });
    expect(await admin.ttl(key)).toBeGreaterThan(85);
  });

  test('a key that holds a list is told apart from text', async () => {
    const key = `${PREFIX}list`;
    await admin.lPush(key, 'x');
    expect(await run({ redisOperation: 'get', redisKey: key })).toMatchObject({
      failure: { kind: 'upstream', message: expect.stringContaining('something other than text') },
    });
  });

  test('databases are apart from each other', async () => {
    const key = `${PREFIX}database`;
    await run(
      { redisOperation: 'set', redisKey: key, redisValue: 'x' },
      { config: { ...SERVER, redis_db: 3 } },
    );
    expect(await run({ redisOperation: 'hasKey', redisKey: key })).toMatchObject({
      output: { exists: false },
    });
    expect(
      await run({ redisOperation: 'deleteKey', redisKey: key }, { config: { ...SERVER, redis_db: '3' } }),
    ).toMatchObject({ output: { deleted: true } });
  });

  test('a user signs in by name and password, and may do what its rules say', async () => {
    await admin.aclSetUser('millrace-test', ['on', '>canary-password', '~*', '+ping', '+get', '+select']);
    const config = { ...SERVER, redis_username: 'millrace-test', redis_password: 'canary-password' };
    expect(await testConnection('redis', config)).toBe('works');
    expect(await run({ redisOperation: 'get', redisKey: `${PREFIX}none` }, { config })).toMatchObject({
      output: { exists: false },
    });
    expect(await run({ redisOperation: 'deleteKey', redisKey: 'x' }, { config })).toMatchObject({
      failure: { kind: 'credential', final: true },
    });
    const wrong = await testConnection('redis', { ...config, redis_password: 'wrong-password' });
    expect(wrong).toContain('refused the user name or the password');
    expect(wrong).not.toContain('wrong-password');
  });

  test('TLS is spoken with a server whose certificate has the name of the host, and with no other', async () => {
    const server = createTlsServer({ cert: certificate, key: certificateKey }, (socket) => {
      const to = connect(PORT, '127.0.0.1');
      socket.pipe(to).pipe(socket);
      socket.on('error', () => to.destroy());
      to.on('error', () => socket.destroy());
    });
    server.on('tlsClientError', () => undefined);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const config = { redis_host: 'tls.example', redis_port: port, redis_use_tls: true };
    expect(await testConnection('redis', config, { http: realEgress(certificate) })).toBe('works');
    expect(await testConnection('redis', config)).toContain('TLS connection that can be trusted');
    const other = { ...config, redis_host: 'other.example' };
    expect(await testConnection('redis', other, { http: realEgress(certificate) })).toContain(
      'TLS connection that can be trusted',
    );
    server.close();
  });

  test.each([
    ['a port without a server', { redis_port: 1 }, 'ECONNREFUSED'],
    ['a database that is not there', { redis_db: 999_999 }, 'no database with the number 999999'],
  ])('the connection test says what is wrong with %s', async (_, changed, words) => {
    expect(await testConnection('redis', { ...SERVER, ...changed })).toContain(words);
  });
});
