import type { JsonObject } from '../json.ts';
import { type Arrival, Arrivals } from './arrivals.ts';
import type { RecordedResult, RunEvent, Wait } from './events.ts';
import type { RunMachine } from './machine.ts';
import { type Failure, NodeFailure, type NodeResult } from './node-run.ts';
import type { NodeTask } from './task.ts';

/** Everything a run needs from outside. */
export interface RunHost {
  /** A promise only when the node has to wait for something: a run of pure nodes then costs no microtask. */
  runNode(task: NodeTask): NodeResult | Promise<NodeResult>;
  /** Pause before a repeated attempt. */
  sleep(ms: number, task: NodeTask): Promise<'done' | 'cancelled'>;
  /** Epoch milliseconds. */
  now(): number;
  /** Asked before every step. True ends the run as cancelled; a failure, for example a timeout, ends it as error. */
  cancelled(): boolean | Failure;
  /** A stored result of that node and round, which is then not run again. */
  recorded?(node_id: string, iteration: string): RecordedResult | undefined;
  /** Told about errors that nodes threw without being `NodeFailure`; users only learn that there was one. */
  crashed?(error: unknown, task: NodeTask): void;
  /** Nodes that may run at the same time; unlimited when absent. */
  readonly max_parallel?: number;
}

const CANCELLED: Failure = { kind: 'cancelled', message: 'The run was cancelled', final: true };

/**
 * The one loop that runs a graph. Yields every event in order and, when it can only wait, a `Wait`. Drained it is an
 * execution, projected a stream, folded the history, stored the journal.
 *
 * A caller that goes on before `until` settles makes the loop look at `cancelled` again.
 */
export function* drive(machine: RunMachine, host: RunHost): Generator<RunEvent | Wait, void, void> {
  const arrivals = new Arrivals();
  const most = host.max_parallel ?? Infinity;
  machine.begin(host.now(), host.recorded && ((id, iteration) => host.recorded?.(id, iteration)));
  let starting: NodeTask | undefined;
  for (;;) {
    // A start is told before its node runs.
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
      runNode(machine, host, arrivals, task);
      continue;
    }
    const arrival = arrivals.take();
    if (arrival !== undefined) {
      starting = receive(machine, host, arrivals, arrival);
      continue;
    }
    if (machine.running < most) {
      starting = machine.takeReady(host.now());
      if (starting !== undefined || machine.hasEvents) continue;
    }
    if (machine.running > 0) yield { type: 'wait', until: arrivals.next() };
    else machine.conclude(host.now());
  }
}

function runNode(machine: RunMachine, host: RunHost, arrivals: Arrivals, task: NodeTask): void {
  let result: NodeResult | Promise<NodeResult>;
  try {
    result = task.node.known ? host.runNode(task) : handOn(task);
  } catch (error) {
    result = failedWith(error, host, task);
  }
  if (isPromise(result)) arrivals.watch(task, result, (error) => failedWith(error, host, task));
  else complete(machine, host, arrivals, { task, result });
}

/** The task when another attempt of it is to run now. */
function receive(
  machine: RunMachine,
  host: RunHost,
  arrivals: Arrivals,
  arrival: Arrival,
): NodeTask | undefined {
  if ('result' in arrival) {
    complete(machine, host, arrivals, arrival);
    return undefined;
  }
  const { task, failure, slept } = arrival;
  if (slept === 'done' && machine.startAttempt(task, host.now())) return task;
  machine.finish(task, { failure: slept === 'done' ? failure : CANCELLED }, host.now());
  return undefined;
}

function complete(
  machine: RunMachine,
  host: RunHost,
  arrivals: Arrivals,
  { task, result }: { task: NodeTask; result: NodeResult },
): void {
  const now = host.now();
  const wait = 'failure' in result ? machine.retry(task, result.failure, now) : undefined;
  if (wait === undefined || !('failure' in result)) machine.finish(task, result, now);
  else arrivals.pause(task, result.failure, host.sleep(wait, task));
}

function isPromise(result: NodeResult | Promise<NodeResult>): result is Promise<NodeResult> {
  return typeof (result as { then?: unknown }).then === 'function';
}

/** A node of an unknown type hands its inputs on, so that an import with foreign nodes still runs. */
function handOn(task: NodeTask): NodeResult {
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
