import { defineNode } from '@millrace/engine';
import { receive, receivers } from '@millrace/nodes/runtime';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { describeOnPostgres } from '../../execution/journal/testing/databases.ts';
import { createTestPoll, createTestQueue, testClock } from '../testing/test-triggers.ts';
import { createTriggerWorld, type TriggerWorld } from '../testing/world.ts';
import { hostedConformance } from './hosted.conformance.ts';

const WITHIN = { timeout: 15_000, interval: 25 };
const SECOND_MS = 1_000;

describeOnPostgres('a clock', () => {
  let world: TriggerWorld;
  beforeAll(async () => {
    world = await createTriggerWorld({ receivers: [testClock], processes: 3 });
  }, 60_000);
  afterAll(() => world.close());

  hostedConformance({
    world: () => world,
    type: 'testClock',
    settings: { seconds: 1 },
    unreadable: { settings: { seconds: 'often' }, field: 'seconds' },
    happen() {
      world.passTime(SECOND_MS);
      return [String(Math.floor(world.now() / SECOND_MS) * SECOND_MS)];
    },
    namesIn: ({ event }) => [String(event)],
  });
});

describeOnPostgres('a poll', () => {
  const { receiver, source } = createTestPoll();
  let world: TriggerWorld;
  beforeAll(async () => {
    world = await createTriggerWorld({
      receivers: [receiver],
      processes: 3,
      env: { TRIGGER_QUEUE_LIMIT: '3' },
    });
  }, 60_000);
  afterAll(() => world.close());

  hostedConformance({
    world: () => world,
    type: 'testPoll',
    settings: { seconds: 5 },
    unreadable: { settings: { seconds: -1 }, field: 'seconds' },
    // Every trigger of the world reads the same list; each has runs of its own.
    happen() {
      world.passTime(5 * SECOND_MS);
      return [source.happen()];
    },
    namesBefore: () => source.names,
    namesIn: ({ event }) => [String(event)],
  });
});

describeOnPostgres('a poll that fails', () => {
  const { receiver, source } = createTestPoll();
  let world: TriggerWorld;
  beforeAll(async () => {
    world = await createTriggerWorld({ receivers: [receiver], processes: 1 });
  }, 60_000);
  afterAll(() => world.close());

  test('says why, waits longer with every failure, and loses nothing', async () => {
    const { arm, readFacts, hosts, passTime, now, loadInputs } = world;
    const [host] = hosts;
    const trigger = await arm('testPoll', { seconds: 5 });
    source.failing = 'The mailbox refused the password';
    const waits: number[] = [];
    for (let failure = 0; failure < 4; failure++) {
      await host?.tick();
      await host?.settled();
      const { next_due_ms, state, last_error } = await readFacts(trigger);
      expect({ state, last_error }).toEqual({ state: 'failing', last_error: source.failing });
      waits.push(((next_due_ms ?? 0) - now()) / SECOND_MS);
      passTime((next_due_ms ?? 0) - now());
    }
    expect(waits).toEqual([5, 10, 20, 40]);
    const name = source.happen();
    source.failing = undefined;
    await host?.tick();
    await host?.settled();
    expect(await loadInputs(trigger)).toEqual([{ event: name }]);
    expect((await readFacts(trigger)).state).toBe('armed');
  });
});

describeOnPostgres('polls of a type that only a neighbouring version of the program knows', () => {
  const { receiver, source } = createTestPoll();
  let world: TriggerWorld;
  beforeAll(async () => {
    world = await createTriggerWorld({ receivers: [receiver], processes: 1 });
  }, 60_000);
  afterAll(() => world.close());

  test('stay due and keep no other poll from being looked at', async () => {
    const { arm, hosts, loadInputs, passTime } = world;
    const known = await arm('testPoll', { seconds: 5 });
    const { sql } = world.app.services.database;
    await sql.query({
      text: `INSERT INTO triggers (workflow_id, node_id, version_id, type, kind, settings, next_due_at)
        SELECT workflow_id, 'start-' || n, version_id, 'testLater', kind, settings, next_due_at - interval '1 minute'
        FROM triggers, generate_series(1, 60) n WHERE id = $1`,
      values: [known.id],
    });
    const name = source.happen();
    passTime(SECOND_MS);
    await hosts[0]?.tick();
    await hosts[0]?.settled();
    expect(await loadInputs(known)).toEqual([{ event: name }]);
  });
});

