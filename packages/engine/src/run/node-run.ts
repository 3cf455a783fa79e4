import type { Json, JsonObject } from '../json.ts';

/** Why a node failed. `message` is shown to users; it never holds a stack or a secret. */
export interface Failure {
  kind:
    | 'params'
    | 'expression'
    | 'credential'
    | 'upstream'
    | 'timeout'
    | 'sandbox'
    | 'thrown'
    | 'outcome_unknown'
    | 'cancelled'
    | 'limit'
    | 'internal';
  message: string;
  /** Parameter that caused it, when one did. */
  field?: string;
  /** Status of the HTTP response that a Throw Error node sets. */
  http_status?: number;
  /** Never retried, regardless of the node's retry settings. */
  final?: boolean;
  /** Node-specific keys that are added to `output` next to `error`. */
  details?: JsonObject;
}

export interface VariableWrite {
  name: string;
  value: Json;
  is_global: boolean;
  /**
   * `value` is the former value of the global variable plus this amount, which does not depend on it: added to what
   * is stored when the run ends, so that concurrent runs do not overwrite each other's increments.
   */
  by?: number;
  /** `value` is the list that the variable held before, with items added to the same list: all holders of the list see them too. */
  appends?: true;
}

/** The kind of event that a wait is for. `child`: the end of a run that the node has started. */
export type WaitKind = 'review' | 'timer' | 'callback' | 'upload' | 'batch' | 'runner' | 'child';

/** The kind of endpoint at the address of a wait: any call, a page for a person, or a file upload. */
export type WaitDoor = 'callback' | 'review' | 'upload';

/** A node cannot continue before one of its waits is decided; then it runs again. */
export interface Suspension {
  /** Name of the wait within the node and round; of the first one that is open when there are several. */
  key: string;
  kind: WaitKind;
  /** Epoch milliseconds at which the wait times out. */
  due_at?: number;
  /** Output that the paused node shows meanwhile. */
  payload: JsonObject;
  /** The output shown at its first wait in this round; absent: the same. */
  first_payload?: JsonObject;
}

/** The result of running a node. Exactly one of `output`, `failure` and `suspension` is set. */
export type NodeResult =
  | {
      output: Json;
      /** Source handles that become live; absent: `output` (and `error` stays dead). */
      ports?: readonly string[];
      variables?: readonly VariableWrite[];
      /** Node ids that become inactive for the rest of this run. */
      disables?: readonly string[];
      /** Ids and facts for the result row (`metadata`). */
      metadata?: JsonObject;
    }
  | { failure: Failure; metadata?: JsonObject }
  | { suspension: Suspension };

/** Thrown by node code to fail the node with a typed failure. */
export class NodeFailure extends Error {
  readonly failure: Failure;
  constructor(failure: Failure, options?: ErrorOptions) {
    super(failure.message, options);
    this.name = 'NodeFailure';
    this.failure = failure;
  }
}

/** A call that was not let out. The node's retry settings may repeat it, for names and settings change; programs do not. */
export class RefusedCall extends NodeFailure {}

/** An answer that is larger than it may be. Programs do not ask again: it would come, and often cost, as much once more. */
export class OversizedAnswer extends NodeFailure {}

/** Whether programs must not repeat what failed like this. */
export const isLasting = (error: NodeFailure): boolean =>
  error.failure.final === true || error instanceof RefusedCall || error instanceof OversizedAnswer;
