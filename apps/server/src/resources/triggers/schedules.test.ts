import type { ScheduleEvent, Trigger } from '@millrace/contracts';
import { DAY_MS } from '@millrace/engine/units';
import { receivers } from '@millrace/nodes/runtime';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createTestApp, type TestApp, type TestUser } from '../../testing/index.ts';
import { createTriggerHost, type TriggerHost } from '../../triggers/host/host.ts';
import { joinHosts } from '../../triggers/host/shares.ts';

const PATIENCE = { timeout: 20_000, interval: 50 };
const iso = (at_ms: number) => new Date(at_ms).toISOString();

let app: TestApp;
let owner: TestUser;
let friend: TestUser;
let host: TriggerHost;
let day: string;
beforeAll(async () => {
  app = await createTestApp({ env: { ACCESS_TOKEN_MINUTES: '10080' } });
  [owner, friend] = [await app.user('Owner'), await app.user('Friend')];
  host = createTriggerHost({ services: app.services, receivers });
  await joinHosts(app.services.database.sql, app.services.execution.ownership.worker_id);
  // Tomorrow morning: a time that the test knows, while the session lasts.
  day = iso(app.clock.now + DAY_MS).slice(0, 10);
  app.clock.now = Date.parse(`${day}T10:20:30Z`);
});
afterAll(() => app.close());

const node = (id: string, type: string, data: object = {}) => ({
  id,
  type,
  position: { x: 0, y: 0 },
  data: { label: id, ...data },
});

async function create(name: string, nodes: readonly object[]): Promise<string> {
  const made = await owner.call('POST', '/api/workflows', { name, nodes, edges: [] });
  expect(made.statusCode, made.body).toBe(201);
  return made.json<{ id: string }>().id;
}

interface Listed {
  readonly events: readonly ScheduleEvent[];
  readonly total: number;
  readonly shortened: readonly { node_id: string }[];
}
const period = (start_ms: number, end_ms: number) => `start=${iso(start_ms)}&end=${iso(end_ms)}`;
const listSchedules = async (user: TestUser, query: string, workflow_id?: string): Promise<Listed> => {
  const list = (await user.call('GET', `/api/schedules?${query}`)).json<Listed>();
  const events = list.events.filter(
    (event) => workflow_id === undefined || event.workflow_id === workflow_id,
  );
  return { ...list, events };
};
const fetchTrigger = async (workflow_id: string, node_id = 'clock') =>
  (await owner.call('GET', `/api/triggers?workflow_id=${workflow_id}`))
    .json<Trigger[]>()
    .find((trigger) => trigger.node_id === node_id);

describe('GET /api/schedules', () => {
  test('past due times have their run, later ones are planned', async () => {
    const id = await create('Hourly', [node('clock', 'cron', { cronExpression: '0 * * * *' })]);
    await host.tick();
    app.clock.now += 40 * 60_000;
    await host.tick();
    const from = Date.parse(`${day}T09:30:00Z`);
    const events = await vi.waitUntil(async () => {
      const list = await listSchedules(owner, period(from, from + 4 * 3_600_000), id);
      return list.events[0]?.status === 'success' ? list.events : undefined;
    }, PATIENCE);
    expect(events).toMatchObject([
      {
        workflow_name: 'Hourly',
        node_id: 'clock',
        scheduled_at: `${day}T11:00:00.000Z`,
        is_planned: false,
      },
      { scheduled_at: `${day}T12:00:00.000Z`, is_planned: true, run_id: null, status: null },
      { scheduled_at: `${day}T13:00:00.000Z`, is_planned: true },
    ]);
    const run = await owner.call('GET', `/api/workflows/${id}/history/${events[0]?.run_id}`);
    expect(run.json()).toMatchObject({ trigger_source: 'cron' });
  });

  test('only those who see the workflow see its times; shared ones can be left out', async () => {
    const id = await create('Shared', [node('clock', 'cron', { cronExpression: '0 6 * * *' })]);
    const week = period(app.clock.now, app.clock.now + 7 * DAY_MS);
    expect((await listSchedules(friend, week)).events).toEqual([]);
    await owner.call('POST', `/api/workflows/${id}/shares`, { email: friend.email });
    expect((await listSchedules(friend, week)).events).toHaveLength(7);
    expect((await listSchedules(friend, `${week}&include_shared=false`)).events).toEqual([]);
    expect((await listSchedules(owner, `${week}&include_shared=false`, id)).events).toHaveLength(7);
  });

  test('nothing is planned of what is off, paused, over, waits for deletion or cannot be read', async () => {
    const off = await create('Off', [node('clock', 'cron', { active: false })]);
    const paused = await create('Paused', [node('clock', 'cron')]);
    await owner.call('PUT', `/api/workflows/${paused}/triggers/clock/pause`);
    const over = await create('Over', [node('clock', 'cron', { endsAt: '2026-01-01' })]);
    const leaving = await create('Leaving', [node('clock', 'cron')]);
    await owner.call('PUT', `/workflows/${leaving}/schedule-deletion`);
    const broken = await create('Broken', [node('clock', 'cron')]);
    // As an earlier release published it.
    await app.services.database.sql.query({
      text: `UPDATE triggers SET settings = (settings::jsonb || '{"cronExpression":"61 * * * *"}')::text WHERE workflow_id = $1`,
      values: [broken],
    });
    const week = period(app.clock.now, app.clock.now + 7 * DAY_MS);
    for (const id of [off, paused, over, leaving, broken])
      expect((await listSchedules(owner, week, id)).events).toEqual([]);
  });

  test('a schedule that fires often is shortened and named', async () => {
    const id = await create('Busy', [node('busy', 'cron', { cronExpression: '* * * * *' })]);
    const list = await listSchedules(owner, period(app.clock.now, app.clock.now + 2 * DAY_MS), id);
    expect(list.events).toHaveLength(1_000);
    expect(list.shortened).toMatchObject([{ workflow_id: id, workflow_name: 'Busy', node_id: 'busy' }]);
    await owner.call('DELETE', `/api/workflows/${id}`);
  });

  test.each([
    ['start=2027-01-10T00:00:00Z&end=2027-01-10T00:00:00Z', 'end'],
    ['start=2027-01-10T00:00:00Z&end=2027-04-10T00:00:00Z', 'end'],
    ['start=monday&end=2027-04-10T00:00:00Z', 'start'],
    ['end=2027-04-10T00:00:00Z', 'start'],
  ])('%s is refused with the field', async (query, name) => {
    const answer = await owner.call('GET', `/api/schedules?${query}`);
    expect(answer.statusCode).toBe(422);
    expect(answer.body).toContain(name);
  });
});

