import type { Json, JsonObject } from '../../json.ts';
import type { StepEffect } from '../../node-type/define-node.ts';
import type { Failure, Suspension, VariableWrite } from '../node-run.ts';

interface OfNode {
  node_id: string;
  node_label: string;
  node_type: string;
  /** Rounds of the surrounding loops joined by dots, outermost first and counted from 0: `3`, `2.5`; '' outside loops. */
  iteration: string;
}

interface Timed {
  /** Epoch milliseconds, with fractions when the host's clock has them. */
  started_at_ms: number;
  ended_at_ms: number;
  execution_time_ms: number;
}

export interface RunStarted {
  type: 'run_started';
  started_at_ms: number;
}

export interface NodeStarted extends OfNode {
  type: 'node_started';
  attempt: number;
  started_at_ms: number;
}

/** A failed attempt that is followed by another one. */
export interface NodeRetried extends OfNode, Timed {
  type: 'node_retried';
  sequence: number;
  attempt: number;
  max_attempts: number;
  wait_ms: number;
  failure: Failure;
}

/** A reference in a text without a value. */
export interface UnresolvedReference {
  /** Parameter of the node, such as `message` or `mappings.0.value`; null for text outside the parameters. */
  field: string | null;
  /** The source text, cut after 200 characters. */
  reference: string;
  /** The words that the text shows instead. */
  instead: string;
}

export interface NodeFinished extends OfNode, Timed {
  type: 'node_finished';
  status: 'success' | 'error' | 'skipped';
  /** `{}` when skipped, `{error, ...}` when failed. */
  output: Json;
  /** Source handles that are live from now on. */
  ports: readonly string[];
  /** Also set with status `success` when the failure was handled by the `error` handle. */
  failure?: Failure;
  /** 1-based order in which rows were created. */
  sequence: number;
  attempt: number;
  variables?: readonly VariableWrite[];
  disables?: readonly string[];
  metadata?: JsonObject;
  /** Unresolved references of the node; absent when there are none. */
  unresolved?: readonly UnresolvedReference[];
  /** On the first round of a loop: all items, so that a resumed loop repeats exactly these. */
  items?: readonly Json[];
}

/** The node waits for a decision. */
export interface NodeSuspended extends OfNode {
  type: 'node_suspended';
  suspension: Suspension;
  sequence: number;
  attempt: number;
  started_at_ms: number;
}

/** One step of a node is done; the node itself continues. */
export interface StepFinished extends OfNode, Timed {
  type: 'step_finished';
  /** Name of the step within its node and round. */
  key: string;
  effect: StepEffect;
  status: 'success' | 'error';
  output: Json;
  failure?: Failure;
  sequence: number;
  attempt: number;
}

/** An output node answered while the run continues; at most once per run. */
export interface OutputEmitted extends OfNode {
  type: 'output_emitted';
  output: Json;
  execution_time_ms: number;
}

/** How a run can end. */
export type EndStatus = 'success' | 'error' | 'cancelled';

/** How a run ended, or that it waits; used for the response, stream and history. */
export interface Outcome {
  status: EndStatus | 'pending';
  outputs: JsonObject;
  /**
   * `json`: `outputs` is the object of the only JSON mapper and becomes the whole response.
   * `html`: `outputs` has one entry, that of the only HTML mapper: `{html, statusCode, contentType}`.
   */
  shape: 'labels' | 'json' | 'html';
  /** Status of the HTTP response that the first Throw Error node set. */
  http_status?: number | undefined;
  /** First failure that ended the run, and the node it happened in (null for run-wide ones). */
  failure?: Failure | undefined;
  failed_node?: FailedNode | null | undefined;
  /** Number of unresolved references; absent when there are none. */
  unresolved_references?: number | undefined;
}

/** A failed node as error handlers see it in `$error`. */
export interface FailedNode {
  node_id: string;
  node_label: string;
  node_type: string;
  message: string;
}

export interface RunFinished extends Outcome {
  type: 'run_finished';
  ended_at_ms: number;
  execution_time_ms: number;
}

/** Everything that happens in a run, as plain data. Streams, history, journal and canvas are views of these. */
export type RunEvent =
  | RunStarted
  | NodeStarted
  | NodeRetried
  | NodeFinished
  | NodeSuspended
  | StepFinished
  | OutputEmitted
  | RunFinished;

/** A stored `node_finished`, applied on resume instead of running the node again. */
export type RecordedResult = Pick<
  NodeFinished,
  | 'status'
  | 'output'
  | 'ports'
  | 'failure'
  | 'sequence'
  | 'attempt'
  | 'started_at_ms'
  | 'ended_at_ms'
  | 'variables'
  | 'disables'
  | 'unresolved'
  | 'items'
>;

/** Nothing can continue for now. Continue when `until` settles, or earlier to check for a cancellation. */
export interface Wait {
  type: 'wait';
  until: Promise<void>;
}
