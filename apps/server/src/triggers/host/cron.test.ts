import { receivers } from '@millrace/nodes/runtime';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { createTestApp, type TestApp, type TestUser } from '../../testing/index.ts';
import { createTriggerHost, type TriggerHost } from './host.ts';
import { joinHosts } from './shares.ts';

let app: TestApp;
let owner: TestUser;
let host: TriggerHost;
beforeAll(async () => {
  app = await createTestApp({ env: { ACCESS_TOKEN_MINUTES: '10080' } });
  owner = await app.user();
  host = createTriggerHost({ services: app.services, receivers });
  await joinHosts(app.services.database.sql, app.services.execution.ownership.worker_id);
});
afterAll(() => app.close());

const made: string[] = [];
afterEach(async () => {
  for (const id of made.splice(0)) await owner.call('DELETE', `/api/workflows/${id}`);
});

const MINUTE_MS = 60_000;
/** Moves the clock to the start of a minute some minutes on, and looks. */
async function tickAt(minutes: number): Promise<string> {
  app.clock.now = Math.floor(app.clock.now / MINUTE_MS) * MINUTE_MS + minutes * MINUTE_MS;
  await host.tick();
  return new Date(app.clock.now).toISOString();
}

const node = (id: string, type: string, data: object = {}) => ({
  id,
  type,
  position: { x: 0, y: 0 },
  data: { label: id, ...data },
});
const GRAPH = {
  nodes: [
    node('every', 'cron', { cronExpression: '* * * * *' }),
    node('form', 'textInput'),
    node('out', 'output', { message: '$every.cron at $every.triggered_at' }),
    node('other', 'output', { message: 'not by the clock' }),
  ],
  edges: [
    { id: 'a', source: 'every', target: 'out' },
    { id: 'b', source: 'form', target: 'other' },
  ],
};

async function create(graph: object = GRAPH): Promise<string> {
  const answer = await owner.call('POST', '/api/workflows', { name: 'Nightly', ...graph });
  expect(answer.statusCode, answer.body).toBe(201);
  const { id } = answer.json<{ id: string }>();
  made.push(id);
  return id;
}

interface Entry {
  readonly id: string;
  readonly status: string;
  readonly trigger_source: string;
}
const fetchHistory = async (id: string) =>
  (await owner.call('GET', `/api/workflows/${id}/history`)).json<{ items: Entry[] }>().items;
const ended = (id: string, count: number) =>
  vi.waitUntil(
    async () => {
      const items = await fetchHistory(id);
      return items.length === count && items.every(({ status }) => status !== 'running') ? items : undefined;
    },
    { timeout: 20_000, interval: 50 },
  );
const loadInputs = async (id: string) =>
  (
    await app.services.database.sql.query<{ input: string }>({
      text: 'SELECT input FROM runs WHERE workflow_id = $1 ORDER BY id',
      values: [id],
    })
  ).rows.map(({ input }) => (JSON.parse(input) as { triggered_at: string }).triggered_at);
const loadTrigger = async (id: string) =>
  (
    await app.services.database.sql.query<{
      state: string;
      last_error: string | null;
      next_due_at: Date | null;
      epoch: number;
    }>({
      text: 'SELECT state, last_error, next_due_at, epoch::int FROM triggers WHERE workflow_id = $1',
      values: [id],
    })
  ).rows[0];

test('§6.2, §6.3: an active cron node starts a run with its input, from that node alone', async () => {
  const off = node('off', 'cron', { cronExpression: '* * * * *', active: false });
  const id = await create({ ...GRAPH, nodes: [...GRAPH.nodes, off] });
  const triggered_at = await tickAt(1);
  const [entry] = await ended(id, 1);
  expect(entry).toMatchObject({ status: 'success', trigger_source: 'cron' });
  const detail = (await owner.call('GET', `/api/workflows/${id}/history/${entry?.id}`)).json<{
    inputs: unknown;
    outputs: unknown;
  }>();
  expect(detail.inputs).toEqual({ triggered_by: 'cron', triggered_at });
  expect(detail.outputs).toEqual({ out: { result: `* * * * * at ${triggered_at}` } });
  expect(await fetchHistory(id)).toHaveLength(1);
  await tickAt(1);
  await ended(id, 2);
});

