import type { Json, JsonObject } from '@millrace/engine';
import type { SqlClient } from '../../database/sql-client.ts';
import type { StoredFinal, StoredRun } from '../model/run.ts';
import type { IntentRecord, StepRecord } from '../model/step.ts';
import type { StoredWait } from '../model/wait.ts';
import { durationMs } from './encoding/duration.ts';
import { readOutcome } from './encoding/outcome.ts';
import { fromStored, type StoredRecord } from './encoding/stored-record.ts';
import { decodeValues, type StoredBlob } from './encoding/values.ts';
import { type StoredStatus, stateName } from './run-state.ts';
import { INTENT } from './tables.ts';

interface RunRow {
  readonly workflow_id: string;
  readonly version_id: string | null;
  readonly state: number;
  readonly status: StoredStatus;
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
  readonly key: string;
  readonly attempt: number;
  readonly claim: number;
  readonly sequence: number;
  readonly kind: 'intent' | 'done' | 'retry' | 'pause';
  readonly record: string;
  readonly sealed: string | null;
  readonly at_ms: number;
}

interface WaitRow extends Omit<StoredWait, 'payload' | 'decision' | 'decisions'> {
  readonly payload: string;
  readonly decisions: string | null;
  readonly decision: string | null;
  readonly result: string | null;
  readonly decided_at_ms: number | null;
}

const epochMs = (column: string) => `(extract(epoch FROM ${column}) * 1000)::float8`;

const RUN = `SELECT workflow_id, version_id, state, status, trigger_source, trigger_node_id, actor_id, owner, attempt,
  recovered, ${epochMs('deadline_at')} AS deadline_at_ms, ${epochMs('started_at')} AS started_at_ms,
  cancel_requested_at IS NOT NULL AS cancel_requested, parent_run_id, root_run_id, depth, idempotency_key, options, input, outputs,
  outcome, records, http_status, ${durationMs()} AS execution_time_ms
  FROM runs WHERE id = $1`;
const STEPS = `SELECT node_id, iteration, key, attempt, claim, sequence, kind, record, sealed, ${epochMs('at')} AS at_ms
  FROM steps WHERE run_id = $1 ORDER BY sequence, attempt`;
const WAITS = `SELECT node_id, iteration, key, kind, token_hash, ${epochMs('due_at')} AS due_at_ms, payload, decisions,
   child_run_id, sequence, attempt, ${epochMs('started_at')} AS started_at_ms, decision, result,
   ${epochMs('decided_at')} AS decided_at_ms
  FROM waits WHERE run_id = $1 ORDER BY sequence`;

/** A node in one round of the loops around it, or one of its steps. */
export const effectKey = ({ node_id, iteration, key = '' }: EffectPlace): string =>
  JSON.stringify([node_id, iteration, key]);

interface EffectPlace {
  readonly node_id: string;
  readonly iteration: string;
  readonly key?: string;
}

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

/** Everything about a run. The owner reads what no other process changes; others may see it between two commits. */
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
  const records = stored.map((row, index) => withSealed(fromStored(row), facts[index]?.sealed ?? null));
  const waitValues = rest.slice(facts.length);
  const state = stateName(row.state);
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
    state,
    attempt: row.attempt,
    recovered: row.recovered,
    cancel_requested: row.cancel_requested,
    records: records.toSorted((a, b) => a.sequence - b.sequence),
    intents: unresolvedIntents(steps, collectFailedSteps(records)),
    waits: waits.map((wait, index) => storedWait(wait, waitValues[index * 2], waitValues[index * 2 + 1])),
    final: state === 'done' ? storedFinal(row, outputs as Json) : null,
  };
}

const withSealed = (record: StepRecord, text: string | null): StepRecord =>
  text === null ? record : { ...record, sealed: { text } };

function storedWait(row: WaitRow, payload: unknown, result: unknown): StoredWait {
  const { result: _, decision, decided_at_ms, decisions, ...wait } = row;
  const data = (result ?? null) as Json;
  return {
    ...wait,
    payload: payload as JsonObject,
    decisions: decisions === null ? [] : (JSON.parse(decisions) as string[]),
    // One that was closed with its run has no word.
    ...(decided_at_ms === null || decision === null ? {} : { decision: { decision, data, decided_at_ms } }),
  };
}

/** Guarantee: the journal and what gives runs up write these words and an object. */
function storedFinal(row: RunRow, outputs: Json): StoredFinal {
  return {
    ...readOutcome(row.outcome),
    status: row.status as StoredFinal['status'],
    outputs: outputs as JsonObject,
    http_status: row.http_status ?? undefined,
    execution_time_ms: row.execution_time_ms ?? 0,
  };
}

/**
 * Intents without a known outcome. The result of the node or step resolves them all. A failed attempt resolves the intent
 * of that attempt, but not one that a later claim of the run made for it: claims count, for the clock says nothing about
 * which of the two came first where a process gets a run again that it gave back.
 *
 * @param failedSteps places of recorded steps that failed, with their attempt
 */
function unresolvedIntents(steps: readonly StepRow[], failedSteps: ReadonlySet<string>): IntentRecord[] {
  const done = new Set<string>();
  const failed = new Map<string, StepRow>();
  for (const step of steps) {
    const attempt = `${effectKey(step)} ${step.attempt}`;
    if (step.kind === 'retry' || failedSteps.has(attempt)) failed.set(attempt, step);
    else if (step.kind === 'done') done.add(effectKey(step));
  }
  const isKnown = (intent: StepRow) => {
    if (intent.sequence === INTENT.withdrawn || done.has(effectKey(intent))) return true;
    const failure = failed.get(`${effectKey(intent)} ${intent.attempt}`);
    if (!failure || failure.claim < intent.claim) return false;
    // Rows from before claims were stored have none; there time decides.
    return failure.claim > intent.claim || failure.at_ms >= intent.at_ms;
  };
  return steps
    .filter((step) => step.kind === 'intent' && !isKnown(step))
    .map(({ record }) => JSON.parse(record) as IntentRecord);
}

function collectFailedSteps(records: readonly StepRecord[]): ReadonlySet<string> {
  const failed = records.flatMap((record) =>
    record.type === 'step_finished' && record.status === 'error' ? [record] : [],
  );
  return new Set(failed.map((record) => `${effectKey(record)} ${record.attempt}`));
}
