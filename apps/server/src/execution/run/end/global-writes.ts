import type { Json, VariableWrite } from '@millrace/engine';

/** The value that a run leaves in one global variable. */
export interface PendingWrite {
  readonly value: Json;
  /** Sum of the run's increments; absent when the run set the variable. */
  readonly by?: number;
}

/** Collects what becomes of global variables when the run ends; the last value of a name counts, increments add up. */
export class GlobalWrites {
  readonly #writes = new Map<string, PendingWrite>();
  /** Names whose value in the run was last set for the run alone: an increment of that is no increment of what is stored. */
  readonly #local = new Set<string>();

  get isEmpty(): boolean {
    return this.#writes.size === 0;
  }

  clear(): void {
    this.#writes.clear();
  }

  get entries(): Iterable<[name: string, write: PendingWrite]> {
    return this.#writes;
  }

  /** @param variables of one finished node, in the order in which nodes finished */
  take(variables: readonly VariableWrite[]): void {
    for (const { name, value, is_global, by } of variables) {
      if (!is_global) {
        this.#local.add(name);
        continue;
      }
      const known = this.#writes.get(name);
      const adds = by !== undefined && !this.#local.has(name) && (!known || known.by !== undefined);
      this.#writes.set(name, adds ? { value, by: (known?.by ?? 0) + by } : { value });
      this.#local.delete(name);
    }
  }
}
