import type { CostGrouping } from '@millrace/contracts';
import type { SqlClient } from '../../database/sql-client.ts';
import { beforeRound } from '../../execution/run/node/idempotency-key.ts';
import { listOpenRuns } from '../../execution/store/lookups.ts';
import type { HourRange } from '../analytics/range.ts';

/** Traces that a person may add up: their own, and those of runs of workflows that they can see. */
export interface CountedTraces {
  readonly user_id: string;
  readonly workflow_ids: readonly string[];
  /** Also of the own traces only those of `workflow_ids`. */
  readonly of_workflows_alone: boolean;
}

export interface CostCell {
  /** From 1 on; groups beyond the limit share the number behind it. */
  readonly rank: number;
  readonly id: string | null;
  readonly name: string | null;
  /** Epoch milliseconds. */
  readonly at_ms: number;
  readonly calls: number;
  readonly unpriced_calls: number;
  readonly cost_usd: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
}

/**
 * Keys that tell groups apart: an id, or else a text, and never null, so that groups can be joined by a hash. Workflows
 * that are gone are told apart by their names of then.
 */
const KEYS: Readonly<Record<CostGrouping, string>> = {
  workflow: `coalesce(workflow_id::text, ':' || workflow_name, '') AS key, workflow_id AS id,
    CASE WHEN workflow_id IS NULL THEN workflow_name END AS label`,
  model: 'model AS key, NULL::uuid AS id, model AS label',
  user: 'user_id::text AS key, user_id AS id, NULL::text AS label',
};

/** A workflow that was taken from the person keeps the name that their own traces have of it. */
const NAMES: Readonly<Record<CostGrouping, string>> = {
  workflow:
    'coalesce(c.label, (SELECT w.name FROM workflows w WHERE w.id = c.id AND w.id = ANY($2::uuid[])), c.own_name)',
  model: 'c.label',
  user: '(SELECT u.name FROM users u WHERE u.id = c.id)',
};

const COLUMNS =
  'user_id, workflow_id, workflow_name, model, error, cost_usd, prompt_tokens, completion_tokens, created_at';

/** $1: the person; $2: workflows; further conditions on the time. Two parts, so that each is read from an index of its own. */
const counted = (of_workflows_alone: boolean, columns: string, during = ''): string => `
  SELECT ${columns} FROM traces WHERE user_id = $1::uuid
    ${of_workflows_alone ? 'AND workflow_id = ANY($2::uuid[])' : ''} ${during}
  UNION ALL
  SELECT ${columns} FROM traces WHERE workflow_id = ANY($2::uuid[]) AND user_id <> $1::uuid ${during}`;

const SUMS = ['calls', 'unpriced_calls', 'cost_usd', 'prompt_tokens', 'completion_tokens']
  .map((name) => `sum(c.${name})::float8 AS ${name}`)
  .join(', ');

/** Cost and tokens by group and bucket; buckets start at whole multiples of their length (UTC), and only those with calls are listed. */
export async function sumCosts(
  sql: SqlClient,
  traces: CountedTraces,
  {
    group_by,
    limit,
    bucket_ms,
    ...range
  }: HourRange & { readonly group_by: CostGrouping; readonly limit: number; readonly bucket_ms: number },
): Promise<CostCell[]> {
  const seen = counted(
    traces.of_workflows_alone,
    COLUMNS,
    'AND created_at >= $3::timestamptz AND created_at < $4::timestamptz',
  );
  const { rows } = await sql.query<CostCell>({
    text: `WITH cells AS (
        SELECT ${KEYS[group_by]}, max(workflow_name) AS own_name,
          floor(extract(epoch FROM created_at) * 1000 / $5::float8) * $5::float8 AS at_ms,
          count(*) AS calls, count(*) FILTER (WHERE cost_usd IS NULL AND error IS NULL) AS unpriced_calls,
          coalesce(sum(cost_usd), 0) AS cost_usd, coalesce(sum(prompt_tokens), 0) AS prompt_tokens,
          coalesce(sum(completion_tokens), 0) AS completion_tokens
        FROM (${seen}) seen GROUP BY 1, 2, 3, 5),
      ranked AS (
        SELECT key, row_number() OVER (
            ORDER BY sum(cost_usd) DESC, sum(prompt_tokens + completion_tokens) DESC, sum(calls) DESC, key
          ) AS place
        FROM cells GROUP BY key)
      SELECT least(r.place, $6::int + 1)::int AS rank,
        CASE WHEN r.place <= $6::int THEN c.id END AS id,
        CASE WHEN r.place <= $6::int THEN ${NAMES[group_by]} END AS name,
        c.at_ms::float8 AS at_ms, ${SUMS}
      FROM cells c JOIN ranked r ON r.key = c.key
      GROUP BY 1, 2, 3, 4 ORDER BY 1, 4`,
    values: [
      traces.user_id,
      traces.workflow_ids,
      new Date(range.start_ms),
      new Date(range.end_ms),
      bucket_ms,
      limit,
    ],
  });
  return rows;
}

