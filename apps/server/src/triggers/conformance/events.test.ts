import type { JsonObject } from '@millrace/engine';
import { DAY_MS } from '@millrace/engine/units';
import type { PlatformEvent } from '@millrace/nodes/runtime';
import { receivers } from '@millrace/nodes/runtime';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { newId } from '../../core/ids.ts';
import { publishEvent, workflowEvent } from '../../database/platform-events.ts';
import { describeOnPostgres } from '../../execution/journal/testing/databases.ts';
import { createWorkflowRules } from '../../resources/workflow-rules.ts';
import { MOST_EVENTS } from '../host/pending-events.ts';
import { announceStart, purgePlatformEvents } from '../platform-events.ts';
import { createTriggerWorld, type TriggerWorld } from '../testing/world.ts';
import { hostedConformance } from './hosted.conformance.ts';

// Two processes look several times in a test, which takes long on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const POLL_MS = 5_000;
const WINDOW_MS = 300_000;

interface Input {
  readonly events: readonly PlatformEvent[];
  readonly count: number;
}
const namesIn = (input: JsonObject) =>
  (input as unknown as Input).events.map(({ payload }) => String(payload['name']));

let world: TriggerWorld;
let serial = 0;

/** A workflow of that person was deleted; resolves to its name. */
async function happen(owner_id?: string): Promise<string> {
  const [id, name] = [newId(), `w-${String(serial++).padStart(6, '0')}`];
  const at = new Date(world.now());
  const subject = { id, name, owner_id: owner_id ?? world.user.id };
  await publishEvent(world.app.services.database.db, workflowEvent('workflow.deleted', subject, { at }));
  return name;
}

async function look(): Promise<void> {
  world.passTime(POLL_MS);
  for (const host of world.hosts) {
    await host.tick();
    await host.settled();
  }
}

const SETTINGS = { eventNames: ['workflow.deleted'] };
const open = async (processes: number) => {
  world = await createTriggerWorld({ receivers: [...receivers.values()], processes });
};

describeOnPostgres('platform events', () => {
  beforeAll(() => open(3), 60_000);
  afterAll(() => world.close());

  hostedConformance({
    world: () => world,
    type: 'platformEventTrigger',
    settings: SETTINGS,
    unreadable: { settings: { eventNames: ['workflow.painted'] }, field: 'eventNames' },
    async happen() {
      world.passTime(POLL_MS);
      return [await happen()];
    },
    namesIn,
  });
});

