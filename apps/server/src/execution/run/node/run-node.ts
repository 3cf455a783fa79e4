import type { NodeResult, NodeTask, StepEffect } from '@millrace/engine';
import { TaskCall } from '@millrace/nodes/runtime';
import type { IntentRecord } from '../../model/step.ts';
import type { Executor } from '../executor.ts';
import { stopsTheRun } from '../start/run-request.ts';
import { NEVER, passBarrier } from './effect-barrier.ts';
import { idempotencyKey } from './idempotency-key.ts';
import { requireImplementation } from './require-implementation.ts';

const unknownOutcome = (label: string): NodeResult => ({
  failure: {
    kind: 'outcome_unknown',
    message: `${label} was interrupted by a crash, and whether it took effect is unknown; it was not repeated`,
    final: true,
  },
});

function createIntent(executor: Executor, task: NodeTask, effect: StepEffect): IntentRecord {
  return {
    node_id: task.node.id,
    iteration: task.iteration,
    attempt: task.attempt,
    effect,
    idempotency_key: idempotencyKey(executor.run_id, task),
    started_at_ms: task.started_at_ms,
  };
}

/**
 * A fault that keeps the run from being stored is no failure of the node: the run stops here, for another process or a
 * later time.
 */
function letGo(executor: Executor, error: unknown): Promise<never> {
  if (!stopsTheRun(error)) throw error;
  executor.fail(error);
  return NEVER;
}

/** Runs a node that changes the outside world: what led here is durable, and so is the intent, before anything is sent. */
async function runEffect(
  executor: Executor,
  task: NodeTask,
  effect: 'idempotent' | 'unsafe',
): Promise<NodeResult> {
  // Lets the loop hand in everything that happened before this node.
  await Promise.resolve();
  try {
    executor.open();
    const { earlier, is_refused } = await passBarrier(executor, createIntent(executor, task, effect));
    if (is_refused) return unknownOutcome(task.node.label);
    const call = new TaskCall(executor.call_host, task, earlier?.started_at_ms ?? task.started_at_ms);
    return await requireImplementation(executor.nodes, task).run(call);
  } catch (error) {
    return letGo(executor, error);
  }
}

/** Reads and pure nodes may run again at any time; reads leave word of when they began, for waits that span a crash. */
function runRepeatable(
  executor: Executor,
  task: NodeTask,
  effect: 'pure' | 'read',
): NodeResult | Promise<NodeResult> {
  const first = effect === 'read' ? executor.firstStart(task) : task.started_at_ms;
  const result = requireImplementation(executor.nodes, task).run(
    new TaskCall(executor.call_host, task, first),
  );
  if (!(result instanceof Promise)) return result;
  if (effect === 'read') queueMicrotask(() => executor.noteStart(createIntent(executor, task, effect)));
  return result.catch((error: unknown) => letGo(executor, error));
}

/** The node itself does nothing; what its steps do has barriers of its own. */
function runStepping(executor: Executor, task: NodeTask): Promise<NodeResult> {
  const call = new TaskCall(executor.call_host, task, executor.firstStart(task));
  return call
    .runSteps(() => requireImplementation(executor.nodes, task).run(call))
    .catch((error: unknown) => letGo(executor, error));
}

/** Runs one node for the driver. Synchronous for pure nodes: a run of those costs no promise. */
export function runNode(executor: Executor, task: NodeTask): NodeResult | Promise<NodeResult> {
  const { effect } = task.node;
  switch (effect) {
    case 'pure':
    case 'read':
      return runRepeatable(executor, task, effect);
    case 'idempotent':
    case 'unsafe':
      return runEffect(executor, task, effect);
    case 'steps':
      return runStepping(executor, task);
    default:
      return effect satisfies never;
  }
}
