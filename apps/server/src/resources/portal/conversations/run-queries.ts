import type { SqlClient } from '../../../database/sql-client.ts';
import { TRIGGER_SOURCES } from '../../../execution/model/trigger-source.ts';
import { firstIdAt } from '../../../execution/store/history/filters.ts';

export interface DayOfRuns {
  /** UTC, such as 2026-01-31. */
  readonly date: string;
  readonly runs: number;
  readonly failures: number;
  /** Calls beyond a limit. */
  readonly refused: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly cost_usd: number | null;
}

/** Runs that visitors of a portal started, day by day, with what their calls of models used. Days without one are absent. */
export async function portalRunsByDay(sql: SqlClient, workflow_id: string, from: Date): Promise<DayOfRuns[]> {
  const { rows } = await sql.query<DayOfRuns>({
    text: `WITH r AS MATERIALIZED (
        SELECT id, status, to_char(started_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS date FROM runs
        WHERE workflow_id = $1 AND trigger_source = $2 AND id >= $3::uuid AND started_at >= $4),
      used AS (
        SELECT r.date, sum(t.prompt_tokens) AS prompt_tokens, sum(t.completion_tokens) AS completion_tokens,
          sum(t.cost_usd) AS cost_usd
        FROM traces t JOIN r ON r.id = t.run_id WHERE t.workflow_id = $1 AND t.created_at >= $4 GROUP BY r.date)
      SELECT r.date, (count(*) FILTER (WHERE r.status <> 'rate_limited'))::int AS runs,
        (count(*) FILTER (WHERE r.status = 'error'))::int AS failures,
        (count(*) FILTER (WHERE r.status = 'rate_limited'))::int AS refused,
        coalesce(max(used.prompt_tokens), 0)::float8 AS prompt_tokens,
        coalesce(max(used.completion_tokens), 0)::float8 AS completion_tokens, max(used.cost_usd)::float8 AS cost_usd
      FROM r LEFT JOIN used USING (date) GROUP BY r.date`,
    values: [workflow_id, TRIGGER_SOURCES.portal, firstIdAt(from.getTime()), from.toISOString()],
  });
  return rows;
}
