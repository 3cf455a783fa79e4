import type { Json, JsonObject } from '@millrace/engine';
import { afterEach, expect, test, vi } from 'vitest';
import type { ConnectionCall, FireOutcome, TriggerEvent } from '../receive.ts';
import { receivers } from '../runtime.ts';
import { testParsers } from '../testing/documents/test-parsers.ts';
import { realEgress } from '../testing/real-egress.ts';
import { certificate } from '../testing/servers/tls.ts';
import { startWebsocketServer, type WebsocketTestServer } from '../testing/servers/websocket-server.ts';

const NOW = Date.parse('2026-01-05T09:00:00.000Z');
const WITHIN = { timeout: 10_000, interval: 10 };
const ALL = ['onMessage', 'onConnected', 'onClosed'];

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
async function serve(options: Parameters<typeof startWebsocketServer>[0] = {}): Promise<WebsocketTestServer> {
  const server = await startWebsocketServer(options);
  cleanups.push(() => server.stop());
  return server;
}

interface Listener {
  readonly events: TriggerEvent[];
  /** Resolves to what ended the connection. */
  readonly ended: Promise<string>;
  readonly retry_ms: number | null;
  stop(): Promise<void>;
}
interface ListenerOptions {
  readonly params?: JsonObject;
  readonly cursor?: Json;
  readonly credential?: { readonly type: string; readonly values: Record<string, Json> };
  readonly fire?: (event: TriggerEvent) => Promise<FireOutcome>;
}

/** Listens as the host does. Resolves once it is connected, or has failed. */
async function listen(websocketUrl: string, options: ListenerOptions = {}): Promise<Listener> {
  const receiver = receivers.get('websocketTrigger');
  if (receiver?.kind !== 'connection') throw new Error('no receiver');
  const controller = new AbortController();
  const events: TriggerEvent[] = [];
  let resolve = () => {};
  const connected = new Promise<void>((done) => {
    resolve = done;
  });
  const { credential } = options;
  const call: ConnectionCall<Readonly<Record<string, unknown>>> = {
    params: receiver.definition.params.parse({
      websocketUrl,
      ...(credential ? { credentialId: 'c' } : {}),
      ...options.params,
    }),
    node_id: 'prices',
    cursor: options.cursor ?? null,
    signal: controller.signal,
    most_waiting: 100,
    keepCursor: () => undefined,
    services: {
      http: realEgress(certificate),
      credential: async () => ({ id: 'c', name: 'c', type: '', values: {}, ...credential }),
      now: () => NOW,
      parsers: testParsers,
      files: { max_bytes: 0, store: () => Promise.reject(new Error('no files')), discard: async () => {} },
    },
    connected: resolve,
    refused: () => undefined,
    async fire(event) {
      const outcome = (await options.fire?.(event)) ?? { kind: 'queued', run_id: 'run' };
      if (outcome.kind !== 'lost') events.push(event);
      return outcome;
    },
  };
  const ended = receiver.connect(call).then(
    () => 'no error',
    (error: Error) => error.message,
  );
  const stop = async () => {
    controller.abort();
    await ended;
  };
  cleanups.push(stop);
  await Promise.race([connected, ended]);
  return { events, ended, retry_ms: receiver.retry_ms(call), stop };
}

const inputs = ({ events }: Listener) => events.map(({ input }) => input);
const messages = (listener: Listener) => inputs(listener).map(({ message }) => message);

test('§6.2: a message starts a run with eventName, url, triggered_by, trigger_node_id and message', async () => {
  const server = await serve();
  const listener = await listen(server.url);
  server.send('{"price": 7}');
  await vi.waitUntil(() => listener.events.length === 1, WITHIN);
  expect(inputs(listener)).toEqual([
    {
      eventName: 'onMessage',
      url: server.url,
      message: {
        type: 'text',
        text: '{"price": 7}',
        data: { price: 7 },
        sizeBytes: 12,
        isBinary: false,
        isJson: true,
      },
      triggered_by: 'websocket',
      trigger_node_id: 'prices',
      triggered_at: '2026-01-05T09:00:00.000Z',
    },
  ]);
});

