import type { EndWrite, RefusedCall, RunBegin, RunFinal } from '../model/run.ts';
import type { IntentRecord, StepRecord } from '../model/step.ts';
import type { WaitPlace, WaitRecord } from '../model/wait.ts';
import { plainTextOrNull } from '../store/encoding/columns.ts';
import { createValueEncoder, type StoredBlob, type ValueEncoder } from '../store/encoding/values.ts';
import { STATE } from '../store/run-state.ts';
import {
  type ClaimedRecord,
  endRow,
  intentRow,
  openWaitRow,
  type RunRow,
  refusalRow,
  runRow,
  setFinal,
  waitRow,
} from '../store/tables.ts';
import { absorbFacts, type OpenRun } from './open-run.ts';
import type {
  BarrierOperation,
  EndOperation,
  InsertOperation,
  IntentOperation,
  StepOperation,
  WaitOperation,
} from './operations.ts';
import { bytesOfBlobs, bytesOfText, ROW_BYTES } from './operations.ts';
import type { Waiter } from './waiter.ts';

const NEW = { taken: false, absorbed: false } as const;
const NO_ROWS: readonly never[] = [];

interface Texts {
  readonly options?: RunRow['options'];
  readonly input?: RunRow['input'];
  readonly outputs: RunRow['outputs'];
  readonly outcome: RunRow['outcome'];
  readonly records: RunRow['records'];
}

function measureSize(
  { options, input, outputs, outcome, records }: Texts,
  blobs: readonly StoredBlob[],
): number {
  const size = ROW_BYTES + bytesOfText(options) + bytesOfText(input) + bytesOfBlobs(blobs);
  return size + bytesOfText(outputs) + bytesOfText(outcome) + bytesOfText(records);
}

interface InsertParts {
  readonly row: RunRow;
  readonly blobs: readonly StoredBlob[];
  readonly waiter: Waiter | undefined;
  readonly writes?: readonly EndWrite[] | undefined;
}

type Identity = Pick<RunBegin, 'run_id' | 'workflow_id' | 'idempotency_key'>;

function buildInsert(
  { run_id, workflow_id, idempotency_key }: Identity,
  { row, blobs, waiter, writes = NO_ROWS }: InsertParts,
): InsertOperation {
  return {
    kind: 'insert',
    run_id,
    workflow_id,
    idempotency_key: plainTextOrNull(idempotency_key),
    size: measureSize(row, blobs),
    row,
    blobs,
    writes,
    waiter,
    taken: false,
    absorbed: false,
  };
}

/** The accept record of a run that this process executes. */
export function beginOperation(run: RunBegin, encoder: ValueEncoder, waiter: Waiter): InsertOperation {
  const row = runRow(run, encoder.encodeInput(run.input), STATE.running, 'running');
  return buildInsert(run, { row, blobs: encoder.takeBlobs(), waiter });
}

export function stepOperation(run_id: string, record: StepRecord, run: OpenRun): StepOperation {
  return {
    kind: 'step',
    run_id,
    claim: run.attempt,
    record,
    encoder: run.encoder,
    size: ROW_BYTES,
    waiter: undefined,
    taken: false,
    absorbed: false,
  };
}

/** @param waiter absent for an intent that is withdrawn */
export function intentOperation(
  { run_id, claim }: ClaimedRecord,
  intent: IntentRecord,
  waiter?: Waiter,
): IntentOperation {
  const row = intentRow({ run_id, claim }, intent, waiter === undefined);
  return { kind: 'intent', run_id, row, size: ROW_BYTES + bytesOfText(row.record), ...NEW, waiter };
}

export function barrierOperation(run_id: string, waiter: Waiter): BarrierOperation {
  return { kind: 'barrier', run_id, size: 0, ...NEW, waiter };
}

/** The history row of a call that started no run. */
export function refusalOperation(call: RefusedCall): InsertOperation {
  const encoder = createValueEncoder();
  const input = encoder.encode(call.input);
  const row = refusalRow(call, { input, outputs: encoder.encode(call.outputs) });
  const { run_id, workflow_id } = call;
  const identity = { run_id, workflow_id, idempotency_key: null };
  return buildInsert(identity, { row, blobs: encoder.takeBlobs(), waiter: undefined });
}

export function waitOperation(
  run_id: string,
  wait: WaitRecord,
  { encoder, waiter }: { encoder: ValueEncoder; waiter: Waiter },
): WaitOperation {
  const row = waitRow(run_id, wait, encoder);
  const blobs = encoder.takeBlobs();
  const size = ROW_BYTES + bytesOfText(row.payload) + bytesOfBlobs(blobs);
  return { kind: 'wait', run_id, row, blobs, size, ...NEW, waiter };
}

/** How a run ends. */
export interface Ending {
  readonly final: RunFinal;
  /** Facts that were not handed in before. */
  readonly records: readonly StepRecord[];
}

interface FirstEnding {
  readonly ending: Ending;
  readonly known: OpenRun | undefined;
  /** The accept record, when no statement has taken it. */
  readonly begun: InsertOperation | undefined;
  readonly waiter: Waiter;
}

/** The end of a run that has no row yet: one inserted row says everything. Most runs pass here, so nothing is spread. */
export function wholeRunOperation(
  run: RunBegin,
  { ending, known, begun, waiter }: FirstEnding,
): InsertOperation {
  const encoder = known?.encoder ?? createValueEncoder();
  const facts = known ? absorbFacts(known).concat(ending.records) : ending.records;
  const input = begun ? String(begun.row.input) : encoder.encodeInput(run.input);
  const row = runRow(run, input, STATE.done, ending.final.status);
  setFinal(row, ending.final, {
    outputs: encoder.encode(ending.final.outputs),
    records: facts.length > 0 ? encoder.encodeRecords(facts) : null,
  });
  const fresh = encoder.takeBlobs();
  const blobs = begun ? [...begun.blobs, ...fresh] : fresh;
  return buildInsert(run, { row, blobs, waiter, writes: ending.final.writes });
}

interface LaterEnding {
  readonly ending: Ending;
  readonly known: OpenRun;
  readonly waiter: Waiter;
}

/** The end of a run that has a row. */
export function endOperation(run_id: string, { ending, known, waiter }: LaterEnding): EndOperation {
  const { encoder } = known;
  const row = endRow(run_id, STATE.done, ending.final.status);
  const facts = [...absorbFacts(known), ...ending.records];
  setFinal(row, ending.final, {
    outputs: encoder.encode(ending.final.outputs),
    records: facts.length > 0 ? encoder.encodeRecords(facts) : null,
  });
  const blobs = encoder.takeBlobs();
  const size = measureSize(row, blobs);
  const settles = known.has_waits;
  return {
    kind: 'end',
    run_id,
    row,
    open_waits: NO_ROWS,
    writes: ending.final.writes ?? NO_ROWS,
    blobs,
    size,
    pauses: false,
    settles,
    ...NEW,
    waiter,
  };
}

/** A run leaves memory until one of its open waits is decided; its facts stay rows of their own. */
export function suspendOperation(run_id: string, open: readonly WaitPlace[], waiter: Waiter): EndOperation {
  const row = endRow(run_id, STATE.waiting, 'pending');
  const open_waits = open.map((place) => openWaitRow(run_id, place));
  const common = { run_id, row, open_waits, blobs: NO_ROWS, size: measureSize(row, NO_ROWS), waiter };
  return { kind: 'end', ...common, pauses: true, settles: false, ...NEW };
}
