import type { InboxSelection, InboxFilters as ListFilters } from '@millrace/contracts';
import type { SqlClient, Statement } from '../../database/sql-client.ts';
import { SEARCH_WINDOW, TOTAL_CAP } from '../../execution/store/history/filters.ts';
import { newestOfEach } from '../../execution/store/history/newest-of-each.ts';
import { IS_OF_DRAFT } from '../../execution/store/history/real-runs.ts';
import { isGivenUp } from '../../execution/store/queue/requeue/give-up.ts';
import { type Place, placeFilter, type Viewer, windowFilter } from './selection.ts';

/** Of a list of runs. */
type InboxFilters = Omit<ListFilters, 'kind'> & InboxSelection & Viewer;

export interface InboxRow {
  id: string;
  workflow_id: string;
  workflow_name: string;
  trigger_source: string | null;
  started_at: Date;
  finished_at: Date | null;
  version_number: number | null;
  is_draft: boolean;
  replay_of: string | null;
  dismissed_at: Date | null;
  outcome: string | null;
}

const LISTED = `r.id, r.workflow_id, w.name AS workflow_name, r.trigger_source, r.started_at, r.finished_at, r.replay_of,
  r.dismissed_at, r.outcome,
  (SELECT v.version_number FROM workflow_versions v WHERE v.id = r.version_id) AS version_number,
  ${IS_OF_DRAFT} AS is_draft`;

/** Newest entries of the workflows. */
export function inboxPage(workflow_ids: readonly string[], filters: InboxFilters): Statement {
  const place = placeFilter(filters, 3);
  const rest = windowFilter(filters, 3 + place.values.length);
  const window = rest.text === '' ? '$2::int' : SEARCH_WINDOW;
  return {
    text: `SELECT ${LISTED} FROM ${newestOfEach(place.text, window)}
      WHERE w.id = ANY ($1::uuid[])${rest.text} ORDER BY r.id DESC LIMIT $2`,
    values: [workflow_ids, filters.limit, ...place.values, ...rest.values],
  };
}

export async function readInbox(sql: SqlClient, statement: Statement): Promise<InboxRow[]> {
  return (await sql.query<InboxRow>(statement)).rows;
}

/** Entries by kind, up to one more than the cap; or among the entries that are looked through. */
export function inboxCounts(
  workflow_ids: readonly string[],
  filters: InboxSelection & Pick<Place, 'dismissed' | 'trials' | 'viewer_id'>,
): Statement {
  const { dismissed, trials, viewer_id } = filters;
  const place = placeFilter({ dismissed, trials, viewer_id }, 2);
  const rest = windowFilter(filters, 2 + place.values.length);
  const window = rest.text === '' ? TOTAL_CAP + 1 : SEARCH_WINDOW;
  return {
    text: `SELECT count(*)::int AS total, (count(*) FILTER (WHERE given_up))::int AS given_up FROM (
        SELECT ${isGivenUp('r.outcome')} AS given_up FROM ${newestOfEach(place.text, window)}
        WHERE w.id = ANY ($1::uuid[])${rest.text} LIMIT ${TOTAL_CAP + 1}) matches`,
    values: [workflow_ids, ...place.values, ...rest.values],
  };
}

export async function countInbox(
  sql: SqlClient,
  statement: Statement,
): Promise<{ failed: number; given_up: number; is_capped: boolean }> {
  const { rows } = await sql.query<{ total: number; given_up: number }>(statement);
  const { total = 0, given_up = 0 } = rows[0] ?? {};
  const is_capped = total > TOTAL_CAP;
  // The one entry beyond the cap may be of either kind.
  const failed = Math.max(0, total - given_up - (is_capped ? 1 : 0));
  return { failed, given_up: Math.min(given_up, TOTAL_CAP), is_capped };
}

/** Whether a filter of kind or text left entries of a workflow out. */
export async function hasOlderEntries(
  sql: SqlClient,
  workflow_ids: readonly string[],
  filters: InboxFilters,
): Promise<boolean> {
  if (windowFilter(filters, 1).text === '') return false;
  const place = placeFilter(filters, 2);
  const { rows } = await sql.query({
    text: `SELECT 1 FROM workflows w CROSS JOIN LATERAL (
        SELECT 1 FROM runs r WHERE r.workflow_id = w.id${place.text} ORDER BY r.id DESC OFFSET ${SEARCH_WINDOW} LIMIT 1) older
      WHERE w.id = ANY ($1::uuid[]) LIMIT 1`,
    values: [workflow_ids, ...place.values],
  });
  return rows.length > 0;
}
