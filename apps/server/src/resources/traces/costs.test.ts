import type { TraceCosts } from '@millrace/contracts';
import { HOUR_MS } from '@millrace/engine/units';
import { describe, expect, test } from 'vitest';
import { newId } from '../../core/ids.ts';
import type { SqlClient, Statement } from '../../database/sql-client.ts';
import { type ExplainedPlan, rowsRead } from '../../execution/journal/testing/plan-rows.ts';
import { type TestUser, useTestApp } from '../../testing/test-app.ts';
import { createWorkflow, PICKY } from '../executions/testing/workflows.ts';
import { sumCosts } from './cost-queries.ts';

const app = await useTestApp();

interface Call {
  readonly user: TestUser;
  readonly workflow_id?: string;
  readonly model?: string;
  /** Null: no known price. */
  readonly cost_usd?: number | null;
  readonly hours_ago?: number;
  readonly error?: string;
  /** Calls alike, a second apart. */
  readonly times?: number;
}

/** Each with 100 tokens in and 10 out. */
async function called(call: Call): Promise<void> {
  const {
    user,
    workflow_id = null,
    model = 'm1',
    cost_usd = 1,
    hours_ago = 0,
    error = null,
    times = 1,
  } = call;
  await app.services.database.sql.query({
    text: `INSERT INTO traces (id, user_id, source, request_type, model, workflow_id, workflow_name, request, is_cut, error,
        prompt_tokens, completion_tokens, total_tokens, cost_usd, elapsed_ms, created_at)
      SELECT gen_random_uuid(), $1, 'workflow', 'chat', $2, $3::uuid, CASE WHEN $3::uuid IS NULL THEN NULL ELSE 'Then' END, '{}', false,
        $4, 100, 10, 110, $5, 5, $6::timestamptz - n * interval '1 second' FROM generate_series(1, $7::int) n`,
    values: [
      user.id,
      model,
      workflow_id,
      error,
      cost_usd,
      new Date(app.clock.now - hours_ago * HOUR_MS),
      times,
    ],
  });
}

async function costs(user: TestUser, query = ''): Promise<TraceCosts> {
  const answer = await user.call('GET', `/api/traces/costs${query}`);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json<TraceCosts>();
}
const summary = ({ series }: TraceCosts) =>
  series.map(({ kind, name, calls, cost_usd }) => [kind === 'rest' ? 'rest' : name, calls, cost_usd]);

describe('cost and tokens over time', () => {
  test('are summed per bucket, also those without calls, and say what has no price', async () => {
    const user = await app.user();
    await called({ user, cost_usd: 0.25 });
    await called({ user, cost_usd: 0.5, hours_ago: 3 });
    await called({ user, cost_usd: null, hours_ago: 3 });
    await called({ user, cost_usd: null, hours_ago: 3, error: 'refused' });
    await called({ user, hours_ago: 24 * 8 });
    const found = await costs(user, '?time_range=24h');
    expect(found.time_buckets).toHaveLength(24);
    expect(found.total).toEqual({
      calls: 4,
      unpriced_calls: 1,
      cost_usd: 0.75,
      prompt_tokens: 400,
      completion_tokens: 40,
    });
    const [series] = found.series;
    expect(series).toMatchObject({ kind: 'group', id: null, name: null, calls: 4 });
    expect(series?.costs_usd).toHaveLength(24);
    expect(series?.costs_usd.filter((cost) => cost > 0)).toEqual([0.5, 0.25]);
    expect(series?.tokens.filter((tokens) => tokens > 0)).toEqual([330, 110]);
    expect((await costs(user)).total.calls, 'seven days').toBe(4);
    const all = await costs(user, '?time_range=all');
    expect(all.total.calls).toBe(5);
    expect(all.time_buckets.length).toBeGreaterThan(8);
  });

  test('are grouped by workflow, under its present name, and by model, the most expensive first', async () => {
    const user = await app.user();
    const workflow_id = await createWorkflow(user, PICKY);
    const { name } = (await user.call('GET', `/api/workflows/${workflow_id}`)).json<{ name: string }>();
    await called({ user, workflow_id, model: 'large', cost_usd: 2, times: 2 });
    await called({ user, workflow_id, model: 'small', cost_usd: 0.125 });
    await called({ user, model: 'small', cost_usd: 0.5 });
    const byWorkflow = await costs(user);
    expect(summary(byWorkflow)).toEqual([
      [name, 3, 4.125],
      [null, 1, 0.5],
    ]);
    expect(byWorkflow.series[0]?.id).toBe(workflow_id);
    expect(summary(await costs(user, '?group_by=model'))).toEqual([
      ['large', 2, 4],
      ['small', 2, 0.625],
    ]);
    expect(summary(await costs(user, `?group_by=model&workflow_id=${workflow_id}`))).toEqual([
      ['large', 2, 4],
      ['small', 1, 0.125],
    ]);
    await app.services.database.sql.query({
      text: 'DELETE FROM workflows WHERE id = $1',
      values: [workflow_id],
    });
    expect(summary(await costs(user))).toEqual([
      ['Then', 3, 4.125],
      [null, 1, 0.5],
    ]);
  });

  test('everything beyond the limit is one rest', async () => {
    const user = await app.user();
    for (const [model, cost_usd] of [
      ['a', 8],
      ['b', 4],
      ['c', 2],
      ['d', 1],
    ] as const) {
      await called({ user, model, cost_usd });
    }
    const found = await costs(user, '?group_by=model&limit=2');
    expect(summary(found)).toEqual([
      ['a', 1, 8],
      ['b', 1, 4],
      ['rest', 2, 3],
    ]);
    expect(found.total.cost_usd).toBe(15);
  });

  test('of shared workflows those of all people count, of other calls only one’s own (§5.8)', async () => {
    const [owner, colleague] = [await app.user('Olga'), await app.user('Carl')];
    const workflow_id = await createWorkflow(owner, PICKY);
    await called({ user: owner, workflow_id, cost_usd: 2 });
    await called({ user: owner, cost_usd: 64 });
    await called({ user: colleague, workflow_id, cost_usd: 4 });
    await called({ user: colleague, cost_usd: 32 });
    const byUser = async (who: TestUser, more = '') => summary(await costs(who, `?group_by=user${more}`));
    expect(await byUser(owner)).toEqual([
      ['Olga', 2, 66],
      ['Carl', 1, 4],
    ]);
    expect(await byUser(colleague), 'before it is shared').toEqual([['Carl', 2, 36]]);
    const unshared = await colleague.call('GET', `/api/traces/costs?workflow_id=${workflow_id}`);
    expect(unshared.statusCode).toBe(403);
    expect(summary(await costs(colleague))).toContainEqual(['Then', 1, 4]);
    await owner.call('POST', `/api/workflows/${workflow_id}/shares`, { email: colleague.email });
    expect(await byUser(colleague)).toEqual([
      ['Carl', 2, 36],
      ['Olga', 1, 2],
    ]);
    expect(await byUser(colleague, `&workflow_id=${workflow_id}`)).toEqual([
      ['Carl', 1, 4],
      ['Olga', 1, 2],
    ]);
    expect((await costs(await app.user())).series).toEqual([]);
  });
});