test('text, bytes of text and other bytes arrive as what they are, each as an event of its own', async () => {
  const server = await serve();
  const listener = await listen(server.url);
  for (const message of ['grün', 'grün', Buffer.from('[1]'), Buffer.from([0xff, 0x00])]) server.send(message);
  await vi.waitUntil(() => listener.events.length === 4, WITHIN);
  const text = { type: 'text', text: 'grün', data: 'grün', sizeBytes: 5, isBinary: false, isJson: false };
  expect(messages(listener)).toEqual([
    text,
    text,
    { type: 'binary', text: '[1]', data: [1], base64: 'WzFd', sizeBytes: 3, isBinary: true, isJson: true },
    { type: 'binary', text: null, data: null, base64: '/wA=', sizeBytes: 2, isBinary: true, isJson: false },
  ]);
  expect(new Set(listener.events.map(({ cause }) => cause)).size).toBe(4);
});

test('§6.2: onConnected and onClosed start runs, and a message that comes with the handshake is not lost', async () => {
  const server = await serve({
    onConnection: (socket) => {
      socket.send('welcome');
      socket.close(4001, 'session over');
    },
  });
  const listener = await listen(server.url, { params: { websocketTriggerEvents: ALL } });
  expect(await listener.ended).toContain('ended the connection with code 4001: session over');
  const [connected, message, closed] = inputs(listener);
  expect(connected).toMatchObject({
    eventName: 'onConnected',
    connection: { reconnected: false, subprotocol: null },
  });
  expect(message).toMatchObject({ eventName: 'onMessage', message: { text: 'welcome' } });
  expect(closed).toMatchObject({
    eventName: 'onClosed',
    close: {
      initiatedBy: 'server',
      code: 4001,
      reason: 'session over',
      wasClean: true,
      reconnecting: true,
    },
  });
  const again = await listen(server.url, {
    params: { websocketTriggerEvents: ['onConnected'], retryEnabled: false },
    cursor: listener.events[0]?.cursor ?? null,
  });
  await again.ended;
  expect(inputs(again)).toMatchObject([{ connection: { reconnected: true } }]);
  expect([listener.retry_ms, again.retry_ms]).toEqual([5_000, null]);
});

test('a connection that breaks is told as one that neither side has closed', async () => {
  const server = await serve();
  const listener = await listen(server.url, { params: { websocketTriggerEvents: ['onClosed'] } });
  for (const socket of server.open) socket.terminate();
  expect(await listener.ended).toContain('ended the connection');
  expect(inputs(listener)).toMatchObject([
    { close: { initiatedBy: 'unknown', code: 1006, wasClean: false, reconnecting: true } },
  ]);
});

test('headers, subprotocols and a credential go with the handshake, over TLS too', async () => {
  const server = await serve({ tls: true });
  const listener = await listen(server.url, {
    params: {
      websocketHeaders: '{"X-Client": "orders"}',
      websocketSubprotocols: 'v2, v1',
      websocketTriggerEvents: ['onConnected'],
    },
    credential: { type: 'bearer', values: { bearer_token: 'token-1' } },
  });
  await vi.waitUntil(() => listener.events.length === 1, WITHIN);
  expect(server.handshakes[0]?.headers).toMatchObject({
    'x-client': 'orders',
    'sec-websocket-protocol': 'v2,v1',
    authorization: 'Bearer token-1',
  });
  expect(inputs(listener)).toMatchObject([{ connection: { subprotocol: 'v2' } }]);
});

