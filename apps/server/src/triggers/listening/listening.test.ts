// cspell:ignore secre
import { createHmac, randomUUID } from 'node:crypto';
import type { ListenFrame } from '@millrace/contracts';
import { connectToRabbitmq, describeOnRabbitmq, rabbitmqConfig } from '@millrace/nodes/testing/rabbitmq';
import { startWebsocketServer } from '@millrace/nodes/testing/websocket-server';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { until } from '../../resources/executions/testing/workflows.ts';
import { createTestApp, type TestApp, type TestUser } from '../../testing/test-app.ts';

vi.setConfig({ testTimeout: 30_000, hookTimeout: 60_000 });

let app: TestApp;
let user: TestUser;
let base: string;
const open: AbortController[] = [];
beforeAll(async () => {
  app = await createTestApp({ env: { HTTP_ALLOW_PRIVATE_URLS: 'true' } });
  base = await app.listen();
});
// A new user each, for a user holds few streams at once.
beforeEach(async () => {
  user = await app.user();
});
afterAll(async () => {
  for (const left of open) left.abort();
  await app.close();
});

const SECRET = 'a-secret-of-a-credential';

async function workflowWith(type: string, data: object): Promise<string> {
  const node = { id: 'in', type, position: { x: 0, y: 0 }, data: { label: 'in', ...data } };
  const made = await user.call('POST', '/api/workflows', { name: type });
  const { id } = made.json<{ id: string }>();
  await user.call('PUT', `/api/workflows/${id}?draft=true`, { nodes: [node], edges: [] });
  return id;
}

const listenUrl = (id: string, node_id = 'in') => `/api/workflows/${id}/triggers/${node_id}/listen`;

/** The frames of a user who waits, one by one. */
async function listen(id: string): Promise<{ next(): Promise<ListenFrame | undefined>; leave(): void }> {
  const left = new AbortController();
  open.push(left);
  const answer = await fetch(`${base}${listenUrl(id)}`, {
    method: 'POST',
    signal: left.signal,
    headers: { authorization: `Bearer ${user.access_token}` },
  });
  expect(answer.status).toBe(200);
  const reader = (answer.body ?? new ReadableStream<Uint8Array>())
    .pipeThrough(new TextDecoderStream())
    .getReader();
  let text = '';
  return {
    leave: () => left.abort(),
    async next() {
      for (;;) {
        const frame = /data: (.*)\n\n/.exec(text);
        if (frame) {
          text = text.slice(frame.index + frame[0].length);
          return JSON.parse(frame[1] ?? '') as ListenFrame;
        }
        const { done, value } = await reader.read();
        if (done) return undefined;
        text += value;
      }
    },
  };
}

const countRuns = async (id: string) =>
  (await user.call('GET', `/api/workflows/${id}/history`)).json<{ total: number }>().total;
const deliver = (path: string, init: RequestInit) => fetch(`${base}${path}`, { method: 'POST', ...init });

