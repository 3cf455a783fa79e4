import { isJsonObject, type Json } from '../../json.ts';
import type { Failure, NodeResult, Suspension } from '../node-run.ts';
import type { RecordedResult, UnresolvedReference } from '../record/events.ts';
import { skip } from './advance.ts';
import { closeOthers, decideAll, settle } from './edges.ts';
import { emit, emitFinished, type Finish, nodeAt, type Timing } from './emit.ts';
import {
  failureOutput,
  findShortfall,
  isConnected,
  noteFailure,
  noteShortfall,
  stopWith,
} from './failures.ts';
import { applyPause, withPausePorts } from './pause.ts';
import { abandon, endWithoutRounds, enterLoop, firstRoundKey } from './rounds.ts';
import { DONE, FAILED, getIteration, type RunState, SUSPENDED } from './run-state.ts';

const OUTPUT: readonly string[] = ['output'];
const ERROR: readonly string[] = ['error'];

/** The result of a node and its unresolved references. */
export type TaskResult = NodeResult & { readonly unresolved?: readonly UnresolvedReference[] | undefined };

/** Takes in what running the node yielded. */
export function finish(run: RunState, node: number, timing: Timing, result: TaskResult): void {
  if ('suspension' in result) {
    suspend(run, node, timing, result.suspension);
  } else if ('failure' in result) {
    fail(run, node, timing, result);
  } else if (nodeAt(run, node).opens >= 0) {
    openLoop(run, node, timing, result.output);
  } else {
    const { output, ports = OUTPUT, ...more } = result;
    const shortfall = findShortfall(run, node, ports);
    if (shortfall && !ports.some((port) => isConnected(run, node, port))) {
      const { metadata, unresolved } = more;
      fail(run, node, timing, { failure: shortfall, unresolved, ...(metadata && { metadata }) });
      return;
    }
    const live = withPausePorts(run, node, ports);
    succeed(run, node, timing, { ...more, status: 'success', output, ports: live });
  }
}

function succeed(run: RunState, node: number, timing: Timing, done: Finish): void {
  emitFinished(run, node, timing, done);
  take(run, node, done);
  answerEarly(run, node, timing, done.output);
}

/** Applies a result to the graph, whether it just came or was recorded. */
function take(run: RunState, node: number, { output, ports, variables, disables }: Finish): void {
  run.nodes[node] = DONE;
  run.outputs[node] = output;
  const shortfall = findShortfall(run, node, ports);
  if (shortfall) noteShortfall(run, node, shortfall);
  if (variables !== undefined || disables !== undefined) {
    const from = { node, rounds: listRounds(run, node) };
    for (const { name, value, appends } of variables ?? []) {
      run.variables.write(name, value, { ...from, appends: appends === true });
    }
    for (const id of disables ?? []) run.disabled.write(id, true, from);
  }
  closeOthers(run, node, ports);
  decideAll(run, node, ports);
  settle(run, node);
}

/** Present rounds of the loops around the node, outermost first. */
function listRounds(run: RunState, node: number): readonly number[] {
  const rounds: number[] = [];
  for (let loop = nodeAt(run, node).loop; loop >= 0; loop = run.workflow.loops[loop]?.outer ?? -1) {
    rounds.unshift(run.loops[loop]?.index ?? 0);
  }
  return rounds;
}

function answerEarly(run: RunState, node: number, timing: Timing, output: Json): void {
  const { answers_early, flow, id, label, type } = nodeAt(run, node);
  if (!answers_early || flow !== 'main' || run.answered) return;
  run.answered = true;
  emit(run, {
    type: 'output_emitted',
    node_id: id,
    node_label: label,
    node_type: type,
    iteration: timing.iteration,
    output,
    execution_time_ms: timing.ended_at_ms - timing.started_at_ms,
  });
}

