import type { JsonObject } from '@millrace/engine';
import { afterEach, expect, test, vi } from 'vitest';
import { realEgress } from '../testing/real-egress.ts';
import { runNode, TEST_NOW } from '../testing/run-node.ts';
import { certificate } from '../testing/servers/tls.ts';
import { startWebsocketServer, type WebsocketTestServer } from '../testing/servers/websocket-server.ts';

const running: WebsocketTestServer[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) await server.stop();
});
async function serve(options: Parameters<typeof startWebsocketServer>[0] = {}): Promise<WebsocketTestServer> {
  const server = await startWebsocketServer(options);
  running.push(server);
  return server;
}

const send = (data: JsonObject, inputs: Record<string, JsonObject> = {}, signal?: AbortSignal) =>
  runNode('websocketSend', data, {
    inputs,
    services: { http: realEgress(certificate) },
    ...(signal ? { signal } : {}),
  });

test('an object is sent as JSON, with headers and subprotocol, and the connection is closed', async () => {
  const server = await serve();
  const result = await send(
    {
      websocketUrl: server.url,
      websocketHeaders: '{"X-Client": "orders", "Authorization": "Bearer t"}',
      websocketSubprotocols: 'v2.orders, v1.orders',
      websocketMessage: '$input',
    },
    { order: { id: 7 } },
  );
  expect(result).toEqual({
    output: {
      status: 'sent',
      url: server.url,
      message_type: 'json',
      size_bytes: 9,
      subprotocol: 'v2.orders',
      sent_at: new Date(TEST_NOW).toISOString(),
    },
  });
  expect(JSON.parse(String(server.received[0]))).toEqual({ id: 7 });
  expect(server.handshakes[0]?.headers).toMatchObject({ 'x-client': 'orders', authorization: 'Bearer t' });
  await vi.waitUntil(() => server.open.size === 0, { timeout: 10_000 });
});

test('text is sent as text and base64 as bytes, over TLS too', async () => {
  const server = await serve({ tls: true });
  const { url: websocketUrl } = server;
  expect(await send({ websocketUrl, websocketMessage: 'grün' })).toMatchObject({
    output: { message_type: 'text', size_bytes: 5, subprotocol: null },
  });
  expect(
    await send({ websocketUrl, websocketMessage: '/wD+', websocketMessageType: 'binary' }),
  ).toMatchObject({
    output: { message_type: 'binary', size_bytes: 3 },
  });
  expect(server.received).toEqual(['grün', Buffer.from([0xff, 0x00, 0xfe])]);
});

test.each([
  ['an empty address', { websocketUrl: ' ' }, 'websocketUrl'],
  ['another protocol', { websocketUrl: 'https://example.com' }, 'websocketUrl'],
  ['an address with a password', { websocketUrl: 'ws://u:p@example.com' }, 'websocketUrl'],
  ['headers that are no object', { websocketHeaders: '[1]' }, 'websocketHeaders'],
  ['a header of the handshake', { websocketHeaders: '{"Sec-WebSocket-Key": "x"}' }, 'websocketHeaders'],
  ['a header with a line break', { websocketHeaders: '{"A": "b\\r\\nC: d"}' }, 'websocketHeaders'],
  ['a subprotocol with a space', { websocketSubprotocols: 'a b' }, 'websocketSubprotocols'],
  ['a subprotocol twice', { websocketSubprotocols: 'a, a' }, 'websocketSubprotocols'],
  ['bytes that are no base64', { websocketMessage: '?', websocketMessageType: 'binary' }, 'websocketMessage'],
])('%s is refused before it connects', async (_, data, field) => {
  const server = await serve();
  const result = await send({ websocketUrl: server.url, websocketMessage: 'x', ...data });
  expect(result).toMatchObject({ failure: { kind: 'params', field, final: true } });
  expect(server.handshakes).toEqual([]);
});

test('a server that refuses the handshake, or the message, fails the node with what it said', async () => {
  const closed = await serve({ refuse: () => 401 });
  expect(await send({ websocketUrl: closed.url, websocketMessage: 'x' })).toMatchObject({
    failure: { kind: 'upstream', message: expect.stringContaining('refused the connection with status 401') },
  });
  const strict = await serve({
    onConnection: (socket) => socket.on('message', () => socket.close(4003, 'not for you')),
  });
  const result = await send({ websocketUrl: strict.url, websocketMessage: 'x' });
  expect(result).toMatchObject({
    failure: { message: expect.stringContaining('closed the connection with code 4003: not for you') },
  });
});

test('a server that ends the connection without a word fails the node', async () => {
  const server = await serve({ onConnection: (socket) => socket.on('message', () => socket.terminate()) });
  expect(await send({ websocketUrl: server.url, websocketMessage: 'x' })).toMatchObject({
    failure: { kind: 'upstream', message: expect.stringMatching(/ended the connection|with code 1006/) },
  });
});

test('a cancelled run ends the connection', async () => {
  const controller = new AbortController();
  const server = await serve({
    onConnection: (socket) => {
      socket.pause();
      controller.abort();
    },
  });
  const result = await send({ websocketUrl: server.url, websocketMessage: 'x' }, {}, controller.signal);
  expect(result).toMatchObject({ failure: { kind: 'cancelled' } });
});