describeOnPostgres('a poll whose trigger changes while it waits', () => {
  const { receiver, source } = createTestPoll();
  let world: TriggerWorld;
  beforeAll(async () => {
    const env = { TRIGGER_QUEUE_LIMIT: '1' };
    world = await createTriggerWorld({ receivers: [receiver], processes: 1, env });
    world.app.services.execution.background.stopClaiming();
  }, 60_000);
  afterAll(() => world.close());

  test('ends, so that the trigger is read with what it is now', async () => {
    const { arm, change, hosts, readFacts } = world;
    const trigger = await arm('testPoll', { seconds: 5 });
    source.happen();
    source.happen();
    await hosts[0]?.tick();
    await vi.waitUntil(async () => (await readFacts(trigger)).state === 'waiting', WITHIN);
    await change(trigger, { seconds: -1 });
    await vi.waitUntil(async () => {
      await hosts[0]?.tick();
      return (await readFacts(trigger)).state === 'failing';
    }, WITHIN);
    expect((await readFacts(trigger)).last_error).toContain('seconds');
  });
});

describeOnPostgres('a connection', () => {
  const { receiver, source } = createTestQueue();
  let world: TriggerWorld;
  beforeAll(async () => {
    world = await createTriggerWorld({ receivers: [receiver], processes: 3 });
  }, 60_000);
  afterAll(() => world.close());

  test('is one in the whole cluster, followed by another when its process is lost; nothing unacknowledged is lost', async () => {
    const { arm, hosts, readFacts, loadInputs } = world;
    const look = () => Promise.all(hosts.map((host) => host.tick()));
    const trigger = await arm('testQueue', {});
    await look();
    await vi.waitUntil(() => source.readers === 1, WITHIN);
    const happened: string[] = [];
    for (let killed = 0; killed < 2; killed++) {
      for (let more = 0; more < 20; more++) happened.push(source.happen());
      const { owner } = await readFacts(trigger);
      await hosts.find(({ worker_id }) => worker_id === owner)?.kill();
      for (let more = 0; more < 20; more++) happened.push(source.happen());
      // One process may give a trigger to another that has just looked.
      await vi.waitUntil(async () => {
        await look();
        return source.acknowledged.size === happened.length;
      }, WITHIN);
      expect((await readFacts(trigger)).owner).not.toBe(owner);
    }
    const names = (await loadInputs(trigger)).map(({ event }) => String(event));
    expect(names.toSorted()).toEqual(happened.toSorted());
    expect([...source.acknowledged].toSorted()).toEqual(happened.toSorted());
    expect((await readFacts(trigger)).state).toBe('connected');
  });
});

describeOnPostgres('a connection whose settings cannot be read', () => {
  const { receiver, source } = createTestQueue();
  let world: TriggerWorld;
  beforeAll(async () => {
    world = await createTriggerWorld({ receivers: [receiver], processes: 1 });
  }, 60_000);
  afterAll(() => world.close());

  test('fails once, however often its host looks, and connects when they change', async () => {
    const { arm, change, hosts, readFacts } = world;
    const trigger = await arm('testQueue', { channel: 7 });
    for (let looks = 0; looks < 3; looks++) await hosts[0]?.tick();
    expect(await readFacts(trigger)).toMatchObject({ state: 'failing', failures: 1 });
    expect((await readFacts(trigger)).last_error).toContain('channel');
    await change(trigger, { channel: 'orders' });
    await hosts[0]?.tick();
    await vi.waitUntil(async () => (await readFacts(trigger)).state === 'connected', WITHIN);
    expect(source.readers).toBe(1);
  });
});

