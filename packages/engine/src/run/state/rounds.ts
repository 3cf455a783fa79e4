import { isJsonObject, type Json } from '../../json.ts';
import { TOO_LARGE } from '../bounds.ts';
import type { Failure } from '../node-run.ts';
import { closeOthers, decideAll, decidePort, leave, reopen, settle } from './edges.ts';
import { emitFinished, emitStarted, loopAt, NO_PORTS, nodeAt } from './emit.ts';
import { executionLimit, stopWith } from './failures.ts';
import {
  DONE,
  getIteration,
  LIVE,
  LOOPING,
  type LoopRun,
  type RunState,
  SKIPPED,
  UNDECIDED,
  WAITING,
} from './run-state.ts';

const LOOP_PORTS: readonly string[] = ['loop'];
const NO_EDGE = { kind: 'back', target: 0, exit: -1, enters: -1 } as const;
const BOTH_PORTS: readonly string[] = ['loop', 'done'];
const DONE_PORTS: readonly string[] = ['done'];

/** Starts the first round, or ends the loop at once when there is nothing to go through. */
export function enterLoop(
  run: RunState,
  loop: number,
  entry: { items: readonly Json[]; attempt: number; started_at_ms: number; now: number },
): void {
  const { items, attempt, started_at_ms, now } = entry;
  const { node } = loopAt(run, loop);
  run.nodes[node] = LOOPING;
  const outer = getIteration(run, node);
  run.loops[loop] = { items, index: -1, results: [], outer, key: outer, open: 0, attempt, started_at_ms };
  closeOthers(run, node, handlesReached(run, loop, items.length));
  decidePort(run, node, 'error', false);
  if (items.length > 0) {
    startRound(run, loop, now);
    return;
  }
  skipBody(run, loop, now);
  endLoop(run, loop, now);
}

/** Handles that the loop will follow at some time: without items not the body, without a way back not the end. */
function handlesReached(run: RunState, loop: number, items: number): readonly string[] {
  if (items === 0) return DONE_PORTS;
  return loopAt(run, loop).back.length > 0 ? BOTH_PORTS : LOOP_PORTS;
}

export function firstRoundKey(outer: string): string {
  return roundKey(outer, 0);
}

function roundKey(outer: string, index: number): string {
  return outer === '' ? String(index) : `${outer}.${index}`;
}

function startRound(run: RunState, loop: number, now: number): void {
  const rounds = run.loops[loop];
  if (!rounds) return;
  const compiled = loopAt(run, loop);
  const index = ++rounds.index;
  run.executions++;
  const limit = executionLimit(run) ?? (run.budget.take(rounds.items[index] ?? null) ? null : TOO_LARGE);
  if (limit) {
    failLoop(run, loop, { failure: limit, now });
    return;
  }
  rounds.key = roundKey(rounds.outer, index);
  reset(run, loop);
  emitRound(run, loop, rounds, now);
  rounds.open = compiled.own;
  // In an empty body no node would end the round.
  if (compiled.own === 0) run.work.push(-1 - loop);
  decidePort(run, compiled.node, 'loop', true);
}

function emitRound(run: RunState, loop: number, rounds: LoopRun, now: number): void {
  const { node } = loopAt(run, loop);
  const { index, items, key, attempt } = rounds;
  const total = items.length;
  const output = {
    item: items[index] ?? null,
    index,
    total,
    isFirst: index === 0,
    isLast: index === total - 1,
    branch: 'loop',
  };
  run.outputs[node] = output;
  if (!run.recorded?.(nodeAt(run, node).id, key)) {
    emitStarted(run, node, { iteration: key, attempt, started_at_ms: now });
  }
  emitFinished(
    run,
    node,
    { iteration: key, attempt, started_at_ms: now, ended_at_ms: now },
    { status: 'success', output, ports: LOOP_PORTS, items: index === 0 ? items : undefined },
  );
}

/** The body forgets its last round; what leads into it from outside keeps its decision. */
function reset(run: RunState, loop: number): void {
  const compiled = loopAt(run, loop);
  const { body, edges } = compiled;
  const { workflow } = run;
  run.variables.nextRound(loop);
  run.disabled.nextRound(loop);
  reopen(run, loop);
  for (const node of body) {
    run.nodes[node] = WAITING;
    run.outputs[node] = undefined;
    run.pauses.delete(node);
    run.live[node] = 0;
    run.pending[node] = 0;
    const inner = nodeAt(run, node).opens;
    if (inner >= 0) run.loops[inner] = undefined;
  }
  for (const edge of edges) {
    run.edges[edge] = UNDECIDED;
    const { kind, target, exit, enters } = workflow.edges[edge] ?? NO_EDGE;
    // Edges out of this loop count for their targets once, when it ends.
    if (kind === 'back' || isOutside(run, exit, loop)) continue;
    run.pending[target] = (run.pending[target] ?? 0) + 1;
    const entered = workflow.loops[enters]?.node;
    if (entered !== undefined) run.pending[entered] = (run.pending[entered] ?? 0) + 1;
  }
  // Edges that lead in from outside were decided before the loop could start.
  for (const edge of compiled.entries) {
    const target = workflow.edges[edge]?.target;
    if (target !== undefined && run.edges[edge] === LIVE) run.live[target] = (run.live[target] ?? 0) + 1;
  }
}

