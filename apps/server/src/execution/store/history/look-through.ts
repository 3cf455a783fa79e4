import type { HistoryFilters, HistoryList } from '@millrace/contracts';
import type { SqlClient, Statement } from '../../../database/sql-client.ts';
import { columnFilter, SEARCH_WINDOW, windowFilter } from './filters.ts';
import { newestOfEach } from './newest-of-each.ts';

export type NotSearched = HistoryList['not_searched'];

/** Among the newest runs of each workflow that the filters with an index leave. */
export interface Looked {
  /** The page, newest first. */
  readonly run_ids: readonly string[];
  /** Matches on all pages. */
  readonly total: number;
  /** The oldest run that was looked at, where there are older ones; only of use for one workflow. */
  readonly oldest: string | null;
  readonly not_searched: NotSearched;
}

interface LookedRow {
  readonly run_ids: string[];
  readonly total: number;
  /** Rows of the workflow with most of them. */
  readonly most: number;
  readonly oldest: string | null;
  readonly has_large: boolean;
}

/**
 * Page, total and what was left out are one statement, which reads each row once. One row more than the window is looked
 * at: it says that there are older ones.
 */
export function lookThroughStatement(workflow_ids: readonly string[], filters: HistoryFilters): Statement {
  const columns = columnFilter(filters, 4);
  const rest = windowFilter(filters, 4 + columns.values.length);
  const hasLarge = filters.search
    ? 'EXISTS (SELECT 1 FROM looked JOIN run_blobs ON run_blobs.run_id = looked.id)'
    : 'false';
  return {
    text: `WITH looked AS MATERIALIZED (
        SELECT r.workflow_id, r.id, (true${rest.text}) IS TRUE AS matches
        FROM ${newestOfEach(columns.text, SEARCH_WINDOW + 1)} WHERE w.id = ANY ($1::uuid[]))
      SELECT ARRAY(SELECT id FROM looked WHERE matches ORDER BY id DESC LIMIT $2 OFFSET $3) AS run_ids,
        (SELECT count(*) FROM looked WHERE matches)::int AS total,
        (SELECT coalesce(max(count), 0) FROM (SELECT count(*) FROM looked GROUP BY workflow_id) each)::int AS most,
        (ARRAY(SELECT id FROM looked ORDER BY id LIMIT 1))[1] AS oldest, ${hasLarge} AS has_large`,
    values: [workflow_ids, filters.limit, filters.offset, ...columns.values, ...rest.values],
  };
}

export async function lookThrough(
  sql: SqlClient,
  workflow_ids: readonly string[],
  filters: HistoryFilters,
): Promise<Looked> {
  const { rows } = await sql.query<LookedRow>(lookThroughStatement(workflow_ids, filters));
  const { run_ids = [], total = 0, most = 0, oldest = null, has_large = false } = rows[0] ?? {};
  return {
    run_ids,
    total,
    oldest: most > SEARCH_WINDOW ? oldest : null,
    not_searched: [
      ...(most > SEARCH_WINDOW ? (['older_runs'] as const) : []),
      ...(has_large ? (['large_values'] as const) : []),
    ],
  };
}