describeOnPostgres('a connection whose workflow is at its limit', () => {
  const { receiver, source } = createTestQueue();
  let world: TriggerWorld;
  beforeAll(async () => {
    const env = { TRIGGER_QUEUE_LIMIT: '3' };
    world = await createTriggerWorld({ receivers: [receiver], processes: 1, env });
    world.app.services.execution.background.stopClaiming();
  }, 60_000);
  afterAll(() => world.close());

  test('stops reading, drops nothing, and continues when there is room', async () => {
    const { arm, hosts, readFacts, loadInputs, app } = world;
    const trigger = await arm('testQueue', {});
    const happened = Array.from({ length: 10 }, () => source.happen());
    await hosts[0]?.tick();
    await vi.waitUntil(async () => (await readFacts(trigger)).state === 'waiting', WITHIN);
    expect(await loadInputs(trigger)).toHaveLength(3);
    expect([...source.acknowledged]).toEqual(happened.slice(0, 3));
    app.services.execution.background.start();
    await vi.waitUntil(() => source.acknowledged.size === happened.length, WITHIN);
    expect((await loadInputs(trigger)).map(({ event }) => event)).toEqual(happened);
    await vi.waitUntil(async () => (await readFacts(trigger)).state === 'connected', WITHIN);
  });
});

describeOnPostgres('a connection that does not end when it should', () => {
  let world: TriggerWorld;
  const connected: string[] = [];
  let letGo: () => void = () => undefined;
  const receiver = receive(
    defineNode({
      family: 'trigger',
      summary: 'A test trigger.',
      icon: 'circle',
      type: 'testStubborn',
      title: 'Stubborn',
      params: z.object({ name: z.string() }),
    }),
    {
      kind: 'connection',
      source: null,
      causes_kept_days: 1,
      retry_ms: () => null,
      connect: ({ params, signal }) => {
        connected.push(params.name);
        return new Promise<void>((resolve) => {
          if (params.name === 'stubborn') letGo = resolve;
          else signal.addEventListener('abort', () => resolve(), { once: true });
        });
      },
    },
  );
  beforeAll(async () => {
    world = await createTriggerWorld({ receivers: [receiver], processes: 1 });
  }, 60_000);
  afterAll(() => world.close());

  test('delays only its own trigger, and the end of its process only for a moment', async () => {
    const { arm, change, hosts } = world;
    const stubborn = await arm('testStubborn', { name: 'stubborn' });
    await arm('testStubborn', { name: 'willing' });
    await hosts[0]?.tick();
    await vi.waitUntil(() => connected.length === 2, WITHIN);
    await change(stubborn, { name: 'changed' });
    await arm('testStubborn', { name: 'new' });
    await hosts[0]?.tick();
    await vi.waitUntil(() => connected.length === 3, WITHIN);
    expect(connected.toSorted()).toEqual(['new', 'stubborn', 'willing']);
    await hosts[0]?.stop();
    letGo();
  });
});

describeOnPostgres('a connection that breaks', () => {
  const { receiver, source } = createTestQueue();
  let world: TriggerWorld;
  beforeAll(async () => {
    world = await createTriggerWorld({ receivers: [receiver], processes: 1 });
  }, 60_000);
  afterAll(() => world.close());

  test('is shown with its reason and connects again by itself', async () => {
    const { arm, hosts, readFacts } = world;
    source.failing = 'The server refused the connection';
    const trigger = await arm('testQueue', {});
    await hosts[0]?.tick();
    await vi.waitUntil(async () => (await readFacts(trigger)).last_error === source.failing, WITHIN);
    source.failing = undefined;
    await vi.waitUntil(async () => (await readFacts(trigger)).state === 'connected', WITHIN);
  });
});

describeOnPostgres('the cron node as a clock', () => {
  const MINUTE_MS = 60_000;
  let world: TriggerWorld;
  beforeAll(async () => {
    world = await createTriggerWorld({ receivers: [...receivers.values()], processes: 3 });
  }, 60_000);
  afterAll(() => world.close());

  hostedConformance({
    world: () => world,
    type: 'cron',
    settings: { cronExpression: '* * * * *' },
    unreadable: { settings: { cronExpression: '61 * * * *' }, field: 'cronExpression' },
    happen() {
      world.passTime(MINUTE_MS);
      return [new Date(Math.floor(world.now() / MINUTE_MS) * MINUTE_MS).toISOString()];
    },
    namesIn: ({ triggered_at }) => [String(triggered_at)],
  });
});
