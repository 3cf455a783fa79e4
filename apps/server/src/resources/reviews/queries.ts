import type { OpenReviewFilters } from '@millrace/contracts';
import { likePattern } from '../../database/like-pattern.ts';
import type { SqlClient, Statement } from '../../database/sql-client.ts';
import {
  joinConditions,
  jsonText,
  jsonTextSearch,
  SEARCH_WINDOW,
  TOTAL_CAP,
  type WhereClause,
} from '../../execution/store/history/filters.ts';
import { hasNotEnded } from '../../execution/store/run-state.ts';

export interface OpenReviewRow {
  readonly id: string;
  readonly run_id: string;
  readonly workflow_id: string;
  readonly workflow_name: string;
  /** As JSON escapes it; null where it is so long that it is kept apart. */
  readonly summary: string | null;
  readonly asked_at: Date;
  readonly due_at: Date | null;
}

/**
 * The open reviews of each workflow `w`, those of the newest run first: its open runs by their index, and the waits of each by
 * their primary key. `OFFSET 0` keeps the planner from joining in another way, which would read the waits of all users.
 *
 * @param position what narrows the runs `r` and the waits `a`
 */
const newestOpen = (position: string, most: number | string): string => `workflows w CROSS JOIN LATERAL (
  SELECT r.id AS run_id, r.workflow_id, a.* FROM runs r CROSS JOIN LATERAL (
    SELECT token_hash, payload, due_at, created_at FROM waits
    WHERE waits.run_id = r.id AND kind = 'review' AND decided_at IS NULL AND token_hash IS NOT NULL
      AND (due_at > now()) IS NOT FALSE OFFSET 0) a
  WHERE r.workflow_id = w.id AND ${hasNotEnded('r.state')}${position}
  ORDER BY r.id DESC, a.token_hash DESC LIMIT ${most}) a`;

function searchFilter(search: string | undefined, first: number): WhereClause {
  if (search === undefined) return { text: '', values: [] };
  const inSummary = jsonTextSearch('a.payload', 'summary', search);
  const condition = {
    text: `(w.name ILIKE ? OR ${inSummary.text})`,
    values: [likePattern(search), ...inSummary.values],
  };
  return joinConditions([condition], first);
}

/** Reviews after the last one of the page before; none when that one is unknown. */
const BEFORE = `r.id <= (SELECT run_id FROM waits WHERE token_hash = ?)
  AND (r.id, a.token_hash) < (SELECT run_id, token_hash FROM waits WHERE token_hash = ?)`;

export function openReviewPage(
  workflow_ids: readonly string[],
  { before, search, limit }: Pick<OpenReviewFilters, 'before' | 'search' | 'limit'>,
): Statement {
  const position = joinConditions(
    before === undefined ? [] : [{ text: BEFORE, values: [before, before] }],
    3,
  );
  const rest = searchFilter(search, 3 + position.values.length);
  const window = rest.text === '' ? '$2::int' : SEARCH_WINDOW;
  return {
    text: `SELECT a.token_hash AS id, a.run_id, a.workflow_id, w.name AS workflow_name,
        ${jsonText('a.payload', 'summary')} AS summary, a.created_at AS asked_at, a.due_at
      FROM ${newestOpen(position.text, window)}
      WHERE w.id = ANY ($1::uuid[])${rest.text} ORDER BY a.run_id DESC, a.token_hash DESC LIMIT $2`,
    values: [workflow_ids, limit, ...position.values, ...rest.values],
  };
}

/** Up to one more than the cap; with a text among the reviews that are looked through. */
export function openReviewCount(workflow_ids: readonly string[], search: string | undefined): Statement {
  const rest = searchFilter(search, 2);
  const window = rest.text === '' ? TOTAL_CAP + 1 : SEARCH_WINDOW;
  return {
    text: `SELECT count(*)::int AS count FROM (SELECT 1 FROM ${newestOpen('', window)}
      WHERE w.id = ANY ($1::uuid[])${rest.text} LIMIT ${TOTAL_CAP + 1}) found`,
    values: [workflow_ids, ...rest.values],
  };
}

/** Open reviews of the workflows, and how many there are on all pages. */
export async function readOpenReviews(
  sql: SqlClient,
  workflow_ids: readonly string[],
  filters: Pick<OpenReviewFilters, 'before' | 'search' | 'limit'>,
): Promise<{ rows: OpenReviewRow[]; count: number; is_capped: boolean }> {
  const [page, counted] = await Promise.all([
    sql.query<OpenReviewRow>(openReviewPage(workflow_ids, filters)),
    sql.query<{ count: number }>(openReviewCount(workflow_ids, filters.search)),
  ]);
  const count = counted.rows[0]?.count ?? 0;
  return { rows: page.rows, count: Math.min(count, TOTAL_CAP), is_capped: count > TOTAL_CAP };
}