describe('what is refused', () => {
  test('403 alike for workflows of others and for unknown ones, 401 without a session', async () => {
    const stranger = await app.user();
    for (const id of [await createWorkflow(await app.user(), PICKY), newId()]) {
      expect((await stranger.call('GET', `/api/traces/costs?workflow_id=${id}`)).statusCode).toBe(403);
    }
    expect((await app.call('GET', '/api/traces/costs')).statusCode).toBe(401);
  });

  test.each([
    ['time_range=1y', 'time_range'],
    ['group_by=team', 'group_by'],
    ['limit=0', 'limit'],
    ['limit=21', 'limit'],
    ['workflow_id=1', 'workflow_id'],
    ['start_at=2026-01-01T00:00:00Z', 'end_at'],
    ['start_at=2026-01-02T00:00:00Z&end_at=2026-01-01T00:00:00Z', 'end_at'],
    ['start_at=2020-01-01T00:00:00Z&end_at=2026-01-01T00:00:00Z&bucket_size=1h', 'bucket_size'],
  ])('422 for %s, by the name of the field', async (query, field) => {
    const user = await app.user();
    const answer = await user.call('GET', `/api/traces/costs?${query}`);
    expect(answer.statusCode).toBe(422);
    expect(answer.json<{ detail: { loc: string[] }[] }>().detail[0]?.loc).toContain(field);
  });
});

test('a day is summed without reading the traces of other days', async () => {
  const [user, other] = [await app.user(), await app.user()];
  const workflow_id = await createWorkflow(user, PICKY);
  for (const hours_ago of [1, 200, 400, 600]) {
    await called({ user, hours_ago, times: hours_ago === 1 ? 50 : 2_000 });
    await called({ user: other, workflow_id, hours_ago, times: hours_ago === 1 ? 50 : 2_000 });
    await called({ user: other, hours_ago, times: 2_000 });
  }
  const { sql } = app.services.database;
  await sql.query({ text: 'ANALYZE traces' });
  let read = 0;
  const explaining: SqlClient = {
    async query({ text, values }: Statement) {
      const explain = { text: `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values: values ?? [] };
      read += rowsRead((await sql.query<ExplainedPlan>(explain)).rows);
      return { rows: [], row_count: 0 };
    },
  };
  const traces = { user_id: user.id, workflow_ids: [workflow_id], of_workflows_alone: false };
  const range = { start_ms: app.clock.now - 24 * HOUR_MS, end_ms: app.clock.now, bucket_ms: HOUR_MS };
  const found = await sumCosts(sql, traces, { ...range, group_by: 'user', limit: 6 });
  expect(found.reduce((sum, { calls }) => sum + calls, 0)).toBe(100);
  await sumCosts(explaining, traces, { ...range, group_by: 'user', limit: 6 });
  expect(read).toBeGreaterThan(0);
  // Both parts may read the day of all people; the other days have 18,000.
  expect(read).toBeLessThan(5_000);
});
