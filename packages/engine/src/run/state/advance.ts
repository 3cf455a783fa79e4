import { decideAll, isOpen, leave, settle } from './edges.ts';
import { emitFinished, NO_PORTS, nodeAt } from './emit.ts';
import { endRound, skipBody } from './rounds.ts';
import { getIteration, READY, type RunState, SKIPPED, WAITING } from './run-state.ts';

/** Events that may queue up before the caller gets them, so that long skips and empty rounds stay flat in memory. */
const EVENTS_AT_ONCE = 64;

/** Carries on with decided edges until nothing follows from them, or enough events wait to be taken. */
export function advance(run: RunState, now: number): void {
  const { work } = run;
  let done = 0;
  while (done < work.length && run.events.length - run.delivered < EVENTS_AT_ONCE) {
    const entry = work[done++] ?? 0;
    if (entry < 0) endRound(run, -1 - entry, now);
    else wake(run, entry, now);
  }
  if (done === work.length) work.length = 0;
  else work.splice(0, done);
}

/** All edges of the node are decided: it may start when one is live and no decision has closed it; else it is skipped. */
function wake(run: RunState, node: number, now: number): void {
  if (run.nodes[node] !== WAITING || run.pending[node] !== 0) return;
  if (isOpen(run, node) && ((run.live[node] ?? 0) > 0 || isStart(run, node))) {
    run.nodes[node] = READY;
    run.ready.push(node);
    return;
  }
  skip(run, node, { ports: NO_PORTS, now });
}

/** A loop node that nothing leads to starts by itself, once what its body needs is decided. */
function isStart(run: RunState, node: number): boolean {
  const { workflow } = run;
  const isEntry = (edge: number): boolean => workflow.edges[edge]?.kind !== 'back';
  return nodeAt(run, node).opens >= 0 && !(workflow.incoming[node] ?? []).some(isEntry);
}

/** Records the node as skipped. Ports in `ports` become live, which only an inactive node has. */
export function skip(run: RunState, node: number, how: { ports: readonly string[]; now: number }): void {
  const { ports, now } = how;
  const { opens } = nodeAt(run, node);
  run.nodes[node] = SKIPPED;
  run.outputs[node] = undefined;
  const iteration = getIteration(run, node);
  const timing = { iteration, attempt: 1, started_at_ms: now, ended_at_ms: now };
  emitFinished(run, node, timing, { status: 'skipped', output: {}, ports });
  if (opens >= 0) skipBody(run, opens, now);
  decideAll(run, node, ports);
  if (opens >= 0) leave(run, opens);
  settle(run, node);
}
