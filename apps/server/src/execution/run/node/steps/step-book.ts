import type { Decision, PausedNode, StepFinished } from '@millrace/engine';
import type { StepRecord } from '../../../model/step.ts';
import type { StoredWait, WaitPlace } from '../../../model/wait.ts';

interface OpenWait {
  readonly place: WaitPlace;
  readonly child_run_id: string | undefined;
}

/** Steps, pauses and waits of the run as this process knows them; nodes that are called again find the recorded ones here. */
export class StepBook {
  readonly #steps = new Map<string, StepFinished[]>();
  readonly #pauses = new Map<string, PausedNode>();
  /** Names of the waits that each node has shown a pause for. */
  readonly #shown = new Set<string>();
  readonly #stored = new Set<string>();
  readonly #open = new Map<string, OpenWait>();
  readonly #orphans: string[] = [];
  readonly #decisions = new Map<string, Decision>();

  constructor(records: readonly StepRecord[] = [], waits: readonly StoredWait[] = []) {
    for (const record of records) this.add(record);
    for (const wait of [...waits].sort((one, two) => one.sequence - two.sequence)) {
      const { payload, started_at_ms, decision } = wait;
      this.#stored.add(waitKey(wait));
      // The row of a wait is stored before the pause is reported, so a crash in between leaves it alone.
      if (!this.#pauses.has(placeKey(wait))) this.#pauses.set(placeKey(wait), { payload, started_at_ms });
      if (decision) this.#decisions.set(waitKey(wait), decision);
    }
  }

  /** Takes a fact in; false for a pause that was reported before. */
  add(record: StepRecord): boolean {
    if (record.type === 'step_finished') {
      const steps = this.#steps.get(placeKey(record));
      if (steps) steps.push(record);
      else this.#steps.set(placeKey(record), [record]);
    }
    if (record.type === 'node_suspended') {
      const { payload, key } = record.suspension;
      const shown = waitKey({ ...record, key });
      if (this.#shown.has(shown)) return false;
      this.#shown.add(shown);
      const { started_at_ms } = record;
      if (!this.#pauses.has(placeKey(record))) this.#pauses.set(placeKey(record), { payload, started_at_ms });
    }
    // Nothing continues a node that has its result.
    if (record.type === 'node_finished') this.#closeWaits(record);
    return true;
  }

  /** Recorded facts of a step, in order. */
  listSteps(place: WaitPlace): readonly StepFinished[] {
    return this.#steps.get(placeKey(place))?.filter(({ key }) => key === place.key) ?? [];
  }

  findPause(node_id: string, iteration: string): PausedNode | undefined {
    return this.#pauses.get(placeKey({ node_id, iteration }));
  }

  isStored(place: WaitPlace): boolean {
    return this.#stored.has(waitKey(place));
  }

  /** A node waits here; the wait is stored. */
  open(place: WaitPlace, child_run_id?: string): void {
    this.#stored.add(waitKey(place));
    this.#open.set(waitKey(place), { place, child_run_id });
  }

  /** The node continues with the decision of this wait. */
  close(place: WaitPlace): void {
    this.#open.delete(waitKey(place));
  }

  /** Waits that a decision of continues the run. */
  get openWaits(): readonly WaitPlace[] {
    return Array.from(this.#open.values(), ({ place }) => place);
  }

  findOpenWaits(place: Pick<WaitPlace, 'node_id' | 'iteration'>): readonly WaitPlace[] {
    return this.openWaits.filter((wait) => placeKey(wait) === placeKey(place));
  }

  findDecision(place: WaitPlace): Decision | undefined {
    return this.#decisions.get(waitKey(place));
  }

  /** False when it was known. */
  decide(place: WaitPlace, decision: Decision): boolean {
    if (this.#decisions.has(waitKey(place))) return false;
    this.#decisions.set(waitKey(place), decision);
    return true;
  }

  /** Runs whose end no node waits for any more. */
  get orphans(): readonly string[] {
    return this.#orphans;
  }

  #closeWaits(place: Pick<WaitPlace, 'node_id' | 'iteration'>): void {
    for (const wait of this.findOpenWaits(place)) {
      const child_run_id = this.#open.get(waitKey(wait))?.child_run_id;
      if (child_run_id !== undefined) this.#orphans.push(child_run_id);
      this.close(wait);
    }
  }
}

export const placeKey = ({ node_id, iteration }: Pick<WaitPlace, 'node_id' | 'iteration'>): string =>
  `${iteration} ${node_id}`;
const waitKey = (place: WaitPlace): string => JSON.stringify([place.node_id, place.iteration, place.key]);
