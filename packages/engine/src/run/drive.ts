import type { JsonObject } from '../json.ts';
import { passesInputsOn, unknownTypeFailure } from '../workflow/compile/unknown-type.ts';
import { type Completion, Completions } from './completions.ts';
import type { RunMachine } from './machine.ts';
import { type Failure, NodeFailure, type NodeResult } from './node-run.ts';
import type { RecordedResult, RunEvent, Wait } from './record/events.ts';
import { CANCELLED } from './record/outcome.ts';
import type { PausedNode } from './state/run-state.ts';
import type { NodeTask } from './task.ts';

/** Everything that a run needs from its environment. */
export interface RunHost {
  /** A promise only when the node has to wait for something: a run of pure nodes then costs no microtask. */
  runNode(task: NodeTask): NodeResult | Promise<NodeResult>;
  /** Pause before a repeated attempt. */
  sleep(ms: number, task: NodeTask): Promise<'done' | 'cancelled'>;
  /** Epoch milliseconds. */
  now(): number;
  /** Called before every step. True ends the run as cancelled; a failure, for example a timeout, ends it as error. */
  cancelled(): boolean | Failure;
  /** A stored result of that node and round; the node is then not run again. */
  recorded?(node_id: string, iteration: string): RecordedResult | undefined;
  /** The node at its first wait in that round, if it has waited. */
  paused?(node_id: string, iteration: string): PausedNode | undefined;
  /** Called with errors thrown by nodes that are not a `NodeFailure`; users only see that there was one. */
  crashed?(error: unknown, task: NodeTask): void;
  /** Nodes that may run at the same time; unlimited when absent. */
  readonly max_parallel?: number;
}

/**
 * The only loop that runs a graph. Yields every event in order and, when it can only wait, a `Wait`. Execution, stream,
 * history and journal are all views of these events.
 *
 * A caller that continues before `until` settles makes the loop check `cancelled` again.
 */
export function* drive(machine: RunMachine, host: RunHost): Generator<RunEvent | Wait, void, void> {
  const completions = new Completions();
  const most = host.max_parallel ?? Infinity;
  machine.begin(host.now(), host);
  let starting: NodeTask | undefined;
  for (;;) {
    // A start is reported before its node runs.
    for (let event = machine.takeEvent(); event !== undefined; event = machine.takeEvent()) yield event;
    if (machine.isFinished) return;
    const reason = host.cancelled();
    if (reason !== false) {
      machine.stop(reason === true ? CANCELLED : reason, host.now());
      continue;
    }
    if (starting !== undefined) {
      const task = starting;
      starting = undefined;
      runNode(machine, host, completions, task);
      continue;
    }
    const completion = completions.take();
    if (completion !== undefined) {
      starting = receive(machine, host, completions, completion);
      continue;
    }
    if (machine.running < most) {
      starting = machine.takeReady(host.now());
      if (starting !== undefined || machine.hasEvents) continue;
    }
    if (machine.running > 0) yield { type: 'wait', until: completions.next() };
    else machine.conclude(host.now());
  }
}

function runNode(machine: RunMachine, host: RunHost, completions: Completions, task: NodeTask): void {
  let result: NodeResult | Promise<NodeResult>;
  try {
    result = task.node.known ? host.runNode(task) : runUnknown(task);
  } catch (error) {
    result = failedWith(error, host, task);
  }
  if (isPromise(result)) completions.watch(task, result, (error) => failedWith(error, host, task));
  else complete(machine, host, completions, { task, result });
}

/** The task when another attempt of it is to run now. */
function receive(
  machine: RunMachine,
  host: RunHost,
  completions: Completions,
  completion: Completion,
): NodeTask | undefined {
  if ('result' in completion) {
    complete(machine, host, completions, completion);
    return undefined;
  }
  const { task, failure, slept } = completion;
  if (slept === 'done' && machine.startAttempt(task, host.now())) return task;
  machine.finish(task, { failure: slept === 'done' ? failure : CANCELLED }, host.now());
  return undefined;
}

function complete(
  machine: RunMachine,
  host: RunHost,
  completions: Completions,
  { task, result }: { task: NodeTask; result: NodeResult },
): void {
  const now = host.now();
  const wait = 'failure' in result ? machine.retry(task, result.failure, now) : undefined;
  if (wait === undefined || !('failure' in result)) machine.finish(task, result, now);
  else completions.pause(task, result.failure, host.sleep(wait, task));
}

function isPromise(result: NodeResult | Promise<NodeResult>): result is Promise<NodeResult> {
  return typeof (result as { then?: unknown }).then === 'function';
}

/** A run must not succeed without the work of a node: one of an unknown type fails, unless it is set to pass its inputs on. */
function runUnknown(task: NodeTask): NodeResult {
  if (!passesInputsOn(task.node)) return { failure: unknownTypeFailure(task.node) };
  const inputs: JsonObject = {};
  // A graph with a label that could reach a prototype does not get as far as this.
  for (const { label, output } of task.inputs) inputs[label] = output;
  return { output: { passthrough: inputs } };
}

function failedWith(error: unknown, host: RunHost, task: NodeTask): NodeResult {
  if (error instanceof NodeFailure) return { failure: error.failure };
  host.crashed?.(error, task);
  return { failure: { kind: 'internal', message: `${task.node.label} failed because of an internal error` } };
}
