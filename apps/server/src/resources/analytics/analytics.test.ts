import type { RunMetrics, RunStats, WorkflowStats } from '@millrace/contracts';
import { HOUR_MS } from '@millrace/engine/units';
import { describe, expect, test } from 'vitest';
import { newId } from '../../core/ids.ts';
import { type TestUser, useOwnTestApp } from '../../testing/test-app.ts';
import { createWorkflow, executeUrl, graph, PICKY, until } from '../executions/testing/workflows.ts';
import { keepSnapshots } from './upkeep.ts';

const app = await useOwnTestApp();
const admin = await app.user('Admin');
const stranger = await app.user();

const run = (workflow_id: string, text: string) => app.call('POST', executeUrl(workflow_id), { text });
const get = async <T>(user: TestUser, path: string): Promise<T> => {
  const answer = await user.call('GET', `/api/analytics/${path}`);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json<T>();
};
const status = async (user: TestUser, path: string) =>
  (await user.call('GET', `/api/analytics/${path}`)).statusCode;

const hourAgo = (hours: number) => new Date(app.clock.now - hours * HOUR_MS).toISOString();

/** Counts of runs that are long over, as a fold has left them. */
async function past(workflow_id: string, hours: number, total: number): Promise<void> {
  await app.services.database.sql.query({
    text: `INSERT INTO run_ends (workflow_id, bucket_start, latency_bucket, total, success, error, total_latency_ms, max_latency_ms)
      VALUES ($1, date_trunc('hour', $2::timestamptz, 'UTC'), 10, $3, $3, 0, 10 * $3::int, 10)`,
    values: [workflow_id, hourAgo(hours), total],
  });
}

describe('stats', () => {
  test('count the runs of a workflow by their end, at once and after they were folded', async () => {
    const owner = await app.user();
    const id = await createWorkflow(owner, PICKY);
    for (const text of ['fine', 'bad', 'fine', 'fine']) await run(id, text);
    const expected = {
      total_executions: 4,
      success_count: 3,
      error_count: 1,
      success_rate: 75,
      error_rate: 25,
      total_24h: 4,
      success_24h: 3,
      error_24h: 1,
    };
    expect(await get(owner, `stats/${id}`)).toMatchObject(expected);
    await keepSnapshots(app.services);
    expect(await get(owner, `stats/${id}`)).toMatchObject(expected);
    expect(await get(owner, `stats?workflow_id=${id}`)).toMatchObject(expected);
    expect(await get(owner, 'stats')).toMatchObject(expected);
  });

  test('say nothing about latencies where there is none', async () => {
    const owner = await app.user();
    expect(await get(owner, 'stats')).toEqual({
      total_executions: 0,
      success_count: 0,
      error_count: 0,
      success_rate: 0,
      error_rate: 0,
      avg_latency_ms: null,
      p50_latency_ms: null,
      p95_latency_ms: null,
      p99_latency_ms: null,
      total_24h: 0,
      success_24h: 0,
      error_24h: 0,
      avg_latency_24h_ms: null,
    });
  });

  test('each range has its own hours', async () => {
    const owner = await app.user();
    const id = await createWorkflow(owner, PICKY);
    for (const [hours, total] of [
      [1, 1],
      [30, 10],
      [24 * 10, 100],
      [24 * 100, 1000],
    ] as const) {
      await past(id, hours, total);
    }
    const counted = async (query: string) => {
      const stats = await get<RunStats>(owner, `stats/${id}?${query}`);
      expect(stats).toMatchObject({ total_24h: 1, avg_latency_ms: 10, p95_latency_ms: 10 });
      return stats.total_executions;
    };
    expect(await counted('time_range=24h')).toBe(1);
    expect(await counted('')).toBe(11);
    expect(await counted('time_range=30d')).toBe(111);
    expect(await counted('time_range=all')).toBe(1111);
    expect(await counted(`start_at=${hourAgo(31)}&end_at=${hourAgo(2)}`)).toBe(10);
  });

  test('calls that an answer of the cache or a limit ended count in the total alone (§3.1)', async () => {
    const owner = await app.user();
    const id = await createWorkflow(owner, PICKY, { cache_ttl_seconds: 60 });
    await run(id, 'fine');
    expect((await run(id, 'fine')).json()).toMatchObject({ status: 'cached' });
    const both = await until(async () => {
      const stats = await get<RunStats>(owner, `stats/${id}`);
      return stats.total_executions === 2 && stats;
    });
    expect(both).toMatchObject({ success_count: 1, error_count: 0, success_rate: 50 });
  });

  test('deleting the history of a workflow keeps its counts, deleting the workflow does not', async () => {
    const owner = await app.user();
    const id = await createWorkflow(owner, PICKY);
    await run(id, 'fine');
    expect((await owner.call('DELETE', `/api/workflows/${id}/history`)).statusCode).toBe(204);
    await keepSnapshots(app.services);
    expect(await get(owner, 'stats')).toMatchObject({ total_executions: 1 });
    await owner.call('PUT', `/workflows/${id}/schedule-deletion`);
    expect((await owner.call('DELETE', `/api/workflows/${id}`)).statusCode).toBe(204);
    expect(await get(owner, 'stats')).toMatchObject({ total_executions: 0 });
    expect(await status(owner, `stats/${id}`)).toBe(403);
  });
});

