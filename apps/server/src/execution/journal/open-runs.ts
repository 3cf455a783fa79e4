import { OwnershipLost } from '../model/errors.ts';
import type { OpenRun } from './open-run.ts';

/** Runs that this process executes, and those it has let go of whose last records are not written yet. */
export class OpenRuns {
  readonly #open = new Map<string, OpenRun>();
  readonly #closing = new Map<string, OpenRun>();

  get(run_id: string): OpenRun | undefined {
    return this.#open.get(run_id);
  }

  /** @throws OwnershipLost */
  require(run_id: string): OpenRun {
    const run = this.#open.get(run_id);
    if (!run) throw new OwnershipLost(run_id);
    return run;
  }

  /** Also one that is closing. */
  find(run_id: string): OpenRun | undefined {
    return this.#open.get(run_id) ?? this.#closing.get(run_id);
  }

  /** Also one that is closing. */
  has(run_id: string): boolean {
    return this.find(run_id) !== undefined;
  }

  add(run_id: string, run: OpenRun): void {
    this.#open.set(run_id, run);
  }

  /** Not when the run was claimed anew meanwhile. */
  remove(run_id: string, run: OpenRun): void {
    if (this.#open.get(run_id) === run) this.#open.delete(run_id);
  }

  /** Nothing more is taken from its runner. The returned function says that everything is written. */
  close(run_id: string, run: OpenRun): () => void {
    this.#open.delete(run_id);
    this.#closing.set(run_id, run);
    return () => {
      if (this.#closing.get(run_id) === run) this.#closing.delete(run_id);
    };
  }
}
