import type { JsonObject } from '@millrace/engine';
import { receivers } from '@millrace/nodes/runtime';
import {
  createTestApp,
  createTriggerHost,
  createWorkflow,
  executeUrl,
  graph,
  type TestApp,
  type TestUser,
  type TriggerHost,
} from '@millrace/server/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';

const MINUTE_MS = 60_000;
const WITHIN = { timeout: 15_000, interval: 25 };
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d.*(Z|[+-]\d\d:\d\d)$/;

let app: TestApp;
let owner: TestUser;
let host: TriggerHost;
beforeAll(async () => {
  app = await createTestApp({ env: { ACCESS_TOKEN_MINUTES: '10080', TIMEZONE: 'Europe/Berlin' } });
  owner = await app.user();
  host = createTriggerHost({ services: app.services, receivers });
  await host.start();
});
afterAll(async () => {
  await host.stop();
  await app.close();
});

const made: string[] = [];
afterEach(async () => {
  for (const id of made.splice(0)) await owner.call('DELETE', `/api/workflows/${id}`);
  app.clock.now = Date.now();
});

interface Detail {
  readonly status: string;
  readonly trigger_source: string | null;
  readonly inputs: JsonObject;
  readonly outputs: JsonObject;
}
async function create(...[content, settings]: [Parameters<typeof createWorkflow>[1], JsonObject?]) {
  const id = await createWorkflow(owner, content, settings);
  made.push(id);
  return id;
}
const fetchEntries = async (id: string) =>
  (await owner.call('GET', `/api/workflows/${id}/history`)).json<{
    items: { id: string; status: string }[];
  }>().items;
/** The runs of a workflow, oldest first, once there are so many and all have ended. */
async function awaitRuns(id: string, runs: number): Promise<Detail[]> {
  const items = await vi.waitUntil(async () => {
    const found = await fetchEntries(id);
    return found.length === runs && found.every(({ status }) => status !== 'running') ? found : undefined;
  }, WITHIN);
  const details = items.map((entry) => owner.call('GET', `/api/workflows/${id}/history/${entry.id}`));
  return (await Promise.all(details)).map((answer) => answer.json<Detail>()).toReversed();
}

/** More than once, because a look that has begun by itself makes the next one wait. */
async function look(): Promise<void> {
  for (let looks = 0; looks < 3; looks++) {
    await host.tick();
    await host.settled();
  }
}

/** Moves the clock to the start of a later minute and lets the scheduler look. */
async function lookAt(minute_ms: number): Promise<string> {
  app.clock.now = Math.ceil((app.clock.now + 1) / minute_ms) * minute_ms;
  await look();
  return new Date(app.clock.now).toISOString();
}

const told = (type: string, data: JsonObject, message: string) =>
  graph(
    [
      ['in', type, data],
      ['out', 'output', { message }],
    ],
    ['in>out'],
  );

describe('§6.2 HTTP', () => {
  it('§6.2: a run receives body, headers and query', async () => {
    const id = await create(told('textInput', {}, '$in.body.a $in.headers["x-note"] $in.query.page'));
    await app.call('POST', executeUrl(id, '?page=2'), { a: 1 }, { 'x-note': 'n' });
    expect(await awaitRuns(id, 1)).toMatchObject([
      {
        trigger_source: 'API',
        inputs: { body: { a: 1 }, headers: { 'x-note': 'n' }, query: { page: '2' } },
        outputs: { out: { result: '1 n 2' } },
      },
    ]);
  });
});

describe('§6.2 cron', () => {
  it('§6.2: expressions that do not match start nothing, and hours are those of the configured timezone', async () => {
    const HOUR_MS = 3_600_000;
    app.clock.now = Date.parse('2026-07-01T06:30:00Z');
    const nine = await create(told('cron', { cronExpression: '0 9 * * *' }, 'nine in Berlin'));
    const ten = await create(told('cron', { cronExpression: '0 10 * * *' }, 'ten in Berlin'));
    await lookAt(HOUR_MS);
    expect(new Date(app.clock.now).toISOString()).toBe('2026-07-01T07:00:00.000Z');
    await awaitRuns(nine, 1);
    expect(await fetchEntries(ten)).toEqual([]);
  });
});

describe('§6.2 platform events', () => {
  it('§6.2 §6.3: a run receives the events of a pass, oldest first, with their count', async () => {
    const id = await create(
      told('platformEventTrigger', { eventNames: ['workflow.created'] }, '$in.count events'),
    );
    // The creation of this workflow is over for longer than events are dispatched.
    app.clock.now += 6 * MINUTE_MS;
    // Otherwise the look that is due now may come between the two events, and each would have a run.
    await look();
    const others = [await create(graph([], [])), await create(graph([], []))];
    app.clock.now += 5_000;
    // A look that has begun by itself before the events makes this one wait for the next.
    await vi.waitUntil(async () => {
      await host.tick();
      await host.settled();
      return (await fetchEntries(id)).length > 0;
    }, WITHIN);
    const [run, ...more] = await awaitRuns(id, 1);
    expect(more).toEqual([]);
    expect(run).toMatchObject({
      trigger_source: 'heym_event',
      inputs: {
        count: 2,
        triggered_by: 'heym_event',
        trigger_node_id: 'in',
        triggered_at: expect.stringMatching(ISO),
      },
      outputs: { out: { result: '2 events' } },
    });
    const events = run?.inputs['events'] as { name: string; workflow_id: string }[];
    expect(events.map(({ workflow_id }) => workflow_id)).toEqual(others);
  });
});
