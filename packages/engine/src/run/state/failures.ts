import type { JsonObject } from '../../json.ts';
import type { Failure } from '../node-run.ts';
import { DEFAULT_MAX_NODE_EXECUTIONS } from '../options.ts';
import { emitFinished, NO_PORTS, nodeAt, type Timing } from './emit.ts';
import { FAILED, type RunState } from './run-state.ts';

/** Set when the run has started as many nodes as it may. */
export function executionLimit(run: RunState): Failure | null {
  const most = run.options.max_node_executions ?? DEFAULT_MAX_NODE_EXECUTIONS;
  if (run.executions <= most) return null;
  const message = `The run would start more than ${most} nodes, the limit of node executions per run. Use shorter lists, or move parts of the work to another workflow.`;
  return { kind: 'limit', message, final: true };
}

/** Output of a failed node. The node's own keys cannot hide the message. */
export function failureOutput(failure: Failure): JsonObject {
  return { ...failure.details, error: failure.message };
}

/** Records a failure that no `error` handle takes over: in the main flow nothing new starts after it. */
export function stopWith(
  run: RunState,
  node: number,
  { failure, timing, metadata }: { failure: Failure; timing: Timing; metadata?: JsonObject | undefined },
): void {
  run.nodes[node] = FAILED;
  const output = failureOutput(failure);
  run.outputs[node] = output;
  emitFinished(run, node, timing, { status: 'error', output, ports: NO_PORTS, failure, metadata });
  noteFailure(run, node, { failure, sequence: run.sequence });
}

export function noteFailure(
  run: RunState,
  node: number,
  { failure, sequence }: { failure: Failure; sequence: number },
): void {
  const { id, label, type, flow } = nodeAt(run, node);
  const failed = { node_id: id, node_label: label, node_type: type, message: failure.message };
  run.failures.push({ failure, node: flow === 'main' ? failed : null, sequence });
  if (flow === 'main') run.stopping = true;
}
