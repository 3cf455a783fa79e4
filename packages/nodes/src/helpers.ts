import type { Effect, JsonObject, NodeDefinition, NodeInput, NodeResult } from '@millrace/engine';

/** A node that another one calls by itself: a tool of an agent, or an agent below it. */
export interface Helper {
  readonly id: string;
  readonly label: string;
  readonly definition: NodeDefinition;
  /** As stored. */
  readonly data: JsonObject;
}

export interface HelperRequest {
  /** Name of this use within the caller; the names of its steps begin with it. */
  readonly key: string;
  /** Outputs that it sees as those of the nodes before it. */
  readonly inputs: readonly NodeInput[];
  /** Fields that the caller fills in. Their text is data and is never evaluated. */
  readonly given: JsonObject;
}

export interface HelperCall {
  readonly effect: Effect;
  /**
   * Runs the node as a part of its caller. One with steps does them as steps of the caller; any other has to run inside a
   * step with its effect. Throws `NodeFailure`.
   *
   * @param signal ends its work before the run ends; the run's own signal ends it always
   */
  run(signal?: AbortSignal): Promise<NodeResult>;
}

/** Nodes of the workflow that a node may call, which no run schedules. */
export interface Helpers {
  /** Those on its tool handle, in the order of their edges. */
  readonly tools: readonly Helper[];
  /** Labels of the nodes that called each other down to this one, the first one first; its own is the last. */
  readonly chain: readonly string[];
  /** Nodes of this type and label. */
  labelled(type: string, label: string): Helper | undefined;
  prepare(helper: Helper, request: HelperRequest): HelperCall;
}