function openLoop(run: RunState, node: number, timing: Timing, output: Json): void {
  const items = isJsonObject(output) ? output['items'] : undefined;
  if (!Array.isArray(items)) {
    const message = 'The loop did not yield a list of items.';
    fail(run, node, timing, { failure: { kind: 'internal', message } });
    return;
  }
  const { attempt, started_at_ms, ended_at_ms } = timing;
  enterLoop(run, nodeAt(run, node).opens, { items, attempt, started_at_ms, now: ended_at_ms });
}

function fail(
  run: RunState,
  node: number,
  timing: Timing,
  { failure, metadata, unresolved }: Extract<TaskResult, { failure: Failure }>,
): void {
  const { on_error, opens } = nodeAt(run, node);
  if (!on_error || failure.kind === 'limit') {
    stopWith(run, node, { failure, timing, metadata, unresolved });
    abandon(run, node, timing.ended_at_ms);
    return;
  }
  const output = { ...failureOutput(failure), _errorBranch: true };
  const ports = withPausePorts(run, node, ERROR);
  const done: Finish = { status: 'success', output, ports, failure, metadata, unresolved };
  emitFinished(run, node, timing, done);
  if (opens >= 0) endWithoutRounds(run, opens, timing.ended_at_ms);
  take(run, node, done);
}

function suspend(run: RunState, node: number, timing: Timing, suspension: Suspension): void {
  const { id, label, type } = nodeAt(run, node);
  const { iteration, attempt, started_at_ms } = timing;
  run.nodes[node] = SUSPENDED;
  run.suspended.push(node);
  emit(run, {
    type: 'node_suspended',
    node_id: id,
    node_label: label,
    node_type: type,
    iteration,
    suspension,
    sequence: ++run.sequence,
    attempt,
    started_at_ms,
  });
  const { first_payload = suspension.payload } = suspension;
  applyPause(run, node, { payload: first_payload, started_at_ms });
  run.outputs[node] = suspension.payload;
}

/**
 * Applies a stored result instead of running the node. False when the node still has to run: a loop
 * whose rounds are recorded but whose items are not.
 */
export function applyRecorded(run: RunState, node: number, now: number): boolean {
  const { id, opens } = nodeAt(run, node);
  const iteration = getIteration(run, node);
  const recorded = run.recorded?.(id, iteration);
  if (recorded?.status === 'skipped') {
    skip(run, node, { ports: recorded.ports, now });
    return true;
  }
  if (opens >= 0 && recorded?.ports[0] !== 'error' && recorded?.status !== 'error') {
    const items = run.recorded?.(id, firstRoundKey(iteration))?.items ?? emptyLoop(recorded);
    if (items === undefined) return false;
    const { attempt = 1, started_at_ms = now } = recorded ?? {};
    run.budget.take([...items]);
    enterLoop(run, opens, { items, attempt, started_at_ms, now });
    return true;
  }
  if (recorded === undefined) return false;
  // It was within the bounds when it was written, and leaves that much less for what follows.
  run.budget.take(recorded.output);
  run.unresolved += recorded.unresolved?.length ?? 0;
  if (recorded.status === 'error') {
    applyFailure(run, node, recorded, now);
    return true;
  }
  if (opens >= 0) endWithoutRounds(run, opens, now);
  const paused = run.paused?.(id, iteration);
  if (paused !== undefined) applyPause(run, node, paused);
  take(run, node, recorded);
  if (nodeAt(run, node).answers_early) run.answered = true;
  return true;
}

function emptyLoop(recorded: RecordedResult | undefined): readonly Json[] | undefined {
  const isEmpty = isJsonObject(recorded?.output) && recorded.output['total'] === 0;
  return isEmpty ? [] : undefined;
}

function applyFailure(run: RunState, node: number, recorded: RecordedResult, now: number): void {
  const failure: Failure = recorded.failure ?? { kind: 'internal', message: 'The node failed' };
  run.nodes[node] = FAILED;
  run.outputs[node] = recorded.output;
  noteFailure(run, node, { failure, sequence: recorded.sequence });
  abandon(run, node, now);
}
