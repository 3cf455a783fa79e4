import type { SqlClient } from '../database/sql-client.ts';
import type { LiveRuns } from './run/live-runs.ts';

/** How many runs may go on at once because of one: those that it started, and those that these started. */
export interface Descendants {
  /**
   * Whether one more may start. Runs that somebody waits for are on the process of their caller and counted there; one
   * that nobody waits for is counted with all others in the database, which is written for it anyway.
   */
  mayGrow(root_run_id: string, waits: boolean): boolean | Promise<boolean>;
  readonly most: number;
}

export interface DescendantsOptions {
  readonly sql: SqlClient;
  readonly live: LiveRuns;
  readonly most: number;
}

/** Nodes that start runs at the same moment may go over the limit by their number. */
export function createDescendants({ sql, live, most }: DescendantsOptions): Descendants {
  async function countStored(root_run_id: string): Promise<number> {
    const { rows } = await sql.query<{ open: number }>({
      name: 'open_descendants',
      text: `SELECT count(*)::int AS open FROM (
        SELECT 1 FROM runs WHERE root_run_id = $1 AND state < 3 LIMIT $2) found`,
      values: [root_run_id, most],
    });
    return rows[0]?.open ?? 0;
  }

  return {
    most,
    mayGrow(root_run_id, waits) {
      if (live.descendantsOf(root_run_id) >= most) return false;
      return waits || countStored(root_run_id).then((open) => open < most);
    },
  };
}
