import type { Decision, Json, JsonObject, WaitKind } from '@millrace/engine';

/** The place of a wait: a node may have several in one round, one after the other or at once. */
export interface WaitPlace {
  readonly node_id: string;
  readonly iteration: string;
  readonly key: string;
}

/** A node waits for a decision. */
export interface WaitRecord extends WaitPlace {
  readonly kind: WaitKind;
  /** SHA-256 of a capability token, hexadecimal; null when no address decides. */
  readonly token_hash: string | null;
  /** Epoch milliseconds after which the clock decides `timed_out`; null: never. */
  readonly due_at_ms: number | null;
  /** Shown as the node's output meanwhile. */
  readonly payload: JsonObject;
  /** Words that a decision may have; others are refused. */
  readonly decisions: readonly string[];
  /** Run whose end decides; null for other kinds. */
  readonly child_run_id: string | null;
  readonly sequence: number;
  readonly attempt: number;
  /** Epoch milliseconds of the node's start. */
  readonly started_at_ms: number;
}

export interface StoredWait extends WaitRecord {
  /** Absent: undecided. */
  readonly decision?: Decision;
}

export const isOpenReview = ({ kind, decision }: StoredWait): boolean => kind === 'review' && !decision;

export interface WaitDecision extends WaitPlace {
  /** One of the wait's words; it usually names the port. */
  readonly decision: string;
  /** The data that came with it. */
  readonly data: Json;
  /** Takes the place of the run's input, for a run that begins with what it waits for. Masked (§5.8). */
  readonly run_input?: Json;
}

export interface WaitDecisionAt extends WaitDecision {
  /** Epoch milliseconds. */
  readonly decided_at_ms: number;
}

export interface FoundWait extends WaitPlace {
  readonly run_id: string;
  readonly workflow_id: string;
  readonly kind: string;
  /** Nothing can decide it any more, be it that something has, or that its run has ended. */
  readonly is_decided: boolean;
  /** The word that decided; null while nothing has, and where the run ended before. */
  readonly decision: string | null;
  /** Its time is over, whether or not a sweep has come by to let the clock decide. */
  readonly is_due: boolean;
  /** Graph that the run is pinned to. */
  readonly version_id: string | null;
  readonly payload: Json;
  readonly decisions: readonly string[];
}
