import { isTrigger } from '../node-type/define-node.ts';
import { isUnknownTrigger } from '../workflow/compile/unknown-type.ts';
import type { CompiledWorkflow } from '../workflow/compiled.ts';
import type { Failure, NodeResult } from './node-run.ts';
import type { RunOptions } from './options.ts';
import type { Outcome, RunEvent, StepFinished } from './record/events.ts';
import { determineOutcome, ENDED_WAITING, stoppedOutcome } from './record/outcome.ts';
import { mayRetry } from './retry.ts';
import { advance, skip } from './state/advance.ts';
import { emit, emitFinished, emitStarted, NO_PORTS, nodeAt } from './state/emit.ts';
import { executionLimit } from './state/failures.ts';
import { applyRecorded, finish } from './state/finish.ts';
import { applyPause } from './state/pause.ts';
import {
  createState,
  FAILED,
  getIteration,
  type History,
  isPartDone,
  READY,
  RUNNING,
  type RunState,
  SUSPENDED,
} from './state/run-state.ts';
import { NodeTask } from './task.ts';

/** The host's report of a finished step. */
export type StepResult = Pick<
  StepFinished,
  'key' | 'effect' | 'status' | 'output' | 'failure' | 'started_at_ms' | 'ended_at_ms'
>;

/** Entries that queues keep after they were taken, because emptying an array costs more than a short run has time for. */
const KEPT = 64;

/**
 * A run as tokens on edges: an edge is undecided, live or dead; a node starts when all its edges are decided and one
 * is live, and is skipped when all are dead. Branches, joins, error edges and loops are this one rule.
 *
 * Uses no promises and no clock: results and times go in, tasks and events come out. `drive` is its only caller
 * in production.
 */
export class RunMachine {
  readonly #run: RunState;

  constructor(workflow: CompiledWorkflow, options: RunOptions) {
    this.#run = createState(workflow, options);
  }

  get workflow(): CompiledWorkflow {
    return this.#run.workflow;
  }

  get isFinished(): boolean {
    return this.#run.finished;
  }

  get hasEvents(): boolean {
    return this.#run.events.length > this.#run.delivered;
  }

  /** Nodes that were taken and not finished. */
  get running(): number {
    return this.#run.running;
  }

  /** Starts the run. Results recorded by an earlier process are used instead of running the nodes again. */
  begin(now: number, history: History = {}): void {
    const run = this.#run;
    const { recorded, paused } = history;
    if (recorded) run.recorded = (id, iteration) => recorded.call(history, id, iteration);
    if (paused) run.paused = (id, iteration) => paused.call(history, id, iteration);
    run.started_at_ms = now;
    emit(run, { type: 'run_started', started_at_ms: now });
    if (run.workflow.refusal) {
      this.#end(failedOutcome(run.workflow.refusal), now);
      return;
    }
    for (const root of run.workflow.roots) makeReady(run, root);
  }

  /** Next event in order; undefined when there is none. */
  takeEvent(): RunEvent | undefined {
    const run = this.#run;
    if (run.delivered === run.events.length) return undefined;
    const event = run.events[run.delivered++];
    if (run.delivered === run.events.length && run.delivered >= KEPT) {
      run.events.length = 0;
      run.delivered = 0;
    }
    return event;
  }

  /** Next node to run, or undefined when none may start now. Emits events of nodes that need no running. */
  takeReady(now: number): NodeTask | undefined {
    const run = this.#run;
    while (!run.finished) {
      if (run.part !== undefined && isPartDone(run)) {
        run.work.length = 0;
        run.taken = run.ready.length;
        return undefined;
      }
      if (run.work.length > 0) {
        advance(run, now);
        if (this.hasEvents) return undefined;
        continue;
      }
      if (run.taken === run.ready.length) return undefined;
      const node = run.ready[run.taken++] ?? 0;
      forgetTaken(run);
      const task = this.#begin(node, now);
      if (task) return task;
      if (this.hasEvents) return undefined;
    }
    return undefined;
  }