describe('metrics', () => {
  test('list all buckets of the range, also those without runs', async () => {
    const owner = await app.user();
    const id = await createWorkflow(owner, PICKY);
    for (const text of ['fine', 'bad']) await run(id, text);
    await past(id, 5, 3);
    const metrics = await get<RunMetrics>(owner, `metrics/${id}?time_range=24h`);
    expect(metrics.time_buckets).toHaveLength(24);
    expect(metrics.executions.at(-1)).toBe(2);
    expect([metrics.successes.at(-1), metrics.errors.at(-1)]).toEqual([1, 1]);
    expect([metrics.executions.at(-6), metrics.avg_latency_ms.at(-6)]).toEqual([3, 10]);
    expect(metrics.executions.reduce((sum, count) => sum + count, 0)).toBe(5);
    expect(metrics.avg_latency_ms[0]).toBe(null);
  });

  test.each([
    ['1h', 168],
    ['6h', 29],
    ['1d', 8],
  ])('buckets of %s begin at multiples of that length', async (size, most) => {
    const owner = await app.user();
    const id = await createWorkflow(owner, PICKY);
    await past(id, 100, 7);
    const { time_buckets, executions } = await get<RunMetrics>(owner, `metrics?bucket_size=${size}`);
    const length = { '1h': 1, '6h': 6, '1d': 24 }[size] ?? 0;
    expect(time_buckets.every((at) => Date.parse(at) % (length * HOUR_MS) === 0)).toBe(true);
    expect(time_buckets.length).toBeLessThanOrEqual(most);
    expect(executions.reduce((sum, count) => sum + count, 0)).toBe(7);
  });

  test('a range with too many buckets is refused with the way out', async () => {
    const query = 'start_at=1990-01-01T00:00:00Z&end_at=2026-01-01T00:00:00Z&bucket_size=1h';
    const answer = await stranger.call('GET', `/api/analytics/metrics?${query}`);
    expect(answer.statusCode).toBe(422);
    expect(answer.json()).toMatchObject({
      detail: [{ loc: ['query', 'bucket_size'], msg: expect.stringContaining('larger size') }],
    });
  });
});

describe('workflows', () => {
  test('are listed by runs or by errors, own and shared ones', async () => {
    const owner = await app.user();
    const [busy, failing] = [await createWorkflow(owner, PICKY), await createWorkflow(owner, PICKY)];
    for (let count = 0; count < 3; count++) await run(busy, 'fine');
    await run(failing, 'bad');
    const ids = async (user: TestUser, query = '') =>
      (await get<{ items: WorkflowStats[] }>(user, `workflows${query}`)).items.map(
        (item) => item.workflow_id,
      );
    expect(await ids(owner)).toEqual([busy, failing]);
    expect(await ids(owner, '?sort=errors')).toEqual([failing]);
    expect(await ids(owner, '?limit=1')).toEqual([busy]);
    const { items } = await get<{ items: WorkflowStats[] }>(owner, 'workflows');
    expect(items[1]).toMatchObject({ execution_count: 1, error_count: 1, error_rate: 100, success_rate: 0 });

    const reader = await app.user();
    expect(await ids(reader)).toEqual([]);
    await owner.call('POST', `/api/workflows/${failing}/shares`, { email: reader.email });
    expect(await ids(reader)).toEqual([failing]);
    expect(await get(reader, 'stats')).toMatchObject({ total_executions: 1 });
    expect(await status(reader, `stats/${failing}`)).toBe(200);
    expect(await status(reader, `stats/${busy}`)).toBe(403);
  });
});

