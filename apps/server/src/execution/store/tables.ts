import type { QueuedRun } from '../model/queue.ts';
import type { RefusedCall, RunBegin, RunFinal } from '../model/run.ts';
import type { IntentRecord, StepRecord } from '../model/step.ts';
import type { WaitPlace, WaitRecord } from '../model/wait.ts';
import { type Cell, columnTable, plainText, plainTextOrNull, type RowOf } from './encoding/columns.ts';
import { outcomeText } from './encoding/outcome.ts';
import type { ValueEncoder } from './encoding/values.ts';
import { STATE, type StoredStatus } from './run-state.ts';

/** How a run ended. */
const FINAL = {
  outputs: 'text',
  outcome: 'text',
  records: 'text',
  http_status: 'smallint',
  unresolved_references: 'integer',
  duration_ms: 'bigint',
  finished_at: 'instant',
} as const;

/** Columns that the journal inserts of a run. */
const BEGUN = {
  id: 'uuid',
  workflow_id: 'uuid',
  version_id: 'uuid',
  state: 'smallint',
  status: 'text',
  trigger_source: 'text',
  trigger_node_id: 'text',
  actor_id: 'uuid',
  attempt: 'smallint',
  deadline_at: 'instant',
  parent_run_id: 'uuid',
  root_run_id: 'uuid',
  depth: 'smallint',
  idempotency_key: 'text',
  options: 'text',
  input: 'text',
  started_at: 'instant',
} as const;

export const RUN_COLUMNS = columnTable({ ...BEGUN, ...FINAL });
/** A run that is stored before any process executes it. */
export const QUEUED_COLUMNS = columnTable({
  ...BEGUN,
  priority: 'smallint',
  ready_at: 'instant',
  place_key: 'key_text',
});
export const END_COLUMNS = columnTable({ id: 'uuid', state: 'smallint', status: 'text', ...FINAL });

export const STEP_COLUMNS = columnTable({
  run_id: 'uuid',
  node_id: 'text',
  iteration: 'key_text',
  key: 'key_text',
  attempt: 'smallint',
  claim: 'smallint',
  kind: 'text',
  sequence: 'integer',
  record: 'text',
  sealed: 'text',
});

export const WAIT_COLUMNS = columnTable({
  run_id: 'uuid',
  node_id: 'text',
  iteration: 'key_text',
  key: 'key_text',
  kind: 'text',
  token_hash: 'text',
  due_at: 'instant',
  payload: 'text',
  sequence: 'integer',
  attempt: 'smallint',
  started_at: 'instant',
  decisions: 'text',
  child_run_id: 'uuid',
});

/** Waits that are open when a run leaves memory. */
export const OPEN_WAIT_COLUMNS = columnTable({
  run_id: 'uuid',
  node_id: 'text',
  iteration: 'key_text',
  key: 'key_text',
});

export const BLOB_COLUMNS = columnTable({ hash: 'text', content: 'text' });
export const RUN_BLOB_COLUMNS = columnTable({ run_id: 'uuid', hash: 'text' });

export type RunRow = RowOf<typeof RUN_COLUMNS>;
export type EndRow = RowOf<typeof END_COLUMNS>;
export type StepRow = RowOf<typeof STEP_COLUMNS>;
export type WaitRow = RowOf<typeof WAIT_COLUMNS>;
export type OpenWaitRow = RowOf<typeof OPEN_WAIT_COLUMNS>;
type BegunRow = Record<keyof typeof BEGUN, Cell>;
type FinalRow = Record<keyof typeof FINAL, Cell>;

/** The row of a run that has not ended. Written out field by field: every run passes here. */
export function runRow(run: RunBegin, input: string, state: number, status: StoredStatus): RunRow {
  const options = JSON.stringify(run.options);
  return {
    id: run.run_id,
    workflow_id: run.workflow_id,
    version_id: run.version_id,
    state,
    status,
    trigger_source: plainTextOrNull(run.trigger_source),
    trigger_node_id: plainTextOrNull(run.trigger_node_id),
    actor_id: run.actor_id,
    attempt: state === STATE.queued ? 0 : 1,
    deadline_at: run.deadline_at_ms,
    parent_run_id: run.parent_run_id,
    root_run_id: run.root_run_id,
    depth: run.depth,
    idempotency_key: plainTextOrNull(run.idempotency_key),
    options: options === '{}' ? null : options,
    input,
    started_at: run.started_at_ms,
    outputs: null,
    outcome: null,
    records: null,
    http_status: null,
    unresolved_references: null,
    duration_ms: null,
    finished_at: null,
  };
}

