import type { SqlClient } from '../../database/sql-client.ts';
import { columnsOf, plainText, unnestSql } from '../journal/encoding/columns.ts';
import { createValueEncoder } from '../journal/encoding/values.ts';
import { BLOB_COLUMNS, beginCells, ENGINE_VERSION, STATE } from '../journal/tables.ts';
import type { EnqueueResult, QueuedRun, TriggerClaim } from './ownership.ts';
import { placeOf } from './queue-position.ts';

/** Large values of a statement outside of the journal; `$n` and `$n+1` are their columns, `$run` names the run. */
export const storeBlobs = (parameter: number, condition: string) => `
b AS (
  INSERT INTO blobs (hash, content, size)
  SELECT x.hash, x.content, length(x.content) FROM ${unnestSql(BLOB_COLUMNS, 'x', parameter)} ORDER BY x.hash
  ON CONFLICT (hash) DO UPDATE SET created_at = now()),
c AS (
  INSERT INTO run_blobs (run_id, hash)
  SELECT $1, x.hash FROM ${unnestSql(BLOB_COLUMNS, 'x', parameter)} WHERE ${condition}
  ON CONFLICT DO NOTHING)`;

export const blobColumns = (encoder: ReturnType<typeof createValueEncoder>) =>
  columnsOf(
    encoder.takeBlobs().map(({ hash, content }) => [hash, content]),
    2,
  );

const ENQUEUE = `WITH claim AS (
  INSERT INTO job_slots (job, slot, finished_at) SELECT $22, $23, now() WHERE $22::text IS NOT NULL
  ON CONFLICT DO NOTHING RETURNING 1),
i AS (
  INSERT INTO runs (id, workflow_id, version_id, state, status, trigger_source, trigger_node_id, actor_id, attempt,
    deadline_at, parent_run_id, root_run_id, depth, idempotency_key, options, input, started_at, priority, ready_at, virtual_time,
    engine_version)
  SELECT $1::uuid, $2::uuid, $3::uuid, $4::smallint, $5, $6, $7, $8::uuid, $9::smallint,
    to_timestamp($10::float8 / 1000), $11::uuid, $12::uuid, $13::smallint, $14, $15, $16,
    to_timestamp($17::float8 / 1000), $18::smallint, to_timestamp($19::float8 / 1000), ${placeOf('$2::uuid')},
    ${ENGINE_VERSION}
  WHERE ($22::text IS NULL OR EXISTS (SELECT 1 FROM claim))
    AND NOT EXISTS (SELECT 1 FROM runs p WHERE p.id = $11::uuid AND p.cancel_requested_at IS NOT NULL)
  ON CONFLICT DO NOTHING RETURNING id),
${storeBlobs(20, 'EXISTS (SELECT 1 FROM i)')}
SELECT (SELECT count(*) FROM i)::int AS inserted`;

interface Enqueue {
  readonly run: QueuedRun;
  readonly claim: TriggerClaim | undefined;
}

/** Stores a run for whoever claims it, together with the claim to the occurrence that starts it. */
export async function enqueueRun(sql: SqlClient, { run, claim }: Enqueue): Promise<EnqueueResult> {
  const encoder = createValueEncoder();
  const input = encoder.encode(run.input);
  const { rows } = await sql.query<{ inserted: number }>({
    name: 'enqueue_run',
    text: ENQUEUE,
    values: [
      ...beginCells(run, input, STATE.queued, 'running'),
      run.priority ?? 0,
      run.ready_at_ms ?? null,
      ...blobColumns(encoder),
      claim ? plainText(claim.job) : null,
      claim ? plainText(claim.slot) : null,
    ],
  });
  if (rows[0]?.inserted === 1) return { kind: 'queued' };
  return reasonOf(sql, { run, claim });
}

/** Why nothing was stored. An answer that was lost and asked for again finds its own run, which is as good as stored. */
async function reasonOf(sql: SqlClient, { run, claim }: Enqueue): Promise<EnqueueResult> {
  const { rows } = await sql.query<{ id: string }>({
    text: 'SELECT id FROM runs WHERE id = $1 OR (workflow_id = $2 AND idempotency_key = $3)',
    values: [run.run_id, run.workflow_id, run.idempotency_key],
  });
  if (rows.some(({ id }) => id === run.run_id)) return { kind: 'queued' };
  const [existing] = rows;
  if (existing) return { kind: 'duplicate', existing_run_id: existing.id };
  return claim ? { kind: 'already_claimed' } : { kind: 'cancelled' };
}
