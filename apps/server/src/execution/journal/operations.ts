import type { EndWrite } from '../model/run.ts';
import type { StepRecord } from '../model/step.ts';
import type { Batch } from '../store/batch-statement.ts';
import type { StoredBlob, ValueEncoder } from '../store/encoding/values.ts';
import {
  type EndRow,
  factRow,
  type OpenWaitRow,
  type RunRow,
  type StepRow,
  type WaitRow,
} from '../store/tables.ts';
import type { Waiter } from './waiter.ts';

interface Queued {
  readonly run_id: string;
  readonly waiter: Waiter | undefined;
  /** Bytes; of a fact only a guess, for it is encoded late. */
  readonly size: number;
  /** In a statement that is under way; until then it can be absorbed by a later operation of its run. */
  taken: boolean;
  absorbed: boolean;
}

/** A new row: a run that begins, one that is already over, or a history row. */
export interface InsertOperation extends Queued {
  readonly kind: 'insert';
  readonly row: RunRow;
  readonly workflow_id: string;
  readonly idempotency_key: string | null;
  readonly blobs: readonly StoredBlob[];
  readonly writes?: readonly EndWrite[];
}

/** A fact about a node; encoded when it is taken, because it may end up in the final record instead. */
export interface StepOperation extends Queued {
  readonly kind: 'step';
  /** The claim of the run that it was made under. */
  readonly claim: number;
  readonly record: StepRecord;
  readonly encoder: ValueEncoder;
  encoded?: { readonly row: StepRow; readonly blobs: readonly StoredBlob[] };
}

export interface IntentOperation extends Queued {
  readonly kind: 'intent';
  readonly row: StepRow;
}

/** A wait of a node. */
export interface WaitOperation extends Queued {
  readonly kind: 'wait';
  readonly row: WaitRow;
  readonly blobs: readonly StoredBlob[];
}

/** A run that this process owned ends or pauses. */
export interface EndOperation extends Queued {
  readonly kind: 'end';
  readonly row: EndRow;
  readonly blobs: readonly StoredBlob[];
  readonly pauses: boolean;
  readonly open_waits: readonly OpenWaitRow[];
  /** The run has waits that end with it. */
  readonly settles: boolean;
  readonly writes?: readonly EndWrite[];
}

/** Nothing to write; confirms that the run is still owned. */
export interface BarrierOperation extends Queued {
  readonly kind: 'barrier';
}

export type Operation =
  | InsertOperation
  | StepOperation
  | IntentOperation
  | WaitOperation
  | EndOperation
  | BarrierOperation;

function encodeStep(operation: StepOperation) {
  const { run_id, record, encoder, claim } = operation;
  const row = factRow({ run_id, claim }, record, encoder);
  const blobs = encoder.takeBlobs();
  operation.encoded = { row, blobs };
  // Its large values have left the encoder, so from here on no later operation may take the record over.
  operation.taken = true;
  return operation.encoded;
}

const encodeOperation = (operation: StepOperation) => operation.encoded ?? encodeStep(operation);

/** Bytes in UTF-8; short texts are mostly ids and are not looked at one by one. */
export const bytesOfText = (text: unknown): number => {
  if (typeof text !== 'string') return 0;
  return text.length <= SHORT_TEXT ? text.length : Buffer.byteLength(text);
};
const SHORT_TEXT = 64;

/** The cost of an operation besides its texts. */
export const ROW_BYTES = 300;

export function bytesOfBlobs(blobs: readonly StoredBlob[]): number {
  return blobs.reduce((sum, { content }) => sum + bytesOfText(content), 0);
}

/** How many bytes the operation adds to its statement. @throws what encoding a record throws */
export function measureOperation(operation: Operation): number {
  if (operation.kind !== 'step') return operation.size;
  const { row, blobs } = encodeOperation(operation);
  return ROW_BYTES + bytesOfText(row.record) + bytesOfBlobs(blobs);
}

function keptBlobs() {
  const blobs = new Map<string, StoredBlob>();
  const run_blobs: { run_id: string; hash: string }[] = [];
  const keep = (run_id: string, values: readonly StoredBlob[]) => {
    for (const value of values) {
      blobs.set(value.hash, value);
      run_blobs.push({ run_id, hash: value.hash });
    }
  };
  return { blobs, run_blobs, keep };
}

/** The rows of all operations; a large value that several runs share is written once. */
export function buildBatch(operations: readonly Operation[]): Batch {
  const runs: RunRow[] = [];
  const steps: StepRow[] = [];
  const ends: EndRow[] = [];
  const waits: WaitRow[] = [];
  const open_waits: OpenWaitRow[] = [];
  const { blobs, run_blobs, keep } = keptBlobs();
  const touched = new Set<string>();
  const settled: string[] = [];
  const paused: string[] = [];
  for (const operation of operations) {
    const { run_id } = operation;
    if (operation.kind !== 'insert') touched.add(run_id);
    switch (operation.kind) {
      case 'insert':
        runs.push(operation.row);
        keep(run_id, operation.blobs);
        break;
      case 'step': {
        const { row, blobs: values } = encodeOperation(operation);
        steps.push(row);
        keep(run_id, values);
        break;
      }
      case 'intent':
        steps.push(operation.row);
        break;
      case 'wait':
        waits.push(operation.row);
        keep(run_id, operation.blobs);
        break;
      case 'end':
        ends.push(operation.row);
        open_waits.push(...operation.open_waits);
        keep(run_id, operation.blobs);
        if (operation.pauses) paused.push(run_id);
        else if (operation.settles) settled.push(run_id);
        break;
      case 'barrier':
        break;
      default:
        operation satisfies never;
    }
  }
  return {
    runs,
    steps,
    ends,
    waits,
    open_waits,
    blobs: [...blobs.values()],
    run_blobs,
    touched: [...touched],
    settled,
    paused,
  };
}
