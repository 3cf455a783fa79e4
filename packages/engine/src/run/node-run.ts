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
  /** Status of the HTTP answer that a Throw Error node sets. */
  http_status?: number;
  /** Never retried, whatever the node's retry settings say. */
  final?: boolean;
  /** Node-specific keys that join `output` beside `error`. */
  details?: JsonObject;
}

export interface VariableWrite {
  name: string;
  value: Json;
  is_global: boolean;
}

/** A pause that outlives the process: the run is stored and goes on when somebody supplies the node's result. */
export interface Suspension {
  kind: 'review' | 'timer' | 'upload';
  /** Epoch milliseconds after which a timer resumes by itself. */
  due_at?: number;
  /** Output that the paused node shows meanwhile. */
  payload: JsonObject;
  /** Source handles that become live at the pause, with the payload as output; all others wait for the result. */
  ports?: readonly string[];
}

/** What running a node yields. Exactly one of `output`, `failure` and `suspension` is set. */
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
