import { randomUUID } from 'node:crypto';
import { type AddressInfo, createServer } from 'node:net';
import type { JsonObject } from '@millrace/engine';
import type { ChannelModel, ConsumeMessage, GetMessage } from 'amqplib';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { connections } from '../runtime.ts';
import { realEgress } from '../testing/real-egress.ts';
import { runNode, TEST_NOW } from '../testing/run-node.ts';
import { connectToRabbitmq, describeOnRabbitmq, rabbitmqConfig } from '../testing/servers/rabbitmq.ts';

const WITHIN = { timeout: 10_000, interval: 20 };

test('§6.2: the output of a received message holds its fields, flat and as message_data', async () => {
  const message_data = { body: { order: 7 }, headers: {}, message_id: 'm', routing_key: 'q', exchange: '' };
  const run_input = {
    ...message_data,
    timestamp: null,
    message_data,
    triggered_by: 'rabbitmq',
    trigger_node_id: 'n',
  };
  const result = await runNode(
    'rabbitmq',
    { credentialId: 'c', rabbitmqOperation: 'receive', rabbitmqQueueName: 'q' },
    { run_input },
  );
  expect(result).toEqual({ output: { ...message_data, timestamp: null, message_data } });
});

test.each([
  ['no queue and no exchange', {}, 'rabbitmqQueueName'],
  ['a delay that is no number', { rabbitmqQueueName: 'q', rabbitmqDelayMs: 'soon' }, 'rabbitmqDelayMs'],
  ['a delay of more than 30 days', { rabbitmqQueueName: 'q', rabbitmqDelayMs: 3e9 }, 'rabbitmqDelayMs'],
  ['headers that are a list', { rabbitmqQueueName: 'q', rabbitmqHeaders: '[1]' }, 'rabbitmqHeaders'],
  ['headers that are no JSON', { rabbitmqQueueName: 'q', rabbitmqHeaders: '{a' }, 'rabbitmqHeaders'],
  ['a name that is too long', { rabbitmqQueueName: 'q'.repeat(256) }, 'rabbitmqQueueName'],
])('%s is refused before anything is sent', async (_, data, field) => {
  const result = await runNode('rabbitmq', { credentialId: 'c', rabbitmqOperation: 'send', ...data });
  expect(result).toMatchObject({ failure: { kind: 'params', field, final: true } });
});