  #begin(node: number, now: number): NodeTask | undefined {
    const run = this.#run;
    if (run.recorded && applyRecorded(run, node, now)) return undefined;
    if (run.stopping) return undefined;
    const compiled = nodeAt(run, node);
    if (run.part?.mayStart(node, getIteration(run, node)) === false) return undefined;
    if (run.flow === 'main' && run.among?.has(node) === false) return undefined;
    if (!compiled.active || run.disabled.read(compiled.id, node) !== undefined) {
      skip(run, node, { ports: portsOfInactive(run, node), now });
      return undefined;
    }
    if (isLeftOut(run, node)) {
      skip(run, node, { ports: NO_PORTS, now });
      return undefined;
    }
    const iteration = getIteration(run, node);
    const paused = run.paused?.(compiled.id, iteration);
    if (paused !== undefined) applyPause(run, node, paused);
    // A node that runs again after a wait continues the attempt in which it waited.
    const former = run.attempts.get(node) ?? { attempt: 1, started_at_ms: paused?.started_at_ms ?? now };
    const { attempt, started_at_ms } = former;
    run.nodes[node] = RUNNING;
    run.running++;
    run.executions++;
    run.attempts.set(node, { attempt, started_at_ms });
    emitStarted(run, node, { iteration, attempt, started_at_ms });
    const task = new NodeTask(run, compiled, { iteration, attempt, started_at_ms });
    const limit = executionLimit(run);
    if (limit) {
      this.finish(task, { failure: limit }, now);
      return undefined;
    }
    const pinned = run.options.test_run === true ? pinnedResult(task) : undefined;
    if (!pinned) return task;
    this.finish(task, pinned, now);
    return undefined;
  }

  /** Wait in milliseconds before the next attempt, or undefined when the failure is final. Emits the failed attempt. */
  retry(task: NodeTask, failure: Failure, now: number): number | undefined {
    const run = this.#run;
    const { retry } = task.node;
    // A run that stops anyway does not wait for better luck.
    if (retry === null || run.stopping || run.finished || isPartDone(run)) return undefined;
    if (!mayRetry(task.node, task.attempt, failure)) return undefined;
    const { id, label, type } = task.node;
    run.budget.takeRow(label);
    emit(run, {
      type: 'node_retried',
      node_id: id,
      node_label: label,
      node_type: type,
      iteration: task.iteration,
      sequence: ++run.sequence,
      attempt: task.attempt,
      max_attempts: retry.max_attempts,
      wait_ms: retry.wait_ms,
      failure: run.budget.takeFailure(failure),
      started_at_ms: task.started_at_ms,
      ended_at_ms: now,
      execution_time_ms: now - task.started_at_ms,
    });
    task.attempt++;
    task.forgetUnresolved();
    run.attempts.set(task.node.index, { attempt: task.attempt, started_at_ms: now });
    return retry.wait_ms;
  }

  /** The wait before the next attempt is over. False: the run stops, so the failure is final. */
  startAttempt(task: NodeTask, now: number): boolean {
    const run = this.#run;
    if (run.stopping || run.finished || isPartDone(run)) return false;
    run.executions++;
    task.started_at_ms = now;
    run.attempts.set(task.node.index, { attempt: task.attempt, started_at_ms: now });
    emitStarted(run, task.node.index, {
      iteration: task.iteration,
      attempt: task.attempt,
      started_at_ms: now,
    });
    return true;
  }

  /** Takes in a node's result. Results that come after the end of the run are ignored. */
  finish(task: NodeTask, result: NodeResult, now: number): void {
    const run = this.#run;
    const { index } = task.node;
    if (run.finished || run.nodes[index] !== RUNNING) return;
    run.running--;
    if (!('suspension' in result)) run.attempts.delete(index);
    const { iteration, attempt, started_at_ms } = task;
    const timing = { iteration, attempt, started_at_ms, ended_at_ms: now };
    const { unresolved } = task;
    const bounded = run.budget.takeResult(result);
    finish(run, index, timing, unresolved === undefined ? bounded : { ...bounded, unresolved });
  }

  /** A wait of the node is decided: it runs again. False when it is not paused. */
  resume(node_id: string, iteration: string): boolean {
    const run = this.#run;
    const node = run.workflow.indexOf(node_id);
    if (run.finished || node < 0 || run.nodes[node] !== SUSPENDED) return false;
    if (getIteration(run, node) !== iteration) return false;
    run.suspended = run.suspended.filter((other) => other !== node);
    makeReady(run, node);
    return true;
  }

  /** Sequence number of a fact that is not an event: a wait of a node. */
  takeSequence(): number {
    return ++this.#run.sequence;
  }

  /** The fact that a step of a running node is done; its sequence number is assigned here. */
  stepFinished(task: NodeTask, step: StepResult): StepFinished {
    const { id, label, type } = task.node;
    const { started_at_ms, ended_at_ms } = step;
    const { iteration, attempt } = task;
    return {
      type: 'step_finished',
      node_id: id,
      node_label: label,
      node_type: type,
      iteration,
      attempt,
      sequence: ++this.#run.sequence,
      execution_time_ms: ended_at_ms - started_at_ms,
      ...step,
    };
  }

  /** When nothing is ready and nothing runs: starts the error flow, or ends the run. */
  conclude(now: number): void {
    const run = this.#run;
    if (run.finished || run.running > 0 || run.work.length > 0 || run.taken < run.ready.length) return;
    const hasHandlers = run.workflow.error_roots.length > 0 && run.part === undefined;
    if (run.failures.length > 0 && run.flow === 'main' && hasHandlers) {
      run.flow = 'error';
      run.stopping = false;
      run.executions = 0;
      run.budget.beginErrorFlow();
      for (const root of run.workflow.error_roots) makeReady(run, root);
      return;
    }
    this.#end(determineOutcome(run), now);
  }

  /** Ends the run at once. Nodes that still run are recorded as stopped; their results will be ignored. */
  stop(failure: Failure, now: number): void {
    const run = this.#run;
    if (run.finished) return;
    for (const [node, { attempt, started_at_ms }] of run.attempts) {
      if (run.nodes[node] !== RUNNING) continue;
      run.nodes[node] = FAILED;
      const timing = { iteration: getIteration(run, node), attempt, started_at_ms, ended_at_ms: now };
      const output = { error: failure.message };
      emitFinished(run, node, timing, { status: 'error', output, ports: NO_PORTS, failure });
    }
    this.#end(stoppedOutcome(failure), now);
  }

  #end(outcome: Outcome, now: number): void {
    const run = this.#run;
    if (outcome.status !== 'pending') this.#endPauses(now);
    run.finished = true;
    run.running = 0;
    run.ready = [];
    run.taken = 0;
    run.work.length = 0;
    if (run.unresolved > 0) outcome.unresolved_references = run.unresolved;
    emit(run, {
      type: 'run_finished',
      ...outcome,
      ended_at_ms: now,
      execution_time_ms: now - run.started_at_ms,
    });
  }

  /** Nodes that wait when the run ends will not continue. */
  #endPauses(now: number): void {
    const run = this.#run;
    for (const node of run.suspended) {
      run.nodes[node] = FAILED;
      const { attempt, started_at_ms } = run.attempts.get(node) ?? { attempt: 1, started_at_ms: now };
      const timing = { iteration: getIteration(run, node), attempt, started_at_ms, ended_at_ms: now };
      const failure = ENDED_WAITING;
      const output = { error: failure.message };
      emitFinished(run, node, timing, { status: 'error', output, ports: NO_PORTS, failure });
    }
    run.suspended = [];
  }
}

