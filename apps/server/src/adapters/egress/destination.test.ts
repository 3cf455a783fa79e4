import type { LookupAddress } from 'node:dns';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { isPublicAddress } from './addresses.ts';
import { guardedLookup } from './destination.ts';
import { catchFailure, egress, egressToName, get, serve, text } from './testing/servers.ts';

/** Spellings that address parsers accept, by what they lead to. */
const PRIVATE: Record<string, string> = {
  'this machine': `127.0.0.1 127.1 127.0.1 127.255.255.254 2130706433 0x7f000001 0x7f.0.0.1 0x7f.1 0177.0.0.1
    0177.0.0.01 017700000001 127.0.0.1. 0 0.0.0.0 00.0.0.0 0x0 localhost localhost. LOCALHOST api.localhost
    localhost.localdomain ⓛocalhost local%68ost １２７.0.0.1 127。0。0。1 ①②⑦.0.0.1`,
  'private and shared networks': `10.0.0.1 10.255.255.255 0xa.0.0.1 012.0.0.1 167772161 172.16.0.1 172.31.255.255
    192.168.0.1 192.168.1 3232235521 100.64.0.1 100.127.255.255 printer.local router.home.arpa`,
  'metadata services': `169.254.169.254 168.63.129.16 [::ffff:168.63.129.16] 2852039166 0xa9fea9fe 0251.0376.0251.0376 169.254.43518
    metadata.google.internal [fd00:ec2::254]`,
  'reserved ranges': `192.0.0.1 192.0.2.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 240.0.0.1 255.255.255.255`,
  'IPv6 ranges': `[::] [::1] [0:0:0:0:0:0:0:1] [fe80::1] [fc00::1] [fec0::1] [ff02::1] [2001:db8::1] [3fff::1] [100::1]`,
  'IPv4 within IPv6': `[::ffff:127.0.0.1] [::ffff:7f00:1] [::ffff:169.254.169.254] [::127.0.0.1] [::a00:1]
    [::ffff:0:127.0.0.1] [2002:7f00:1::] [2002:a9fe:a9fe::1] [2001:0:7f00:1::] [64:ff9b::127.0.0.1]
    [64:ff9b::a00:1] [64:ff9b:1::1]`,
};

describe.each(Object.entries(PRIVATE))('%s is refused', (_title, hosts) => {
  test.each(hosts.split(/\s+/))('as %s', async (host) => {
    const resolve = () => Promise.reject(new Error('a literal address must not be looked up'));
    const client = egress({ allow_private: false, resolve });
    const failure = await catchFailure(client, get(`http://${host}/`));
    expect(failure).toMatchObject({ kind: 'upstream' });
    expect(failure?.message).toContain('HTTP_ALLOW_PRIVATE_URLS');
  });
});

test.each([
  'http://127.0.0.1\\@public.example/',
  'http://public.example@127.0.0.1/',
  'http://public.example:80@127.0.0.1/',
  'http://127.0.0.1#@public.example/',
  'http:127.0.0.1',
  'http:\\\\127.0.0.1\\',
  'http://\t127.0.0.1/',
  'ftp://public.example/',
  'file:///etc/passwd',
  'data:text/plain,x',
  'javascript:alert(1)',
  '//public.example/',
  '',
])('%s is refused', async (url) => {
  const client = egress({ allow_private: false, resolve: () => Promise.reject(new Error('looked up')) });
  expect(await catchFailure(client, get(url))).toMatchObject({ kind: 'upstream' });
});

test.each([
  '8.8.8.8',
  '1.1.1.1',
  '172.32.0.1',
  '100.128.0.1',
  '2606:4700::1111',
  '64:ff9b::8.8.8.8',
  '::ffff:8.8.8.8',
])('%s is public', (address) => expect(isPublicAddress(address)).toBe(true));

test.each(['', 'public.example', '8.8.8', '8.8.8.8.8', 'fe80::1%eth0', '::1%lo'])(
  '"%s" is no public address',
  (address) => expect(isPublicAddress(address)).toBe(false),
);

const local: LookupAddress = { address: '127.0.0.1', family: 4 };
const remote: LookupAddress = { address: '8.8.8.8', family: 4 };

test('a name that resolves to a private address is refused without telling the address', async () => {
  const client = egress({ allow_private: false, resolve: () => Promise.resolve([local]) });
  const failure = await catchFailure(client, get('http://public.example/'));
  expect(failure).toMatchObject({ kind: 'upstream' });
  expect(failure?.message).toContain('"public.example"');
  expect(failure?.message).not.toContain('127.0.0.1');
  expect(client.warnings).toHaveLength(1);
});

test('one private address among public ones is enough to refuse a name', async () => {
  const client = egress({ allow_private: false, resolve: () => Promise.resolve([remote, local]) });
  expect(await catchFailure(client, get('http://public.example/'))).toMatchObject({
    kind: 'upstream',
    message: expect.stringContaining('its address is not public'),
  });
});

test('a name that changes its address is judged at each look-up', async () => {
  const answers = [[remote], [local]];
  const lookup = promisify(
    guardedLookup(() => Promise.resolve(answers.shift() ?? []), {
      allow_private: false,
      allow_hosts: new Set(),
    }),
  );
  expect(await lookup('rebinding.example', { all: true })).toEqual([remote]);
  await expect(lookup('rebinding.example', { all: true })).rejects.toThrow('not public');
});

test('every new connection looks the name up again', async () => {
  const { port } = await serve((_request, response) =>
    response.writeHead(200, { connection: 'close' }).end('inside'),
  );
  const client = egressToName('inside.example');
  for (let index = 0; index < 3; index++) {
    await text((await client.request(get(`http://inside.example:${port}/`))).body);
  }
  expect(client.lookups()).toBe(3);
});

test('the address that was checked is the one that is connected to', async () => {
  const { port } = await serve((_request, response) => response.end('inside'));
  const client = egressToName('inside.example');
  const response = await client.request(get(`http://inside.example:${port}/`));
  expect(await text(response.body)).toBe('inside');
  expect(client.lookups()).toBe(1);
});

test('a listed host may be private, others still may not', async () => {
  const { url, port } = await serve((_request, response) => response.end('inside'));
  const client = egress({ allow_private: false, allow_hosts: ['127.0.0.1'] });
  expect(await text((await client.request(get(url))).body)).toBe('inside');
  expect(await catchFailure(client, get(`http://127.0.0.2:${port}/`))).toMatchObject({
    kind: 'upstream',
    message: expect.stringContaining('its address is not public'),
  });
});

test('HTTP_ALLOW_PRIVATE_URLS lets everything through', async () => {
  const { url } = await serve((_request, response) => response.end('inside'));
  expect(await text((await egress({ allow_private: true }).request(get(url))).body)).toBe('inside');
});
