import type { JsonObject } from '../../json.ts';
import type { Failure } from '../node-run.ts';
import { DEFAULT_MAX_NODE_EXECUTIONS } from '../options.ts';
import { emitFinished, type Finish, NO_PORTS, nodeAt, type Timing } from './emit.ts';
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
  {
    failure,
    timing,
    ...known
  }: { failure: Failure; timing: Timing } & Partial<Pick<Finish, 'metadata' | 'unresolved'>>,
): void {
  run.nodes[node] = FAILED;
  const output = failureOutput(failure);
  run.outputs[node] = output;
  emitFinished(run, node, timing, { status: 'error', output, ports: NO_PORTS, failure, ...known });
  noteFailure(run, node, { failure, sequence: run.sequence });
}

/** The failure of a node that ended at its failing port; undefined otherwise. */
export function findShortfall(run: RunState, node: number, ports: readonly string[]): Failure | undefined {
  const { failing_port } = nodeAt(run, node).definition;
  if (failing_port === undefined || !ports.includes(failing_port.port)) return undefined;
  return { kind: 'timeout', message: failing_port.message, final: true };
}

/** Whether an edge leads from the port. */
export function isConnected({ workflow }: RunState, node: number, port: string): boolean {
  return (workflow.outgoing[node] ?? []).some((edge) => workflow.edges[edge]?.port === port);
}

export function noteFailure(
  run: RunState,
  node: number,
  { failure, sequence }: { failure: Failure; sequence: number },
): void {
  run.failures.push(runFailure(run, node, { failure, sequence }));
  if (nodeAt(run, node).flow === 'main') run.stopping = true;
}

/** Records why the run cannot succeed; the nodes after it still run. */
export function noteShortfall(run: RunState, node: number, failure: Failure): void {
  run.shortfall ??= runFailure(run, node, { failure, sequence: run.sequence });
}

function runFailure(
  run: RunState,
  node: number,
  { failure, sequence }: { failure: Failure; sequence: number },
): RunState['failures'][number] {
  const { id, label, type, flow } = nodeAt(run, node);
  const failed = { node_id: id, node_label: label, node_type: type, message: failure.message };
  return { failure, node: flow === 'main' ? failed : null, sequence };
}
