import type { Json } from '@millrace/engine';
import type { SqlClient } from '../../../database/sql-client.ts';
import { durationMs } from '../encoding/duration.ts';
import { readStored } from '../load.ts';
import { type RunState, type StoredStatus, stateName } from '../run-state.ts';

/** The state of a run, and what it answered. */
export interface RunEnding {
  readonly state: RunState;
  readonly status: StoredStatus;
  /** Null until it has ended. */
  readonly outputs: Json;
  readonly execution_time_ms: number | null;
}

interface Row {
  readonly id: string;
  readonly state: number;
  readonly status: StoredStatus;
  readonly outputs: string | null;
  readonly execution_time_ms: number | null;
}

/** The ends of several runs in one look, without their records; those that are not stored are absent. */
export async function readEndings(
  sql: SqlClient,
  run_ids: readonly string[],
): Promise<Map<string, RunEnding>> {
  if (run_ids.length === 0) return new Map();
  const { rows } = await sql.query<Row>({
    name: 'run_endings',
    text: `SELECT id, state, status, outputs, ${durationMs()} AS execution_time_ms FROM runs WHERE id = ANY($1::uuid[])`,
    values: [run_ids],
  });
  const outputs = await readStored(
    sql,
    rows.map((row) => row.outputs),
  );
  return new Map(
    rows.map(({ id, state, status, execution_time_ms }, at) => [
      id,
      { state: stateName(state), status, outputs: (outputs[at] ?? null) as Json, execution_time_ms },
    ]),
  );
}
