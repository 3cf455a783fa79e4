import type { InboxSelection, InboxFilters as ListFilters } from '@millrace/contracts';
import type { Statement } from '../../database/sql-client.ts';
import {
  type Condition,
  joinConditions,
  jsonTextSearch,
  SEARCH_WINDOW,
  type WhereClause,
} from '../../execution/store/history/filters.ts';
import { newestOfEach } from '../../execution/store/history/newest-of-each.ts';
import { IS_REAL } from '../../execution/store/history/real-runs.ts';
import { isGivenUp } from '../../execution/store/queue/requeue/give-up.ts';
import { isDismissed, isInInbox } from '../../execution/store/run-state.ts';

/** The person who looks. */
export interface Viewer {
  readonly viewer_id: string;
}

/** Which entries there are at all. */
export interface Place extends Viewer, Pick<ListFilters, 'dismissed' | 'before' | 'trials'> {}

/** The filter for entries that the partial indexes find. A failed trial concerns only the person who started it. */
export function placeFilter(
  { dismissed, before, trials = true, viewer_id }: Place,
  first: number,
): WhereClause {
  const place: Condition = { text: dismissed ? isDismissed('r.') : isInInbox('r.'), values: [] };
  const concerns: Condition = trials
    ? { text: `(r.actor_id = ?::uuid OR ${IS_REAL})`, values: [viewer_id] }
    : { text: IS_REAL, values: [] };
  return joinConditions(
    [place, concerns, ...(before ? [{ text: 'r.id < ?', values: [before] }] : [])],
    first,
  );
}

/** The filter for what is looked for among the newest entries. */
export function windowFilter({ kind, search }: InboxSelection, first: number): WhereClause {
  const conditions: Condition[] = [];
  if (kind !== undefined)
    conditions.push({ text: `${kind === 'given_up' ? '' : 'NOT '}${isGivenUp('r.outcome')}`, values: [] });
  if (search !== undefined) conditions.push(jsonTextSearch('r.outcome', 'message', search));
  return joinConditions(conditions, first);
}

/**
 * Ids of the newest entries, as a part of another statement.
 *
 * @param first number of the first parameter
 */
export function buildInboxSelection(
  workflow_ids: readonly string[],
  selection: InboxSelection & Viewer,
  { first, limit }: { first: number; limit: number },
): Statement {
  const place = placeFilter({ viewer_id: selection.viewer_id }, first + 1);
  const rest = windowFilter(selection, first + 1 + place.values.length);
  const window = rest.text === '' ? limit : SEARCH_WINDOW;
  return {
    text: `SELECT r.id FROM ${newestOfEach(place.text, window)}
      WHERE w.id = ANY ($${first}::uuid[])${rest.text} ORDER BY r.id DESC LIMIT ${limit}`,
    values: [workflow_ids, ...place.values, ...rest.values],
  };
}
