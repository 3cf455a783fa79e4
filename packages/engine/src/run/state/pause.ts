import type { CompiledWorkflow } from '../../workflow/compiled.ts';
import { decidePort } from './edges.ts';
import { nodeAt } from './emit.ts';
import type { PausedNode, RunState } from './run-state.ts';

/** The node waits for the first time in its round: what its pause ports lead to may start. */
export function applyPause(run: RunState, node: number, { payload }: PausedNode): void {
  if (run.pauses.has(node)) return;
  run.pauses.set(node, payload);
  run.outputs[node] = payload;
  for (const port of nodeAt(run, node).pause_ports) decidePort(run, node, port, true);
}

/** Ports of a result together with those that the node's first wait has opened. */
export function withPausePorts(run: RunState, node: number, ports: readonly string[]): readonly string[] {
  const { pause_ports } = nodeAt(run, node);
  return pause_ports.length === 0 || !run.pauses.has(node) ? ports : [...pause_ports, ...ports];
}

/**
 * The output of a node as a reader sees it. One that only a pause port leads to sees what the node showed at its first
 * wait, also when the node has ended since: what it sees must not depend on which of the two was faster.
 */
export function visibleOutput(run: RunState, source: number, reader: number): RunState['outputs'][number] {
  const paused = run.pauses.get(source);
  if (paused !== undefined && !isBehindEnd(run.workflow, source, reader)) return paused;
  return run.outputs[source];
}

const behindEnd = new WeakMap<CompiledWorkflow, Map<number, ReadonlySet<number>>>();

/** Whether the reader starts only when the source has ended: something else than its pause ports leads there. */
function isBehindEnd(workflow: CompiledWorkflow, source: number, reader: number): boolean {
  let bySource = behindEnd.get(workflow);
  if (!bySource) behindEnd.set(workflow, (bySource = new Map()));
  let reached = bySource.get(source);
  if (!reached) bySource.set(source, (reached = reachedAtEnd(workflow, source)));
  return reached.has(reader);
}

function reachedAtEnd(workflow: CompiledWorkflow, source: number): ReadonlySet<number> {
  const pause_ports = workflow.nodes[source]?.pause_ports ?? [];
  const reached = new Set<number>();
  const open = [source];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    for (const edge of workflow.outgoing[node] ?? []) {
      const { target, kind, port } = workflow.edges[edge] ?? { target: -1, kind: 'back', port: '' };
      if (kind === 'back' || reached.has(target)) continue;
      if (node === source && pause_ports.includes(port)) continue;
      reached.add(target);
      open.push(target);
    }
  }
  return reached;
}
