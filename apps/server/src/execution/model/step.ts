import type { RunFact, StepEffect } from '@millrace/engine';

/** A fact about a node, exactly as the engine yielded it, after the masker. */
export type StepRecord = RunFact & {
  /** The fact before the masker, where the masker changed it; a resumed run goes by this. */
  readonly sealed?: SealedFact;
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