/** Whether leaving the loop `exit` also leaves the loop `inside`. */
function isOutside(run: RunState, exit: number, inside: number): boolean {
  for (let loop = inside; loop >= 0; loop = run.workflow.loops[loop]?.outer ?? -1)
    if (loop === exit) return true;
  return false;
}

/** Every body node has settled: the next round, or the end. */
export function endRound(run: RunState, loop: number, now: number): void {
  const rounds = run.loops[loop];
  if (!rounds) return;
  const { back, node } = loopAt(run, loop);
  const nextKey = roundKey(rounds.outer, rounds.index + 1);
  if (run.stopping && !run.recorded?.(nodeAt(run, node).id, nextKey)) return;
  if (back.length > 0) rounds.results.push(findRoundResult(run, back));
  // Without a back edge nothing requests another item.
  if (back.length > 0 && rounds.index + 1 < rounds.items.length) startRound(run, loop, now);
  else endLoop(run, loop, now);
}

/**
 * Output at the first live back edge, else the output of a node with a back edge that continued at its error handle; null
 * when none delivered, so that results line up with items.
 */
function findRoundResult(run: RunState, back: readonly number[]): Json {
  let handled: Json = null;
  for (const edge of back) {
    const source = run.workflow.edges[edge]?.source;
    if (source === undefined) continue;
    const output = run.outputs[source] ?? null;
    if (run.edges[edge] === LIVE) return output;
    if (handled === null && isJsonObject(output) && output['_errorBranch'] === true) handled = output;
  }
  return handled;
}

function endLoop(run: RunState, loop: number, now: number): void {
  const rounds = run.loops[loop];
  if (!rounds) return;
  const { node, back } = loopAt(run, loop);
  const { items, results, outer, attempt, started_at_ms } = rounds;
  if (!run.budget.take(results)) {
    failLoop(run, loop, { failure: TOO_LARGE, now });
    return;
  }
  const goesOn = back.length > 0 || items.length === 0;
  const output = { results, total: items.length, branch: 'done' };
  run.nodes[node] = DONE;
  run.outputs[node] = output;
  emitFinished(
    run,
    node,
    { iteration: outer, attempt, started_at_ms, ended_at_ms: now },
    { status: 'success', output, ports: goesOn ? DONE_PORTS : NO_PORTS },
  );
  // The items are not needed any more, and results live on in the output.
  rounds.items = [];
  rounds.results = [];
  decidePort(run, node, 'done', goesOn);
  leave(run, loop);
  settle(run, node);
}

/** The loop has no round: all of its body is skipped, also nodes that edges from outside lead to. */
export function skipBody(run: RunState, loop: number, now: number): void {
  const { body, edges, node } = loopAt(run, loop);
  const iteration = getIteration(run, node);
  const timing = { iteration, attempt: 1, started_at_ms: now, ended_at_ms: now };
  for (const member of body) {
    run.nodes[member] = SKIPPED;
    run.outputs[member] = undefined;
    emitFinished(run, member, timing, { status: 'skipped', output: {}, ports: NO_PORTS });
  }
  // Nothing inside is left to decide; edges that lead out are delivered when the loop is left.
  for (const edge of edges) run.edges[edge] = UNDECIDED;
}

/** The loop node failed and the run continues at its `error` handle: neither body nor `done` run. */
export function endWithoutRounds(run: RunState, loop: number, now: number): void {
  const { node } = loopAt(run, loop);
  skipBody(run, loop, now);
  decidePort(run, node, 'loop', false);
  leave(run, loop);
}

function failLoop(run: RunState, loop: number, { failure, now }: { failure: Failure; now: number }): void {
  const rounds = run.loops[loop];
  if (!rounds) return;
  const { node } = loopAt(run, loop);
  const { outer, attempt, started_at_ms } = rounds;
  const timing = { iteration: outer, attempt, started_at_ms, ended_at_ms: now };
  stopWith(run, node, { failure, timing });
  abandon(run, node, now);
}

/** After a failure inside the error flow: nothing follows the node, and the rest of the flow continues. */
export function abandon(run: RunState, node: number, now: number): void {
  if (run.flow === 'main') return;
  const { opens } = nodeAt(run, node);
  if (opens >= 0 && run.loops[opens] === undefined) skipBody(run, opens, now);
  decideAll(run, node, NO_PORTS);
  if (opens >= 0) leave(run, opens);
  settle(run, node);
}
