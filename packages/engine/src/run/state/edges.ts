import type { CompiledEdge } from '../../workflow/compiled.ts';
import { loopAt, nodeAt } from './emit.ts';
import { DEAD, LIVE, type RunState, UNDECIDED } from './run-state.ts';

/** Decides every edge of the node that is still open: live when its port is in `ports`. */
export function decideAll(run: RunState, node: number, ports: readonly string[]): void {
  const { edges, outgoing } = run.workflow;
  for (const edge of outgoing[node] ?? []) {
    const port = edges[edge]?.port ?? '';
    decide(run, edge, port !== '' && ports.includes(port));
  }
}

/** Decides the open edges of one port, for loop nodes and pauses, whose ports are decided at different times. */
export function decidePort(run: RunState, node: number, port: string, isLive: boolean): void {
  const { edges, outgoing } = run.workflow;
  for (const edge of outgoing[node] ?? []) if (edges[edge]?.port === port) decide(run, edge, isLive);
}

/**
 * The node has decided: nodes behind its dead ports only are skipped, regardless of their other parents. Ports that
 * were live earlier, at a pause, count as selected.
 */
export function closeOthers(run: RunState, node: number, ports: readonly string[]): void {
  const compiled = nodeAt(run, node);
  if (compiled.ports.length < 2) return;
  const { edges, outgoing, closedBy } = run.workflow;
  const earlier = (outgoing[node] ?? []).filter((edge) => run.edges[edge] === LIVE);
  const selected = new Set([...ports, ...earlier.map((edge) => edges[edge]?.port ?? '')]);
  if (compiled.on_error && selected.has('error')) run.caught.add(node);
  const { firmly, until_failure } = closedBy(node, [...selected]);
  for (const target of firmly) close(run.closed, target, node);
  for (const target of until_failure) close(run.closed_until_failure, target, node);
}

function close(closed: RunState['closed'], target: number, node: number): void {
  const deciders = closed.get(target);
  if (deciders) deciders.add(node);
  else closed.set(target, new Set([node]));
}

/** Whether no decision keeps the node from running. All that lead to it have been made. */
export function isOpen(run: RunState, node: number): boolean {
  if (run.closed.has(node)) return false;
  return !run.closed_until_failure.has(node) || followsFailure(run, node);
}

/** Whether a live edge to the node comes from an `error` handle, directly or through other nodes. */
function followsFailure(run: RunState, node: number): boolean {
  const { edges, incoming, behindError } = run.workflow;
  return (incoming[node] ?? []).some((edge) => {
    const { source = -1, port = '' } = edges[edge] ?? {};
    if (run.edges[edge] !== LIVE) return false;
    if (port === 'error' && run.caught.has(source)) return true;
    for (const failed of run.caught) if (behindError(failed).has(source)) return true;
    return false;
  });
}

/** A new round: what nodes of the loop's body decided in the last one does not count any more. */
export function reopen(run: RunState, loop: number): void {
  for (const closed of [run.closed, run.closed_until_failure]) {
    for (const [target, deciders] of closed) {
      for (const node of deciders) if (isInside(run, node, loop)) deciders.delete(node);
      if (deciders.size === 0) closed.delete(target);
    }
  }
  for (const node of run.caught) if (isInside(run, node, loop)) run.caught.delete(node);
}

function isInside(run: RunState, node: number, loop: number): boolean {
  for (let at = nodeAt(run, node).loop; at >= 0; at = loopAt(run, at).outer) if (at === loop) return true;
  return false;
}

function decide(run: RunState, edge: number, isLive: boolean): void {
  if (run.edges[edge] !== UNDECIDED) return;
  run.edges[edge] = isLive ? LIVE : DEAD;
  const compiled = run.workflow.edges[edge];
  // Back edges and exits are looked at when the round or the loop ends.
  if (compiled?.kind === 'forward') arrive(run, compiled, isLive);
}

function arrive(run: RunState, { target, enters }: CompiledEdge, isLive: boolean): void {
  if (isLive) run.live[target] = (run.live[target] ?? 0) + 1;
  countDown(run, target);
  if (enters >= 0) countDown(run, loopAt(run, enters).node);
}

function countDown(run: RunState, node: number): void {
  const left = (run.pending[node] ?? 0) - 1;
  run.pending[node] = left;
  if (left === 0) run.work.push(node);
}

/** The loop has ended: edges that lead out of it count as its last round left them. */
export function leave(run: RunState, loop: number): void {
  for (const edge of loopAt(run, loop).exits) {
    const isLive = run.edges[edge] === LIVE;
    run.edges[edge] = isLive ? LIVE : DEAD;
    const compiled = run.workflow.edges[edge];
    if (compiled) arrive(run, compiled, isLive);
  }
}

/** The node counts as settled in its round; the last one ends the round. */
export function settle(run: RunState, node: number): void {
  const { loop } = nodeAt(run, node);
  // Looking up index -1 is slow, and most nodes are in no loop.
  const rounds = loop < 0 ? undefined : run.loops[loop];
  if (!rounds) return;
  rounds.open--;
  if (rounds.open === 0) run.work.push(-1 - loop);
}