/** When the first call began, in epoch milliseconds. */
export async function firstCall(sql: SqlClient, traces: CountedTraces): Promise<number | undefined> {
  const { rows } = await sql.query<{ first: Date | null }>({
    text: `SELECT min(first) AS first FROM (${counted(traces.of_workflows_alone, 'created_at AS first')}) calls`,
    values: [traces.user_id, traces.workflow_ids],
  });
  return rows[0]?.first?.getTime();
}

/**
 * The cost of the costliest round of each of these nodes in a run of the workflow, with all that it called and the runs that these
 * started; in US dollars.
 */
export async function costliestRounds(
  sql: SqlClient,
  {
    workflow_id,
    run_id,
    node_ids,
  }: { readonly workflow_id: string; readonly run_id: string; readonly node_ids: readonly string[] },
): Promise<number[]> {
  const { rows } = await sql.query<{ usd: number }>({
    name: 'costliest_rounds',
    // A call below several nodes has the key of each.
    text: `WITH keys AS (
        SELECT id, execution_key AS key, cost_usd FROM traces
        WHERE run_id = $1::uuid AND workflow_id = $2::uuid AND cost_usd IS NOT NULL
        UNION ALL
        SELECT t.id, b.key, t.cost_usd FROM traces t CROSS JOIN LATERAL unnest(t.budget_ids) AS b(key)
        WHERE t.budget_ids @> ARRAY[$1::text] AND t.cost_usd IS NOT NULL
          AND EXISTS (SELECT FROM runs WHERE id = $1::uuid AND workflow_id = $2::uuid))
      SELECT coalesce(max(r.usd), 0)::float8 AS usd
      FROM unnest($3::text[]) WITH ORDINALITY AS n(prefix, at)
      LEFT JOIN LATERAL (
        SELECT sum(c.cost_usd) AS usd FROM (
          SELECT DISTINCT k.id, split_part(substr(k.key, length(n.prefix) + 1), ':', 1) AS round, k.cost_usd
          FROM keys k WHERE starts_with(k.key, n.prefix)) c
        GROUP BY c.round) r ON true
      GROUP BY n.at ORDER BY n.at`,
    values: [run_id, workflow_id, node_ids.map((id) => beforeRound(run_id, id))],
  });
  return rows.map(({ usd }) => usd);
}

export interface RunCosts {
  readonly runs: number;
  /** US dollars; null without runs. */
  readonly median_usd: number | null;
  readonly p95_usd: number | null;
}

/** Runs that are looked at, and calls among which they are found: a run with more of them hides those before it. */
const RUNS = 50;
const CALLS = 5_000;
/** Runs under way that are left out; of more, some count with what they have cost so far. */
const MOST_OPEN = 1_000;

/** The cost of the newest ended runs of a workflow that called models with known prices. */
export async function costsOfRuns(sql: SqlClient, workflow_id: string): Promise<RunCosts> {
  const open = await listOpenRuns(sql, workflow_id, MOST_OPEN);
  const { rows } = await sql.query<RunCosts>({
    name: 'run_costs',
    text: `WITH calls AS (
        SELECT run_id, created_at FROM traces
        WHERE workflow_id = $1::uuid AND cost_usd IS NOT NULL AND run_id IS NOT NULL
          AND run_id <> ALL ($2::uuid[])
        ORDER BY created_at DESC LIMIT ${CALLS}),
      newest AS (SELECT run_id FROM calls GROUP BY run_id ORDER BY max(created_at) DESC LIMIT ${RUNS}),
      sums AS (
        SELECT sum(t.cost_usd) AS usd FROM newest n JOIN traces t ON t.run_id = n.run_id
        WHERE t.cost_usd IS NOT NULL AND t.workflow_id = $1::uuid GROUP BY n.run_id)
      SELECT count(*)::int AS runs, percentile_cont(0.5) WITHIN GROUP (ORDER BY usd)::float8 AS median_usd,
        percentile_cont(0.95) WITHIN GROUP (ORDER BY usd)::float8 AS p95_usd FROM sums`,
    values: [workflow_id, open],
  });
  return rows[0] ?? { runs: 0, median_usd: null, p95_usd: null };
}
