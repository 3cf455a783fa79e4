import type { SqlClient } from '../../database/sql-client.ts';
import { countOpenDescendants } from '../store/lookups.ts';
import type { LiveRuns } from './live-runs.ts';

/** Bounds how many runs are open at once below one root run, over all levels. */
export interface Descendants {
  /**
   * Whether one more may start. A child whose parent waits runs on the parent's process and is counted in memory; any
   * other is counted in the database, which is written for it anyway.
   */
  mayStartDescendant(root_run_id: string, waits: boolean): boolean | Promise<boolean>;
  readonly most: number;
}

export interface DescendantsOptions {
  readonly sql: SqlClient;
  readonly live: LiveRuns;
  readonly most: number;
}

/** Nodes that start runs at the same moment may go over the limit by their number. */
export function createDescendants({ sql, live, most }: DescendantsOptions): Descendants {
  return {
    most,
    mayStartDescendant(root_run_id, waits) {
      if (live.countDescendants(root_run_id) >= most) return false;
      return waits || countOpenDescendants(sql, root_run_id, most).then((open) => open < most);
    },
  };
}
