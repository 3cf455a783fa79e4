import type { Json } from '../../json.ts';
import { type RunBounds, WriteBudget } from '../bounds.ts';
import type { RunEvent } from '../events.ts';
import { type Attempt, type LoopRun, READY, RUNNING, type RunFailure, type RunState } from './run-state.ts';
import type { SavedWrites } from './write-log.ts';

/** A run between two events, as plain JSON. Indexes are those of the compiled workflow version. */
export interface RunSnapshot {
  version: 1;
  nodes: number[];
  edges: number[];
  pending: number[];
  live: number[];
  /** Outputs by node index; nodes without one are left out. */
  outputs: [number, Json][];
  loops: (LoopRun | null)[];
  attempts: [number, Attempt][];
  ready: number[];
  work: number[];
  events: RunEvent[];
  suspended: number[];
  sequence: number;
  executions: number;
  budget: RunBounds;
  flow: RunState['flow'];
  stopping: boolean;
  failures: RunFailure[];
  variables: SavedWrites;
  disabled: SavedWrites;
  answered: boolean;
  started: boolean;
  finished: boolean;
  started_at_ms: number;
}

export function snapshotOf(run: RunState): RunSnapshot {
  const running = [...run.attempts.keys()].filter((node) => run.nodes[node] === RUNNING);
  return {
    version: 1,
    nodes: Array.from(run.nodes, (state) => (state === RUNNING ? READY : state)),
    edges: Array.from(run.edges),
    pending: Array.from(run.pending),
    live: Array.from(run.live),
    outputs: run.outputs.flatMap((output, node): [number, Json][] =>
      output === undefined ? [] : [[node, output]],
    ),
    loops: run.loops.map((loop) => (loop ? { ...loop, results: [...loop.results] } : null)),
    attempts: [...run.attempts],
    // Nodes that run now start again, before those that have not started.
    ready: [...running, ...run.ready.slice(run.taken)],
    work: [...run.work],
    events: run.events.slice(run.delivered),
    suspended: [...run.suspended],
    sequence: run.sequence,
    executions: run.executions - running.length,
    budget: run.budget.toJSON(),
    flow: run.flow,
    stopping: run.stopping,
    failures: [...run.failures],
    variables: run.variables.toJSON(),
    disabled: run.disabled.toJSON(),
    answered: run.answered,
    started: run.started,
    finished: run.finished,
    started_at_ms: run.started_at_ms,
  };
}

/** A run that ended `pending` goes on; any other end is final. */
export function restoreState(run: RunState, saved: RunSnapshot): void {
  if (
    saved.version !== 1 ||
    saved.nodes.length !== run.nodes.length ||
    saved.edges.length !== run.edges.length
  ) {
    throw new RangeError('The snapshot belongs to another version of the workflow.');
  }
  run.nodes.set(saved.nodes);
  run.edges.set(saved.edges);
  run.pending.set(saved.pending);
  run.live.set(saved.live);
  for (const [node, output] of saved.outputs) run.outputs[node] = output;
  for (const [index, loop] of saved.loops.entries()) {
    run.loops[index] = loop ? { ...loop, results: [...loop.results] } : undefined;
  }
  for (const [node, attempt] of saved.attempts) run.attempts.set(node, { ...attempt });
  run.ready = [...saved.ready];
  run.work = [...saved.work];
  run.events = [...saved.events];
  run.suspended = [...saved.suspended];
  run.sequence = Math.max(saved.sequence, run.options.last_sequence ?? 0);
  run.executions = saved.executions;
  run.budget = new WriteBudget(saved.budget);
  run.flow = saved.flow;
  run.stopping = saved.stopping;
  run.failures = [...saved.failures];
  run.variables.restore(saved.variables);
  run.disabled.restore(saved.disabled);
  run.answered = saved.answered;
  run.started = saved.started;
  run.started_at_ms = saved.started_at_ms;
  run.finished = saved.finished && saved.suspended.length === 0;
}