function forgetTaken(run: RunState): void {
  if (run.taken < KEPT) return;
  if (run.taken === run.ready.length) run.ready.length = 0;
  else if (run.taken > 1024) run.ready.splice(0, run.taken);
  else return;
  run.taken = 0;
}

function makeReady(run: RunState, node: number): void {
  run.nodes[node] = READY;
  run.ready.push(node);
}

function failedOutcome(failure: Failure): Outcome {
  return {
    status: 'error',
    outputs: { error: failure.message },
    shape: 'labels',
    failure,
    failed_node: null,
  };
}

/** Children of an inactive node run without its output; only its error side and a loop's body do not. */
function portsOfInactive(run: RunState, node: number): readonly string[] {
  const { ports, opens } = nodeAt(run, node);
  return ports.filter((port) => port !== 'error' && !(opens >= 0 && port === 'loop'));
}

/** Start nodes that do not apply to this run: triggers that did not fire, and outputs that nothing leads to. */
function isLeftOut(run: RunState, node: number): boolean {
  const { definition, data, id, flow } = nodeAt(run, node);
  if ((run.workflow.incoming[node]?.length ?? 0) > 0 || flow !== 'main') return false;
  if (definition.traits.terminal === 'output') return true;
  if (isUnknownTrigger(nodeAt(run, node)) && run.workflow.roots.some((root) => nodeAt(run, root).known))
    return true;
  const only = run.options.only_trigger;
  return only !== undefined && isTrigger(definition, data) && id !== only;
}

/** Pinned data of a test run. A branch named in the pinned data is followed; a pinned loop goes straight to its end. */
function pinnedResult(task: NodeTask): NodeResult | undefined {
  const { pinned, opens, ports, on_error } = task.node;
  if (pinned === undefined) return undefined;
  const metadata = { pinned: true };
  if (opens >= 0) return undefined;
  const branch = typeof pinned === 'object' && !Array.isArray(pinned) ? pinned?.['branch'] : undefined;
  if (typeof branch === 'string' && ports.includes(branch))
    return { output: pinned, ports: [branch], metadata };
  const usual = ports.find((port) => port !== 'error' || !on_error);
  return { output: pinned, ports: ports.includes('output') ? ['output'] : usual ? [usual] : [], metadata };
}
