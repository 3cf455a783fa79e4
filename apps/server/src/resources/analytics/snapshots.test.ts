import { DAY_MS, HOUR_MS } from '@millrace/engine/units';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { newId } from '../../core/ids.ts';
import type { Database } from '../../database/database.ts';
import { addWorkflows } from '../../execution/journal/testing/add-workflows.ts';
import { describeOnBoth } from '../../execution/journal/testing/databases.ts';
import { foldEnds } from '../../execution/store/analytics/fold.ts';
import { percentileMs } from '../../execution/store/analytics/latency-buckets.ts';
import { rebuildStep, requestRebuild } from '../../execution/store/analytics/rebuild.ts';
import { endCounts } from '../../execution/store/analytics/run-ends.ts';
import { firstIdAt } from '../../execution/store/history/filters.ts';
import { removeEnded } from '../../execution/store/history/remove.ts';
import { countByBucket, countByWorkflow, countLatencies, countRuns } from './queries.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

const BEGIN = Date.UTC(2026, 8, 29);
const EVER = { start_ms: BEGIN - 40 * DAY_MS, end_ms: BEGIN + 70 * DAY_MS };

interface Run {
  readonly workflow: number;
  readonly at_ms: number;
  readonly ms: number;
  readonly status: string;
}

const run = fc.record({
  workflow: fc.nat(1),
  at_ms: fc
    .oneof(fc.integer({ min: 0, max: 4 * DAY_MS }), fc.integer({ min: -35 * DAY_MS, max: 65 * DAY_MS }))
    .map((offset) => BEGIN + offset),
  ms: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 50 }), fc.integer({ min: 50, max: 5_000_000 })),
  status: fc.constantFrom('success', 'success', 'error', 'cached', 'rate_limited', 'cancelled'),
});

