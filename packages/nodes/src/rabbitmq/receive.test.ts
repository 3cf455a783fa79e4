import { randomUUID } from 'node:crypto';
import type { Json, JsonObject } from '@millrace/engine';
import { NodeFailure } from '@millrace/engine';
import type { ChannelModel, ConfirmChannel, Options } from 'amqplib';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { type ConnectionCall, type FireOutcome, NothingStored, type TriggerEvent } from '../receive.ts';
import { receivers } from '../runtime.ts';
import { testParsers } from '../testing/documents/test-parsers.ts';
import { realEgress } from '../testing/real-egress.ts';
import { connectToRabbitmq, describeOnRabbitmq, rabbitmqConfig } from '../testing/servers/rabbitmq.ts';
import { MOST_BYTES } from './message.ts';

const WITHIN = { timeout: 10_000, interval: 20 };
function deferred<T>() {
  let [resolve, reject]: [(value: T) => void, (error: Error) => void] = [() => {}, () => {}];
  const promise = new Promise<T>((done, failed) => {
    [resolve, reject] = [done, failed];
  });
  return { promise, resolve, reject };
}
const QUEUED: FireOutcome = { kind: 'queued', run_id: 'run' };

describeOnRabbitmq('against a real broker', () => {
  let broker: ChannelModel;
  let admin: ConfirmChannel;
  const queues: string[] = [];
  const readers: Reader[] = [];
  beforeAll(async () => {
    broker = await connectToRabbitmq();
    admin = await broker.createConfirmChannel();
  });
  afterEach(async () => {
    for (const reader of readers.splice(0)) await reader.stop();
  });
  afterAll(async () => {
    for (const name of queues) await admin.deleteQueue(name);
    await broker.close();
  });

  interface Reader {
    readonly events: TriggerEvent[];
    readonly refused: string[];
    /** Cursors that were stored without an event. */
    readonly kept: Json[];
    /** Resolves to what ended the connection. */
    readonly ended: Promise<string>;
    stop(): Promise<void>;
  }
  interface ReaderOptions {
    readonly params?: JsonObject;
    readonly most_waiting?: number;
    /** Cursor of an earlier reader. */
    readonly cursor?: Json;
    readonly fire?: (event: TriggerEvent, gone: AbortSignal | undefined) => Promise<FireOutcome>;
  }

  function nameQueue(): string {
    const queue = `test-${randomUUID()}`;
    queues.push(queue, `${queue}.parked`);
    return queue;
  }

  async function newQueue(options: Options.AssertQueue = {}): Promise<string> {
    const queue = nameQueue();
    await admin.assertQueue(queue, options);
    return queue;
  }

  async function send(queue: string, body: string | Buffer, options: Options.Publish = {}): Promise<void> {
    admin.sendToQueue(queue, Buffer.from(body), options);
    await admin.waitForConfirms();
  }

  const countMessages = async (queue: string) => (await admin.checkQueue(queue)).messageCount;
  /** Also those that a reader holds: they come back when it is gone. */
  const expectEmpty = (queue: string) => vi.waitUntil(async () => (await countMessages(queue)) === 0, WITHIN);

  /** Reads as the host does. Resolves once it is connected. */
  async function read(
    queue: string,
    { params, most_waiting = 100, fire, cursor = null }: ReaderOptions = {},
  ): Promise<Reader> {
    const receiver = receivers.get('rabbitmq');
    if (receiver?.kind !== 'connection') throw new Error('no receiver');
    const controller = new AbortController();
    const [events, refused, kept]: [TriggerEvent[], string[], Json[]] = [[], [], []];
    const { promise: connected, resolve } = deferred<void>();
    const call: ConnectionCall<Readonly<Record<string, unknown>>> = {
      params: receiver.definition.params.parse({
        credentialId: 'c',
        rabbitmqOperation: 'receive',
        rabbitmqQueueName: queue,
        ...params,
      }),
      node_id: 'orders',
      cursor,
      keepCursor: (value) => kept.push(value),
      signal: controller.signal,
      most_waiting,
      services: {
        http: realEgress(),
        credential: async () => ({ id: 'c', name: 'c', type: 'rabbitmq', values: rabbitmqConfig }),
        now: Date.now,
        parsers: testParsers,
        files: { max_bytes: 0, store: () => Promise.reject(new Error('no files')), discard: async () => {} },
      },
      connected: resolve,
      refused: (reason) => refused.push(reason),
      async fire(event, gone) {
        const outcome = (await fire?.(event, gone)) ?? QUEUED;
        if (outcome.kind !== 'lost') events.push(event);
        return outcome;
      },
    };
    const ended = receiver.connect(call).then(
      () => 'no error',
      (error: Error) => error.message,
    );
    const reader: Reader = {
      events,
      refused,
      kept,
      ended,
      async stop() {
        controller.abort();
        await ended;
      },
    };
    readers.push(reader);
    await Promise.race([connected, ended]);
    return reader;
  }

  const getInput = ({ input }: TriggerEvent | undefined = { cause: '', input: {} }) => input;

  test('§6.2: a run receives message_data and triggered_by, and the same fields flat', async () => {
    const queue = await newQueue();
    await send(queue, '{"order": 7}', {
      messageId: 'm-1',
      contentType: 'application/json',
      correlationId: 'c-1',
      timestamp: 1_767_600_000,
      headers: { priority: 'high', tries: 2, nested: { list: [1, null] }, raw: Buffer.from('text') },
    });
    const reader = await read(queue);
    await vi.waitUntil(() => reader.events.length === 1, WITHIN);
    const message_data = {
      body: { order: 7 },
      headers: { priority: 'high', tries: 2, nested: { list: [1, null] }, raw: 'text' },
      message_id: 'm-1',
      routing_key: queue,
      exchange: '',
      timestamp: '2026-01-05T08:00:00.000Z',
      content_type: 'application/json',
      correlation_id: 'c-1',
      reply_to: null,
      type: null,
      app_id: null,
      priority: null,
      redelivered: false,
    };
    expect(getInput(reader.events[0])).toEqual({
      ...message_data,
      message_data,
      triggered_by: 'rabbitmq',
      trigger_node_id: 'orders',
    });
    await expectEmpty(queue);
  });

  test.each<[string, string | Buffer, Options.Publish, unknown]>([
    ['JSON without a type', '[1, 2]', {}, [1, 2]],
    ['text', 'plain words: ä', {}, 'plain words: ä'],
    ['JSON that is cut off', '{"a": ', { contentType: 'application/json' }, '{"a": '],
    ['nothing', '', {}, ''],
    ['keys that reach a prototype', '{"__proto__": {"a": 1}, "b": 2}', {}, { b: 2 }],
    [
      'bytes',
      Buffer.from([0xff, 0x00, 0xfe]),
      { contentType: 'application/x-own' },
      { content_type: 'application/x-own', size: 3, base64: '/wD+' },
    ],
    [
      'a compressed body',
      'zipped',
      { contentEncoding: 'gzip', contentType: 'application/json' },
      { content_type: 'application/json', size: 6, base64: Buffer.from('zipped').toString('base64') },
    ],
  ])('a body of %s arrives as data', async (_, body, options, expected) => {
    const queue = await newQueue();
    await send(queue, body, options);
    const reader = await read(queue);
    await vi.waitUntil(() => reader.events.length === 1, WITHIN);
    expect(getInput(reader.events[0])['body']).toEqual(expected);
  });

  test('a message is acknowledged after its run is stored, and not before', async () => {
    const queue = await newQueue();
    await send(queue, 'one', { messageId: 'm' });
    const storing = deferred<FireOutcome>();
    const first = await read(queue, { fire: () => storing.promise });
    // The process is lost while the run is being stored: the broker delivers the message to the next reader.
    await vi.waitUntil(async () => (await countMessages(queue)) === 0, WITHIN);
    void first.stop();
    const second = await read(queue);
    await vi.waitUntil(() => second.events.length === 1, WITHIN);
    expect(getInput(second.events[0])['redelivered']).toBe(true);
    storing.reject(new Error('too late'));
    await second.stop();
    expect(await countMessages(queue)).toBe(0);
  });

  test('§6.2: a message without an id that is delivered again has the same cause; equal messages have causes of their own', async () => {
    const queue = await newQueue();
    for (let time = 0; time < 3; time++) await send(queue, 'the same');
    const stored: TriggerEvent[] = [];
    // Its run is stored, and the reader is lost before the acknowledgement.
    const first = await read(queue, {
      fire: (event) => {
        stored.push(event);
        return deferred<FireOutcome>().promise;
      },
    });
    await vi.waitUntil(() => stored.length === 1, WITHIN);
    void first.stop();
    const second = await read(queue, { cursor: stored[0]?.cursor ?? null });
    await vi.waitUntil(() => second.events.length === 3, WITHIN);
    const causes = second.events.map(({ cause }) => cause);
    expect(causes[0]).toBe(stored[0]?.cause);
    expect(new Set(causes).size).toBe(3);
    await vi.waitUntil(() => second.kept.length === 3, WITHIN);
    // The broker has confirmed all acknowledgements: nothing can come again.
    expect(second.kept).toEqual([null, null, null]);
    await second.stop();
    expect(await countMessages(queue)).toBe(0);
  });

  test('§6.2: a message that fails five times is refused; while the database is away it is retried without limit', async () => {
    const queue = await newQueue();
    await send(queue, 'poison', { messageId: 'p' });
    const attemptWith = async (reason: Error) => {
      const reader = await read(queue, { fire: () => Promise.reject(reason) });
      return { reader, ended: await Promise.race([reader.ended, parked(reader)]) };
    };
    const parked = async ({ refused }: Reader) => {
      await vi.waitUntil(() => refused.length > 0, WITHIN);
      return 'parked';
    };
    for (let time = 0; time < 7; time++)
      expect((await attemptWith(new NothingStored(new Error('no database')))).ended).toMatch(/not be stored/);
    for (let time = 0; time < 4; time++)
      expect((await attemptWith(new Error('broken'))).ended).toBe('broken');
    const { reader, ended } = await attemptWith(new Error('broken'));
    expect(ended).toBe('parked');
    expect(reader.refused[0]).toMatch(/"p" was refused: its run could not be stored in 5 attempts/);
    await reader.stop();
    expect([await countMessages(queue), await countMessages(`${queue}.parked`)]).toEqual([0, 1]);
  });

  test('a message that is delivered again has the same cause; another queue has causes of its own', async () => {
    const [queue, other] = [await newQueue(), await newQueue()];
    await send(queue, 'one', { messageId: 'm-1' });
    const first = await read(queue, { fire: async () => ({ kind: 'lost' }) });
    expect(await first.ended).toBe('no error');
    await send(queue, 'again', { messageId: 'm-1' });
    await send(other, 'else', { messageId: 'm-1' });
    const [second, third] = [await read(queue), await read(other)];
    await vi.waitUntil(() => second.events.length === 2 && third.events.length === 1, WITHIN);
    const causes = second.events.map(({ cause }) => cause);
    expect(causes).toEqual([`127.0.0.1:5672/%2F/${queue}:m-1`, `127.0.0.1:5672/%2F/${queue}:m-1`]);
    expect(third.events[0]?.cause).toBe(`127.0.0.1:5672/%2F/${other}:m-1`);
  });

  test('messages without an id are never taken for one another', async () => {
    const queue = await newQueue();
    for (let sent = 0; sent < 3; sent++) await send(queue, 'the same');
    const reader = await read(queue);
    await vi.waitUntil(() => reader.events.length === 3, WITHIN);
    expect(new Set(reader.events.map(({ cause }) => cause)).size).toBe(3);
  });

  test('no more messages are held than the workflow may have waiting runs, in their order', async () => {
    const queue = await newQueue();
    for (let sent = 0; sent < 10; sent++) await send(queue, String(sent));
    const room = deferred<FireOutcome>();
    const reader = await read(queue, { most_waiting: 3, fire: () => room.promise });
    await vi.waitUntil(async () => (await countMessages(queue)) === 7, WITHIN);
    expect(reader.events).toEqual([]);
    room.resolve(QUEUED);
    await vi.waitUntil(() => reader.events.length === 10, WITHIN);
    expect(reader.events.map((event) => getInput(event)['body'])).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test('a queue that is missing is declared to survive the broker; one that exists keeps its settings', async () => {
    const missing = nameQueue();
    const reader = await read(missing);
    await send(missing, 'x');
    await vi.waitUntil(() => reader.events.length === 1, WITHIN);
    await admin.assertQueue(missing, { durable: true });
    const limited = await newQueue({ durable: false, maxLength: 5 });
    const other = await read(limited);
    await send(limited, 'y');
    await vi.waitUntil(() => other.events.length === 1, WITHIN);
  });

  test('a queue that is deleted ends the connection with a sentence', async () => {
    const queue = await newQueue();
    const reader = await read(queue);
    await admin.deleteQueue(queue);
    expect(await reader.ended).toBe(`The queue "${queue}" was deleted`);
  });

  test('an event that waits for room is given up when the broker takes it back', async () => {
    const queue = await newQueue();
    await send(queue, 'one');
    const { promise: gone, resolve } = deferred<AbortSignal | undefined>();
    const reader = await read(queue, {
      fire: (_, signal) => {
        resolve(signal);
        return new Promise((_done, reject) =>
          signal?.addEventListener('abort', () => reject(new Error('taken back'))),
        );
      },
    });
    expect((await gone)?.aborted).toBe(false);
    await reader.stop();
    expect((await gone)?.aborted).toBe(true);
    expect(await countMessages(queue)).toBe(1);
  });

  describe('a message that can start no run', () => {
    const tooLarge = Buffer.alloc(MOST_BYTES + 1, 'a');

    test('park: it is moved to the queue beside it with the reason, those behind it start their runs', async () => {
      const queue = await newQueue();
      await send(queue, tooLarge, { messageId: 'big', headers: { from: 'test' }, type: 'order' });
      await send(queue, 'small');
      const reader = await read(queue);
      await vi.waitUntil(() => reader.events.length === 1, WITHIN);
      expect(reader.refused).toEqual([
        expect.stringMatching(
          /^The message "big" was refused: it has 16777217 bytes.* in the queue .*\.parked/,
        ),
      ]);
      const parked = await admin.get(`${queue}.parked`, { noAck: true });
      if (!parked) throw new Error('nothing is parked');
      expect(parked.content.equals(tooLarge)).toBe(true);
      expect(parked.properties).toMatchObject({
        messageId: 'big',
        type: 'order',
        headers: { from: 'test', 'x-refused-because': expect.stringContaining('16777217 bytes') },
      });
      await reader.stop();
      expect(await countMessages(queue)).toBe(0);
    });

    test('reject: it goes to the dead-letter exchange of its queue', async () => {
      const dead = await newQueue();
      const queue = await newQueue({ deadLetterExchange: '', deadLetterRoutingKey: dead });
      await send(queue, 'bad', { messageId: 'm' });
      const final = new NodeFailure({ kind: 'params', message: 'it has no place in a run', final: true });
      const reader = await read(queue, {
        params: { rabbitmqRefused: 'reject' },
        fire: () => Promise.reject(final),
      });
      await vi.waitUntil(async () => (await countMessages(dead)) === 1, WITHIN);
      expect(reader.refused).toEqual([expect.stringContaining('it has no place in a run')]);
      expect(await countMessages(queue)).toBe(0);
    });

    test('requeue: it is delivered again after the pause, and those behind it do not wait', async () => {
      const queue = await newQueue();
      await send(queue, 'bad', { messageId: 'bad' });
      await send(queue, 'good', { messageId: 'good' });
      const final = new NodeFailure({ kind: 'params', message: 'not yet', final: true });
      const times: number[] = [];
      const reader = await read(queue, {
        params: { rabbitmqRefused: 'requeue', rabbitmqRefusedDelaySeconds: 1 },
        async fire({ input }) {
          if (input['body'] !== 'bad') return QUEUED;
          times.push(performance.now());
          if (times.length < 2) throw final;
          return QUEUED;
        },
      });
      await vi.waitUntil(() => reader.events.length === 2, WITHIN);
      expect(reader.events.map(({ input }) => input['message_id'])).toEqual(['good', 'bad']);
      expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(950);
    });

    test('an error that may pass ends the connection and leaves the message in its queue', async () => {
      const queue = await newQueue();
      await send(queue, 'one');
      const reader = await read(queue, {
        params: { rabbitmqRefused: 'reject' },
        fire: () => Promise.reject(new Error('the database is away')),
      });
      expect(await reader.ended).toBe('the database is away');
      expect(reader.refused).toEqual([]);
      await vi.waitUntil(async () => (await countMessages(queue)) === 1, WITHIN);
    });
  });

  test.each([
    ['a queue without a name', { rabbitmqQueueName: ' ' }, 'Queue (rabbitmqQueueName): is empty'],
    ['a name that the broker keeps for itself', { rabbitmqQueueName: 'amq.own' }, 'amq.own'],
  ])('%s is told in plain words', async (_, params, words) => {
    const reader = await read('', { params });
    expect(await reader.ended).toContain(words);
  });
});
