import { MEGABYTE } from '@millrace/engine/units';
import { measureOperation, type Operation } from '../operations.ts';
import type { Counters } from './counters.ts';
import type { Refusals } from './refusals.ts';

/** Bounds of one statement. */
const MAX_OPERATIONS = 256;
export const MAX_BATCH_BYTES = MEGABYTE;

export interface LaneQueueOptions {
  readonly counters: Counters;
  readonly refusals: Refusals;
}

/** Operations that wait for their commit, in order. */
export class LaneQueue {
  readonly #counters: Counters;
  readonly #refusals: Refusals;
  #queue: Operation[] = [];

  constructor({ counters, refusals }: LaneQueueOptions) {
    this.#counters = counters;
    this.#refusals = refusals;
  }

  get all(): readonly Operation[] {
    return this.#queue;
  }

  get length(): number {
    return this.#queue.length;
  }

  push(operation: Operation): void {
    this.#queue.push(operation);
    this.#counters.pending += 1;
    this.#counters.pending_bytes += operation.size;
  }

  takeAll(): readonly Operation[] {
    const all = this.#queue;
    this.#queue = [];
    for (const operation of all) this.#release(operation);
    return all;
  }

  /**
   * One statement does not see the rows that it inserts itself, so the end of a run whose row is in the batch waits for the
   * next one, and so does everything after it for the same run.
   */
  takeBatch(): Operation[] {
    const taken: Operation[] = [];
    const left: Operation[] = [];
    const inserted = new Set<string>();
    const held_back = new Set<string>();
    let total = 0;
    let next = 0;
    for (; taken.length < MAX_OPERATIONS; next++) {
      const operation = this.#queue[next];
      if (!operation) break;
      const { run_id, kind } = operation;
      if (held_back.has(run_id) || (kind === 'end' && inserted.has(run_id))) {
        held_back.add(run_id);
        left.push(operation);
        continue;
      }
      const bytes = this.#bytesToStore(operation);
      // A single larger one has a statement of its own.
      if (bytes !== undefined && taken.length > 0 && total + bytes > MAX_BATCH_BYTES) break;
      this.#release(operation);
      if (bytes === undefined) continue;
      if (kind === 'insert') inserted.add(run_id);
      total += bytes;
      operation.taken = true;
      taken.push(operation);
    }
    this.#queue = next >= this.#queue.length ? left : [...left, ...this.#queue.slice(next)];
    return taken;
  }

  #release({ size }: Operation): void {
    this.#counters.pending -= 1;
    this.#counters.pending_bytes -= size;
  }

  /** Bytes of the operation, or undefined when it will not be in any statement. */
  #bytesToStore(operation: Operation): number | undefined {
    if (operation.absorbed) return undefined;
    const refusal = this.#refusals.of(operation.run_id);
    if (refusal) {
      operation.waiter?.reject(refusal);
      return undefined;
    }
    try {
      return measureOperation(operation);
    } catch (error) {
      // It cannot even be turned into a row.
      this.#refusals.refuse(operation, error);
      return undefined;
    }
  }
}
