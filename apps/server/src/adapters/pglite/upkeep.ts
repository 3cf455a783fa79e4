import { MEGABYTE } from '@millrace/engine/units';
import { startPolling } from '../../core/polling.ts';
import type { SqlClient } from '../../database/sql-client.ts';

/** How often it is looked what there is to do. */
const LOOK_EVERY_MS = 10_000;
/** Everything that was written since the last checkpoint is read again after a crash: half a second for this much. */
const CHECKPOINT_BYTES = 128 * MEGABYTE;
/** How often tables that were written to are tidied up. */
const TIDY_EVERY_MS = 5 * 60_000;

const TIDY =
  'VACUUM (ANALYZE) runs, steps, waits, workers, run_ends, triggers, trigger_causes, analytics_snapshots, board_rounds, board_card_runs, eval_runs, replay_jobs';
const CHECKPOINT = 'CHECKPOINT';

/**
 * Does what a server does in the background and the embedded engine does not: frees dead rows, learns sizes, and keeps what
 * a start after a crash has to read short, until the returned function is called.
 */
export function keepTidy(sql: SqlClient): () => Promise<void> {
  let tidiedAt = { position: 0, time: performance.now() };
  let checkpointAt = 0;

  /** Bytes that were ever written to the log. */
  async function written(): Promise<number> {
    const { rows } = await sql.query<{ bytes: number }>({
      text: `SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 AS bytes`,
    });
    return rows[0]?.bytes ?? 0;
  }

  async function look(): Promise<void> {
    const position = await written();
    // The first look only learns where the log is: it was read to its end when the database opened.
    checkpointAt ||= position;
    tidiedAt.position ||= position;
    const isTime = performance.now() - tidiedAt.time > TIDY_EVERY_MS && position !== tidiedAt.position;
    if (isTime) await sql.query({ text: TIDY });
    if (!isTime && position - checkpointAt < CHECKPOINT_BYTES) return;
    await sql.query({ text: CHECKPOINT });
    const now = await written();
    checkpointAt = now;
    if (isTime) tidiedAt = { position: now, time: performance.now() };
  }

  // It is tried again next time; nothing depends on it in between.
  return startPolling({ every_ms: LOOK_EVERY_MS, work: look, onError: () => undefined });
}
