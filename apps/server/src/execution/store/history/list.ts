import type { HistoryFilters } from '@millrace/contracts';
import type { WaitKind } from '@millrace/engine';
import type { SqlClient, Statement } from '../../../database/sql-client.ts';
import { durationMs } from '../encoding/duration.ts';
import { buildCallerSql } from '../encoding/lineage.ts';
import { buildOptionSql } from '../encoding/run-options.ts';
import { IS_HELD } from '../queue/queue-position.ts';
import { hasNotEnded, isInState, type StoredStatus } from '../run-state.ts';
import { columnFilter, looksThrough, TOTAL_CAP } from './filters.ts';
import { lookThrough, type NotSearched } from './look-through.ts';
import { newestOfEach } from './newest-of-each.ts';
import { IS_OF_DRAFT } from './real-runs.ts';

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
  unresolved_references: number;
  waits_behind: number | null;
}

/** Runs before one that waits for a place, counted up to this. */
const MOST_BEFORE = 1_000;
const WAITS_BEHIND = `CASE WHEN ${isInState('queued', 'r.state')} AND r.ready_at = 'infinity' THEN (
    SELECT count(*)::int FROM (
      SELECT 1 FROM runs h WHERE ${IS_HELD} AND h.workflow_id = r.workflow_id AND h.place_key = r.place_key
        AND (h.virtual_time, h.id) < (r.virtual_time, r.id) LIMIT ${MOST_BEFORE}) before) END`;

const LISTED = `r.id, r.workflow_id, w.name AS workflow_name, r.status, r.trigger_source, ${durationMs('r.')} AS execution_time_ms,
  r.started_at, r.recovered, r.replay_of, r.replay_from, coalesce(r.unresolved_references, 0) AS unresolved_references,
  ${WAITS_BEHIND} AS waits_behind,
  (SELECT v.version_number FROM workflow_versions v WHERE v.id = r.version_id) AS version_number,
  ${IS_OF_DRAFT} AS is_draft`;

/** Newest runs of one workflow, of those that the index finds. */
export function workflowPage(workflow_id: string, filters: HistoryFilters): Statement {
  const columns = columnFilter(filters, 4);
  // Without the bound inside, the planner reads and sorts every run of a period instead of walking the index.
  return {
    text: `SELECT ${LISTED} FROM (
        SELECT r.* FROM runs r WHERE r.workflow_id = $1${columns.text} ORDER BY r.id DESC LIMIT $2::int + $3::int
      ) r JOIN workflows w ON w.id = r.workflow_id
      ORDER BY r.id DESC LIMIT $2 OFFSET $3`,
    values: [workflow_id, filters.limit, filters.offset, ...columns.values],
  };
}

/** The same of all workflows that a person can see. */
export function visiblePage(workflow_ids: readonly string[], filters: HistoryFilters): Statement {
  const columns = columnFilter(filters, 4);
  return {
    text: `SELECT ${LISTED} FROM ${newestOfEach(columns.text, '$2::int + $3::int')}
      WHERE w.id = ANY ($1::uuid[])
      ORDER BY r.id DESC LIMIT $2 OFFSET $3`,
    values: [workflow_ids, filters.limit, filters.offset, ...columns.values],
  };
}

/** Counts matches that the index finds, up to one more than the cap. */
export function buildCountStatement(workflow_ids: readonly string[], filters: HistoryFilters): Statement {
  const columns = columnFilter(unpaged(filters), 2);
  return {
    text: `SELECT count(*)::int AS total FROM (
        SELECT 1 FROM runs r WHERE r.workflow_id = ANY ($1::uuid[])${columns.text} LIMIT ${TOTAL_CAP + 1}) matches`,
    values: [workflow_ids, ...columns.values],
  };
}

function unpaged(filters: HistoryFilters): HistoryFilters {
  const { before: _, ...all } = filters;
  return all;
}

export interface ListedRuns {
  readonly rows: readonly ListRow[];
  /** Of all pages, up to `TOTAL_CAP`. */
  readonly total: number;
  readonly total_is_capped: boolean;
  readonly not_searched: NotSearched;
}

interface Found extends Pick<ListedRuns, 'rows' | 'not_searched'> {
  /** Without the cap. */
  readonly total: number;
}

async function findByIndex(
  sql: SqlClient,
  workflow_ids: readonly string[],
  filters: HistoryFilters,
): Promise<Found> {
  const [only = ''] = workflow_ids;
  const page = workflow_ids.length === 1 ? workflowPage(only, filters) : visiblePage(workflow_ids, filters);
  const [{ rows }, count] = await Promise.all([
    sql.query<ListRow>(page),
    sql.query<{ total: number }>(buildCountStatement(workflow_ids, filters)),
  ]);
  return { rows, total: count.rows[0]?.total ?? 0, not_searched: [] };
}

/** Page and total come from one look; a later page begins elsewhere, so its total needs another one. */
async function findByLooking(
  sql: SqlClient,
  workflow_ids: readonly string[],
  filters: HistoryFilters,
): Promise<Found> {
  const first = filters.before === undefined ? undefined : lookThrough(sql, workflow_ids, unpaged(filters));
  const [looked, all] = await Promise.all([lookThrough(sql, workflow_ids, filters), first]);
  const { run_ids, not_searched } = looked;
  const { total } = all ?? looked;
  if (run_ids.length === 0) return { rows: [], total, not_searched };
  const { rows } = await sql.query<ListRow>({
    text: `SELECT ${LISTED} FROM runs r JOIN workflows w ON w.id = r.workflow_id
      WHERE r.id = ANY ($1::uuid[]) ORDER BY r.id DESC`,
    values: [run_ids],
  });
  return { rows, total, not_searched };
}

/** A page of the newest runs of the workflows, and how many there are. */
export async function listRuns(
  sql: SqlClient,
  workflow_ids: readonly string[],
  filters: HistoryFilters,
): Promise<ListedRuns> {
  const find = looksThrough(filters) ? findByLooking : findByIndex;
  const found = await find(sql, workflow_ids, filters);
  return {
    ...found,
    total: Math.min(found.total, TOTAL_CAP),
    total_is_capped: found.total > TOTAL_CAP || found.not_searched.includes('older_runs'),
  };
}

export interface RunHead extends ListRow {
  state: number;
}

export interface PinnedHead extends RunHead {
  /** Null once that version was deleted, which waits for the end of its runs. */
  version_id: string | null;
  /** Portal visitor who started the run; null for other runs and for visitors without a login and a visitor token. */
  visitor: string | null;
  /** The node at which the run ends; null for a run of the whole workflow. */
  until: string | null;
  /** The run that called it; null for a run that none called. */
  caller_run_id: string | null;
}

/** The thin part of a run; what it was given and gave is read by the journal. */
export async function readHead(sql: SqlClient, run_id: string): Promise<PinnedHead | undefined> {
  const { rows } = await sql.query<PinnedHead>({
    name: 'run_head',
    text: `SELECT ${LISTED}, r.state, r.version_id, ${buildOptionSql('visitor')} AS visitor,
        ${buildOptionSql('until')} AS until, ${buildCallerSql('r')} AS caller_run_id
      FROM runs r JOIN workflows w ON w.id = r.workflow_id WHERE r.id = $1`,
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
