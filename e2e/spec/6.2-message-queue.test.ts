import { randomUUID } from 'node:crypto';
import { receivers } from '@millrace/nodes/runtime';
import {
  type BrokerChannel,
  connectToRabbitmq,
  describeOnRabbitmq,
  rabbitmqConfig,
} from '@millrace/nodes/testing/rabbitmq';
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
import { afterAll, beforeAll, expect, it, vi } from 'vitest';

const WITHIN = { timeout: 15_000, interval: 25 };

describeOnRabbitmq('§6.2 message queue', () => {
  let app: TestApp;
  let user: TestUser;
  let host: TriggerHost;
  let channel: BrokerChannel;
  let end: () => Promise<void>;
  let credentialId: string;
  const queue = `test-${randomUUID()}`;
  beforeAll(async () => {
    app = await shareTestApp({ HTTP_ALLOW_PRIVATE_URLS: 'true' });
    user = await app.user();
    host = createTriggerHost({ services: app.services, receivers });
    await host.start();
    const broker = await connectToRabbitmq();
    channel = await broker.createConfirmChannel();
    await channel.assertQueue(queue, { durable: true });
    end = () => broker.close();
    const body = { name: 'broker', type: 'rabbitmq', config: rabbitmqConfig };
    const made = await user.call('POST', '/api/credentials', body);
    credentialId = made.json<{ id: string }>().id;
  });
  afterAll(async () => {
    await host.stop();
    await app.close();
    await channel.deleteQueue(queue);
    await end();
  });

  interface Entry {
    readonly id: string;
    readonly status: string;
    readonly trigger_source: unknown;
  }
  const fetchHistory = async (id: string) =>
    (await user.call('GET', `/api/workflows/${id}/history`)).json<{ items: Entry[] }>().items;

  const receive = (more: object = {}) => ({
    credentialId,
    rabbitmqOperation: 'receive',
    rabbitmqQueueName: queue,
    ...more,
  });

  it('§6.2, §6.3: a message starts a run with message_data and triggered_by; trigger_source is unset', async () => {
    const id = await createWorkflow(
      user,
      graph(
        [
          ['in', 'rabbitmq', receive()],
          ['out', 'output', { message: '$in.message_data.body.order / $in.routing_key / $in.body.order' }],
        ],
        ['in>out'],
      ),
    );
    const shown = async () => (await user.call('GET', `/api/triggers?workflow_id=${id}`)).json<object[]>()[0];
    expect(await shown()).toMatchObject({ node_id: 'in', type: 'rabbitmq', kind: 'connection' });
    await vi.waitFor(async () => expect(await shown()).toMatchObject({ state: 'connected' }), WITHIN);
    const sent = { messageId: 'm-1', headers: { priority: 'high' } };
    for (let copies = 0; copies < 2; copies++)
      channel.sendToQueue(queue, Buffer.from('{"order": "seven"}'), sent);
    await channel.waitForConfirms();
    await vi.waitFor(async () => {
      expect(await fetchHistory(id)).toMatchObject([{ status: 'success', trigger_source: null }]);
      expect((await channel.checkQueue(queue)).messageCount).toBe(0);
    }, WITHIN);
    const [run] = await fetchHistory(id);
    const detail = await user.call('GET', `/api/workflows/${id}/history/${run?.id}`);
    const data = {
      body: { order: 'seven' },
      headers: { priority: 'high' },
      message_id: 'm-1',
      routing_key: queue,
      exchange: '',
    };
    expect(detail.json()).toMatchObject({
      inputs: { ...data, message_data: data, triggered_by: 'rabbitmq', trigger_node_id: 'in' },
      outputs: { out: { result: `seven / ${queue} / seven` } },
    });
    await user.call('DELETE', `/api/workflows/${id}`);
    await host.tick();
    await host.settled();
  });

  it('§1: the node is a start only when it receives; sending it publishes what the run has', async () => {
    const target = `${queue}-sent`;
    await channel.assertQueue(target);
    const id = await createWorkflow(
      user,
      graph(
        [
          ['start', 'textInput'],
          [
            'send',
            'rabbitmq',
            {
              credentialId,
              rabbitmqOperation: 'send',
              rabbitmqQueueName: target,
              rabbitmqMessageBody: '$start.body',
              rabbitmqHeaders: '{"from": "run"}',
            },
          ],
        ],
        ['start>send'],
      ),
    );
    expect((await user.call('GET', `/api/triggers?workflow_id=${id}`)).json()).toEqual([]);
    const answer = await app.call('POST', executeUrl(id), { text: 'hello' });
    expect(answer.json(), answer.body).toMatchObject({
      status: 'success',
      outputs: { send: { status: 'published', exchange: '(default)', routing_key: target, delay_ms: 0 } },
    });
    const message = await channel.get(target, { noAck: true });
    if (!message) throw new Error('nothing was sent');
    expect(JSON.parse(message.content.toString())).toEqual({ text: 'hello' });
    expect(message.properties.headers).toMatchObject({ from: 'run' });
    await channel.deleteQueue(target);
  });

  it('§2.7: a credential of the type is tested by signing in', async () => {
    const test = (config: object) =>
      user.call('POST', '/api/credentials/test', {
        type: 'rabbitmq',
        config: { ...rabbitmqConfig, ...config },
      });
    expect((await test({})).json()).toMatchObject({ success: true });
    expect((await test({ rabbitmq_password: 'wrong' })).json()).toMatchObject({
      success: false,
      message: expect.stringContaining('refused the user name or the password'),
    });
  });
});

describeOnRabbitmq('§6.2 message queue without leave to private addresses', () => {
  it('neither a node nor a trigger reaches a broker at a private address', async () => {
    const app = await createTestApp();
    const user = await app.user();
    const host = createTriggerHost({ services: app.services, receivers });
    const body = { name: 'broker', type: 'rabbitmq', config: rabbitmqConfig };
    const { id: credentialId } = (await user.call('POST', '/api/credentials', body)).json<{ id: string }>();
    const node = { credentialId, rabbitmqQueueName: 'test-private' };
    const sender = await createWorkflow(
      user,
      graph(
        [
          ['start', 'textInput'],
          ['send', 'rabbitmq', { ...node, rabbitmqOperation: 'send' }],
        ],
        ['start>send'],
      ),
    );
    const answer = await app.call('POST', executeUrl(sender), { text: 'x' });
    expect(answer.body).toContain('its address is not public');
    const reader = await createWorkflow(
      user,
      graph([['in', 'rabbitmq', { ...node, rabbitmqOperation: 'receive' }]], []),
    );
    await host.start();
    await vi.waitFor(async () => {
      const list = await user.call('GET', `/api/triggers?workflow_id=${reader}`);
      expect(list.json()).toMatchObject([
        { state: 'failing', last_error: expect.stringContaining('its address is not public') },
      ]);
    }, WITHIN);
    await host.stop();
    await app.close();
  });
});