describeOnRabbitmq('against a real broker', () => {
  let broker: ChannelModel;
  const queues: string[] = [];
  const exchanges: string[] = [];
  beforeAll(async () => {
    broker = await connectToRabbitmq();
  });
  afterAll(async () => {
    const channel = await broker.createChannel();
    for (const name of queues) await channel.deleteQueue(name);
    for (const name of exchanges) await channel.deleteExchange(name);
    await broker.close();
  });

  async function newQueue(): Promise<string> {
    const queue = `test-${randomUUID()}`;
    const channel = await broker.createChannel();
    await channel.assertQueue(queue, { durable: true });
    await channel.close();
    queues.push(queue);
    return queue;
  }

  async function takeFrom(queue: string): Promise<GetMessage> {
    const channel = await broker.createChannel();
    const message = await vi.waitUntil(() => channel.get(queue, { noAck: true }), WITHIN);
    await channel.close();
    return message;
  }

  const send = (
    data: JsonObject,
    config: JsonObject = rabbitmqConfig,
    inputs: Record<string, JsonObject> = {},
  ) =>
    runNode(
      'rabbitmq',
      { credentialId: 'c', rabbitmqOperation: 'send', ...data },
      {
        inputs,
        services: {
          http: realEgress(),
          credential: async () => ({ id: 'c', name: 'c', type: 'rabbitmq', values: config }),
        },
      },
    );

  test('a message is in its queue when the node ends, with id, headers and JSON', async () => {
    const queue = await newQueue();
    const result = await send(
      {
        rabbitmqQueueName: queue,
        rabbitmqHeaders: '{"priority": "high", "tries": 2, "id": 9007199254740993}',
      },
      rabbitmqConfig,
      { order: { id: 7, note: 'grün' } },
    );
    expect(result).toEqual({
      output: {
        status: 'published',
        message_id: expect.stringMatching(/^[0-9a-f]{32}$/),
        exchange: '(default)',
        routing_key: queue,
        delay_ms: 0,
      },
    });
    const { content, properties, fields } = await takeFrom(queue);
    expect(JSON.parse(content.toString())).toEqual({ id: 7, note: 'grün' });
    expect(properties).toMatchObject({
      contentType: 'application/json',
      deliveryMode: 2,
      headers: { priority: 'high', tries: 2, id: '9007199254740993' },
      messageId: 'output' in result ? (result.output as JsonObject)['message_id'] : '',
      timestamp: Math.floor(TEST_NOW / 1000),
    });
    expect(fields.exchange).toBe('');
  });

  test('text is sent as text', async () => {
    const queue = await newQueue();
    await send({ rabbitmqQueueName: queue, rabbitmqMessageBody: 'a plain order' });
    const { content, properties } = await takeFrom(queue);
    expect([content.toString(), properties.contentType]).toEqual(['a plain order', 'text/plain']);
  });

  test('a message goes through an exchange to the queue that its routing key leads to', async () => {
    const queue = await newQueue();
    const exchange = `test-${randomUUID()}`;
    const channel = await broker.createChannel();
    await channel.assertExchange(exchange, 'topic');
    exchanges.push(exchange);
    await channel.bindQueue(queue, exchange, 'order.*');
    const sent = { rabbitmqExchange: exchange, rabbitmqRoutingKey: 'order.new', rabbitmqMessageBody: 'x' };
    expect(await send(sent)).toMatchObject({ output: { exchange, routing_key: 'order.new' } });
    expect((await takeFrom(queue)).fields).toMatchObject({ exchange, routingKey: 'order.new' });
    expect(await send({ ...sent, rabbitmqRoutingKey: 'invoice' })).toMatchObject({
      failure: { kind: 'upstream', message: expect.stringContaining('No queue is bound to the exchange') },
    });
  });

  test.each([
    ['a queue that is missing', { rabbitmqQueueName: 'test-missing' }, 'no queue "test-missing"'],
    [
      'an exchange that is missing',
      { rabbitmqExchange: 'test-missing', rabbitmqRoutingKey: 'x' },
      "no exchange 'test-missing'",
    ],
    [
      'a delayed message to a queue that is missing',
      { rabbitmqQueueName: 'test-missing', rabbitmqDelayMs: 1000 },
      "no queue 'test-missing'",
    ],
  ])('%s fails the node', async (_, data, words) => {
    expect(await send({ ...data, rabbitmqMessageBody: 'x' })).toMatchObject({
      failure: { kind: 'upstream', message: expect.stringContaining(words) },
    });
  });

  test('a delayed message reaches its queue after the delay and not before', async () => {
    const queue = await newQueue();
    const channel = await broker.createChannel();
    let arrived_at = 0;
    let message: ConsumeMessage | undefined;
    await channel.consume(queue, (one) => {
      arrived_at = performance.now();
      message = one ?? undefined;
    });
    const started_at = performance.now();
    const result = await send({
      rabbitmqQueueName: queue,
      rabbitmqMessageBody: 'later',
      rabbitmqDelayMs: '700',
    });
    expect(result).toMatchObject({ output: { delay_ms: 700, routing_key: queue } });
    await vi.waitUntil(() => message !== undefined, WITHIN);
    expect(arrived_at - started_at).toBeGreaterThan(690);
    expect(message?.content.toString()).toBe('later');
    await channel.close();
  });

  const testConnection = async (config: JsonObject, signal = AbortSignal.timeout(10_000)) => {
    const connection = connections.get('rabbitmq');
    if (!connection) throw new Error('no connection test');
    const caller = {
      http: realEgress(),
      now: () => TEST_NOW,
      sleepUntil: () => Promise.resolve(),
      signal,
      max_wait_ms: 0,
      idempotency_key: '',
    };
    return connection({ caller, config }).then(
      () => 'works',
      (error: Error) => error.message,
    );
  };

  test('the connection test signs in, by fields and by address', async () => {
    expect(await testConnection(rabbitmqConfig)).toBe('works');
    expect(await testConnection({ rabbitmq_url: 'amqp://guest:guest@127.0.0.1:5672/%2F' })).toBe('works');
    expect(await testConnection({ rabbitmq_url: 'amqp://guest:guest@127.0.0.1' })).toBe('works');
  });

  test.each([
    ['a wrong password', { rabbitmq_password: 'wrong-password' }, 'refused the user name or the password'],
    ['an unknown virtual host', { rabbitmq_vhost: 'nowhere' }, 'the virtual host "nowhere"'],
    ['a port without a server', { rabbitmq_port: 1 }, 'ECONNREFUSED'],
  ])('the connection test says what is wrong with %s', async (_, changed, words) => {
    const said = await testConnection({ ...rabbitmqConfig, ...changed });
    expect(said).toContain(words);
    expect(said).not.toContain('wrong-password');
  });

  test('a call that is cancelled does not wait for a server that does not answer', async () => {
    const server = createServer(() => undefined);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const controller = new AbortController();
    const testing = testConnection({ ...rabbitmqConfig, rabbitmq_port: port }, controller.signal);
    await new Promise((resolve) => server.once('connection', resolve));
    controller.abort();
    expect(await testing).toBe('The connection was no longer wanted');
    server.close();
  });
});
