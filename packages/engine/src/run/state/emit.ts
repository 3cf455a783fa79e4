import type { Json, JsonObject } from '../../json.ts';
import type { Failure, VariableWrite } from '../node-run.ts';
import type { NodeFinished, RunEvent, UnresolvedReference } from '../record/events.ts';
import type { RunState } from './run-state.ts';

export const NO_PORTS: readonly string[] = [];

export function emit(run: RunState, event: RunEvent): void {
  run.events.push(event);
}

/** The facts that a finished node adds to its identity and times. */
export interface Finish {
  status: NodeFinished['status'];
  output: Json;
  ports: readonly string[];
  failure?: Failure | undefined;
  variables?: readonly VariableWrite[] | undefined;
  disables?: readonly string[] | undefined;
  metadata?: JsonObject | undefined;
  unresolved?: readonly UnresolvedReference[] | undefined;
  items?: readonly Json[] | undefined;
}

export interface Timing {
  iteration: string;
  attempt: number;
  started_at_ms: number;
  ended_at_ms: number;
}

export function emitStarted(run: RunState, node: number, timing: Omit<Timing, 'ended_at_ms'>): void {
  const { id, label, type } = nodeAt(run, node);
  const { iteration, attempt, started_at_ms } = timing;
  emit(run, {
    type: 'node_started',
    node_id: id,
    node_label: label,
    node_type: type,
    iteration,
    attempt,
    started_at_ms,
  });
}

/** Emits the row of a node; a row that is recorded already keeps its sequence and is not emitted again. */
export function emitFinished(run: RunState, node: number, timing: Timing, finish: Finish): void {
  const { id, label, type } = nodeAt(run, node);
  run.budget.takeRow(label);
  if (run.recorded?.(id, timing.iteration)) return;
  const event: NodeFinished = {
    type: 'node_finished',
    node_id: id,
    node_label: label,
    node_type: type,
    iteration: timing.iteration,
    status: finish.status,
    output: finish.output,
    ports: finish.ports,
    sequence: ++run.sequence,
    attempt: timing.attempt,
    started_at_ms: timing.started_at_ms,
    ended_at_ms: timing.ended_at_ms,
    execution_time_ms: timing.ended_at_ms - timing.started_at_ms,
  };
  if (finish.failure) event.failure = finish.failure;
  if (finish.variables) event.variables = finish.variables;
  if (finish.disables) event.disables = finish.disables;
  if (finish.metadata) event.metadata = finish.metadata;
  if (finish.unresolved) {
    event.unresolved = finish.unresolved;
    run.unresolved += finish.unresolved.length;
  }
  if (finish.items) event.items = finish.items;
  emit(run, event);
}

export function nodeAt(run: RunState, index: number): RunState['workflow']['nodes'][number] {
  const node = run.workflow.nodes[index];
  if (!node) throw new RangeError(`No node at ${index}`);
  return node;
}

export function loopAt(run: RunState, index: number): RunState['workflow']['loops'][number] {
  const loop = run.workflow.loops[index];
  if (!loop) throw new RangeError(`No loop at ${index}`);
  return loop;
}
