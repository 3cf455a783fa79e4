import type { HistoryFilters } from '@millrace/contracts';
import type { SqlClient } from '../../../database/sql-client.ts';
import { isInState } from '../run-state.ts';
import { columnFilter, firstIdAt, looksThrough, SEARCH_WINDOW } from './filters.ts';
import { lookThrough } from './look-through.ts';

/** Rows of one statement, so that no other work waits for long. */
const BATCH = 2_000;

/**
 * @param statement deletes at most `BATCH` rows; repeated until there are no more of them
 * @param signal ends the repetition after the statement that is under way
 */
async function inBatches(
  sql: SqlClient,
  statement: { text: string; values?: unknown[] },
  signal?: AbortSignal,
): Promise<number> {
  let deleted = 0;
  for (;;) {
    const { row_count } = await sql.query(statement);
    deleted += row_count;
    if (row_count < BATCH || signal?.aborted) return deleted;
  }
}

/** The filters of the list, without the page that it shows. */
export type RemovalFilters = Omit<HistoryFilters, 'limit' | 'offset' | 'before'>;

/** Removes the runs of workflows that have ended and match the filters. Open ones stay: something waits for them. */
export async function removeEnded(
  sql: SqlClient,
  workflow_ids: readonly string[],
  filters: RemovalFilters = {},
): Promise<void> {
  const page: HistoryFilters = { ...filters, limit: SEARCH_WINDOW + 1, offset: 0 };
  if (looksThrough(page)) {
    // Each workflow has a window of its own, which ends elsewhere.
    for (const workflow_id of workflow_ids) await removeFound(sql, workflow_id, page);
    return;
  }
  const columns = columnFilter(page, 2);
  await inBatches(sql, {
    text: `DELETE FROM runs WHERE id IN (
      SELECT r.id FROM runs r WHERE r.workflow_id = ANY ($1::uuid[]) AND ${isInState('done', 'r.state')}${columns.text}
      LIMIT ${BATCH})`,
    values: [workflow_ids, ...columns.values],
  });
}

/** Removes the matches that no index finds, look by look from the newest to the oldest. */
async function removeFound(sql: SqlClient, workflow_id: string, page: HistoryFilters): Promise<void> {
  for (let before: string | undefined; ; ) {
    const { run_ids, oldest } = await lookThrough(
      sql,
      [workflow_id],
      before === undefined ? page : { ...page, before },
    );
    await inBatches(sql, {
      text: `DELETE FROM runs WHERE id IN (
        SELECT id FROM runs WHERE id = ANY ($1::uuid[]) AND ${isInState('done')} LIMIT ${BATCH})`,
      values: [run_ids],
    });
    if (oldest === null) return;
    before = oldest;
  }
}

/** Removes a run that has ended. False for one that is open: something waits for it. */
export const removeEndedRun = async (sql: SqlClient, run_id: string): Promise<boolean> => {
  const text = `DELETE FROM runs WHERE id = $1 AND ${isInState('done')}`;
  return (await sql.query({ text, values: [run_id] })).row_count > 0;
};

/** Removes runs that have ended and began before the instant, oldest first; their rows elsewhere go with them. */
export const removeEndedBefore = (
  sql: SqlClient,
  epoch_ms: number,
  signal?: AbortSignal,
): Promise<number> => {
  const text = `DELETE FROM runs WHERE id IN (
      SELECT id FROM runs WHERE id < $1 AND ${isInState('done')} ORDER BY id LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`;
  return inBatches(sql, { text, values: [firstIdAt(epoch_ms)] }, signal);
};

/**
 * Removes large values that no run needs any more. Young ones stay: a run that is being stored may be about to need them,
 * and says so by making them young again.
 */
export const removeUnusedValues = (sql: SqlClient, signal?: AbortSignal): Promise<number> => {
  const text = `DELETE FROM blobs WHERE hash IN (
        SELECT b.hash FROM blobs b WHERE b.created_at < now() - interval '1 hour'
          AND NOT EXISTS (SELECT 1 FROM run_blobs r WHERE r.hash = b.hash)
        LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)
      AND created_at < now() - interval '1 hour'`;
  return inBatches(sql, { text }, signal);
};
