import type { LookupAddress } from 'node:dns';
import type { Socket } from 'node:net';
import { rootCertificates } from 'node:tls';
import { NodeFailure } from '@millrace/engine';
import type { SocketRequest } from '@millrace/nodes/runtime';
import { expect, test } from 'vitest';
import { openEgress } from './open-egress.ts';
import { expiredCertificate, validCertificate } from './testing/certificates.ts';
import { egress, egressToName, serve, serveBytes, serveTls } from './testing/servers.ts';

const local: LookupAddress = { address: '127.0.0.1', family: 4 };
const remote: LookupAddress = { address: '8.8.8.8', family: 4 };
const to = (host: string, port: number, more: Partial<SocketRequest> = {}): SocketRequest => ({
  host,
  port,
  tls: false,
  timeout_ms: 5000,
  signal: new AbortController().signal,
  ...more,
});

async function catchFailure(opening: Promise<Socket>) {
  try {
    (await opening).destroy();
  } catch (error) {
    if (error instanceof NodeFailure) return error.failure;
    throw error;
  }
  return undefined;
}

test.each([
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0x7f000001',
  '::1',
  '[::1]',
  '::ffff:10.0.0.1',
  '169.254.169.254',
  '10.1.2.3',
  'localhost',
  'mail.internal',
  '①②⑦.0.0.1',
  '0.0.0.0',
])('a connection to %s is refused before anything is looked up', async (host) => {
  const client = egress({ allow_private: false, resolve: () => Promise.reject(new Error('looked up')) });
  const failure = await catchFailure(client.connect(to(host, 25)));
  expect(failure).toMatchObject({ kind: 'upstream' });
  expect(failure?.message).toContain('HTTP_ALLOW_PRIVATE_URLS');
  expect(client.warnings).toHaveLength(1);
});

test.each(['', 'a b', 'host/path', 'user@host', 'host:25', 'host?x', 'a\\b', 'a#b', 'h%6fst'])(
  '"%s" is no host name',
  async (host) => {
    const failure = await catchFailure(egress().connect(to(host, 25)));
    expect(failure).toMatchObject({ final: true, message: expect.stringContaining('host') });
  },
);

test('a name that resolves to a private address is refused without telling the address', async () => {
  const client = egress({ allow_private: false, resolve: () => Promise.resolve([remote, local]) });
  const failure = await catchFailure(client.connect(to('mail.example', 25)));
  expect(failure).toMatchObject({ message: expect.stringContaining('"mail.example"') });
  expect(failure?.message).not.toContain('127.0.0.1');
});

test('a name that changes to a private address after the first connection is refused at the second', async () => {
  const { port } = await serve(() => undefined);
  const answers = [[local], [{ address: '127.0.0.2', family: 4 }]];
  let lookups = 0;
  const client = egress({
    allow_private: false,
    allow_hosts: ['first.example'],
    resolve: () => Promise.resolve(answers[lookups++] ?? []),
  });
  (await client.connect(to('first.example', port))).destroy();
  expect(await catchFailure(client.connect(to('second.example', port)))).toMatchObject({
    kind: 'upstream',
    message: expect.stringContaining('its address is not public'),
  });
});

test('the address that was checked is the one that is connected to', async () => {
  const { port } = await serve(() => undefined);
  const client = egressToName('inside.example');
  const socket = await client.connect(to('inside.example', port));
  expect(socket.remoteAddress).toBe('127.0.0.1');
  socket.destroy();
  expect(client.lookups()).toBe(1);
});

test('a TLS connection is checked against the name, with further authorities', async () => {
  const { port } = await serveTls(validCertificate, () => undefined);
  const client = egress({ resolve: () => Promise.resolve([local]), ca: validCertificate });
  const socket = await client.connect(to('tls.example', port, { tls: true }));
  expect(socket).toMatchObject({ authorized: true, encrypted: true });
  socket.destroy();
  expect(await catchFailure(client.connect(to('other.example', port, { tls: true })))).toMatchObject({
    kind: 'upstream',
    message: `other.example:${port}: the certificate is for another host`,
  });
});