describe('what is refused', () => {
  const WRONG = [
    'time_range=1y',
    'start_at=2026-01-01T00:00:00Z',
    'end_at=2026-01-01T00:00:00Z',
    'start_at=2026-01-02T00:00:00Z&end_at=2026-01-01T00:00:00Z',
    'start_at=2026-01-01T00:00:00Z&end_at=2026-01-01T00:00:00Z',
    'start_at=yesterday&end_at=today',
  ];
  test.each(WRONG)('422 for the range %s', async (query) => {
    for (const what of ['stats', 'metrics', 'workflows', `stats/${newId()}`, `metrics/${newId()}`]) {
      expect(await status(stranger, `${what}?${query}`), what).toBe(422);
    }
  });

  test('the first and the last instant that can be written are a range without runs', async () => {
    const range = 'start_at=0000-01-01T00:00:00Z&end_at=9999-12-31T23:59:59Z';
    expect(await get(stranger, `stats?${range}`)).toMatchObject({ total_executions: 0 });
    expect(await get(stranger, `workflows?${range}`)).toEqual({ items: [] });
    expect(await status(stranger, `metrics?${range}`)).toBe(422);
    const since = '0000-01-01T00:00:00Z';
    expect((await admin.call('POST', '/api/analytics/rebuild', { since })).statusCode).toBe(200);
  });

  test('422 for a wrong limit, size or id', async () => {
    const wrong = [
      'workflows?limit=0',
      'workflows?limit=101',
      'metrics?bucket_size=2h',
      'stats/1',
      'metrics/x',
    ];
    for (const path of [...wrong, 'stats?workflow_id=1', 'workflows?sort=name']) {
      expect(await status(stranger, path), path).toBe(422);
    }
  });

  test('403 alike for workflows of others and for unknown ones, 401 without a session', async () => {
    const id = await createWorkflow(await app.user(), PICKY);
    for (const what of ['stats', 'metrics']) {
      for (const each of [id, newId()]) {
        expect(await status(stranger, `${what}/${each}`)).toBe(403);
        expect(await status(stranger, `${what}?workflow_id=${each}`)).toBe(403);
      }
      expect((await app.call('GET', `/api/analytics/${what}`)).statusCode).toBe(401);
    }
    expect((await app.call('GET', '/api/analytics/workflows')).statusCode).toBe(401);
  });
});

describe('a rebuild', () => {
  test('is for administrators, and counts what no statement has counted', async () => {
    const owner = await app.user();
    const id = await createWorkflow(owner, PICKY);
    for (const text of ['fine', 'bad']) await run(id, text);
    const { sql } = app.services.database;
    await sql.query({ text: 'DELETE FROM run_ends WHERE workflow_id = $1', values: [id] });
    await sql.query({ text: 'DELETE FROM analytics_snapshots WHERE workflow_id = $1', values: [id] });
    expect((await owner.call('POST', '/api/analytics/rebuild', {})).statusCode).toBe(403);
    expect((await admin.call('POST', '/api/analytics/rebuild', { since: 'then' })).statusCode).toBe(422);
    const answer = await admin.call('POST', '/api/analytics/rebuild', {});
    expect(answer.statusCode, answer.body).toBe(200);
    expect(answer.json<{ workflows: number }>().workflows).toBeGreaterThan(0);
    await keepSnapshots(app.services);
    expect(await get(owner, `stats/${id}`)).toMatchObject({ total_executions: 2, error_count: 1 });
  });
});

test('runs that end in another way are counted, too: cancelled while they wait', async () => {
  const owner = await app.user();
  const waits = graph(
    [
      ['start', 'textInput'],
      ['wait', 'wait', { duration: 3_600_000 }],
      ['out', 'output', { message: 'ok' }],
    ],
    ['start>wait', 'wait>out'],
  );
  const id = await createWorkflow(owner, waits);
  const begun = await run(id, 'x');
  expect(await get(owner, `stats/${id}`)).toMatchObject({ total_executions: 0 });
  const url = `/api/workflows/${id}/executions/${String(begun.headers['x-execution-id'])}/cancel`;
  expect((await owner.call('POST', url)).statusCode).toBeLessThan(300);
  const stats = await get(owner, `stats/${id}`);
  expect(stats).toMatchObject({ total_executions: 1, success_count: 0, error_count: 0 });
});
