import { receivers } from '@millrace/nodes/runtime';
import { startWebsocketServer, type WebsocketTestServer } from '@millrace/nodes/testing/websocket-server';
import {
  createTestApp,
  createTriggerHost,
  createWorkflow,
  executeUrl,
  graph,
  shareTestApp,
  type TestApp,
  type TestUser,
  type TriggerHost,
} from '@millrace/server/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

const WITHIN = { timeout: 15_000, interval: 25 };

interface Entry {
  readonly id: string;
  readonly trigger_source: unknown;
  readonly status: string;
}

describe('§6.2 WebSocket', () => {
  let app: TestApp;
  let user: TestUser;
  let host: TriggerHost;
  let server: WebsocketTestServer;
  beforeAll(async () => {
    app = await shareTestApp({ HTTP_ALLOW_PRIVATE_URLS: 'true' });
    user = await app.user();
    server = await startWebsocketServer();
    host = createTriggerHost({ services: app.services, receivers });
    await host.start();
  });
  afterAll(async () => {
    await host.stop();
    await app.close();
    await server.stop();
  });

  const listener = (more: object = {}) =>
    createWorkflow(
      user,
      graph(
        [
          ['in', 'websocketTrigger', { websocketUrl: server.url, ...more }],
          ['out', 'output', { message: '$in.eventName $in.message.data.price' }],
        ],
        ['in>out'],
      ),
    );
  const fetchTrigger = async (id: string) =>
    (await user.call('GET', `/api/triggers?workflow_id=${id}`)).json<{ state: string }[]>()[0];
  const fetchRuns = async (id: string) => {
    const list = await user.call('GET', `/api/workflows/${id}/history`);
    const { items } = list.json<{ items: Entry[] }>();
    const details = items.map(({ id: run }) => user.call('GET', `/api/workflows/${id}/history/${run}`));
    return (await Promise.all(details)).map((answer) => answer.json<object>()).toReversed();
  };
  async function remove(id: string): Promise<void> {
    await user.call('DELETE', `/api/workflows/${id}`);
    await vi.waitUntil(() => server.open.size === 0, WITHIN);
  }

  it('§6.2, §6.3: one connection per active node; a message starts a run with the label websocket', async () => {
    const id = await listener();
    await vi.waitFor(
      async () => expect(await fetchTrigger(id)).toMatchObject({ state: 'connected' }),
      WITHIN,
    );
    expect(await fetchTrigger(id)).toMatchObject({
      type: 'websocketTrigger',
      kind: 'connection',
      node_id: 'in',
    });
    expect(server.open.size).toBe(1);
    server.send('{"price": 7}');
    await vi.waitFor(async () => {
      expect(await fetchRuns(id)).toMatchObject([
        {
          status: 'success',
          trigger_source: 'websocket',
          inputs: {
            eventName: 'onMessage',
            url: server.url,
            message: { data: { price: 7 }, isJson: true },
            triggered_by: 'websocket',
            trigger_node_id: 'in',
          },
          outputs: { out: { result: 'onMessage 7' } },
        },
      ]);
    }, WITHIN);
    await remove(id);
  });

  it('§6.2: it can emit runs for onMessage, onConnected and onClosed, and connects again', async () => {
    const id = await listener({
      websocketTriggerEvents: ['onMessage', 'onConnected', 'onClosed'],
      retryWaitSeconds: 1,
    });
    await vi.waitUntil(async () => (await fetchRuns(id)).length === 1, WITHIN);
    for (const socket of server.open) socket.close(1012, 'restart');
    await vi.waitFor(async () => {
      expect(await fetchRuns(id)).toMatchObject([
        { inputs: { eventName: 'onConnected', connection: { reconnected: false } } },
        {
          inputs: { eventName: 'onClosed', close: { code: 1012, initiatedBy: 'server', reconnecting: true } },
        },
        { inputs: { eventName: 'onConnected', connection: { reconnected: true } } },
      ]);
    }, WITHIN);
    await vi.waitFor(
      async () => expect(await fetchTrigger(id)).toMatchObject({ state: 'connected' }),
      WITHIN,
    );
    await remove(id);
  });

  it('§6.2: a connection that is not to be made again says why it ended, and a node that is off has none', async () => {
    const off = await listener({ active: false });
    const id = await listener({ retryEnabled: false });
    await vi.waitUntil(() => server.open.size === 1, WITHIN);
    expect(await fetchTrigger(off)).toMatchObject({ state: 'paused' });
    for (const socket of server.open) socket.close(1000);
    await vi.waitFor(async () => {
      expect(await fetchTrigger(id)).toMatchObject({
        state: 'failing',
        last_error: expect.stringContaining('ended the connection with code 1000'),
      });
    }, WITHIN);
    await remove(id);
    await remove(off);
  });

  it('a workflow sends a message to a server', async () => {
    const id = await createWorkflow(
      user,
      graph(
        [
          ['start', 'textInput'],
          ['send', 'websocketSend', { websocketUrl: server.url, websocketMessage: '$start.body.text' }],
        ],
        ['start>send'],
      ),
    );
    const answer = await app.call('POST', executeUrl(id), { text: 'hello' });
    expect(answer.json(), answer.body).toMatchObject({
      status: 'success',
      outputs: { send: { status: 'sent', message_type: 'text', size_bytes: 5 } },
    });
    expect(server.received).toContain('hello');
  });
});

describe('§6.2 WebSocket without leave to private addresses', () => {
  it('neither a node nor a trigger connects to a private address', async () => {
    const app = await createTestApp();
    const user = await app.user();
    const server = await startWebsocketServer();
    const host = createTriggerHost({ services: app.services, receivers });
    const sender = await createWorkflow(
      user,
      graph(
        [
          ['start', 'textInput'],
          ['send', 'websocketSend', { websocketUrl: server.url, websocketMessage: 'x' }],
        ],
        ['start>send'],
      ),
    );
    const answer = await app.call('POST', executeUrl(sender), { text: 'x' });
    expect(answer.body).toContain('its address is not public');
    const reader = await createWorkflow(
      user,
      graph([['in', 'websocketTrigger', { websocketUrl: server.url }]], []),
    );
    await host.start();
    await vi.waitFor(async () => {
      const list = await user.call('GET', `/api/triggers?workflow_id=${reader}`);
      expect(list.json()).toMatchObject([
        { state: 'failing', last_error: expect.stringContaining('its address is not public') },
      ]);
    }, WITHIN);
    expect(server.handshakes).toEqual([]);
    await host.stop();
    await app.close();
    await server.stop();
  });
});