test('the certificate authorities of the settings are trusted in addition to those of Node', async () => {
  const { port } = await serveTls(validCertificate, () => undefined);
  const log = { warn: () => undefined };
  const settings = { HTTP_ALLOW_PRIVATE_URLS: true, CERTIFICATE_AUTHORITIES: undefined };
  const without = openEgress(settings, log);
  const localhost = to('127.0.0.1', port, { tls: true });
  const reason = async (client: ReturnType<typeof openEgress>) =>
    (await catchFailure(client.connect(localhost)))?.message;
  expect(await reason(without)).toContain('is self-signed');
  const client = openEgress({ ...settings, CERTIFICATE_AUTHORITIES: validCertificate }, log);
  // Trusted, but not for this name.
  expect(await reason(client)).toContain('is for another host');
  expect(client.authorities).toContain(rootCertificates[0]);
  await Promise.all([without.close(), client.close()]);
});

test('an expired certificate is refused', async () => {
  const { port } = await serveTls(expiredCertificate, () => undefined);
  const client = egress({ resolve: () => Promise.resolve([local]), ca: expiredCertificate });
  expect(await catchFailure(client.connect(to('tls.example', port, { tls: true })))).toMatchObject({
    message: expect.stringContaining('has expired'),
  });
});

test('a closed port, a silent TLS server and a cancelled run each say so', async () => {
  expect(await catchFailure(egress().connect(to('127.0.0.1', 1)))).toMatchObject({
    kind: 'upstream',
    message: '127.0.0.1:1: connection refused',
  });
  const { port } = await serveBytes(() => undefined);
  const silent = to('127.0.0.1', port, { tls: true, timeout_ms: 50 });
  expect(await catchFailure(egress().connect(silent))).toMatchObject({
    kind: 'timeout',
    message: `127.0.0.1:${port}: no connection within 0.05 s`,
  });
  const cancelled = to('127.0.0.1', port, { signal: AbortSignal.abort() });
  expect(await catchFailure(egress().connect(cancelled))).toMatchObject({ kind: 'cancelled' });
});

test('a run that is cancelled later closes its connection', async () => {
  const { port } = await serveBytes(() => undefined);
  const run = new AbortController();
  const socket = await egress().connect(to('127.0.0.1', port, { signal: run.signal }));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  run.abort();
  await closed;
  expect(socket.destroyed).toBe(true);
});

test('a library that connects by itself gets the checked addresses of a public host', async () => {
  const { signal } = new AbortController();
  const client = egress({ allow_private: false, resolve: () => Promise.resolve([remote, remote]) });
  expect(await client.resolveAddresses('broker.example', signal)).toEqual(['8.8.8.8', '8.8.8.8']);
  expect(await client.resolveAddresses('8.8.4.4', signal)).toEqual(['8.8.4.4']);
});

test.each([
  ['by its text', '10.0.0.1', remote],
  ['by what it resolves to', 'broker.example', local],
])(
  'a library that connects by itself gets no address of a host that is private %s',
  async (_, host, found) => {
    const client = egress({ allow_private: false, resolve: () => Promise.resolve([remote, found]) });
    const addresses = client.resolveAddresses(host, new AbortController().signal);
    await expect(addresses).rejects.toMatchObject({
      failure: { message: expect.stringContaining('HTTP_ALLOW_PRIVATE_URLS') },
    });
    expect(client.warnings).toHaveLength(1);
  },
);

test('looking up addresses ends with its signal', async () => {
  const controller = new AbortController();
  const client = egress({ allow_private: false, resolve: () => new Promise(() => undefined) });
  const addresses = client.resolveAddresses('broker.example', controller.signal);
  controller.abort();
  await expect(addresses).rejects.toMatchObject({ failure: { kind: 'cancelled' } });
});