test('a due time that the limits of the workflow refuse is in the history, and the next one starts its run', async () => {
  const id = await create();
  await owner.call('PUT', `/api/workflows/${id}`, { concurrency_limit: 1, queue_limit: 0 });
  const { database, execution } = app.services;
  await database.sql.query({
    text: 'INSERT INTO run_places (id, workflow_id, worker_id) VALUES ($1, $1, $2)',
    values: [id, execution.ownership.worker_id],
  });
  await tickAt(1);
  const [refused] = await ended(id, 1);
  expect(refused).toMatchObject({ status: 'rate_limited', trigger_source: 'cron' });
  await host.tick();
  expect(await fetchHistory(id)).toHaveLength(1);
  await database.sql.query({ text: 'DELETE FROM run_places WHERE workflow_id = $1', values: [id] });
  await tickAt(1);
  const [next] = await ended(id, 2);
  expect(next).toMatchObject({ status: 'success', trigger_source: 'cron' });
});

test('§6.2: a due minute starts one run, however often it is looked at, and its cause says which', async () => {
  const id = await create();
  const triggered_at = await tickAt(1);
  for (let more = 0; more < 3; more++) await host.tick();
  const [entry] = await ended(id, 1);
  const { rows } = await app.services.database.sql.query({
    text: 'SELECT node_id, cause, run_id, repeats FROM trigger_causes WHERE workflow_id = $1',
    values: [id],
  });
  expect(rows).toEqual([{ node_id: 'every', cause: triggered_at, run_id: entry?.id, repeats: 0 }]);
});

test('§6.2: nodes that are off or fed by others, and workflows that wait for deletion, do not fire', async () => {
  const off = await create({
    nodes: [node('every', 'cron', { cronExpression: '* * * * *', active: false })],
  });
  const fed = await create({
    nodes: [node('form', 'textInput'), node('every', 'cron', { cronExpression: '* * * * *' })],
    edges: [{ id: 'a', source: 'form', target: 'every' }],
  });
  const leaving = await create();
  await owner.call('PUT', `/workflows/${leaving}/schedule-deletion`);
  await tickAt(1);
  for (const id of [off, fed, leaving]) expect(await loadInputs(id)).toEqual([]);
  await owner.call('DELETE', `/workflows/${leaving}/schedule-deletion`);
  await tickAt(1);
  // The minute that passed while it waited is caught up like any other that was slept through.
  await ended(leaving, 2);
});

test('a restart across the boundary of a minute loses no due time, and counts from the save', async () => {
  const id = await create();
  const later = [1, 2, 3].map((minutes) =>
    new Date(Math.floor(app.clock.now / MINUTE_MS) * MINUTE_MS + minutes * MINUTE_MS).toISOString(),
  );
  await tickAt(1);
  // A new process knows only what is stored.
  host = createTriggerHost({ services: app.services, receivers });
  await tickAt(2);
  expect(await loadInputs(id)).toEqual(later);
});

test('due times that are older than the grace time are left out', async () => {
  const id = await create();
  await tickAt(1);
  await tickAt(24 * 60);
  const fired = await loadInputs(id);
  expect(fired).toHaveLength(1 + 11);
  expect(fired.at(-1)).toBe(new Date(app.clock.now).toISOString());
});

test('switching the node on, off and to other times counts from the next save', async () => {
  const id = await create({ nodes: [node('every', 'cron')] });
  app.clock.now = Math.ceil(app.clock.now / 3_600_000) * 3_600_000 + 30 * MINUTE_MS;
  await host.tick();
  const before = (await loadInputs(id)).length;
  const save = (data: object) =>
    owner.call('PUT', `/api/workflows/${id}`, { nodes: [node('every', 'cron', data)] });
  await save({ cronExpression: '40 * * * *' });
  await tickAt(10);
  expect((await loadInputs(id)).slice(before)).toEqual([new Date(app.clock.now).toISOString()]);
  await save({ cronExpression: '45 * * * *', active: false });
  await tickAt(5);
  expect(await loadInputs(id)).toHaveLength(before + 1);
});

test('a save that leaves the schedule as it is keeps its next time', async () => {
  const id = await create({ nodes: [node('every', 'cron', { cronExpression: '*/5 * * * *' })] });
  await host.tick();
  const before = await loadTrigger(id);
  app.clock.now += 1_000;
  await owner.call('PUT', `/api/workflows/${id}`, {
    nodes: [{ ...node('every', 'cron', { cronExpression: '*/5 * * * *' }), position: { x: 9, y: 9 } }],
  });
  expect(await loadTrigger(id)).toEqual(before);
});

