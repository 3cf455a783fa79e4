import type { SqlClient } from '../../../database/sql-client.ts';
import type { EnqueueResult, QueuedRun, ReplayOrigin } from '../../model/queue.ts';
import { insertSql, parameterLayout } from '../encoding/columns.ts';
import { storeBlobs } from '../encoding/store-blobs.ts';
import { createValueEncoder } from '../encoding/values.ts';
import { ENGINE_VERSION, isInInbox } from '../run-state.ts';
import { BLOB_COLUMNS, factRow, QUEUED_COLUMNS, queuedRow, STEP_COLUMNS } from '../tables.ts';
import { PLACE_OF_NEW } from './queue-position.ts';

/** The part of a statement's parameters that a queued run has. */
export const QUEUED_PARTS = { run: QUEUED_COLUMNS, blobs: BLOB_COLUMNS } as const;

export function queuedValues(run: QueuedRun) {
  const encoder = createValueEncoder();
  const input = encoder.encode(run.input);
  return { run: [queuedRow(run, input)], blobs: encoder.takeBlobs() };
}

/** Results that a replay takes over are facts of its own from the start, so what resumes it finds them like any others. */
function replayValues(run: QueuedRun & { readonly replay: ReplayOrigin }, worker_id: string) {
  const { of, from, results, dismisses } = run.replay;
  const encoder = createValueEncoder();
  const input = encoder.encodeInput(run.input);
  const steps = results.map((result) => factRow({ run_id: run.run_id, claim: 0 }, result, encoder));
  return {
    run: [queuedRow(run, input)],
    blobs: encoder.takeBlobs(),
    steps,
    worker_id,
    replay_of: of,
    replay_from: JSON.stringify(from),
    dismisses,
  };
}

interface InsertQueued {
  /** Further columns and their expressions. */
  readonly also?: Readonly<Record<string, string>>;
  /** The parameters of `QUEUED_PARTS`. */
  readonly at: { readonly run: string; readonly blobs: string };
  /** Where nothing is stored unless it holds; `x` is the run. */
  readonly when: string;
}

/**
 * Parts `i`, `b` and `c` of a statement: stores a queued run with its large values; `i` has its row then. That it is one row is said,
 * for the planner takes an array that it does not know for ten, and would plan each run anew.
 */
export const insertQueued = ({ at, when, also = {} }: InsertQueued): string => `i AS (
  ${insertSql({
    into: 'runs',
    columns: QUEUED_COLUMNS,
    also: { virtual_time: PLACE_OF_NEW, engine_version: String(ENGINE_VERSION), ...also },
    from: `(SELECT * FROM ${at.run} LIMIT 1) AS x`,
  })}
  WHERE ${when}
  ON CONFLICT DO NOTHING RETURNING id),
${storeBlobs({ rows: at.blobs, of: 'i' })}`;

const PARAMETERS = parameterLayout(QUEUED_PARTS);

const ENQUEUE = `WITH ${insertQueued({
  at: PARAMETERS.sql,
  when: 'NOT EXISTS (SELECT 1 FROM runs p WHERE p.id = x.parent_run_id AND p.cancel_requested_at IS NOT NULL)',
})}
SELECT (SELECT count(*) FROM i)::int AS inserted`;

const REPLAY = parameterLayout({
  ...QUEUED_PARTS,
  steps: STEP_COLUMNS,
  worker_id: 'value',
  replay_of: 'value',
  replay_from: 'value',
  dismisses: 'value',
});

const ENQUEUE_REPLAY = `WITH ${insertQueued({
  at: REPLAY.sql,
  when: 'true',
  also: { replay_of: `${REPLAY.sql.replay_of}::uuid`, replay_from: `${REPLAY.sql.replay_from}::text` },
})},
s AS (
  ${insertSql({
    into: 'steps',
    columns: STEP_COLUMNS,
    also: { worker_id: `${REPLAY.sql.worker_id}::uuid` },
    from: `i, ${REPLAY.sql.steps}`,
  })}),
d AS (
  UPDATE runs SET dismissed_at = now() FROM i
  WHERE runs.id = ${REPLAY.sql.replay_of}::uuid AND ${isInInbox('runs.')} AND ${REPLAY.sql.dismisses}::boolean)
SELECT (SELECT count(*) FROM i)::int AS inserted`;

/**
 * Stores a replay together with the results that stand: no process sees one without the others. The failure that it repeats
 * leaves the inbox with it; if the replay fails too, that is the entry.
 */
export async function enqueueReplay(
  sql: SqlClient,
  run: QueuedRun & { readonly replay: ReplayOrigin },
  worker_id: string,
): Promise<EnqueueResult> {
  const { rows } = await sql.query<{ inserted: number }>({
    name: 'enqueue_replay',
    text: ENQUEUE_REPLAY,
    values: REPLAY.values(replayValues(run, worker_id)),
  });
  return rows[0]?.inserted === 1 ? { kind: 'queued' } : determineResult(sql, run);
}

/** Stores a run for the process that claims it. */
export async function enqueueRun(sql: SqlClient, run: QueuedRun): Promise<EnqueueResult> {
  const { rows } = await sql.query<{ inserted: number }>({
    name: 'enqueue_run',
    text: ENQUEUE,
    values: PARAMETERS.values(queuedValues(run)),
  });
  if (rows[0]?.inserted === 1) return { kind: 'queued' };
  return determineResult(sql, run);
}

/** Why nothing was stored. An answer that was lost and asked for again finds its own run, which is as good as stored. */
async function determineResult(sql: SqlClient, run: QueuedRun): Promise<EnqueueResult> {
  const { rows } = await sql.query<{ id: string }>({
    text: 'SELECT id FROM runs WHERE id = $1 OR (workflow_id = $2 AND idempotency_key = $3)',
    values: [run.run_id, run.workflow_id, run.idempotency_key],
  });
  if (rows.some(({ id }) => id === run.run_id)) return { kind: 'queued' };
  const [existing] = rows;
  return existing ? { kind: 'duplicate', existing_run_id: existing.id } : { kind: 'cancelled' };
}