describe('a paused trigger', () => {
  test('fires nothing, also in later versions, until it is resumed; what passed is left out', async () => {
    const data = { cronExpression: '*/5 * * * *' };
    const id = await create('Pausing', [node('clock', 'cron', data)]);
    await host.tick();
    const url = `/api/workflows/${id}/triggers/clock/pause`;
    const paused = await owner.call('PUT', url);
    expect(paused.json()).toMatchObject({
      state: 'paused',
      paused_at: iso(app.clock.now),
      next_due_at: null,
    });
    app.clock.now += 60_000;
    expect((await owner.call('PUT', url)).json()).toMatchObject({ paused_at: iso(app.clock.now - 60_000) });
    await owner.call('PUT', `/api/workflows/${id}`, {
      nodes: [node('clock', 'cron', { ...data, timeZone: 'UTC' })],
    });
    app.clock.now += 8 * 60_000;
    await host.tick();
    const runs = async () =>
      (await owner.call('GET', `/api/workflows/${id}/history`)).json<{ total: number }>().total;
    expect(await runs()).toBe(0);
    const resumed = await owner.call('DELETE', url);
    expect(resumed.json()).toMatchObject({ state: 'new', paused_at: null });
    await host.tick();
    expect(await runs()).toBe(0);
    app.clock.now += 5 * 60_000;
    await host.tick();
    expect(await runs()).toBe(1);
    const audit = await owner.call('GET', '/api/audit');
    const actions = audit.json<{ items: { action: string; object_id: string }[] }>().items;
    expect(actions.filter(({ object_id }) => object_id === id).map(({ action }) => action)).toEqual(
      expect.arrayContaining(['workflow.trigger_resumed', 'workflow.trigger_paused']),
    );
  });

  test('resuming does not switch on what its node or its workflow switches off', async () => {
    const id = await create('Off in its node', [node('clock', 'cron', { active: false })]);
    await owner.call('PUT', `/api/workflows/${id}/triggers/clock/pause`);
    await owner.call('DELETE', `/api/workflows/${id}/triggers/clock/pause`);
    expect(await fetchTrigger(id)).toMatchObject({ state: 'paused', paused_at: null });
  });

  test('404 where there is no trigger, and for those who do not see the workflow', async () => {
    const id = await create('Hidden', [node('clock', 'cron'), node('out', 'output')]);
    for (const [user, node_id] of [
      [owner, 'out'],
      [owner, 'nothing'],
      [friend, 'clock'],
    ] as const)
      for (const method of ['PUT', 'DELETE'] as const)
        expect((await user.call(method, `/api/workflows/${id}/triggers/${node_id}/pause`)).statusCode).toBe(
          404,
        );
  });
});

describe('running a schedule now', () => {
  test('starts a run like a due time does, and leaves the next due time as it is', async () => {
    const id = await create('Now', [node('clock', 'cron', { cronExpression: '0 0 1 1 *' })]);
    await host.tick();
    const before = await fetchTrigger(id);
    const answers = [await run(id), await run(id)];
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([202, 202]);
    const ids = answers.map((answer) => answer.json<{ run_id: string }>().run_id);
    expect(new Set(ids).size).toBe(2);
    const entry = await vi.waitUntil(async () => {
      const { status, ...rest } = (await owner.call('GET', `/api/workflows/${id}/history/${ids[0]}`)).json<{
        status: string;
      }>();
      return status === 'success' ? rest : undefined;
    }, PATIENCE);
    expect(entry).toMatchObject({
      trigger_source: 'cron',
      inputs: { triggered_by: 'cron', triggered_at: iso(app.clock.now) },
    });
    expect((await fetchTrigger(id))?.next_due_at).toBe(before?.next_due_at);
  });
  const run = (id: string, node_id = 'clock', user = owner) =>
    user.call('POST', `/api/workflows/${id}/triggers/${node_id}/run`);

  test('409 while it is paused, 422 for other triggers, 404 for what is not there', async () => {
    const id = await create('Refused', [node('clock', 'cron'), node('hook', 'webhookTrigger')]);
    await owner.call('PUT', `/api/workflows/${id}/triggers/clock/pause`);
    const paused = await run(id);
    expect(paused.statusCode).toBe(409);
    expect(paused.body).toContain('resume it');
    expect((await run(id, 'hook')).statusCode).toBe(422);
    expect((await run(id, 'gone')).statusCode).toBe(404);
    expect((await run(id, 'clock', friend)).statusCode).toBe(404);
  });
});
