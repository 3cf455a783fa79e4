import { isJsonObject, type JsonObject } from '../../json.ts';
import type { Failure } from '../node-run.ts';
import { nodeAt } from '../state/emit.ts';
import { DONE, isPartDone, type RunState } from '../state/run-state.ts';
import { firstFailure } from '../task.ts';
import type { Outcome } from './events.ts';

/** How a run ends that was asked to, whether or not it is executed at that moment. */
export const cancelledOutcome = (): Outcome => stoppedOutcome(CANCELLED);

/** How a run ends that nothing is left to do for (§2.3, §3.1). */
export function determineOutcome(run: RunState): Outcome {
  // A node that ran beside the last node of a part and ended later does not matter.
  if (run.part !== undefined && run.nodes[run.part.last] === DONE) return successOutcome(run);
  const failed = run.failures.length > 0;
  const waits = run.suspended.length > 0 && !isPartDone(run);
  if (waits && (!failed || run.flow === 'error')) return pendingOutcome(run);
  if (failed) return errorOutcome(run);
  const outcome = successOutcome(run);
  return run.shortfall ? withShortfall(outcome, run.shortfall) : outcome;
}

/** Why nodes and runs end that were asked to. */
export const CANCELLED: Failure = { kind: 'cancelled', message: 'The run was cancelled', final: true };

/** Why a node fails that waits when its run ends. */
export const ENDED_WAITING: Failure = {
  kind: 'cancelled',
  message: 'The run ended while the node was waiting',
};

/** A run that was stopped from outside. A failure other than `cancelled` is the reason, for example a timeout. */
export function stoppedOutcome(failure: Failure): Outcome {
  const status = failure.kind === 'cancelled' ? 'cancelled' : 'error';
  return { status, outputs: { error: failure.message }, shape: 'labels', failure, failed_node: null };
}

function successOutcome(run: RunState): Outcome {
  if (run.part !== undefined) {
    const { last } = run.part;
    const outputs = byLabel(run, run.nodes[last] === DONE ? [last] : []);
    return { status: 'success', outputs, shape: 'labels' };
  }
  const ended = run.workflow.terminals.filter((node) => run.nodes[node] === DONE);
  return { status: 'success', ...collectOutputs(run, ended) };
}

/** §7: a failed run says so, and the bare object of a mapper (§2.3) has no place for it. */
const shapeOfFailed = (shape: Outcome['shape']): Outcome['shape'] => (shape === 'json' ? 'labels' : shape);

/** Nodes after the failing port still provide the outputs. */
function withShortfall(outcome: Outcome, { failure, node }: RunState['failures'][number]): Outcome {
  const isEmpty = Object.keys(outcome.outputs).length === 0;
  const outputs = isEmpty ? { error: failure.message } : outcome.outputs;
  const shape = shapeOfFailed(outcome.shape);
  return { ...outcome, status: 'error', outputs, shape, failure, failed_node: node };
}

function pendingOutcome(run: RunState): Outcome {
  const outputs = byLabel(run, run.suspended);
  return { status: 'pending', outputs, shape: 'labels' };
}

/** Outputs of the error flow when it has output nodes that ran, else the message of the first failure. */
function errorOutcome(run: RunState): Outcome {
  const first = firstFailure(run) ?? run.failures[0];
  const answers = run.workflow.nodes
    .filter((node) => node.flow === 'error' && node.definition.traits.terminal !== 'none')
    .filter(({ index }) => run.nodes[index] === DONE)
    .map(({ index }) => index);
  const message = first?.failure.message ?? 'The run failed';
  const ended =
    answers.length > 0
      ? collectOutputs(run, answers)
      : { outputs: { error: message }, shape: 'labels' as const };
  const shape = shapeOfFailed(ended.shape);
  const outcome: Outcome = {
    status: 'error',
    outputs: ended.outputs,
    shape,
    failed_node: first?.node ?? null,
  };
  if (first) outcome.failure = first.failure;
  const status = httpStatus(run);
  if (status !== undefined) outcome.http_status = status;
  return outcome;
}

/** The first Throw Error node counts, also one in the error flow. */
function httpStatus(run: RunState): number | undefined {
  const thrown = run.failures
    .filter(({ failure }) => failure.http_status !== undefined)
    .sort((one, two) => one.sequence - two.sequence);
  return thrown[0]?.failure.http_status;
}

/** Terminal outputs by label. A mapper that is the only terminal which ran decides the whole answer (§2.3). */
function collectOutputs(run: RunState, terminals: readonly number[]): Pick<Outcome, 'outputs' | 'shape'> {
  const [only] = terminals;
  if (only !== undefined && terminals.length === 1) {
    const { terminal } = nodeAt(run, only).definition.traits;
    const output = run.outputs[only];
    if (terminal === 'json' && isJsonObject(output) && !isErrorOutput(output)) {
      return { outputs: output, shape: 'json' };
    }
    if (terminal === 'html' && isJsonObject(output) && !isErrorOutput(output)) {
      return { outputs: byLabel(run, terminals), shape: 'html' };
    }
  }
  return { outputs: byLabel(run, terminals), shape: 'labels' };
}

function isErrorOutput(output: JsonObject): boolean {
  return output['_errorBranch'] === true;
}

/** Equal labels overwrite each other: the node that is last in topological order counts. */
function byLabel(run: RunState, nodes: readonly number[]): JsonObject {
  const { rank } = run.workflow;
  const sorted =
    nodes.length < 2 ? nodes : [...nodes].sort((one, two) => rankAt(rank, one) - rankAt(rank, two));
  const outputs: JsonObject = {};
  for (const node of sorted) {
    // A graph with a label that could reach a prototype does not get as far as this.
    outputs[nodeAt(run, node).label] = run.outputs[node] ?? {};
  }
  return outputs;
}

function rankAt(rank: Int32Array, node: number): number {
  return rank[node] ?? 0;
}