test.each([
  // The service was away for 25 minutes; due times come every 5.
  ['run_all', 30, ['-25', '-20', '-15', '-10', '-5', '0']],
  ['run_all', 12, ['-10', '-5', '0']],
  ['run_once', 30, ['0']],
  ['skip', 30, ['0']],
])('due times that were missed, with %s and a grace time of %i minutes', async (policy, grace, expected) => {
  const id = await create({
    nodes: [
      node('every', 'cron', {
        cronExpression: '*/5 * * * *',
        misfirePolicy: policy,
        misfireGraceMinutes: grace,
      }),
    ],
  });
  await host.tick();
  const five = 5 * MINUTE_MS;
  app.clock.now = Math.ceil((app.clock.now + 1) / five) * five + 5 * five;
  await host.tick();
  const minutesBefore = (at: string) => String((Date.parse(at) - app.clock.now) / MINUTE_MS);
  expect((await loadInputs(id)).map(minutesBefore)).toEqual(expected);
});

test.each([
  ['run_once', ['-4']],
  ['skip', []],
])('a due time that was missed by some minutes, with %s', async (policy, expected) => {
  const id = await create({
    nodes: [node('every', 'cron', { cronExpression: '*/5 * * * *', misfirePolicy: policy })],
  });
  await host.tick();
  const five = 5 * MINUTE_MS;
  app.clock.now = Math.ceil((app.clock.now + 1) / five) * five + 4 * MINUTE_MS;
  await host.tick();
  const minutesBefore = (at: string) => String((Date.parse(at) - app.clock.now) / MINUTE_MS);
  expect((await loadInputs(id)).map(minutesBefore)).toEqual(expected);
});

test.each([
  ['not a schedule', 'five fields'],
  ['', 'five fields'],
  ['* * * * * * *', 'five fields'],
  ['61 * * * *', 'has 61 as minute; enter 0 to 59'],
])('"%s" never fires and says so in plain words', async (cronExpression, words) => {
  const id = await create({ nodes: [node('every', 'cron')] });
  // As an earlier release published it.
  await app.services.database.sql.query({
    text: 'UPDATE triggers SET settings = (settings::jsonb || $2::jsonb)::text WHERE workflow_id = $1',
    values: [id, JSON.stringify({ cronExpression })],
  });
  await tickAt(1);
  expect(await loadTrigger(id)).toMatchObject({
    state: 'failing',
    last_error: expect.stringContaining(words),
    next_due_at: null,
  });
});

/** A host on which no schedule can start a run; `tries` counts. */
function brokenHost() {
  const { execution } = app.services;
  const { ownership } = execution;
  const tries = vi.fn(() => Promise.reject(new Error('secret detail')));
  const services = { ...app.services, execution: { ...execution, ownership: { ...ownership, fire: tries } } };
  return { broken: createTriggerHost({ services, receivers }), tries };
}

test('a failure concerns one schedule, is shown, and is made up for at the next look', async () => {
  const id = await create();
  const { broken } = brokenHost();
  app.clock.now += MINUTE_MS;
  await broken.tick();
  expect(await loadTrigger(id)).toMatchObject({ state: 'failing' });
  expect((await loadTrigger(id))?.last_error).not.toContain('secret');
  await host.tick();
  await ended(id, 1);
});

test('a schedule that fails again and again is tried less and less often, and loses nothing', async () => {
  const id = await create({ nodes: [node('every', 'cron', { cronExpression: '* * * * *' })] });
  const { broken, tries } = brokenHost();
  app.clock.now += MINUTE_MS;
  const lookFor = async (seconds: number) => {
    const before = tries.mock.calls.length;
    for (let second = 0; second < seconds; second++) {
      app.clock.now += 1_000;
      await broken.tick();
    }
    return tries.mock.calls.length - before;
  };
  // After 1, 3, 7, 15, 31 and 63 seconds.
  expect(await lookFor(64)).toBe(6);
  await host.tick();
  // The minute before the first look, and the one that passed meanwhile.
  expect(await loadInputs(id)).toHaveLength(2);
});
