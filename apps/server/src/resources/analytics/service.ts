import type {
  MetricsQuery,
  RunMetrics,
  RunStats,
  StatsQuery,
  WorkflowStats,
  WorkflowStatsQuery,
} from '@millrace/contracts';
import { forbidden } from '../../core/app-error.ts';
import { percentileMs } from '../../execution/store/analytics/latency-buckets.ts';
import { requestRebuild } from '../../execution/store/analytics/rebuild.ts';
import type { Needs } from '../../services.ts';
import { canSeeWorkflow, visibleWorkflowIds } from '../workflows/access.ts';
import {
  type Counted,
  countByBucket,
  countByWorkflow,
  countLatencies,
  countRuns,
  firstHour,
  type RunCounts,
} from './queries.ts';
import { computeBuckets, latest, type RangeQuery, resolveHourRange } from './range.ts';

type Reader = Needs<'db' | 'sql' | 'actor' | 'now'>;

const twoDecimals = (value: number): number => Math.round(value * 100) / 100;
const rounded = (value: number | null): number | null => (value === null ? null : twoDecimals(value));
const computePercent = (part: number, { total }: RunCounts): number =>
  total === 0 ? 0 : twoDecimals((100 * part) / total);

/** The same answer for unknown workflows and those of others, so that it reveals nothing about the latter. */
async function resolveWorkflowIds({ db, actor }: Reader, workflow_id: string | undefined): Promise<string[]> {
  if (workflow_id === undefined) return visibleWorkflowIds({ db, actor });
  if (await canSeeWorkflow(db, actor.user_id, workflow_id)) return [workflow_id];
  throw forbidden('You have no access to this workflow');
}

async function resolveScope(ctx: Reader, query: RangeQuery & { workflow_id?: string | undefined }) {
  const workflow_ids = await resolveWorkflowIds(ctx, query.workflow_id);
  const range = await resolveHourRange(query, {
    now_ms: ctx.now(),
    firstHour: () => firstHour(ctx.sql, workflow_ids),
  });
  return { workflow_ids, ...range } satisfies Counted;
}

export async function readStats(ctx: Reader, query: StatsQuery): Promise<RunStats> {
  const counted = await resolveScope(ctx, query);
  const [counts, latencies, today] = await Promise.all([
    countRuns(ctx.sql, counted),
    countLatencies(ctx.sql, counted),
    countRuns(ctx.sql, { ...counted, ...latest('24h', ctx.now()) }),
  ]);
  const at = (share: number) => percentileMs(latencies, { share, longest_ms: counts.longest_ms });
  return {
    total_executions: counts.total,
    success_count: counts.success,
    error_count: counts.error,
    success_rate: computePercent(counts.success, counts),
    error_rate: computePercent(counts.error, counts),
    avg_latency_ms: rounded(counts.avg_ms),
    p50_latency_ms: at(0.5),
    p95_latency_ms: at(0.95),
    p99_latency_ms: at(0.99),
    total_24h: today.total,
    success_24h: today.success,
    error_24h: today.error,
    avg_latency_24h_ms: rounded(today.avg_ms),
  };
}

export async function readMetrics(ctx: Reader, query: MetricsQuery): Promise<RunMetrics> {
  const counted = await resolveScope(ctx, query);
  const { bucket_ms, starts } = computeBuckets(counted, query.bucket_size);
  const found = await countByBucket(ctx.sql, { ...counted, bucket_ms });
  const byStart = new Map(found.map((bucket) => [bucket.at_ms, bucket]));
  const each = <T>(value: (counts: RunCounts | undefined) => T) => starts.map((at) => value(byStart.get(at)));
  return {
    time_buckets: starts.map((at) => new Date(at).toISOString()),
    executions: each((counts) => counts?.total ?? 0),
    successes: each((counts) => counts?.success ?? 0),
    errors: each((counts) => counts?.error ?? 0),
    avg_latency_ms: each((counts) => rounded(counts?.avg_ms ?? null)),
  };
}

export async function listWorkflowStats(
  ctx: Reader,
  { sort, limit, ...query }: WorkflowStatsQuery,
): Promise<{ items: WorkflowStats[] }> {
  const counted = await resolveScope(ctx, query);
  const by = sort === 'errors' ? 'error' : 'total';
  const found = await countByWorkflow(ctx.sql, counted, { by, limit });
  const items = found.map((counts) => ({
    workflow_id: counts.workflow_id,
    workflow_name: counts.workflow_name,
    execution_count: counts.total,
    success_count: counts.success,
    error_count: counts.error,
    success_rate: computePercent(counts.success, counts),
    error_rate: computePercent(counts.error, counts),
    avg_latency_ms: rounded(counts.avg_ms),
  }));
  return { items };
}

export async function rebuild(
  { sql }: Needs<'sql'>,
  { since }: { since?: string | undefined },
): Promise<{ workflows: number }> {
  return { workflows: await requestRebuild(sql, since === undefined ? null : new Date(since)) };
}
