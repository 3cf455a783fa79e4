import type { NodeSuspended, PausedNode, RunFact, RunMachine } from '@millrace/engine';
import type { RunStart } from '../../executor/run-start.ts';
import { RunWaits } from './run-waits.ts';
import { StepBook } from './step-book.ts';

/** Steps and waits of one run. Made when the first node with steps asks for them: most runs have none. */
export class RunSteps {
  readonly #start: RunStart;
  readonly #machine: RunMachine;
  readonly #wake: () => void;
  #book: StepBook | undefined;
  #waits: RunWaits | undefined;
  #reads = 0;
  #stored_reads: number;

  /** @param wake lets the driver look again */
  constructor(start: RunStart, machine: RunMachine, wake: () => void) {
    this.#start = start;
    this.#machine = machine;
    this.#wake = wake;
    this.#book = start.progress?.book;
    // A new run is not stored itself yet.
    this.#stored_reads = start.progress ? 0 : -1;
  }

  get book(): StepBook {
    return (this.#book ??= new StepBook());
  }

  get waits(): RunWaits {
    const { keeping, begin, secrets } = this.#start;
    return (this.#waits ??= new RunWaits({
      keeping,
      begin,
      book: this.book,
      machine: this.#machine,
      mask: (payload) => secrets.mask(payload),
      wake: this.#wake,
    }));
  }

  /** False for a pause that was reported before. */
  isNews(fact: RunFact): boolean {
    if (fact.type === 'step_finished' && fact.effect === 'read') this.#reads += 1;
    const book = fact.type === 'step_finished' ? this.book : this.#book;
    return book?.add(fact) ?? true;
  }

  /** Resolves when the run and the outcome of every step that has read so far are stored. @throws what the journal rejects with */
  async readsStored(): Promise<void> {
    const reads = this.#reads;
    if (reads === this.#stored_reads) return;
    const { keeping, begin } = this.#start;
    await keeping.journal.barrier(begin.run_id);
    this.#stored_reads = Math.max(this.#stored_reads, reads);
  }

  suspended(event: NodeSuspended): void {
    this.waits.suspended(event);
  }

  findPause(node_id: string, iteration: string): PausedNode | undefined {
    return this.#book?.findPause(node_id, iteration);
  }

  /** Runs that it has started and waits for no more. */
  get orphans(): readonly string[] {
    return this.#book?.orphans ?? [];
  }
}