describeOnPostgres('§6.2 platform events', () => {
  beforeAll(() => open(2), 60_000);
  afterAll(() => world.close());

  test('all events of one pass arrive in one run, oldest first, with what names the trigger', async () => {
    const trigger = await world.arm('platformEventTrigger', SETTINGS);
    await look();
    const names: string[] = [];
    for (let more = 0; more < 5; more++) {
      world.passTime(10);
      names.push(await happen());
    }
    await look();
    const inputs = await world.loadInputs(trigger);
    expect(inputs).toHaveLength(1);
    const [input = {}] = inputs;
    expect(namesIn(input)).toEqual(names);
    expect(input).toMatchObject({
      count: 5,
      triggered_by: 'heym_event',
      trigger_node_id: 'start',
      triggered_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    });
    await look();
    expect(await world.loadInputs(trigger)).toHaveLength(1);
  });

  test('the log is looked at every five seconds', async () => {
    const trigger = await world.arm('platformEventTrigger', SETTINGS);
    await look();
    await happen();
    world.passTime(POLL_MS - 1);
    for (const host of world.hosts) await host.tick();
    for (const host of world.hosts) await host.settled();
    expect(await world.loadInputs(trigger)).toEqual([]);
    world.passTime(1);
    for (const host of world.hosts) await host.tick();
    for (const host of world.hosts) await host.settled();
    expect(await world.loadInputs(trigger)).toHaveLength(1);
  });

  test('each subscribing trigger gets an event, an event of another name or owner none', async () => {
    const all = await world.arm('platformEventTrigger', { eventNames: [] });
    const deleted = await world.arm('platformEventTrigger', SETTINGS);
    const starts = await world.arm('platformEventTrigger', { eventNames: ['heym.started'] });
    await look();
    const other = await world.app.user('Other');
    await happen(other.id);
    const own = await happen();
    await announceStart(world.app.services, '1.2.3');
    await announceStart(world.app.services, '1.2.3');
    await look();
    expect((await world.loadInputs(deleted)).flatMap(namesIn)).toEqual([own]);
    const told = (await world.loadInputs(all)).flatMap((input) => (input as unknown as Input).events);
    expect(told.filter(({ name }) => name !== 'workflow.created').map(({ name }) => name)).toEqual([
      'workflow.deleted',
      'instance.started',
    ]);
    const [start] = await world.loadInputs(starts);
    expect(start).toMatchObject({ count: 1, events: [{ payload: { version: '1.2.3' }, workflow_id: null }] });
  });

  test('only what was published in the last five minutes is dispatched', async () => {
    const trigger = await world.arm('platformEventTrigger', SETTINGS);
    await look();
    const { sql } = world.app.services.database;
    const move = (owner: string) =>
      sql.query({ text: 'UPDATE triggers SET owner = $2 WHERE id = $1', values: [trigger.id, owner] });
    const { owner } = await world.readFacts(trigger);
    await happen();
    // As if no process hosted it for that time.
    await move(newId());
    world.passTime(WINDOW_MS + 1);
    const late = await happen();
    await move(owner ?? '');
    await look();
    expect((await world.loadInputs(trigger)).flatMap(namesIn)).toEqual([late]);
  });

  test('more events than one run takes arrive in runs that follow at once', async () => {
    const trigger = await world.arm('platformEventTrigger', SETTINGS);
    await look();
    const at = new Date(world.now());
    await world.app.services.database.sql.query({
      text: `INSERT INTO platform_events (name, owner_id, payload, dedupe_key, created_at)
        SELECT 'workflow.deleted', $1, '{"name":"many"}', 'many:' || n, $2 FROM generate_series(1, $3::int) n`,
      values: [world.user.id, at, MOST_EVENTS + 5],
    });
    await look();
    const told = new Map<string, number>();
    for (const { run_id } of await world.listCauses(trigger)) told.set(run_id, (told.get(run_id) ?? 0) + 1);
    expect([...told].toSorted(([a], [b]) => a.localeCompare(b)).map(([, count]) => count)).toEqual([
      MOST_EVENTS,
      5,
    ]);
  });

  test('own events reach the triggers of their owner that name them, and all that name none', async () => {
    const named = await world.arm('platformEventTrigger', {
      eventNames: [],
      ownEventNames: 'custom.order.paid, custom.order.sent',
    });
    const all = await world.arm('platformEventTrigger', { eventNames: [] });
    const another = await world.arm('platformEventTrigger', SETTINGS);
    await look();
    world.passTime(10);
    const publish = (name: string, user = world.user) =>
      user.call('POST', '/api/platform-events', { name, payload: { name } });
    await publish('custom.order.paid');
    await publish('custom.order.lost');
    await publish('custom.order.paid', await world.app.user('Stranger'));
    const { publishEvent } = createWorkflowRules(world.app.services);
    const own = { payload: { name: 'own' }, owner_id: world.user.id, workflow_id: named.workflow_id };
    await publishEvent({ ...own, name: 'custom.order.sent', key: newId() });
    await look();
    expect((await world.loadInputs(named)).flatMap(namesIn)).toEqual(['custom.order.paid']);
    const told = (await world.loadInputs(all)).flatMap(namesIn).filter((name) => !name.startsWith('Armed'));
    expect(told).toEqual(['custom.order.paid', 'custom.order.lost', 'own']);
    expect(await world.loadInputs(another)).toEqual([]);
  });

  test('a trigger that starts to fail is reported once, and again after it has worked', async () => {
    const watch = await world.arm('platformEventTrigger', { eventNames: ['trigger.failing'] });
    await look();
    const broken = await world.arm('platformEventTrigger', { eventNames: ['workflow.painted'] });
    const { sql } = world.app.services.database;
    const again = () =>
      sql.query({ text: 'UPDATE triggers SET epoch = epoch + 1 WHERE id = $1', values: [broken.id] });
    await look();
    await again();
    await look();
    await look();
    expect((await world.readFacts(broken)).failures).toBe(2);
    const events = async () =>
      (await world.loadInputs(watch)).flatMap((input) => (input as unknown as Input).events);
    expect(await events()).toMatchObject([
      {
        name: 'trigger.failing',
        workflow_id: broken.workflow_id,
        payload: {
          workflow_id: broken.workflow_id,
          node_id: 'start',
          type: 'platformEventTrigger',
          owner_id: world.user.id,
          error: expect.stringContaining('eventNames'),
        },
      },
    ]);
    await sql.query({ text: 'UPDATE triggers SET failures = 0 WHERE id = $1', values: [broken.id] });
    await again();
    await look();
    expect(await events()).toHaveLength(1);
    world.passTime(3_600_000);
    await sql.query({ text: 'UPDATE triggers SET failures = 0 WHERE id = $1', values: [broken.id] });
    await again();
    await look();
    await look();
    expect(await events()).toHaveLength(2);
  });

  test('events are kept for seven days', async () => {
    const { sql } = world.app.services.database;
    const count = async () =>
      (await sql.query<{ n: number }>({ text: 'SELECT count(*)::int AS n FROM platform_events' })).rows[0]?.n;
    await sql.query({ text: 'DELETE FROM platform_events' });
    await happen();
    expect(await purgePlatformEvents(sql, world.now() + 7 * DAY_MS)).toBe(0);
    expect(await count()).toBe(1);
    expect(await purgePlatformEvents(sql, world.now() + 7 * DAY_MS + 1)).toBe(1);
    expect(await count()).toBe(0);
  });
});
