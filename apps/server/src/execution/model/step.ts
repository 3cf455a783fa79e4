import type { RunFact, StepEffect } from '@millrace/engine';

/** A fact about a node, exactly as the engine yielded it, after the masker. */
export type StepRecord = RunFact & {
  /** The fact before the masker, where the masker changed it; a resumed run goes by this. */
  readonly sealed?: SealedFact;
};

/** A journaled fact with what the stream of the run needs to be sent again, also by another process. */
export type StampedRecord = StepRecord & {
  /**
   * Numbers of the frames that it made: of `node_start` (0: announced by an earlier row, or never started), of its own
   * frame, and of `final_output`. Absent when the run could not be followed yet.
   */
  readonly frames?: readonly number[];
  /** The mask changed something, so this is not quite what the nodes behind it saw. */
  readonly masked?: true;
  /** Its output became the early answer. */
  readonly answers_early?: true;
};

/** Encrypted when it is asked for, because most facts are stored in the final record, which needs none. */
export interface SealedFact {
  readonly text: string;
}

/** Says that an effect is about to happen; durable before it does. */
export interface IntentRecord {
  readonly node_id: string;
  /** As in the engine's events; '' outside loops. */
  readonly iteration: string;
  /** Name of the step; absent for a node that has no steps. */
  readonly key?: string;
  readonly attempt: number;
  readonly effect: StepEffect;
  /** The same for every repetition of the node in this round; the target may dedupe by it. */
  readonly idempotency_key: string;
  /** Epoch milliseconds. */
  readonly started_at_ms: number;
}