describe('a user who waits at a webhook of a draft', () => {
  const signed = { authentication: 'hmac', signatureHeader: 'x-signature' };

  async function signedWorkflow() {
    const credential = { name: `hook ${randomUUID()}`, type: 'webhook_secret', config: { secret: SECRET } };
    const made = await user.call('POST', '/api/credentials', credential);
    return workflowWith('webhookTrigger', { ...signed, credentialId: made.json<{ id: string }>().id });
  }
  const signature = (body: string) => `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`;

  test('gets one delivery to the test address, checked and masked; no run is started', async () => {
    const id = await signedWorkflow();
    const waiting = await listen(id);
    const first = await waiting.next();
    expect(first).toMatchObject({
      type: 'listening',
      path: expect.stringMatching(/^\/api\/webhooks\/test\//),
    });
    const path = first?.type === 'listening' ? String(first.path) : '';
    expect(await waiting.next()).toEqual({ type: 'ready' });
    const body = JSON.stringify({ order: 7, note: SECRET });
    const headers = { 'content-type': 'application/json', 'x-signature': signature(body) };
    const unsigned = { ...headers, 'x-signature': signature('other') };
    expect((await deliver(path, { headers: unsigned, body })).status).toBe(401);
    expect((await deliver(path, { headers, body })).status).toBe(200);
    expect(await waiting.next()).toMatchObject({
      type: 'received',
      input: { body: { order: 7, note: 'a-secre**' } },
    });
    expect(await waiting.next()).toBeUndefined();
    await until(async () => (await deliver(path, { headers, body })).status === 404);
    expect(await countRuns(id)).toBe(0);
  });

  test('who leaves takes the test address along', async () => {
    const waiting = await listen(await workflowWith('webhookTrigger', {}));
    const first = await waiting.next();
    const path = first?.type === 'listening' ? String(first.path) : '';
    waiting.leave();
    await until(async () => (await deliver(path, { body: '{}' })).status === 404);
  });

  test('holds at most five at once', async () => {
    const id = await workflowWith('webhookTrigger', {});
    const waiting = await Promise.all(Array.from({ length: 5 }, () => listen(id)));
    const refused = await user.call('POST', listenUrl(id));
    expect([refused.statusCode, refused.json<{ detail: string }>().detail]).toEqual([
      429,
      expect.stringContaining('At most 5'),
    ]);
    for (const { leave } of waiting) leave();
  });
});

test('a connection gets the next message, and reports a source that refuses', async () => {
  const server = await startWebsocketServer();
  const waiting = await listen(await workflowWith('websocketTrigger', { websocketUrl: server.url }));
  expect(await waiting.next()).toMatchObject({ type: 'listening', path: null });
  expect(await waiting.next()).toEqual({ type: 'ready' });
  server.send('{"price":12}');
  expect(await waiting.next()).toMatchObject({
    type: 'received',
    input: { eventName: 'onMessage', triggered_by: 'websocket' },
  });
  await server.stop();
  const refused = await listen(await workflowWith('websocketTrigger', { websocketUrl: server.url }));
  await refused.next();
  expect(await refused.next()).toMatchObject({ type: 'failed', message: expect.any(String) });
});

test('an event of the service is received, one before is not', async () => {
  const id = await workflowWith('platformEventTrigger', {
    eventNames: ['workflow.updated'],
    ownEventNames: 'custom.order.paid',
  });
  await user.call('POST', '/api/platform-events', { name: 'custom.order.paid', payload: { n: 1 } });
  app.clock.now += 1_000;
  const waiting = await listen(id);
  await waiting.next();
  expect(await waiting.next()).toEqual({ type: 'ready' });
  app.clock.now += 1_000;
  await user.call('POST', '/api/platform-events', { name: 'custom.order.paid', payload: { n: 2 } });
  expect(await waiting.next()).toMatchObject({ type: 'received', input: { count: 1 } });
});

test('a schedule gives its event at once', async () => {
  const waiting = await listen(await workflowWith('cron', { cronExpression: '0 9 * * *' }));
  await waiting.next();
  expect(await waiting.next()).toMatchObject({ type: 'received', input: { triggered_by: 'cron' } });
});

test('the runs that one trigger node started are listed apart from others', async () => {
  const hook = { id: randomUUID(), type: 'webhookTrigger', position: { x: 0, y: 0 }, data: { label: 'in' } };
  const made = await user.call('POST', '/api/workflows', { name: 'x', nodes: [hook], edges: [] });
  const { id } = made.json<{ id: string }>();
  await deliver(`/api/webhooks/${hook.id}`, { body: '{}' });
  await user.call('POST', `/api/workflows/${id}/execute`, {});
  const listed = (query: string) =>
    user
      .call('GET', `/api/workflows/${id}/history${query}`)
      .then((answer) => answer.json<{ total: number }>());
  expect((await listed('')).total).toBe(2);
  expect(await listed(`?trigger_node_id=${hook.id}`)).toMatchObject({
    total: 1,
    items: [{ trigger_source: 'webhook' }],
  });
});

test.each([
  { what: 'a node that nothing fires', type: 'textInput', status: 404, says: /Trigger not found/ },
  { what: 'an upload', type: 'fileUploadTrigger', status: 422, says: /shows the address to send a file to/ },
  {
    what: 'a node whose settings cannot be read',
    type: 'cron',
    data: { jitterSeconds: 'soon' },
    status: 422,
    says: /jitterSeconds/,
  },
])('$what is refused', async ({ type, data = {}, status, says }) => {
  const answer = await user.call('POST', listenUrl(await workflowWith(type, data)));
  expect([answer.statusCode, answer.body]).toEqual([status, expect.stringMatching(says)]);
});

describeOnRabbitmq('a message queue', () => {
  test('keeps the message that is shown', async () => {
    const broker = await connectToRabbitmq();
    const channel = await broker.createConfirmChannel();
    const queue = `test-${randomUUID()}`;
    await channel.assertQueue(queue, { durable: true });
    const credential = { name: `broker ${randomUUID()}`, type: 'rabbitmq', config: rabbitmqConfig };
    const made = await user.call('POST', '/api/credentials', credential);
    const settings = { rabbitmqOperation: 'receive', rabbitmqQueueName: queue };
    const id = await workflowWith('rabbitmq', {
      ...settings,
      credentialId: made.json<{ id: string }>().id,
    });
    const waiting = await listen(id);
    await waiting.next();
    expect(await waiting.next()).toEqual({ type: 'ready' });
    channel.sendToQueue(queue, Buffer.from('{"n":1}'));
    await channel.waitForConfirms();
    expect(await waiting.next()).toMatchObject({ type: 'received', input: { triggered_by: 'rabbitmq' } });
    await until(async () => (await channel.checkQueue(queue)).messageCount === 1);
    await channel.deleteQueue(queue);
    await broker.close();
  });
});