test.each([
  ['an address of HTTP', 'http://example.com', {}, 'Address (websocketUrl): must begin with ws://'],
  ['an expression', 'ws://example.com/$vars.path', {}, 'Address (websocketUrl): holds an expression'],
  [
    'headers that are no object',
    'ws://example.com',
    { websocketHeaders: '7' },
    'Headers (websocketHeaders): must',
  ],
])('%s is told with the name of its field', async (_, url, params, words) => {
  expect(await (await listen(url, { params })).ended).toContain(words);
});

test('a refused handshake is told with its status', async () => {
  const server = await serve({ refuse: () => 403 });
  expect(await (await listen(server.url)).ended).toContain('refused the connection with status 403');
});

test('a message above 16 MB ends the connection, and the trigger says so', async () => {
  const server = await serve();
  const listener = await listen(server.url, { params: { websocketTriggerEvents: ALL } });
  server.send(Buffer.alloc(16 * 1024 * 1024 + 1));
  expect(await listener.ended).toContain('sent a message larger than 16777216 bytes');
  await vi.waitUntil(() => listener.events.length === 2, WITHIN);
  expect(inputs(listener)[1]).toMatchObject({ eventName: 'onClosed', close: { initiatedBy: 'client' } });
});

test('a server that sends more than is stored is not read, and nothing of it is lost', async () => {
  const server = await serve();
  let [open, resolve] = [Promise.resolve(), () => {}];
  open = new Promise<void>((done) => {
    resolve = done;
  });
  const listener = await listen(server.url, {
    async fire() {
      await open;
      return { kind: 'queued', run_id: 'run' };
    },
  });
  const [socket] = server.open;
  const COUNT = 2_000;
  const padding = 'x'.repeat(20_000);
  for (let sent = 0; sent < COUNT; sent++) server.send(JSON.stringify({ sent, padding }));
  // Messages that the server cannot get rid of stay with the server.
  await vi.waitUntil(() => (socket?.bufferedAmount ?? 0) > 10_000_000, WITHIN);
  await new Promise((done) => setTimeout(done, 300));
  expect(socket?.bufferedAmount).toBeGreaterThan(10_000_000);
  resolve();
  await vi.waitUntil(() => listener.events.length === COUNT, WITHIN);
  const order = messages(listener).map((message) => ((message as JsonObject)['data'] as JsonObject)['sent']);
  expect(order).toEqual(Array.from({ length: COUNT }, (_, at) => at));
});

test('a server that answers no ping is disconnected', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const server = await serve();
  const listener = await listen(server.url, { params: { websocketTriggerEvents: ['onClosed'] } });
  const [socket] = server.open;
  const pings: unknown[] = [];
  socket?.on('ping', (data) => pings.push(data));
  vi.advanceTimersByTime(30_000);
  await vi.waitUntil(() => pings.length === 1, WITHIN);
  // Answered: the connection stays.
  await new Promise((done) => setTimeout(done, 100));
  vi.advanceTimersByTime(30_000);
  await vi.waitUntil(() => pings.length === 2, WITHIN);
  await new Promise((done) => setTimeout(done, 100));
  socket?.pause();
  vi.advanceTimersByTime(60_000);
  expect(await listener.ended).toContain('no longer answers');
  expect(inputs(listener)).toMatchObject([{ close: { initiatedBy: 'client', wasClean: false } }]);
});

test('a trigger that is no longer wanted closes its connection in the words of the protocol, without a run', async () => {
  const server = await serve();
  const listener = await listen(server.url, { params: { websocketTriggerEvents: ['onClosed'] } });
  const [socket] = server.open;
  const code = new Promise((resolve) => socket?.on('close', resolve));
  await listener.stop();
  expect(await code).toBe(1001);
  expect(await listener.ended).toBe('no error');
  expect(listener.events).toEqual([]);
});

test('a trigger that another process hosts now ends its connection', async () => {
  const server = await serve();
  const listener = await listen(server.url, { fire: async () => ({ kind: 'lost' }) });
  server.send('one');
  expect(await listener.ended).toBe('no error');
  await vi.waitUntil(() => server.open.size === 0, WITHIN);
});
