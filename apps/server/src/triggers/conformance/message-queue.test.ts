import { randomUUID } from 'node:crypto';
import { type AddressInfo, createServer, connect as openSocket, type Socket } from 'node:net';
import type { Trigger } from '@millrace/contracts';
import { receivers } from '@millrace/nodes/runtime';
import {
  type BrokerChannel,
  connectToRabbitmq,
  describeOnRabbitmq,
  RABBITMQ,
  rabbitmqConfig,
} from '@millrace/nodes/testing/rabbitmq';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { describeOnPostgres } from '../../execution/journal/testing/databases.ts';
import { createTriggerWorld, type TriggerWorld } from '../testing/world.ts';

const WITHIN = { timeout: 20_000, interval: 25 };
const LIMIT = 5;
const ALL = [...receivers.values()];

describeOnRabbitmq('a message queue', () => {
  let channel: BrokerChannel;
  let end: () => Promise<void>;
  const queues: string[] = [];
  beforeAll(async () => {
    const broker = await connectToRabbitmq();
    channel = await broker.createConfirmChannel();
    end = () => broker.close();
  });
  afterAll(async () => {
    for (const queue of queues) await channel.deleteQueue(queue);
    await end();
  });

  async function newQueue(): Promise<string> {
    const queue = `test-${randomUUID()}`;
    queues.push(queue, `${queue}.parked`);
    await channel.assertQueue(queue, { durable: true });
    return queue;
  }

  async function send(queue: string, message_ids: readonly string[]): Promise<void> {
    for (const messageId of message_ids) channel.sendToQueue(queue, Buffer.from('{}'), { messageId });
    await channel.waitForConfirms();
  }

  /** Also those that a reader holds would be there again without it. */
  const waiting = async (queue: string) => (await channel.checkQueue(queue)).messageCount;

  async function settingsFor({ user }: TriggerWorld, queue: string, port = RABBITMQ.port) {
    const config = { ...rabbitmqConfig, rabbitmq_port: port };
    const body = { name: `broker ${randomUUID()}`, type: 'rabbitmq', config };
    const made = await user.call('POST', '/api/credentials', body);
    const { id } = made.json<{ id: string }>();
    return { credentialId: id, rabbitmqOperation: 'receive', rabbitmqQueueName: queue };
  }

  describeOnPostgres('read by one of several processes', () => {
    let world: TriggerWorld;
    beforeAll(async () => {
      const env = { HTTP_ALLOW_PRIVATE_URLS: 'true' };
      world = await createTriggerWorld({ receivers: ALL, processes: 3, env });
    }, 60_000);
    afterAll(() => world.close());

    test('each message starts one run, also when it is sent twice and while processes are lost', async () => {
      const { hosts, arm, readFacts, loadInputs, listCauses } = world;
      const queue = await newQueue();
      const trigger = await arm('rabbitmq', await settingsFor(world, queue));
      const look = () => Promise.all(hosts.map((host) => host.tick()));
      await look();
      await vi.waitUntil(async () => (await readFacts(trigger)).state === 'connected', WITHIN);
      const ids: string[] = [];
      let repeats = 0;
      for (let killed = 0; killed < 2; killed++) {
        const batch = Array.from({ length: 100 }, (_, at) => `m-${killed}-${at}`);
        const again = batch.slice(0, 30);
        ids.push(...batch);
        repeats += again.length;
        await send(queue, [...batch.slice(0, 50), ...again, ...batch.slice(50)]);
        const { owner } = await readFacts(trigger);
        await hosts.find(({ worker_id }) => worker_id === owner)?.kill();
        await vi.waitUntil(async () => {
          await look();
          return (await loadInputs(trigger)).length >= ids.length && (await waiting(queue)) === 0;
        }, WITHIN);
        expect((await readFacts(trigger)).owner).not.toBe(owner);
      }
      const names = (await loadInputs(trigger)).map(({ message_id }) => String(message_id));
      expect(names.toSorted()).toEqual(ids.toSorted());
      const causes = await listCauses(trigger);
      expect(causes).toHaveLength(ids.length);
      // A message that was on its way when its reader was lost is one repeat more.
      expect(causes.reduce((sum, cause) => sum + cause.repeats, 0)).toBeGreaterThanOrEqual(repeats);
      expect((await readFacts(trigger)).state).toBe('connected');
    }, 60_000);
  });

  describeOnPostgres('of a workflow at its limit', () => {
    let world: TriggerWorld;
    beforeAll(async () => {
      const env = { HTTP_ALLOW_PRIVATE_URLS: 'true', TRIGGER_QUEUE_LIMIT: String(LIMIT) };
      world = await createTriggerWorld({ receivers: ALL, processes: 1, env });
      world.app.services.execution.background.stopClaiming();
    }, 60_000);
    afterAll(() => world.close());

    test('§6.2: the prefetch does not exceed the concurrency limit of the workflow', async () => {
      const { arm, hosts, readFacts, user } = world;
      const queue = await newQueue();
      await send(
        queue,
        Array.from({ length: 12 }, (_, at) => `ahead-${at}`),
      );
      const trigger = await arm('rabbitmq', await settingsFor(world, queue));
      const limits = { concurrency_limit: 1, queue_limit: 1 };
      const saved = await user.call('PUT', `/api/workflows/${trigger.workflow_id}`, limits);
      expect(saved.statusCode, saved.body).toBe(200);
      const look = () => Promise.all(hosts.map((host) => host.tick()));
      await vi.waitUntil(async () => {
        await look();
        return (await readFacts(trigger)).state === 'waiting';
      }, WITHIN);
      // Two have runs, and two more are prefetched.
      expect(await waiting(queue)).toBe(8);
    }, 30_000);

    test('is not read any further, and nothing of it is dropped', async () => {
      const { arm, hosts, readFacts, loadInputs, app } = world;
      const queue = await newQueue();
      const ids = Array.from({ length: 20 }, (_, at) => `m-${at}`);
      await send(queue, ids);
      const trigger = await arm('rabbitmq', await settingsFor(world, queue));
      await hosts[0]?.tick();
      await vi.waitUntil(async () => (await readFacts(trigger)).state === 'waiting', WITHIN);
      expect(await loadInputs(trigger)).toHaveLength(LIMIT);
      // As many as it may have are held for the time when there is room; the others stay where they are.
      await vi.waitUntil(async () => (await waiting(queue)) === ids.length - 2 * LIMIT, WITHIN);
      app.services.execution.background.start();
      await vi.waitUntil(async () => (await loadInputs(trigger)).length === ids.length, WITHIN);
      expect((await loadInputs(trigger)).map(({ message_id }) => message_id)).toEqual(ids);
      await vi.waitUntil(async () => (await readFacts(trigger)).state === 'connected', WITHIN);
    });
  });

  describeOnPostgres('with trouble', () => {
    let world: TriggerWorld;
    beforeAll(async () => {
      const env = { HTTP_ALLOW_PRIVATE_URLS: 'true' };
      world = await createTriggerWorld({ receivers: ALL, processes: 1, env });
    }, 60_000);
    afterAll(() => world.close());

    /** A way to the broker that can be cut. */
    async function createWay() {
      const open = new Set<Socket>();
      const way = createServer((socket) => {
        const broker = openSocket(RABBITMQ);
        for (const part of [socket, broker]) {
          open.add(part);
          part.on('error', () => undefined);
        }
        socket.pipe(broker).pipe(socket);
      });
      await new Promise<void>((resolve) => way.listen(0, '127.0.0.1', resolve));
      const cut = () => {
        for (const socket of open) socket.destroy();
        open.clear();
      };
      return {
        port: (way.address() as AddressInfo).port,
        cut,
        close() {
          cut();
          way.close();
        },
      };
    }

    test('connects again after the connection broke, and starts no run twice', async () => {
      const { arm, hosts, readFacts, loadInputs } = world;
      const [queue, way] = [await newQueue(), await createWay()];
      const trigger = await arm('rabbitmq', await settingsFor(world, queue, way.port));
      await hosts[0]?.tick();
      await vi.waitUntil(async () => (await readFacts(trigger)).state === 'connected', WITHIN);
      const ids: string[] = [];
      for (let cuts = 0; cuts < 3; cuts++) {
        const batch = Array.from({ length: 30 }, (_, at) => `m-${cuts}-${at}`);
        ids.push(...batch);
        await send(queue, batch);
        await vi.waitUntil(
          async () => (await loadInputs(trigger)).length > ids.length - batch.length,
          WITHIN,
        );
        way.cut();
        await vi.waitUntil(async () => (await readFacts(trigger)).state === 'failing', WITHIN);
        expect((await readFacts(trigger)).last_error).toContain('The message queue server');
        await vi.waitUntil(async () => (await loadInputs(trigger)).length >= ids.length, WITHIN);
      }
      const names = (await loadInputs(trigger)).map(({ message_id }) => String(message_id));
      expect(names.toSorted()).toEqual(ids.toSorted());
      await vi.waitUntil(async () => (await readFacts(trigger)).failures === 0, WITHIN);
      way.close();
    }, 60_000);

    test('a refused message is told in the list of triggers and holds up no other one', async () => {
      const { arm, hosts, loadInputs, user } = world;
      const queue = await newQueue();
      const trigger = await arm('rabbitmq', await settingsFor(world, queue));
      await hosts[0]?.tick();
      const shown = async () => {
        const list = await user.call('GET', `/api/triggers?workflow_id=${trigger.workflow_id}`);
        return list.json<Trigger[]>()[0];
      };
      await vi.waitUntil(async () => (await shown())?.state === 'connected', WITHIN);
      channel.sendToQueue(queue, Buffer.alloc(17 * 1024 * 1024), { messageId: 'big' });
      await vi.waitUntil(async () => ((await shown())?.failures_in_a_row ?? 0) > 0, WITHIN);
      expect(await shown()).toMatchObject({
        state: 'connected',
        last_error: expect.stringContaining(`The message "big" was refused`),
        hosted_by: expect.any(String),
      });
      expect(await waiting(`${queue}.parked`)).toBe(1);
      await send(queue, ['small']);
      await vi.waitUntil(async () => (await loadInputs(trigger)).length === 1, WITHIN);
      await vi.waitUntil(async () => (await shown())?.failures_in_a_row === 0, WITHIN);
      expect(await shown()).toMatchObject({ last_error: expect.stringContaining('big') });
    });

    test('a password that is refused is told without the password', async () => {
      const { arm, hosts, readFacts, user } = world;
      const config = { ...rabbitmqConfig, rabbitmq_password: 'not-the-password' };
      const made = await user.call('POST', '/api/credentials', { name: 'wrong', type: 'rabbitmq', config });
      const { id } = made.json<{ id: string }>();
      const queue = await newQueue();
      const trigger = await arm('rabbitmq', {
        credentialId: id,
        rabbitmqOperation: 'receive',
        rabbitmqQueueName: queue,
      });
      await hosts[0]?.tick();
      await vi.waitUntil(async () => (await readFacts(trigger)).state === 'failing', WITHIN);
      const { last_error } = await readFacts(trigger);
      expect(last_error).toContain('refused the user name or the password');
      expect(last_error).not.toContain('not-the-password');
    });
  });
});
