import type { SqlClient, TransactionalSql } from '../../../database/sql-client.ts';
import type { QueuedRun, QueueLimit } from '../../model/queue.ts';
import { endedColumns, insertEnds } from '../analytics/run-ends.ts';
import { setDuration } from '../encoding/duration.ts';
import { outcomeText } from '../encoding/outcome.ts';
import { STATE } from '../run-state.ts';
import { IS_HELD_HERE, lockPlaces, TAKEN } from './places.ts';
import { closeWaits, ELAPSED_MS } from './requeue/give-up.ts';

/** Ends a transaction that would leave more runs waiting than may. */
class QueueFull extends Error {}

/** Held runs that are too many: those that neither get a free place nor may wait. */
const TOO_MANY = `greatest(0, (SELECT count(*) FROM (
  SELECT 1 FROM runs WHERE ${IS_HELD_HERE} LIMIT $3::int + $4::int + 1) held)
  - greatest(0, $3::int - ${TAKEN}) - $4::int)`;

const COUNT = `SELECT ${TOO_MANY}::int AS too_many`;

const REASON = 'queue_full';
const MESSAGE =
  'The run was dropped while it waited: newer runs came, and as many wait as the settings of the workflow allow. Its input is kept.';
const OUTPUTS = JSON.stringify({ error: MESSAGE, reason: REASON });
const OUTCOME = outcomeText({
  shape: 'labels',
  failure: { kind: 'cancelled', message: MESSAGE, details: { reason: REASON } },
});

const DROP = `WITH oldest AS (
  SELECT id FROM runs WHERE ${IS_HELD_HERE} ORDER BY virtual_time, id LIMIT ${TOO_MANY} FOR UPDATE),
dropped AS (
  UPDATE runs SET state = ${STATE.done}, status = 'cancelled', outputs = $5, outcome = $6,
    ${setDuration(ELAPSED_MS)}, finished_at = now()
  FROM oldest WHERE runs.id = oldest.id RETURNING runs.id AS run_id, ${endedColumns('runs.')}),
counted AS (${insertEnds('dropped')}),
${closeWaits('dropped')}
SELECT run_id FROM dropped`;

async function keepWithin(tx: SqlClient, run: QueuedRun, queue: QueueLimit): Promise<void> {
  const values = [run.workflow_id, run.place_key ?? '', queue.places, queue.most_waiting];
  if (queue.overflow === 'drop_oldest') {
    await tx.query({ name: 'drop_oldest_held', text: DROP, values: [...values, OUTPUTS, OUTCOME] });
    return;
  }
  const { rows } = await tx.query<{ too_many: number }>({ name: 'count_too_many', text: COUNT, values });
  if ((rows[0]?.too_many ?? 0) > 0) throw new QueueFull();
}

/**
 * Stores a run unless it would be one too many among those that wait for a place; then nothing is stored, or the run that has
 * waited longest ends in the same transaction.
 *
 * @param store what stores it; `kind: 'queued'` when it did
 */
export async function storeWithinLimit<Result extends { readonly kind: string }>(
  sql: TransactionalSql,
  run: QueuedRun,
  store: (sql: SqlClient) => Promise<Result>,
): Promise<Result | { readonly kind: 'refused' }> {
  const { queue } = run;
  if (!queue) return store(sql);
  try {
    return await sql.transaction(async (tx) => {
      await lockPlaces(tx, run.workflow_id);
      const result = await store(tx);
      if (result.kind === 'queued') await keepWithin(tx, run, queue);
      return result;
    });
  } catch (error) {
    if (error instanceof QueueFull) return { kind: 'refused' };
    throw error;
  }
}