describeOnBoth('snapshots of runs', (kind) => {
  let database: Database;
  const workflow_ids = [newId(), newId()];
  beforeAll(async () => {
    database = await kind.open();
    await addWorkflows(database.sql, workflow_ids);
  });
  afterAll(() => database.close());

  const getWorkflowId = (workflow: number) => workflow_ids[workflow] ?? '';
  let made = 0;

  /** Stores ended runs and counts their ends in one statement, as the journal does. */
  async function store(runs: readonly Run[], counted = true): Promise<void> {
    const ids = runs.map(({ at_ms }) => {
      const count = (made++).toString(16).padStart(12, '0');
      return `${firstIdAt(at_ms).slice(0, 14)}7000-8000-${count}`.replace('-0007000', '-7000');
    });
    await database.sql.query({
      text: `WITH i AS (
          INSERT INTO runs (id, workflow_id, state, status, attempt, input, started_at, duration_ms)
          SELECT id, workflow, 3, status, 1, '{}', to_timestamp(at / 1000.0), ms
          FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::float8[], $5::bigint[]) AS t(id, workflow, status, at, ms)
          RETURNING workflow_id, started_at, status, duration_ms)
        INSERT INTO run_ends (workflow_id, bucket_start, latency_bucket, total, success, error, total_latency_ms, max_latency_ms)
        SELECT ${endCounts()} FROM i WHERE $6`,
      values: [
        ids,
        runs.map(({ workflow }) => getWorkflowId(workflow)),
        runs.map(({ status }) => status),
        runs.map(({ at_ms }) => at_ms),
        runs.map(({ ms }) => ms),
        counted,
      ],
    });
  }

  const clear = () =>
    database.sql.query({
      text: 'TRUNCATE runs, run_ends, analytics_snapshots, analytics_latencies, analytics_rebuilds',
    });

  const rebuildAll = async () => {
    while (await rebuildStep(database.sql));
  };

  function recount(runs: readonly Run[], { start_ms, end_ms }: { start_ms: number; end_ms: number }) {
    const within = runs.filter(({ at_ms }) => at_ms >= start_ms && at_ms < end_ms);
    const samples = within.map(({ ms }) => ms).filter((ms) => ms > 0);
    return {
      total: within.length,
      success: within.filter(({ status }) => status === 'success').length,
      error: within.filter(({ status }) => status === 'error').length,
      avg_ms:
        samples.length === 0
          ? null
          : expect.closeTo(samples.reduce((sum, ms) => sum + ms, 0) / samples.length, 3),
    };
  }

  function nearestRank(runs: readonly Run[], share: number): number | null {
    const samples = runs
      .map(({ ms }) => ms)
      .filter((ms) => ms > 0)
      .sort((a, b) => a - b);
    return samples[Math.max(0, Math.ceil(samples.length * share) - 1)] ?? null;
  }

  async function expectCounts(
    runs: readonly Run[],
    range: { start_ms: number; end_ms: number },
  ): Promise<void> {
    const counted = { workflow_ids, ...range };
    const { longest_ms, ...totals } = await countRuns(database.sql, counted);
    expect(totals).toEqual(recount(runs, range));
    for (const bucket_ms of [HOUR_MS, 6 * HOUR_MS, DAY_MS]) {
      const buckets = await countByBucket(database.sql, { ...counted, bucket_ms });
      for (const { at_ms, ...counts } of buckets) {
        const start_ms = Math.max(at_ms, range.start_ms);
        const end_ms = Math.min(at_ms + bucket_ms, range.end_ms);
        expect(counts).toEqual(recount(runs, { start_ms, end_ms }));
      }
      expect(buckets.reduce((sum, { total }) => sum + total, 0)).toBe(recount(runs, range).total);
    }
    const each = await countByWorkflow(database.sql, counted, { by: 'total', limit: 10 });
    for (const { workflow_id, total } of each) {
      const own = runs.filter(({ workflow }) => getWorkflowId(workflow) === workflow_id);
      expect(total).toBe(recount(own, range).total);
    }
    const within = runs.filter(({ at_ms }) => at_ms >= range.start_ms && at_ms < range.end_ms);
    const found = await countLatencies(database.sql, counted);
    for (const share of [0.5, 0.95, 0.99]) {
      const answer = percentileMs(found, { share, longest_ms });
      const exact = nearestRank(within, share);
      if (exact === null) expect(answer).toBe(null);
      else
        expect(Math.abs((answer ?? Number.NaN) - exact)).toBeLessThanOrEqual(exact < 40 ? 0 : exact * 0.025);
    }
  }

  test('counts equal a recount of the runs, folded or not, in each range of hours', async () => {
    const batches = fc.array(fc.tuple(fc.array(run, { minLength: 1, maxLength: 12 }), fc.boolean()), {
      minLength: 1,
      maxLength: 4,
    });
    const hours = fc.tuple(fc.integer({ min: 0, max: 96 }), fc.integer({ min: 1, max: 60 }));
    await fc.assert(
      fc.asyncProperty(batches, hours, async (stored, [from, length]) => {
        await clear();
        for (const [runs, folds] of stored) {
          await store(runs);
          if (folds) await foldEnds(database.sql);
        }
        const all = stored.flatMap(([runs]) => runs);
        await expectCounts(all, EVER);
        const start_ms = BEGIN + from * HOUR_MS;
        await expectCounts(all, { start_ms, end_ms: start_ms + length * HOUR_MS });
        await expectCounts(all, { start_ms, end_ms: start_ms + 50 * DAY_MS + length * HOUR_MS });
      }),
      { numRuns: 15 },
    );
  });

  test('a rebuild counts runs that were stored without being counted, some of them beside others', async () => {
    const lists = fc.tuple(fc.array(run, { maxLength: 15 }), fc.array(run, { maxLength: 15 }));
    await fc.assert(
      fc.asyncProperty(lists, fc.boolean(), async ([counted, uncounted], folds) => {
        await clear();
        await store(counted);
        if (folds) await foldEnds(database.sql);
        await store(uncounted, false);
        await requestRebuild(database.sql, null);
        await rebuildAll();
        await expectCounts([...counted, ...uncounted], EVER);
      }),
      { numRuns: 10 },
    );
  });

  const createRuns = (count: number, more: Partial<Run> = {}): Run[] =>
    Array.from({ length: count }, (_, index) => ({
      workflow: 0,
      at_ms: BEGIN + index * HOUR_MS,
      ms: 10,
      status: 'success',
      ...more,
    }));

  test('runs whose history was deleted keep counting, also after a rebuild', async () => {
    await clear();
    await store(createRuns(30));
    await removeEnded(database.sql, workflow_ids);
    const later = createRuns(3, { status: 'error' });
    await store(later);
    await requestRebuild(database.sql, null);
    await rebuildAll();
    await expectCounts([...createRuns(30), ...later], EVER);
  });

  test('a rebuild since an hour replaces what was counted from there on', async () => {
    await clear();
    await store(createRuns(40));
    await foldEnds(database.sql);
    await database.sql.query({ text: 'UPDATE analytics_snapshots SET total = total + 5, error = error + 5' });
    await requestRebuild(database.sql, new Date(BEGIN + 10 * HOUR_MS + 1));
    await rebuildAll();
    await expectCounts(createRuns(40).slice(10), { start_ms: BEGIN + 10 * HOUR_MS, end_ms: EVER.end_ms });
    const before = { workflow_ids, start_ms: BEGIN, end_ms: BEGIN + 10 * HOUR_MS };
    expect(await countRuns(database.sql, before)).toMatchObject({ total: 60, error: 50 });
  });

  test('ends that come in while others are folded or counted again count once', async () => {
    await clear();
    await requestRebuild(database.sql, null);
    const adding = (async () => {
      for (let round = 0; round < 30; round++) await store(createRuns(10));
    })();
    const folding = Array.from({ length: 2 }, async () => {
      for (let round = 0; round < 20; round++) {
        await foldEnds(database.sql);
        if (round % 5 === 0) await requestRebuild(database.sql, null);
        await rebuildStep(database.sql);
      }
    });
    await Promise.all([adding, ...folding]);
    expect(await countRuns(database.sql, { workflow_ids, ...EVER })).toMatchObject({
      total: 300,
      success: 300,
    });
    await foldEnds(database.sql);
    await rebuildAll();
    expect(await countRuns(database.sql, { workflow_ids, ...EVER })).toMatchObject({
      total: 300,
      success: 300,
    });
  });

  test('a deleted workflow takes its counts along, and ends that come later count nowhere', async () => {
    await clear();
    await store(createRuns(3, { workflow: 1 }));
    await foldEnds(database.sql);
    await database.sql.query({ text: 'DELETE FROM workflows WHERE id = $1', values: [getWorkflowId(1)] });
    await store(createRuns(3, { workflow: 1 }));
    await foldEnds(database.sql);
    for (const table of ['run_ends', 'analytics_snapshots', 'analytics_latencies']) {
      expect((await database.sql.query({ text: `SELECT 1 FROM ${table}` })).rows).toEqual([]);
    }
  });
});