export function queuedRow(run: QueuedRun, input: string): RowOf<typeof QUEUED_COLUMNS> {
  const row: BegunRow = runRow(run, input, STATE.queued, 'running');
  const { priority = 0, ready_at_ms = null, place_key = '' } = run;
  return { ...row, priority, ready_at: ready_at_ms, place_key };
}

/** The end of a run that has a row. */
export function endRow(run_id: string, state: number, status: StoredStatus): EndRow {
  return {
    id: run_id,
    state,
    status,
    outputs: null,
    outcome: null,
    records: null,
    http_status: null,
    unresolved_references: null,
    duration_ms: null,
    finished_at: null,
  };
}

/** How a run ended, as its row keeps it. */
export interface EncodedFinal {
  readonly outputs: string;
  readonly records: string | null;
}

export function setFinal(row: FinalRow, final: RunFinal, { outputs, records }: EncodedFinal): void {
  row.outputs = outputs;
  row.outcome = outcomeText(final);
  row.records = records;
  row.http_status = final.http_status ?? null;
  row.unresolved_references = final.unresolved_references ?? null;
  row.duration_ms = Math.round(final.execution_time_ms);
  row.finished_at = final.ended_at_ms;
}

/** The history row of a call that started no run. */
export function refusalRow(
  call: RefusedCall,
  { input, outputs }: { input: string; outputs: string },
): RunRow {
  const { run_id, workflow_id, version_id, trigger_source, actor_id, at_ms } = call;
  return {
    id: run_id,
    workflow_id,
    version_id,
    state: STATE.done,
    status: call.status,
    trigger_source: plainTextOrNull(trigger_source),
    trigger_node_id: null,
    actor_id,
    attempt: 0,
    deadline_at: null,
    parent_run_id: null,
    root_run_id: null,
    depth: 0,
    idempotency_key: null,
    options: null,
    input,
    started_at: at_ms,
    outputs,
    outcome: null,
    records: null,
    http_status: call.http_status,
    unresolved_references: null,
    duration_ms: 0,
    finished_at: at_ms,
  };
}

/** The run of a record and the claim under which it was made: later claims count for more than earlier ones. */
export interface ClaimedRecord {
  readonly run_id: string;
  readonly claim: number;
}

const FACT_KINDS = {
  node_finished: 'done',
  node_retried: 'retry',
  node_suspended: 'pause',
  step_finished: 'done',
} as const;

/** Name of the step or wait that a fact is of; '' for one of the node itself. */
function factKey(fact: StepRecord): string {
  if (fact.type === 'step_finished') return fact.key;
  return fact.type === 'node_suspended' ? fact.suspension.key : '';
}

export function factRow(
  { run_id, claim }: ClaimedRecord,
  record: StepRecord,
  encoder: ValueEncoder,
): StepRow {
  return {
    run_id,
    node_id: record.node_id,
    iteration: record.iteration,
    key: plainText(factKey(record)),
    attempt: record.attempt,
    claim,
    kind: FACT_KINDS[record.type],
    sequence: record.sequence,
    record: encoder.encodeRecord(record),
    sealed: record.sealed?.text ?? null,
  };
}

/** Place of an intent in `sequence`: one that is withdrawn comes after itself. */
export const INTENT = { stands: 0, withdrawn: 1 } as const;

export function intentRow(
  { run_id, claim }: ClaimedRecord,
  intent: IntentRecord,
  is_withdrawn: boolean,
): StepRow {
  return {
    run_id,
    node_id: intent.node_id,
    iteration: intent.iteration,
    key: plainText(intent.key ?? ''),
    attempt: intent.attempt,
    claim,
    kind: 'intent',
    sequence: is_withdrawn ? INTENT.withdrawn : INTENT.stands,
    record: JSON.stringify(intent),
    sealed: null,
  };
}

export function openWaitRow(run_id: string, { node_id, iteration, key }: WaitPlace): OpenWaitRow {
  return { run_id, node_id, iteration, key: plainText(key) };
}

export function waitRow(run_id: string, wait: WaitRecord, encoder: ValueEncoder): WaitRow {
  return {
    ...openWaitRow(run_id, wait),
    kind: wait.kind,
    token_hash: wait.token_hash,
    due_at: wait.due_at_ms,
    payload: encoder.encode(wait.payload),
    sequence: wait.sequence,
    attempt: wait.attempt,
    started_at: wait.started_at_ms,
    decisions: JSON.stringify(wait.decisions),
    child_run_id: wait.child_run_id,
  };
}
