import { z } from 'zod';
import { timestamp, uuid } from './common.ts';
import { endpoint } from './endpoint.ts';

const tag = 'Analytics';

/** `24h`: the current hour and the 23 before it; the others likewise. */
export const timeRange = z.enum(['24h', '7d', '30d', 'all']);
export type TimeRange = z.infer<typeof timeRange>;

export const bucketSize = z.enum(['1h', '6h', '1d']);
export type BucketSize = z.infer<typeof bucketSize>;

const range = {
  time_range: timeRange.default('7d').describe('Runs count by when they began, in whole hours (UTC).'),
  start_at: timestamp
    .optional()
    .describe('With `end_at`, in place of `time_range`; counts from its hour on.'),
  end_at: timestamp.optional().describe('Counts up to the end of its hour, or up to it at a full hour.'),
};

interface Bounds {
  readonly start_at?: string | undefined;
  readonly end_at?: string | undefined;
}

/** Both bounds or none, in order. */
export function checkBounds({ start_at, end_at }: Bounds, check: z.RefinementCtx): void {
  const path = [start_at === undefined ? 'start_at' : 'end_at'];
  if ((start_at === undefined) !== (end_at === undefined)) {
    check.addIssue({ code: 'custom', path, message: 'start_at and end_at must be given together' });
  }
  if (start_at && end_at && Date.parse(end_at) <= Date.parse(start_at)) {
    check.addIssue({ code: 'custom', path, message: 'must be after start_at' });
  }
}

const percent = z.number().min(0).max(100);
const milliseconds = z.number().nonnegative().nullable();
const workflowParams = z.object({ workflow_id: uuid });
const workflow_id = uuid.optional();

/** Only ended runs count. Latencies are those of runs that took at least a millisecond; null without such runs. */
export const runStats = z
  .object({
    total_executions: z.int(),
    success_count: z.int(),
    error_count: z.int(),
    success_rate: percent,
    error_rate: percent,
    avg_latency_ms: milliseconds,
    p50_latency_ms: milliseconds.describe('Percentiles are at most 2.5 % off, and exact up to 39 ms.'),
    p95_latency_ms: milliseconds,
    p99_latency_ms: milliseconds,
    total_24h: z.int(),
    success_24h: z.int(),
    error_24h: z.int(),
    avg_latency_24h_ms: milliseconds,
  })
  .meta({ id: 'RunStats' });
export type RunStats = z.infer<typeof runStats>;

/** Lists of equal length: what happened in each bucket of time, also in those without runs. */
export const runMetrics = z
  .object({
    time_buckets: z.array(timestamp).describe('Starts of the buckets (UTC), ascending.'),
    executions: z.array(z.int()),
    successes: z.array(z.int()),
    errors: z.array(z.int()),
    avg_latency_ms: z.array(milliseconds),
  })
  .meta({ id: 'RunMetrics' });
export type RunMetrics = z.infer<typeof runMetrics>;

export const workflowStats = z
  .object({
    workflow_id: uuid,
    workflow_name: z.string(),
    execution_count: z.int(),
    success_count: z.int(),
    error_count: z.int(),
    success_rate: percent,
    error_rate: percent,
    avg_latency_ms: milliseconds,
  })
  .meta({ id: 'WorkflowStats' });
export type WorkflowStats = z.infer<typeof workflowStats>;

const statsQuery = z.object(range).superRefine(checkBounds);
const anyStatsQuery = z.object({ ...range, workflow_id }).superRefine(checkBounds);
export type StatsQuery = z.output<typeof anyStatsQuery>;

const buckets = {
  ...range,
  bucket_size: bucketSize
    .optional()
    .describe('Absent: `1h` up to two days, `6h` up to two weeks, otherwise `1d`.'),
};
const metricsQuery = z.object(buckets).superRefine(checkBounds);
const anyMetricsQuery = z.object({ ...buckets, workflow_id }).superRefine(checkBounds);
export type MetricsQuery = z.output<typeof anyMetricsQuery>;

const workflowsQuery = z
  .object({
    ...range,
    limit: z.coerce.number().int().min(1).max(100).default(10),
    sort: z.enum(['executions', 'errors']).default('executions'),
  })
  .superRefine(checkBounds);
export type WorkflowStatsQuery = z.output<typeof workflowsQuery>;

export const getStats = endpoint({
  id: 'getStats',
  method: 'GET',
  path: '/api/analytics/stats',
  tag,
  summary: 'Counts, rates and latencies of the runs of one workflow or of all that the caller can see',
  auth: 'session',
  query: anyStatsQuery,
  response: runStats,
  errors: ['forbidden'],
});

export const getWorkflowStats = endpoint({
  id: 'getWorkflowStats',
  method: 'GET',
  path: '/api/analytics/stats/{workflow_id}',
  tag,
  summary: 'Counts, rates and latencies of the runs of a workflow',
  auth: 'session',
  params: workflowParams,
  query: statsQuery,
  response: runStats,
  errors: ['forbidden'],
});

export const getMetrics = endpoint({
  id: 'getMetrics',
  method: 'GET',
  path: '/api/analytics/metrics',
  tag,
  summary: 'Runs over time, of one workflow or of all that the caller can see',
  auth: 'session',
  query: anyMetricsQuery,
  response: runMetrics,
  errors: ['forbidden'],
});

export const getWorkflowMetrics = endpoint({
  id: 'getWorkflowMetrics',
  method: 'GET',
  path: '/api/analytics/metrics/{workflow_id}',
  tag,
  summary: 'Runs of a workflow over time',
  auth: 'session',
  params: workflowParams,
  query: metricsQuery,
  response: runMetrics,
  errors: ['forbidden'],
});

export const listWorkflowStats = endpoint({
  id: 'listWorkflowStats',
  method: 'GET',
  path: '/api/analytics/workflows',
  tag,
  summary: 'Workflows with the most runs or the most errors',
  auth: 'session',
  query: workflowsQuery,
  response: z.object({ items: z.array(workflowStats) }),
});

export const rebuildAnalytics = endpoint({
  id: 'rebuildAnalytics',
  method: 'POST',
  path: '/api/analytics/rebuild',
  tag,
  summary:
    'Count the runs of all workflows again, in the background. Without `since` counts are only raised, so that runs whose history was deleted keep counting; with it they are replaced from that hour on',
  auth: 'admin',
  body: z.object({ since: timestamp.optional() }),
  response: z.object({ workflows: z.int().describe('How many are counted again.') }),
});

export const analyticsEndpoints = [
  getStats,
  getWorkflowStats,
  getMetrics,
  getWorkflowMetrics,
  listWorkflowStats,
  rebuildAnalytics,
];
