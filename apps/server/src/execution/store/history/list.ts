import type { HistoryFilters, HistoryList } from '@millrace/contracts';
import type { WaitKind } from '@millrace/engine';
import type { SqlClient, Statement } from '../../../database/sql-client.ts';
import { durationMs } from '../encoding/duration.ts';
import { hasNotEnded, type StoredStatus } from '../run-state.ts';
import { columnFilter, SEARCH_WINDOW, TOTAL_CAP, type WhereClause, windowFilter } from './filters.ts';

export interface ListRow {
  id: string;
  workflow_id: string;
  workflow_name: string;
  status: StoredStatus;
  trigger_source: string | null;
  execution_time_ms: number | null;
  started_at: Date;
  recovered: boolean;
  version_number: number | null;
  is_draft: boolean;
  replay_of: string | null;
  replay_from: string | null;
}

const LISTED = `r.id, r.workflow_id, w.name AS workflow_name, r.status, r.trigger_source, ${durationMs('r.')} AS execution_time_ms,
  r.started_at, r.recovered, r.replay_of, r.replay_from,
  (SELECT v.version_number FROM workflow_versions v WHERE v.id = r.version_id) AS version_number,
  EXISTS (SELECT 1 FROM workflow_drafts d WHERE d.id = r.version_id) AS is_draft`;

/**
 * Rows of one workflow that are enough for a page. Without this bound the planner reads and sorts every run of a period
 * instead of walking the index.
 */
const rowsOfEach = (window: WhereClause): string =>
  window.text === '' ? '$2::int + $3::int' : String(SEARCH_WINDOW);

/** Newest runs of one workflow. */
export function workflowPage(workflow_id: string, filters: HistoryFilters): Statement {
  const columns = columnFilter(filters, 4);
  const rest = windowFilter(filters, 4 + columns.values.length);
  return {
    text: `SELECT ${LISTED} FROM (
        SELECT r.* FROM runs r WHERE r.workflow_id = $1${columns.text} ORDER BY r.id DESC LIMIT ${rowsOfEach(rest)}
      ) r JOIN workflows w ON w.id = r.workflow_id
      WHERE true${rest.text}
      ORDER BY r.id DESC LIMIT $2 OFFSET $3`,
    values: [workflow_id, filters.limit, filters.offset, ...columns.values, ...rest.values],
  };
}

/** The newest runs `r` of each workflow `w`, each by the index. */
export const newestOfEach = (
  columns: string,
  limit: number | string,
): string => `workflows w CROSS JOIN LATERAL (
  SELECT r.* FROM runs r WHERE r.workflow_id = w.id${columns} ORDER BY r.id DESC LIMIT ${limit}) r`;

/**
 * Newest runs of all workflows that a person can see: the newest of each by the index, then the newest of those. Asking
 * for `workflow_id = ANY (...)` instead would make the planner scan the runs of all users to find theirs.
 */
export function visiblePage(workflow_ids: readonly string[], filters: HistoryFilters): Statement {
  const columns = columnFilter(filters, 4);
  const rest = windowFilter(filters, 4 + columns.values.length);
  return {
    text: `SELECT ${LISTED} FROM ${newestOfEach(columns.text, rowsOfEach(rest))}
      WHERE w.id = ANY ($1::uuid[])${rest.text}
      ORDER BY r.id DESC LIMIT $2 OFFSET $3`,
    values: [workflow_ids, filters.limit, filters.offset, ...columns.values, ...rest.values],
  };
}

/** Counts matches up to one more than the cap; or among the rows that are looked through. */
export function countOf(workflow_ids: readonly string[], filters: HistoryFilters): Statement {
  const { before: _, ...unpaged } = filters;
  const columns = columnFilter(unpaged, 2);
  const rest = windowFilter(filters, 2 + columns.values.length);
  const inner =
    rest.text === ''
      ? `SELECT 1 FROM runs r WHERE r.workflow_id = ANY ($1::uuid[])${columns.text} LIMIT ${TOTAL_CAP + 1}`
      : `SELECT 1 FROM ${newestOfEach(columns.text, SEARCH_WINDOW)}
         WHERE w.id = ANY ($1::uuid[])${rest.text} LIMIT ${TOTAL_CAP + 1}`;
  return {
    text: `SELECT count(*)::int AS total FROM (${inner}) matches`,
    values: [workflow_ids, ...columns.values, ...rest.values],
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

/** Where the page did not look for what no index finds, by the runs that the other filters leave. */
export async function searchGaps(
  sql: SqlClient,
  workflow_ids: readonly string[],
  filters: HistoryFilters,
): Promise<HistoryList['not_searched']> {
  if (windowFilter(filters, 1).text === '') return [];
  const columns = columnFilter(filters, 2);
  const { rows } = await sql.query<{ runs: number; has_large: boolean }>({
    text: `WITH looked AS MATERIALIZED (
        SELECT r.workflow_id, r.id FROM ${newestOfEach(columns.text, SEARCH_WINDOW + 1)} WHERE w.id = ANY ($1::uuid[]))
      SELECT (SELECT coalesce(max(count), 0) FROM (SELECT count(*) FROM looked GROUP BY workflow_id) each)::int AS runs,
        EXISTS (SELECT 1 FROM looked JOIN run_blobs ON run_blobs.run_id = looked.id) AS has_large`,
    values: [workflow_ids, ...columns.values],
  });
  const { runs = 0, has_large = false } = rows[0] ?? {};
  return [
    ...(runs > SEARCH_WINDOW ? (['older_runs'] as const) : []),
    ...(filters.search && has_large ? (['large_values'] as const) : []),
  ];
}

export interface RunHead extends ListRow {
  state: number;
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
  pending_kind: WaitKind | null;
}

const MAX_OPEN = 500;

/** Runs that have not ended, newest first. */
export async function readOpen(sql: SqlClient, workflow_ids: readonly string[]): Promise<OpenRow[]> {
  const { rows } = await sql.query<OpenRow>({
    text: `SELECT ${LISTED}, r.state,
        (SELECT kind FROM waits WHERE waits.run_id = r.id AND decided_at IS NULL LIMIT 1) AS pending_kind
      FROM runs r JOIN workflows w ON w.id = r.workflow_id
      WHERE r.workflow_id = ANY ($1::uuid[]) AND ${hasNotEnded('r.state')}
      ORDER BY r.id DESC LIMIT ${MAX_OPEN}`,
    values: [workflow_ids],
  });
  return rows;
}
