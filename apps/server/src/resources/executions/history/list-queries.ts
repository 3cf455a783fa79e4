import type { HistoryFilters } from '@millrace/contracts';
import type { SqlClient, Statement } from '../../../database/sql-client.ts';
import { columnFilter, SEARCH_WINDOW, searchFilter, TOTAL_CAP } from './filters.ts';

export interface ListRow {
  id: string;
  workflow_id: string;
  workflow_name: string;
  status: string;
  trigger_source: string | null;
  execution_time_ms: number | null;
  started_at: Date;
  recovered: boolean;
}

const LISTED = `r.id, r.workflow_id, w.name AS workflow_name, r.status, r.trigger_source, r.execution_time_ms,
  r.started_at, r.recovered`;

/** Newest runs of one workflow. */
export function workflowPage(workflow_id: string, filters: HistoryFilters): Statement {
  const columns = columnFilter(filters, 4);
  const search = searchFilter(filters, 4 + columns.values.length);
  const window = search.text === '' ? '' : `LIMIT ${SEARCH_WINDOW}`;
  return {
    text: `SELECT ${LISTED} FROM (
        SELECT r.* FROM runs r WHERE r.workflow_id = $1${columns.text} ORDER BY r.id DESC ${window}
      ) r JOIN workflows w ON w.id = r.workflow_id
      WHERE true${search.text}
      ORDER BY r.id DESC LIMIT $2 OFFSET $3`,
    values: [workflow_id, filters.limit, filters.offset, ...columns.values, ...search.values],
  };
}

/**
 * Newest runs of all workflows that a person can see: the newest of each by the index, then the newest of those. Asking
 * for `workflow_id = ANY (...)` instead would make the planner walk everybody's runs in search of theirs.
 */
export function visiblePage(workflow_ids: readonly string[], filters: HistoryFilters): Statement {
  const columns = columnFilter(filters, 4);
  const search = searchFilter(filters, 4 + columns.values.length);
  const each = search.text === '' ? '$2::int + $3::int' : String(SEARCH_WINDOW);
  return {
    text: `SELECT ${LISTED} FROM workflows w
      CROSS JOIN LATERAL (
        SELECT r.* FROM runs r WHERE r.workflow_id = w.id${columns.text} ORDER BY r.id DESC LIMIT ${each}
      ) r
      WHERE w.id = ANY ($1::uuid[])${search.text}
      ORDER BY r.id DESC LIMIT $2 OFFSET $3`,
    values: [workflow_ids, filters.limit, filters.offset, ...columns.values, ...search.values],
  };
}

/** Counts matches up to one more than the cap; with a search, among the rows that are searched. */
function countOf(workflow_ids: readonly string[], filters: HistoryFilters): Statement {
  const { before: _, ...unpaged } = filters;
  const columns = columnFilter(unpaged, 2);
  const search = searchFilter(filters, 2 + columns.values.length);
  const inner =
    search.text === ''
      ? `SELECT 1 FROM runs r WHERE r.workflow_id = ANY ($1::uuid[])${columns.text} LIMIT ${TOTAL_CAP + 1}`
      : `SELECT 1 FROM (
           SELECT r.* FROM runs r WHERE r.workflow_id = ANY ($1::uuid[])${columns.text}
           ORDER BY r.id DESC LIMIT ${SEARCH_WINDOW}
         ) r JOIN workflows w ON w.id = r.workflow_id WHERE true${search.text} LIMIT ${TOTAL_CAP + 1}`;
  return {
    text: `SELECT count(*)::int AS total FROM (${inner}) matches`,
    values: [workflow_ids, ...columns.values, ...search.values],
  };
}

export async function readPage(sql: SqlClient, statement: Statement): Promise<ListRow[]> {
  return (await sql.query<ListRow>(statement)).rows;
}

export async function countRuns(
  sql: SqlClient,
  workflow_ids: readonly string[],
  filters: HistoryFilters,
): Promise<{ total: number; total_is_capped: boolean }> {
  if (workflow_ids.length === 0) return { total: 0, total_is_capped: false };
  const { rows } = await sql.query<{ total: number }>(countOf(workflow_ids, filters));
  const total = rows[0]?.total ?? 0;
  return { total: Math.min(total, TOTAL_CAP), total_is_capped: total > TOTAL_CAP };
}

const DELETE_BATCH = 2_000;

/** Removes finished runs, in steps that keep no other work waiting. Open ones stay: somebody waits for them. */
export async function deleteFinished(sql: SqlClient, workflow_ids: readonly string[]): Promise<void> {
  for (;;) {
    const { row_count } = await sql.query({
      text: `DELETE FROM runs WHERE id IN (
          SELECT id FROM runs WHERE workflow_id = ANY ($1::uuid[]) AND state = 3 LIMIT ${DELETE_BATCH})`,
      values: [workflow_ids],
    });
    if (row_count < DELETE_BATCH) return;
  }
}

export interface RunHead {
  id: string;
  workflow_id: string;
  workflow_name: string;
  status: string;
  state: number;
  trigger_source: string | null;
  execution_time_ms: number | null;
  started_at: Date;
  recovered: boolean;
}

/** The thin part of a run; what it was given and gave is read by the journal. */
export async function readHead(sql: SqlClient, run_id: string): Promise<RunHead | undefined> {
  const { rows } = await sql.query<RunHead>({
    name: 'run_head',
    text: `SELECT ${LISTED}, r.state FROM runs r JOIN workflows w ON w.id = r.workflow_id WHERE r.id = $1`,
    values: [run_id],
  });
  return rows[0];
}

export interface OpenRow extends RunHead {
  pending_kind: 'review' | 'timer' | 'upload' | null;
}

const MAX_OPEN = 500;

/** Runs that have not ended, newest first. */
export async function readOpen(sql: SqlClient, workflow_ids: readonly string[]): Promise<OpenRow[]> {
  const { rows } = await sql.query<OpenRow>({
    text: `SELECT ${LISTED}, r.state,
        (SELECT kind FROM waits WHERE waits.run_id = r.id AND decided_at IS NULL LIMIT 1) AS pending_kind
      FROM runs r JOIN workflows w ON w.id = r.workflow_id
      WHERE r.workflow_id = ANY ($1::uuid[]) AND r.state < 3
      ORDER BY r.id DESC LIMIT ${MAX_OPEN}`,
    values: [workflow_ids],
  });
  return rows;
}
