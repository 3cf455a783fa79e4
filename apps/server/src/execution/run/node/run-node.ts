import { type Effect, NodeFailure, type NodeResult, type NodeTask } from '@millrace/engine';
import type { NodeImplementation } from '@millrace/nodes/runtime';
import { Fenced, type IntentRecord } from '../../journal/journal.ts';
import { stopsTheRun } from '../run-request.ts';
import type { RunSession } from '../session.ts';
import { idempotencyKey, TaskCall } from './node-call.ts';

/** A result that never comes: the run stops here and the node must not be recorded as anything. */
const NEVER: Promise<never> = new Promise(() => undefined);

function implementationOf({ environment }: RunSession, task: NodeTask): NodeImplementation {
  const found = environment.implementations.get(task.node.definition.type);
  if (found) return found;
  throw new NodeFailure({
    kind: 'params',
    message: `Nodes of the type "${task.node.type}" cannot run on this server`,
    final: true,
  });
}

const unknownOutcome = (label: string): NodeResult => ({
  failure: {
    kind: 'outcome_unknown',
    message: `${label} was interrupted by a crash, and whether it took effect is unknown; it was not repeated`,
    final: true,
  },
});

function intentOf(session: RunSession, task: NodeTask, effect: Effect): IntentRecord {
  return {
    node_id: task.node.id,
    iteration: task.iteration,
    attempt: task.attempt,
    effect,
    idempotency_key: idempotencyKey(session.run_id, task),
    started_at_ms: task.started_at_ms,
  };
}

/**
 * Runs a node that changes the outside world: what led here is durable and the intent is stored before anything is sent;
 * the lease is looked at last, right before sending.
 */
async function runEffect(
  session: RunSession,
  task: NodeTask,
  effect: 'idempotent' | 'unsafe',
): Promise<NodeResult> {
  // Lets the loop hand in everything that happened before this node.
  await Promise.resolve();
  const { journal, ownership } = session.environment;
  try {
    session.open();
    const { earlier } = await journal.intend(session.run_id, intentOf(session, task, effect));
    // A retry of this process knows how its first attempt went; an intent of a former process says nothing.
    const isUnknown = earlier !== undefined && task.attempt === 1;
    if (isUnknown && effect === 'unsafe') return unknownOutcome(task.node.label);
    if (!ownership.leaseIsSafe()) {
      session.fail(new Fenced());
      return await NEVER;
    }
    if (session.signal.aborted) return await NEVER;
    const call = new TaskCall(session, task, earlier?.started_at_ms ?? task.started_at_ms);
    return await implementationOf(session, task).run(call);
  } catch (error) {
    if (!stopsTheRun(error)) throw error;
    session.fail(error);
    return NEVER;
  }
}

/** Reads and pure nodes may run again at any time; reads leave word of when they began, for waits that span a crash. */
function runRepeatable(
  session: RunSession,
  task: NodeTask,
  effect: 'pure' | 'read',
): NodeResult | Promise<NodeResult> {
  const first = effect === 'read' ? session.firstStart(task) : task.started_at_ms;
  const result = implementationOf(session, task).run(new TaskCall(session, task, first));
  if (!(result instanceof Promise)) return result;
  if (effect === 'read') queueMicrotask(() => session.noteStart(intentOf(session, task, effect)));
  return result.catch((error: unknown) => {
    if (!stopsTheRun(error)) throw error;
    session.fail(error);
    return NEVER;
  });
}

/** Runs one node for the driver. Synchronous for pure nodes: a run of those costs no promise. */
export function runNode(session: RunSession, task: NodeTask): NodeResult | Promise<NodeResult> {
  const { effect } = task.node;
  switch (effect) {
    case 'pure':
    case 'read':
      return runRepeatable(session, task, effect);
    case 'idempotent':
    case 'unsafe':
      return runEffect(session, task, effect);
    default:
      return effect satisfies never;
  }
}
