import { isJsonObject, type JsonObject, NodeFailure, type NodeTask } from '@millrace/engine';
import type { SubWorkflowOutcome, SubWorkflowRequest } from '@millrace/nodes/runtime';
import { DuplicateRun, type StoredFinal } from '../../journal/journal.ts';
import { TRIGGER_SOURCES } from '../../trigger-source.ts';
import type { PublishedWorkflow } from '../../workflows/published-workflow.ts';
import { queuedRun } from '../queued-run.ts';
import { type RunAnswer, type RunRequest, stopsTheRun } from '../run-request.ts';
import { sealInput } from '../sealed-input.ts';
import type { RunSession } from '../session.ts';
import { sleep } from '../sleep.ts';

/** The caller's variables, which a sub-workflow sees as `$global`. */
function passedGlobals(task: NodeTask): JsonObject {
  const variables = task.scope.lookup('vars');
  return isJsonObject(variables) && Object.keys(variables).length > 0 ? { globals: { ...variables } } : {};
}

function childRequest(
  session: RunSession,
  task: NodeTask,
  { workflow, request }: { workflow: PublishedWorkflow; request: SubWorkflowRequest },
): RunRequest {
  return {
    workflow,
    input: { headers: {}, query: {}, body: request.input },
    trigger_source: TRIGGER_SOURCES.sub_workflow,
    run_as: session.run_as,
    idempotency_key: request.idempotency_key,
    options: passedGlobals(task),
    parent: {
      run_id: session.run_id,
      root_run_id: session.root_run_id,
      depth: session.depth + 1,
      signal: request.signal,
      secrets: session.secrets,
    },
  };
}

async function dispatch(session: RunSession, child: RunRequest): Promise<void> {
  const { now, ownership } = session.environment;
  const input = session.secrets.mask(child.input);
  const sealed = input === child.input ? {} : sealInput(session.environment, child.input, session.secrets);
  // Without a parent: nobody waits for it, so the end of this run is not its end.
  await ownership.enqueue(
    queuedRun(child.workflow, {
      trigger_source: child.trigger_source,
      actor_id: child.run_as,
      root_run_id: session.root_run_id,
      depth: child.parent?.depth ?? 0,
      idempotency_key: child.idempotency_key ?? null,
      options: { ...child.options, ...sealed },
      input,
      started_at_ms: now(),
    }),
  );
}

function finishedOutcome(
  workflow_id: string,
  answer: Pick<RunAnswer, 'status' | 'outputs' | 'execution_time_ms'>,
): SubWorkflowOutcome {
  const { status, outputs, execution_time_ms } = answer;
  return { kind: 'finished', workflow_id, status, outputs, execution_time_ms };
}

function storedOutcome(workflow_id: string, final: StoredFinal): SubWorkflowOutcome {
  const { status, outputs, execution_time_ms } = final;
  return { kind: 'finished', workflow_id, status, outputs, execution_time_ms };
}

const FIRST_LOOK_MS = 50;
const MAX_LOOK_MS = 1_000;

/** A child that was started before a crash: some process goes on with it, so its end is waited for in the journal. */
async function awaitExisting(
  session: RunSession,
  child: { run_id: string; workflow_id: string },
  signal: AbortSignal,
): Promise<SubWorkflowOutcome> {
  const { journal, live } = session.environment;
  const onEnd = () => endWithParent(session, child.run_id, signal);
  signal.addEventListener('abort', onEnd, { once: true });
  try {
    for (let wait = FIRST_LOOK_MS; !signal.aborted; wait = Math.min(wait * 2, MAX_LOOK_MS)) {
      const local = live.get(child.run_id);
      if (local) return finishedOutcome(child.workflow_id, await local.finished);
      const stored = await journal.load(child.run_id);
      if (!stored) return { kind: 'not_found' };
      if (stored.final) return storedOutcome(child.workflow_id, stored.final);
      if (stored.state === 'waiting') return { kind: 'paused' };
      await sleep(wait, signal);
    }
  } finally {
    signal.removeEventListener('abort', onEnd);
  }
  throw signal.reason;
}

/** Nothing in this process connects the two runs, so the end of the caller has to be told. */
function endWithParent({ environment }: RunSession, run_id: string, { reason }: AbortSignal): void {
  if (stopsTheRun(reason)) return;
  environment.ownership.requestCancel(run_id).catch((error: unknown) => {
    environment.log.warn({ err: error, run_id }, 'a sub-workflow was not told that its caller ended');
  });
}

async function execute(
  session: RunSession,
  child: RunRequest,
  signal: AbortSignal,
): Promise<SubWorkflowOutcome> {
  const workflow_id = child.workflow.settings.id;
  try {
    const handle = await session.environment.start(child);
    const answer = await handle.finished;
    if (answer.status === 'pending') return { kind: 'paused' };
    const outputs = handle.outputs_for_parent ?? answer.outputs;
    return finishedOutcome(workflow_id, { ...answer, outputs });
  } catch (error) {
    if (!(error instanceof DuplicateRun)) throw error;
    return awaitExisting(session, { run_id: error.existing_run_id, workflow_id }, signal);
  }
}

/** Workflows that start themselves more than once would otherwise fill the queue long before they are too deep. */
async function requireRoom({ environment, root_run_id }: RunSession, waits: boolean): Promise<void> {
  const { descendants } = environment;
  if (await descendants.mayGrow(root_run_id, waits)) return;
  throw new NodeFailure({
    kind: 'limit',
    message: `More than ${descendants.most} runs that one run started, directly or through others, are still going on. Start fewer at once, or raise RUN_MAX_DESCENDANTS.`,
    final: true,
  });
}

/**
 * Runs another workflow for a node: with a history row of its own, as the same person and only when that person may see
 * it. Workflows that a run's user cannot see are not there at all.
 */
export async function runSubWorkflow(
  session: RunSession,
  task: NodeTask,
  request: SubWorkflowRequest,
): Promise<SubWorkflowOutcome> {
  const { workflows, access } = session.environment;
  const workflow_id = request.workflow_id.toLowerCase();
  const workflow = await workflows.published(workflow_id);
  if (!workflow || !(await access.has(workflow_id, session.run_as))) return { kind: 'not_found' };
  await requireRoom(session, request.wait);
  const child = childRequest(session, task, { workflow, request });
  if (request.wait) return session.slot.whileWaiting(execute(session, child, request.signal));
  await dispatch(session, child);
  return { kind: 'dispatched', workflow_id };
}
