import type { Trigger } from '@millrace/contracts';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openPostgres } from '../adapters/postgres/open.ts';
import { describeOnPostgres, openPostgresForTest, silent } from '../execution/journal/testing/databases.ts';
import { createTestApp, type TestApp, type TestUser } from '../testing/test-app.ts';
import { createTestPoll, createTestQueue } from './testing/test-triggers.ts';
import { createTriggerWorld, type TriggerWorld } from './testing/world.ts';

const WITHIN = { timeout: 15_000, interval: 25 };
/** More than the language allows for one value. */
const ENDLESS = '$[x + y for x in input.body.list for y in input.body.list]';

describeOnPostgres('webhooks that deduplicate by an expression', () => {
  let apps: [TestApp, TestApp];
  let user: TestUser;
  let close: () => Promise<void>;
  let count = 0;
  beforeAll(async () => {
    const { url, database } = await openPostgresForTest();
    const start = () => createTestApp({ database: openPostgres({ url, log: silent }) });
    apps = [await start(), await start()];
    user = await apps[0].user();
    close = () => database.close();
  }, 60_000);
  afterAll(async () => {
    for (const app of apps) await app.close();
    await close();
  });

  async function arm(deduplicateBy: string) {
    const hook = `keyed-${(count += 1)}`;
    const data = { label: 'hook', eventIdHeader: 'x-id', deduplicateBy, deduplicateMinutes: 10 };
    const nodes = [{ id: hook, type: 'webhookTrigger', position: { x: 0, y: 0 }, data }];
    const made = await user.call('POST', '/api/workflows', { name: hook, nodes, edges: [] });
    expect(made.statusCode, made.body).toBe(201);
    const { id } = made.json<{ id: string }>();
    const rows = async <Row>(text: string): Promise<Row[]> =>
      (await apps[0].services.database.sql.query<Row>({ text, values: [id] })).rows;
    return {
      send: (event_id: string, payload: object, at = 0) =>
        (apps[at % 2] as TestApp).app.inject({
          method: 'POST',
          url: `/api/webhooks/${hook}`,
          headers: { 'x-id': event_id },
          payload,
        }),
      runs: async () =>
        (await rows<{ id: string }>('SELECT id FROM runs WHERE workflow_id = $1 ORDER BY id')).map(
          (run) => run.id,
        ),
      causes: () =>
        rows<{ cause: string; run_id: string; repeats: number }>(
          'SELECT cause, run_id, repeats FROM trigger_causes WHERE workflow_id = $1 ORDER BY cause',
        ),
      forget: () =>
        rows(
          "UPDATE trigger_causes SET expires_at = now() - interval '1 second' WHERE workflow_id = $1 AND cause LIKE 'key %'",
        ),
      state: async () => (await user.call('GET', `/api/triggers?workflow_id=${id}`)).json<Trigger[]>()[0],
    };
  }

  test('S2: different deliveries of one value, at once and on two processes, start one run, whose id each answer has', async () => {
    const hook = await arm('$input.body.order');
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => hook.send(`event-${at}`, { order: 7 }, at)),
    );
    const [run, ...others] = await hook.runs();
    expect(others).toEqual([]);
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ headers }) => headers['x-execution-id']))).toEqual(new Set([run]));
    expect(answers.filter(({ headers }) => headers['idempotent-replayed'] === 'true')).toHaveLength(19);
    // A recognised event leaves no cause of a run that does not exist.
    expect((await hook.causes()).map(({ run_id, repeats }) => ({ run_id, repeats }))).toEqual([
      { run_id: run, repeats: 0 },
      { run_id: run, repeats: 19 },
    ]);
  });

  test('S2: deliveries that share their id with some and their value with others are neither lost nor blocked', async () => {
    const hook = await arm('$input.body.order');
    const sent = Array.from({ length: 60 }, (_, at) => ({ id: `id-${at % 7}`, order: at % 11 }));
    const answers = await Promise.all(sent.map(({ id, order }, at) => hook.send(id, { order }, at)));
    const runs = new Set(await hook.runs());
    for (const { headers } of answers) expect(runs).toContain(headers['x-execution-id']);
    for (const { run_id } of await hook.causes()) expect(runs).toContain(run_id);
  });

  test('a value is new again after the window, while the id of an event stays known', async () => {
    const hook = await arm('$input.body.order');
    await hook.send('first', { order: 1 });
    await hook.send('second', { order: 1 });
    expect(await hook.runs()).toHaveLength(1);
    await hook.forget();
    expect((await hook.send('first', { order: 1 })).headers['idempotent-replayed']).toBe('true');
    expect((await hook.send('third', { order: 1 })).headers['idempotent-replayed']).toBeUndefined();
    expect((await hook.send('fourth', { order: 1 })).headers['idempotent-replayed']).toBe('true');
    expect(await hook.runs()).toHaveLength(2);
  });

  test('events without a value always start a run, and no value is stored', async () => {
    const hook = await arm('$input.body.order');
    for (const at of [1, 2, 3]) await hook.send(`none-${at}`, { other: at });
    await hook.send('secret', { order: 'sk-very-secret' });
    expect(await hook.runs()).toHaveLength(4);
    expect(JSON.stringify(await hook.causes())).not.toContain('sk-very-secret');
  });

  test('an expression that fails costs no event its run; the trigger says so until one works', async () => {
    const hook = await arm(ENDLESS);
    const list = Array.from({ length: 2_000 }, (_, at) => at);
    for (const at of [1, 2]) expect((await hook.send(`long-${at}`, { list })).statusCode).toBe(200);
    expect(await hook.runs()).toHaveLength(2);
    expect(await hook.state()).toMatchObject({ state: 'failing', failures_in_a_row: 2 });
    expect((await hook.state())?.last_error).toMatch(
      /^Deduplicate by \(deduplicateBy\): This expression takes too much work\..* started a run\.$/,
    );
    await hook.send('short', { list: [1] });
    expect(await hook.state()).toMatchObject({ state: 'armed', failures_in_a_row: 0 });
  });

  test('a text that is no expression is refused by the trigger, which starts nothing with it', async () => {
    const hook = await arm('order');
    expect((await hook.send('a', { order: 1 })).statusCode).toBe(503);
    expect(await hook.runs()).toEqual([]);
  });
});

describeOnPostgres('hosted triggers that deduplicate by an expression', () => {
  const poll = createTestPoll();
  const queue = createTestQueue();
  let world: TriggerWorld;
  beforeAll(async () => {
    world = await createTriggerWorld({ receivers: [poll.receiver, queue.receiver], processes: 2 });
  }, 60_000);
  afterAll(() => world.close());

  describe.each([
    ['poll', 'testPoll', { seconds: 60 }, poll.source],
    ['connection', 'testQueue', {}, queue.source],
  ] as const)('%s', (_kind, type, settings, source) => {
    test('S2: what repeats a value is acknowledged and counted, and starts no run', async () => {
      const trigger = await world.arm(type, { ...settings, deduplicateBy: '$input.event.substring(0, 5)' });
      for (let more = 0; more < 4; more++) source.happen();
      await vi.waitUntil(async () => {
        for (const host of world.hosts) await host.tick();
        return source.acknowledged.size === source.names.length;
      }, WITHIN);
      expect(await world.loadInputs(trigger)).toEqual([{ event: 'event-0' }]);
      expect((await world.listCauses(trigger)).map(({ repeats }) => repeats)).toEqual([0, 3]);
    });
  });
});
