import { expect, test } from 'vitest';
import { catchFailure, egress, get, serve, serveBytes, text } from './testing/servers.ts';

test('a request carries method, headers and body as given, and the answer comes back whole', async () => {
  const { url } = await serve((request, response) => {
    request.setEncoding('utf8');
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      response.writeHead(201, { 'x-answer': 'yes', 'set-cookie': ['a=1, x', 'b=2'] });
      response.end(JSON.stringify([request.method, request.url, request.headers['x-name'], body]));
    });
  });
  const response = await egress().request(
    get(`${url}/path?q=1`, { method: 'PATCH', headers: [['X-Name', 'Zoë']], body: 'content' }),
  );
  expect(response.status).toBe(201);
  expect(response.headers['x-answer']).toBe('yes');
  expect(response.headers['set-cookie']).toBe('a=1, x\nb=2');
  const [method, path, name, body] = JSON.parse(await text(response.body));
  expect([method, path, body]).toEqual(['PATCH', '/path?q=1', 'content']);
  expect(Buffer.from(name, 'latin1').toString('utf8')).toBe('Zoë');
});

test('headers that frame the message are decided by the client', async () => {
  const { url } = await serve((request, response) => response.end(JSON.stringify(request.headers)));
  const headers: [string, string][] = [
    ['Content-Length', '999'],
    ['Transfer-Encoding', 'chunked'],
    ['Connection', 'upgrade'],
    ['Expect', '100-continue'],
    ['Upgrade', 'h2c'],
    ['Accept-Encoding', 'zstd'],
  ];
  const response = await egress().request(get(url, { method: 'POST', headers, body: 'four' }));
  const seen = JSON.parse(await text(response.body));
  expect(seen).toMatchObject({ 'content-length': '4', 'accept-encoding': 'gzip, deflate, br' });
  expect(seen).not.toHaveProperty('transfer-encoding');
  expect(seen).not.toHaveProperty('upgrade');
  expect(seen).not.toHaveProperty('expect');
});

test('a closed port says that the connection was refused', async () => {
  const { port } = await serve(() => undefined);
  const free = port === 1 ? 2 : 1;
  expect(await catchFailure(egress(), get(`http://127.0.0.1:${free}/`))).toMatchObject({
    kind: 'upstream',
    message: `127.0.0.1:${free}: connection refused`,
  });
});

test('a name that does not exist says that the look-up failed', async () => {
  const resolve = () => Promise.reject(Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' }));
  expect(await catchFailure(egress({ resolve }), get('http://missing.example/'))).toMatchObject({
    kind: 'upstream',
    message: 'missing.example: DNS lookup failed: no such host',
  });
});

test('a server that never answers ends at the deadline', async () => {
  const { url } = await serve(() => undefined);
  expect(await catchFailure(egress(), get(url, { timeout_ms: 100 }))).toMatchObject({
    kind: 'timeout',
    message: expect.stringContaining('no complete answer within 0.1 s'),
  });
});

test('an answer that trickles byte by byte ends at the deadline too', async () => {
  const { url } = await serve((_request, response) => {
    const timer = setInterval(() => response.write('x'), 20);
    response.on('close', () => clearInterval(timer));
  });
  const started = Date.now();
  expect(await catchFailure(egress(), get(url, { timeout_ms: 300 }))).toMatchObject({ kind: 'timeout' });
  expect(Date.now() - started).toBeLessThan(2000);
});

test('an answer that falls silent ends after the idle time', async () => {
  const { url } = await serve((_request, response) => void response.write('begin'));
  const failure = await catchFailure(egress({ idle_timeout_ms: 200 }), get(url, { timeout_ms: 10_000 }));
  expect(failure).toMatchObject({
    kind: 'timeout',
    message: expect.stringContaining('the answer stopped in the middle'),
  });
});

test('a connection that closes in the middle of the answer is no complete answer', async () => {
  const { url } = await serveBytes((socket) => {
    socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this');
  });
  expect(await catchFailure(egress(), get(url))).toMatchObject({
    kind: 'upstream',
    message: expect.stringContaining('closed before the answer was complete'),
  });
});

test('a peer that stops reading and writing, but keeps the socket half open, ends at the deadline', async () => {
  const { url } = await serveBytes((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf');
    socket.pause();
  });
  expect(await catchFailure(egress(), get(url, { timeout_ms: 200 }))).toMatchObject({ kind: 'timeout' });
});

test('an answer that is not HTTP says so', async () => {
  const { url } = await serveBytes((socket) => void socket.end('220 smtp ready\r\n'));
  expect(await catchFailure(egress(), get(url))).toMatchObject({
    message: expect.stringContaining('the answer is not valid HTTP'),
  });
});

test('headers without end are cut off', async () => {
  const { url } = await serveBytes((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    for (let index = 0; index < 200; index++) socket.write(`x-${index}: ${'y'.repeat(1000)}\r\n`);
  });
  expect(await catchFailure(egress(), get(url))).toMatchObject({
    message: expect.stringContaining('headers of the answer are too large'),
  });
});

test('cancelling the run ends the request', async () => {
  const { url } = await serve((_request, response) => void response.write('begin'));
  const controller = new AbortController();
  const failing = catchFailure(egress(), get(url, { signal: controller.signal }));
  setTimeout(() => controller.abort(), 50);
  expect(await failing).toMatchObject({ kind: 'cancelled' });
});

test('a run that is cancelled already sends nothing', async () => {
  let calls = 0;
  const { url } = await serve((_request, response) => {
    calls++;
    response.end();
  });
  expect(await catchFailure(egress(), get(url, { signal: AbortSignal.abort() }))).toMatchObject({
    kind: 'cancelled',
  });
  expect(calls).toBe(0);
});

test('connections are kept for the next request', async () => {
  const ports = new Set<number | undefined>();
  const { url } = await serve((request, response) => {
    ports.add(request.socket.remotePort);
    response.end('ok');
  });
  const client = egress();
  for (let index = 0; index < 20; index++) await text((await client.request(get(url))).body);
  // The pool may open a second one while the first still ends its answer.
  expect(ports.size).toBeLessThanOrEqual(2);
});

test('a finished request leaves no listener on the signal of its run', async () => {
  const { url } = await serve((_request, response) => response.end('ok'));
  const { signal } = new AbortController();
  let listeners = 0;
  const counting = new Proxy(signal, {
    get(target, key) {
      if (key === 'addEventListener') return () => void listeners++;
      if (key === 'removeEventListener') return () => void listeners--;
      return Reflect.get(target, key, target);
    },
  });
  await text((await egress().request(get(url, { signal: counting }))).body);
  expect(listeners).toBe(0);
});

test('an answer without a body needs no reading', async () => {
  const { url } = await serve((_request, response) =>
    response.writeHead(204, { 'content-encoding': 'gzip' }).end(),
  );
  const response = await egress().request(get(url));
  expect([response.status, await text(response.body)]).toEqual([204, '']);
});
