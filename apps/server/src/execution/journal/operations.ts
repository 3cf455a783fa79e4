import type { Cell } from './encoding/columns.ts';
import type { StoredBlob, ValueEncoder } from './encoding/values.ts';
import { type DuplicateRun, Fenced, JournalUnavailable, OwnershipLost, type StepRecord } from './journal.ts';
import type { Batch } from './statement.ts';

export type JournalFailure = Fenced | OwnershipLost | DuplicateRun | JournalUnavailable;

/** Somebody who waits for an operation to be durable. */
export class Waiter {
  readonly durable: Promise<void>;
  readonly #onDurable: (() => void) | undefined;
  #resolve: () => void = () => undefined;
  #reject: (failure: JournalFailure) => void = () => undefined;

  /** @param onDurable also called when the caller has been turned away meanwhile */
  constructor(onDurable?: () => void) {
    this.#onDurable = onDurable;
    this.durable = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // Not everybody waits; a failure reaches those who do.
    this.durable.catch(() => undefined);
  }

  resolve(): void {
    this.#onDurable?.();
    this.#resolve();
  }
  reject(failure: JournalFailure): void {
    this.#reject(failure);
  }
}

interface Queued {
  readonly run_id: string;
  readonly waiter: Waiter | undefined;
  /** Characters, roughly. */
  readonly size: number;
  /** In a statement that is under way; until then it can be absorbed by a later operation of its run. */
  taken: boolean;
  absorbed: boolean;
}

/** A new row: a run that begins, one that is already over, or a history row. */
export interface InsertOperation extends Queued {
  readonly kind: 'insert';
  readonly cells: readonly Cell[];
  readonly workflow_id: string;
  readonly idempotency_key: string | null;
  /** State that the row is inserted with. */
  readonly state: number;
  readonly blobs: readonly StoredBlob[];
  readonly steps: readonly (readonly Cell[])[];
  readonly waits: readonly (readonly Cell[])[];
}

/** A fact about a node; encoded when it is taken, because it may end up in the final record instead. */
export interface StepOperation extends Queued {
  readonly kind: 'step';
  readonly record: StepRecord;
  readonly encoder: ValueEncoder;
  encoded?: { readonly cells: readonly Cell[]; readonly blobs: readonly StoredBlob[] };
}

export interface IntentOperation extends Queued {
  readonly kind: 'intent';
  readonly cells: readonly Cell[];
}

/** A run that this process owned ends or pauses. */
export interface EndOperation extends Queued {
  readonly kind: 'end';
  readonly cells: readonly Cell[];
  readonly blobs: readonly StoredBlob[];
  readonly waits: readonly (readonly Cell[])[];
  readonly pauses: boolean;
  /** The run has waits that end with it. */
  readonly settles: boolean;
}

/** Nothing to write; confirms that the run is still owned. */
export interface BarrierOperation extends Queued {
  readonly kind: 'barrier';
}

export type Operation = InsertOperation | StepOperation | IntentOperation | EndOperation | BarrierOperation;

export function stepCells(run_id: string, record: StepRecord, encoder: ValueEncoder): Cell[] {
  const kind = record.type === 'node_finished' ? 'done' : 'retry';
  const text = encoder.encodeRecord(record);
  return [run_id, record.node_id, record.iteration, record.attempt, kind, record.sequence, text];
}

function encodeStep(operation: StepOperation) {
  const { run_id, record, encoder } = operation;
  const cells = stepCells(run_id, record, encoder);
  operation.encoded = { cells, blobs: encoder.takeBlobs() };
  return operation.encoded;
}

/** The rows of all operations; a large value that several runs share is written once. */
export function batchOf(operations: readonly Operation[]): Batch {
  const runs: (readonly Cell[])[] = [];
  const steps: (readonly Cell[])[] = [];
  const ends: (readonly Cell[])[] = [];
  const waits: (readonly Cell[])[] = [];
  const contents = new Map<string, string>();
  const run_blobs: Cell[][] = [];
  const touched = new Set<string>();
  const settled: string[] = [];
  const paused: string[] = [];
  const keep = (run_id: string, blobs: readonly StoredBlob[]) => {
    for (const { hash, content } of blobs) {
      contents.set(hash, content);
      run_blobs.push([run_id, hash]);
    }
  };
  for (const operation of operations) {
    const { run_id } = operation;
    if (operation.kind !== 'insert') touched.add(run_id);
    switch (operation.kind) {
      case 'insert':
        runs.push(operation.cells);
        steps.push(...operation.steps);
        waits.push(...operation.waits);
        keep(run_id, operation.blobs);
        break;
      case 'step': {
        const { cells, blobs } = operation.encoded ?? encodeStep(operation);
        steps.push(cells);
        keep(run_id, blobs);
        break;
      }
      case 'intent':
        steps.push(operation.cells);
        break;
      case 'end':
        ends.push(operation.cells);
        waits.push(...operation.waits);
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
    blobs: [...contents],
    run_blobs,
    touched: [...touched],
    settled,
    paused,
  };
}
