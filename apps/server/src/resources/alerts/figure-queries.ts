import { HOUR_MS } from '@millrace/engine/units';
import type { SqlClient } from '../../database/sql-client.ts';
import { firstIdAt } from '../../execution/store/history/filters.ts';
import { IS_REAL } from '../../execution/store/history/real-runs.ts';
import { isInState } from '../../execution/store/run-state.ts';

/** Newest runs of a workflow that ended; older ones are not looked through, so that a look costs the same on a busy workflow. */
const MOST_RUNS = 10_000;
/** A run that ended within the window and began longer before it is not found. */
const LONGEST_RUN_HOURS = 24;

export interface RunFigures {
  readonly total: number;
  readonly errors: number;
  /** 95th percentile; null without runs. */
  readonly p95_ms: number | null;
}

/** Of the runs of a workflow that ended within a period. */
export async function computeFigures(
  sql: SqlClient,
  { workflow_id, since_ms, until_ms }: { workflow_id: string; since_ms: number; until_ms: number },
): Promise<RunFigures> {
  const { rows } = await sql.query<RunFigures>({
    name: 'alert_figures',
    text: `SELECT count(*)::int AS total, (count(*) FILTER (WHERE status = 'error'))::int AS errors,
        (percentile_disc(0.95) WITHIN GROUP (ORDER BY took_ms))::float8 AS p95_ms
      FROM (SELECT r.status, r.finished_at, coalesce(r.duration_ms, r.execution_time_ms) AS took_ms FROM runs r
        WHERE r.workflow_id = $1 AND r.id >= $2 AND ${isInState('done', 'r.state')} AND r.status IN ('success', 'error')
          AND ${IS_REAL}
        ORDER BY r.id DESC LIMIT ${MOST_RUNS}) ended
      WHERE finished_at > to_timestamp($3::float8 / 1000) AND finished_at <= to_timestamp($4::float8 / 1000)`,
    values: [workflow_id, firstIdAt(since_ms - LONGEST_RUN_HOURS * HOUR_MS), since_ms, until_ms],
  });
  return rows[0] ?? { total: 0, errors: 0, p95_ms: null };
}

/** When the last run of a workflow began, as epoch milliseconds; undefined: none did after that moment. */
export async function lastRunAfter(
  sql: SqlClient,
  { workflow_id, since_ms }: { workflow_id: string; since_ms: number },
): Promise<number | undefined> {
  const { rows } = await sql.query<{ at: number }>({
    name: 'last_run_after',
    text: `SELECT (extract(epoch FROM r.started_at) * 1000)::float8 AS at FROM runs r
      WHERE r.workflow_id = $1 AND r.id >= $2 AND r.status <> 'rate_limited' AND ${IS_REAL}
      ORDER BY r.id DESC LIMIT 1`,
    values: [workflow_id, firstIdAt(since_ms)],
  });
  return rows[0]?.at;
}
