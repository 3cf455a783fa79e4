// cspell:ignore cret
import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { catchFailure, egress, get, serve, text } from './testing/servers.ts';

/** A server that redirects everything to an address, and one that shows what arrives there. */
async function redirectTo(status: number, options: { sameOrigin?: boolean } = {}) {
  const show = (request: IncomingMessage, body: string) =>
    JSON.stringify({ method: request.method, headers: request.headers, body });
  const target = await serve((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => response.end(show(request, body)));
  });
  const source = await serve((request, response) => {
    if (request.url === '/there') {
      response.end(show(request, ''));
      return;
    }
    const location = options.sameOrigin ? '/there' : `${target.url}/there`;
    response.writeHead(status, { location }).end('moved');
  });
  return { source, target };
}

test('a redirect is an answer like any other unless it is to be followed', async () => {
  const { source } = await redirectTo(302);
  const response = await egress().request(get(source.url));
  expect([response.status, await text(response.body)]).toEqual([302, 'moved']);
});

test.each([
  [301, 'POST', 'GET', ''],
  [302, 'POST', 'GET', ''],
  [303, 'PUT', 'GET', ''],
  [307, 'POST', 'POST', 'content'],
  [308, 'POST', 'POST', 'content'],
  [301, 'PUT', 'PUT', 'content'],
])('a %i after %s sends %s', async (status, method, expected, body) => {
  const { source, target } = await redirectTo(status);
  const response = await egress().request(
    get(source.url, {
      method,
      follow_redirects: true,
      body: 'content',
      headers: [['Content-Type', 'text/plain']],
    }),
  );
  const seen = JSON.parse(await text(response.body));
  expect([seen.method, seen.body]).toEqual([expected, body]);
  expect(seen.headers['content-type']).toBe(body === '' ? undefined : 'text/plain');
  expect(response.url).toBe(`${target.url}/there`);
});

const SECRETS: [string, string][] = [
  ['Authorization', 'Bearer secret'],
  ['Cookie', 'sid=secret'],
  ['X-Api-Key', 'secret'],
  ['X-Auth-Token', 'secret'],
  ['Private-Token', 'secret'],
  ['apikey', 'secret'],
  ['Ocp-Apim-Subscription-Key', 'secret'],
  ['X-Amz-Security-Token', 'secret'],
  ['X-Signature', 'secret'],
  ['X-Csrf-Token', 'secret'],
  ['Host', 'secret.example'],
];

test('credentials do not follow a redirect to another origin, other headers do', async () => {
  const { source } = await redirectTo(307);
  const headers: [string, string][] = [...SECRETS, ['X-Plain', 'stays'], ['Idempotency-Key', 'stays']];
  const response = await egress().request(get(source.url, { follow_redirects: true, headers }));
  const seen = await text(response.body);
  expect(seen).not.toContain('secret');
  expect(JSON.parse(seen).headers).toMatchObject({ 'x-plain': 'stays', 'idempotency-key': 'stays' });
});

test('§5.8: a redirect to another origin drops headers that contain a secret, even under an unsuspicious name', async () => {
  const holdsSecret = (value: string) => value.includes('s3cret');
  const headers: [string, string][] = [
    ['X-Shop-Id', 's3cret'],
    ['X-Plain', 'a s3cret within'],
    ['X-Shop', 'stays'],
  ];
  for (const sameOrigin of [false, true]) {
    const { source } = await redirectTo(307, { sameOrigin });
    const request = get(source.url, { follow_redirects: true, headers, holdsSecret });
    const seen = JSON.parse(await text((await egress().request(request)).body));
    expect(seen.headers).toMatchObject({ 'x-shop': 'stays' });
    expect([seen.headers['x-shop-id'], seen.headers['x-plain']]).toEqual(
      sameOrigin ? ['s3cret', 'a s3cret within'] : [undefined, undefined],
    );
  }
});

test('credentials follow a redirect within the origin', async () => {
  const { source } = await redirectTo(307, { sameOrigin: true });
  const response = await egress().request(get(source.url, { follow_redirects: true, headers: SECRETS }));
  expect(JSON.parse(await text(response.body)).headers).toMatchObject({
    authorization: 'Bearer secret',
    'x-api-key': 'secret',
  });
});

test('redirects in a circle end', async () => {
  const { url } = await serve((_request, response) => response.writeHead(302, { location: '/' }).end());
  expect(await catchFailure(egress(), get(url, { follow_redirects: true }))).toMatchObject({
    kind: 'upstream',
    message: expect.stringContaining('more than 10 redirects'),
  });
});

test.each([
  ['http://169.254.169.254/latest/meta-data/', 'refused'],
  ['http://[::1]/', 'refused'],
  ['http://2130706433/', 'refused'],
  ['file:///etc/passwd', 'Only http and https'],
  ['gopher://127.0.0.1:6379/_x', 'Only http and https'],
  ['http://user:pass@public.example/', 'must not contain a user name'],
  ['http://[', 'not valid'],
])('a redirect to %s is refused', async (location, message) => {
  const { url } = await serve((_request, response) => response.writeHead(302, { location }).end());
  const hostless = url.replace('127.0.0.1', 'start.example');
  const publicStart = egress({
    allow_private: false,
    allow_hosts: ['start.example'],
    resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
  });
  const failure = await catchFailure(publicStart, get(hostless, { follow_redirects: true }));
  expect(failure).toMatchObject({ message: expect.stringContaining(message) });
});
