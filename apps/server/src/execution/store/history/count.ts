import type { SqlClient } from '../../../database/sql-client.ts';
import { isInState } from '../run-state.ts';
import { firstIdAt } from './filters.ts';

interface Counted {
  readonly status?: string | undefined;
  /** Epoch milliseconds. */
  readonly since_ms?: number | undefined;
}

/** How many runs of a workflow have which status; those that no process has taken yet are queued. */
export async function countByStatus(
  sql: SqlClient,
  workflow_id: string,
  { status, since_ms = 0 }: Counted,
): Promise<Record<string, number>> {
  const { rows } = await sql.query<{ status: string; total: number }>({
    text: `SELECT status, count(*)::int AS total FROM (
        SELECT CASE WHEN ${isInState('queued', 'r.state')} THEN 'queued' ELSE r.status END AS status
        FROM runs r WHERE r.workflow_id = $1 AND r.id >= $2 AND r.started_at >= $3
      ) counted WHERE $4::text IS NULL OR status = $4 GROUP BY status ORDER BY status`,
    values: [workflow_id, firstIdAt(since_ms), new Date(since_ms), status ?? null],
  });
  return Object.fromEntries(rows.map((row) => [row.status, row.total]));
}
