import type { Failure, Json, JsonObject } from '@millrace/engine';
import type { SqlClient } from '../../database/sql-client.ts';
import { fromStored, type StoredRecord } from './encoding/stored-record.ts';
import { decodeValues, type StoredBlob } from './encoding/values.ts';
import type { IntentRecord, StoredFinal, StoredRun, StoredWait } from './journal.ts';
import { effectKey } from './open-run.ts';
import { STATE } from './tables.ts';

interface RunRow {
  readonly workflow_id: string;
  readonly version_id: string | null;
  readonly state: number;
  readonly status: string;
  readonly trigger_source: string | null;
  readonly trigger_node_id: string | null;
  readonly actor_id: string | null;
  readonly owner: string | null;
  readonly attempt: number;
  readonly recovered: boolean;
  readonly deadline_at_ms: number | null;
  readonly started_at_ms: number;
  readonly cancel_requested: boolean;
  readonly parent_run_id: string | null;
  readonly root_run_id: string | null;
  readonly depth: number;
  readonly idempotency_key: string | null;
  readonly options: string | null;
  readonly input: string;
  readonly outputs: string | null;
  readonly outcome: string | null;
  readonly records: string | null;
  readonly http_status: number | null;
  readonly execution_time_ms: number | null;
}

interface StepRow {
  readonly node_id: string;
  readonly iteration: string;
  readonly attempt: number;
  readonly kind: 'intent' | 'done' | 'retry';
  readonly record: string;
  readonly at_ms: number;
}

interface WaitRow extends Omit<StoredWait, 'payload' | 'decision'> {
  readonly payload: string;
  readonly result: string | null;
  readonly decided_at_ms: number | null;
}

const epochMs = (column: string) => `(extract(epoch FROM ${column}) * 1000)::float8`;

const RUN = `SELECT workflow_id, version_id, state, status, trigger_source, trigger_node_id, actor_id, owner, attempt,
  recovered, ${epochMs('deadline_at')} AS deadline_at_ms, ${epochMs('started_at')} AS started_at_ms,
  cancel_requested_at IS NOT NULL AS cancel_requested, parent_run_id, root_run_id, depth, idempotency_key, options, input, outputs,
  outcome, records, http_status, execution_time_ms
  FROM runs WHERE id = $1`;
const STEPS = `SELECT node_id, iteration, attempt, kind, record, ${epochMs('at')} AS at_ms FROM steps WHERE run_id = $1 ORDER BY sequence, attempt`;
const WAITS = `SELECT node_id, iteration, kind, token_hash, ${epochMs('due_at')} AS due_at_ms, payload, sequence, attempt,
  ${epochMs('started_at')} AS started_at_ms, result, ${epochMs('decided_at')} AS decided_at_ms
  FROM waits WHERE run_id = $1 ORDER BY sequence`;

const STATES = ['queued', 'running', 'waiting', 'done'] as const;

/** Contents of large values by their hashes. */
export async function readBlobs(sql: SqlClient, hashes: readonly string[]): Promise<readonly StoredBlob[]> {
  const { rows } = await sql.query<StoredBlob>({
    text: 'SELECT hash, content FROM blobs WHERE hash = ANY($1)',
    values: [hashes],
  });
  return rows;
}

/** The values behind texts of `runs`, `steps` and `waits`, large ones included; null for null. */
export function readStored(sql: SqlClient, texts: readonly (string | null)[]): Promise<readonly unknown[]> {
  return decodeValues(texts, (hashes) => readBlobs(sql, hashes));
}

export interface LoadedRun {
  readonly owner: string | null;
  readonly run: StoredRun;
}

/** Everything about a run. Whoever owns it reads what nobody else changes; others may see it between two commits. */
export async function loadRun(sql: SqlClient, run_id: string): Promise<LoadedRun | undefined> {
  const values = [run_id];
  const [{ rows }, steps, waits] = await Promise.all([
    sql.query<RunRow>({ name: 'load_run', text: RUN, values }),
    sql.query<StepRow>({ name: 'load_steps', text: STEPS, values }),
    sql.query<WaitRow>({ name: 'load_waits', text: WAITS, values }),
  ]);
  const [row] = rows;
  if (!row) return undefined;
  return {
    owner: row.owner,
    run: await assemble(sql, { run_id, row, steps: steps.rows, waits: waits.rows }),
  };
}

