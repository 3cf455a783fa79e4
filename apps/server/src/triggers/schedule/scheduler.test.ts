import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { createTestApp, type TestApp, type TestUser } from '../../testing/index.ts';
import { fireDue } from './scheduler.ts';

let app: TestApp;
let owner: TestUser;
beforeAll(async () => {
  app = await createTestApp();
  owner = await app.user();
});
afterAll(() => app.close());

const made: string[] = [];
afterEach(async () => {
  for (const id of made.splice(0)) await owner.call('DELETE', `/api/workflows/${id}`);
});

/** A minute that nothing else of this file uses; not far from now, for late ones count differently. */
let minutes = 0;
const nextMinute = () => Math.ceil(Date.now() / 60_000) * 60_000 + minutes++ * 60_000;

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
const historyOf = async (id: string) =>
  (await owner.call('GET', `/api/workflows/${id}/history`)).json<{ items: Entry[] }>().items;
const ended = (id: string, count: number) =>
  vi.waitUntil(
    async () => {
      const items = await historyOf(id);
      return items.length === count && items.every(({ status }) => status !== 'running') ? items : undefined;
    },
    { timeout: 20_000, interval: 50 },
  );

test('§6.2: an active cron node starts a run with its input, from that node alone', async () => {
  const id = await create();
  const minute = nextMinute();
  await fireDue(app.services, minute);
  const [entry] = await ended(id, 1);
  expect(entry).toMatchObject({ status: 'success', trigger_source: 'cron' });
  const detail = (await owner.call('GET', `/api/workflows/${id}/history/${entry?.id}`)).json<{
    inputs: unknown;
    outputs: unknown;
  }>();
  const triggered_at = new Date(minute).toISOString();
  expect(detail.inputs).toEqual({ triggered_by: 'cron', triggered_at });
  expect(detail.outputs).toEqual({ out: { result: `* * * * * at ${triggered_at}` } });
});

test('§6.2: however many processes look at a minute, each schedule starts one run', async () => {
  const id = await create();
  const minute = nextMinute();
  const started = await Promise.all(Array.from({ length: 5 }, () => fireDue(app.services, minute)));
  expect(started.reduce((sum, count) => sum + count, 0)).toBe(1);
  expect(await fireDue(app.services, minute)).toBe(0);
  await ended(id, 1);
});

test('§6.2: nodes that are off or fed by others, and workflows that wait for deletion, do not fire', async () => {
  await create({
    nodes: [node('every', 'cron', { cronExpression: '* * * * *', active: false })],
  });
  await create({
    nodes: [node('form', 'textInput'), node('every', 'cron', { cronExpression: '* * * * *' })],
    edges: [{ id: 'a', source: 'form', target: 'every' }],
  });
  const leaving = await create();
  await owner.call('PUT', `/workflows/${leaving}/schedule-deletion`);
  expect(await fireDue(app.services, nextMinute())).toBe(0);
  await owner.call('DELETE', `/workflows/${leaving}/schedule-deletion`);
  expect(await fireDue(app.services, nextMinute())).toBe(1);
  await ended(leaving, 1);
});

test('a minute that was slept through is caught up, but not for what was saved after it', async () => {
  await create();
  const past = Math.floor(Date.now() / 60_000) * 60_000 - 3 * 60_000;
  expect(await fireDue(app.services, past)).toBe(0);
  const later = { ...app.services, now: () => Date.now() + 10 * 60_000 };
  expect(await fireDue(later, Math.ceil(Date.now() / 60_000) * 60_000 + 5 * 60_000)).toBe(1);
});

test('switching the node on, off and to other times counts from the next save', async () => {
  const id = await create({ nodes: [node('every', 'cron')] });
  const at = new Date(nextMinute());
  at.setUTCMinutes(0);
  at.setUTCHours(at.getUTCHours() + 2);
  expect(await fireDue(app.services, at.getTime())).toBe(1);
  expect(await fireDue(app.services, at.getTime() + 60_000)).toBe(0);
  const save = (data: object) =>
    owner.call('PUT', `/api/workflows/${id}`, { nodes: [node('every', 'cron', data)] });
  await save({ cronExpression: '1 * * * *' });
  expect(await fireDue(app.services, at.getTime() + 60_000)).toBe(1);
  await save({ cronExpression: '2 * * * *', active: false });
  expect(await fireDue(app.services, at.getTime() + 120_000)).toBe(0);
});

test('a minute in which the database was lost is asked for again, any other failure concerns one schedule', async () => {
  const id = await create();
  const minute = nextMinute() + 60 * 60_000;
  const { execution } = app.services;
  const failing = (failure: Error) => {
    const ownership = { ...execution.environment.ownership, enqueue: () => Promise.reject(failure) };
    const environment = { ...execution.environment, ownership };
    return { ...app.services, execution: { ...execution, environment } };
  };
  const lost = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  await expect(fireDue(failing(lost), minute)).rejects.toThrow('ECONNREFUSED');
  expect(await fireDue(failing(new Error('broken')), minute)).toBe(0);
  expect(await fireDue(app.services, minute)).toBe(1);
  await ended(id, 1);
});