interface Rows {
  readonly run_id: string;
  readonly row: RunRow;
  readonly steps: readonly StepRow[];
  readonly waits: readonly WaitRow[];
}

async function assemble(sql: SqlClient, { run_id, row, steps, waits }: Rows): Promise<StoredRun> {
  const facts = steps.filter(({ kind }) => kind !== 'intent');
  const texts = [
    row.input,
    row.outputs,
    row.records,
    ...facts.map(({ record }) => record),
    ...waits.flatMap(({ payload, result }) => [payload, result]),
  ];
  const [input, outputs, final_records, ...rest] = await readStored(sql, texts);
  const stored = (rest.slice(0, facts.length) as StoredRecord[]).concat(
    (final_records ?? []) as StoredRecord[],
  );
  const records = stored.map(fromStored);
  const waitValues = rest.slice(facts.length);
  return {
    begin: {
      run_id,
      workflow_id: row.workflow_id,
      version_id: row.version_id,
      trigger_source: row.trigger_source,
      trigger_node_id: row.trigger_node_id,
      actor_id: row.actor_id,
      parent_run_id: row.parent_run_id,
      root_run_id: row.root_run_id,
      depth: row.depth,
      idempotency_key: row.idempotency_key,
      options: row.options === null ? {} : (JSON.parse(row.options) as JsonObject),
      input: input as Json,
      started_at_ms: row.started_at_ms,
      deadline_at_ms: row.deadline_at_ms,
    },
    state: STATES[row.state] ?? 'done',
    attempt: row.attempt,
    recovered: row.recovered,
    cancel_requested: row.cancel_requested,
    records: records.toSorted((a, b) => a.sequence - b.sequence),
    intents: unresolvedIntents(steps),
    waits: waits.map((wait, index) => storedWait(wait, waitValues[index * 2], waitValues[index * 2 + 1])),
    final: row.state === STATE.done ? storedFinal(row, outputs as Json) : null,
  };
}

function storedWait(row: WaitRow, payload: unknown, result: unknown): StoredWait {
  const { result: _, decided_at_ms, ...wait } = row;
  const decision =
    decided_at_ms === null ? {} : { decision: { result: (result ?? null) as Json, decided_at_ms } };
  return { ...wait, payload: payload as JsonObject, ...decision };
}

interface Outcome {
  readonly shape: StoredFinal['shape'];
  readonly failure: Failure | null;
}

function storedFinal(row: RunRow, outputs: Json): StoredFinal {
  const outcome = row.outcome === null ? undefined : (JSON.parse(row.outcome) as Outcome);
  return {
    status: row.status,
    outputs,
    shape: outcome?.shape ?? 'labels',
    http_status: row.http_status,
    failure: outcome?.failure ?? null,
    execution_time_ms: row.execution_time_ms ?? 0,
  };
}

/**
 * Intents without a result. A failed attempt resolves the intent before it; but when a process repeated an attempt that
 * another had made, the later intent stands, for nobody knows how that one went.
 */
function unresolvedIntents(steps: readonly StepRow[]): IntentRecord[] {
  const done = new Set<string>();
  const failed = new Map<string, number>();
  for (const step of steps) {
    if (step.kind === 'done') done.add(effectKey(step));
    if (step.kind === 'retry') failed.set(`${effectKey(step)} ${step.attempt}`, step.at_ms);
  }
  const isOpen = (step: StepRow) => {
    const failedAt = failed.get(`${effectKey(step)} ${step.attempt}`);
    return !done.has(effectKey(step)) && (failedAt === undefined || failedAt < step.at_ms);
  };
  return steps
    .filter((step) => step.kind === 'intent' && isOpen(step))
    .map(({ record }) => JSON.parse(record) as IntentRecord);
}
