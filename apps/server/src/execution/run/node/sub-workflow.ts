import {
  isJsonObject,
  type Json,
  type JsonObject,
  NodeFailure,
  type NodeTask,
  summarize,
} from '@millrace/engine';
import { catalog } from '@millrace/nodes/catalog';
import {
  isBudgetStop,
  type NodeBudget,
  type PausedSubWorkflow,
  type SubWorkflowFacts,
  type SubWorkflowOutcome,
  type SubWorkflowRequest,
} from '@millrace/nodes/runtime';
import { AppError } from '../../../core/app-error.ts';
import type { AdmittedRun } from '../../admission/admission.ts';
import { passedBudgets } from '../../budgets/budgets-above.ts';
import { DuplicateRun } from '../../model/errors.ts';
import { isOfRefusedCall, type StoredFinal, type StoredRun } from '../../model/run.ts';
import type { StepRecord } from '../../model/step.ts';
import type { PublishedWorkflow } from '../../workflows/published-workflow.ts';
import type { Executor } from '../executor.ts';
import { hasReadOutside } from '../outside-content.ts';
import { hideStart } from '../secrets/sealed-input.ts';
import { openOutputs } from '../secrets/sealed-result.ts';
import { passedBaseUrl } from '../start/base-url.ts';
import { originOptions, readOrigin } from '../start/origin.ts';
import { queuedRun } from '../start/queued-run.ts';
import { type RunHandle, type RunRequest, stopsTheRun } from '../start/run-request.ts';
import { waitForRun } from '../wait-for-run.ts';
import { createSpender } from './create-spender.ts';

/** The caller's variables, which a sub-workflow sees as `$global`. */
function passedGlobals(task: NodeTask): JsonObject {
  const variables = task.scope.lookup('vars');
  return isJsonObject(variables) && Object.keys(variables).length > 0 ? { globals: { ...variables } } : {};
}

async function admitChild(
  { calls, run_as, run_id, root_run_id, depth, secrets }: Executor,
  { workflow, request }: { workflow: PublishedWorkflow; request: SubWorkflowRequest },
): Promise<AdmittedRun> {
  const run = { run_id, root_run_id, depth: depth + 1, signal: request.signal, secrets };
  return calls.admit.internal({
    workflow,
    principal: { kind: 'parent_run', cause: request.cause ?? 'sub_workflow', run_as, run },
    input: {
      headers: {},
      query: {},
      body: request.input,
      ...(request.text === undefined ? {} : { text: request.text }),
    },
  });
}

interface Child {
  readonly admitted: AdmittedRun;
  readonly idempotency_key: string;
  readonly options: JsonObject;
}

function toRunRequest({ admitted, idempotency_key, options }: Child): RunRequest {
  const { workflow, principal, input, trigger_source, run_as } = admitted;
  const parent = principal.kind === 'parent_run' ? principal.run : undefined;
  return { workflow, input, trigger_source, run_as, idempotency_key, options, parent };
}

async function dispatch(executor: Executor, { admitted, idempotency_key, options }: Child): Promise<void> {
  const { now, ownership } = executor.keeping;
  const start = hideStart(executor.keeping, { input: admitted.input, options }, executor.secrets);
  await ownership.enqueue(
    queuedRun(admitted, {
      // The end of this run is not the child's end, so it has no parent.
      parent_run_id: null,
      idempotency_key,
      options: start.options,
      input: start.input,
      started_at_ms: now(),
    }),
  );
}

async function storedOutcome(
  { keeping, calls }: Executor,
  { begin, records }: StoredRun,
  final: StoredFinal,
): Promise<SubWorkflowOutcome> {
  const { workflow_id, version_id } = begin;
  const { status, execution_time_ms } = final;
  // Only a run has an idempotency key to be found by.
  if (isOfRefusedCall(status)) return { kind: 'not_found' };
  const outputs = openOutputs(keeping, final);
  const workflow = version_id === null ? undefined : await calls.workflows.pinned(workflow_id, version_id);
  // Reads of a graph that is not there any more are not known.
  const outside_content = workflow === undefined || hasReadOutside(begin, workflow, records);
  const budget_stopped = hasBudgetStop(records);
  return {
    kind: 'finished',
    workflow_id,
    status,
    outputs,
    execution_time_ms,
    outside_content,
    budget_stopped,
  };
}

const hasBudgetStop = (records: readonly StepRecord[]): boolean =>
  records.some(
    (record) => 'failure' in record && record.failure !== undefined && isBudgetStop(record.failure),
  );

/** The end of a child that is executed by this process. */
async function localOutcome(
  { secrets }: Executor,
  workflow_id: string,
  child: RunHandle,
): Promise<SubWorkflowOutcome> {
  const { status, outputs, execution_time_ms, records } = await child.finished;
  const real = child.outputsFor(secrets) ?? outputs;
  return status === 'pending'
    ? { kind: 'paused', workflow_id, run_id: child.run_id }
    : {
        kind: 'finished',
        workflow_id,
        status,
        outputs: real,
        execution_time_ms,
        outside_content: child.has_read_outside,
        budget_stopped: hasBudgetStop(records),
      };
}

/** A child that was started before a crash: some process continues it, so its end is awaited in the journal. */
async function awaitExisting(
  executor: Executor,
  child: { run_id: string; workflow_id: string },
  signal: AbortSignal,
): Promise<SubWorkflowOutcome> {
  const onEnd = () => endWithParent(executor, child.run_id, signal);
  signal.addEventListener('abort', onEnd, { once: true });
  try {
    const awaited = await waitForRun(executor.keeping, child.run_id, { until: 'finished', left: signal });
    switch (awaited.kind) {
      case 'here':
        return await localOutcome(executor, child.workflow_id, awaited.run);
      case 'stored': {
        const { run } = awaited;
        return run.final ? await storedOutcome(executor, run, run.final) : { kind: 'paused', ...child };
      }
      case 'gone':
        return { kind: 'not_found' };
    }
  } finally {
    signal.removeEventListener('abort', onEnd);
  }
  throw signal.reason;
}

/** Nothing in this process connects the two runs, so the end of the caller has to be passed on. */
function endWithParent({ keeping }: Executor, run_id: string, { reason }: AbortSignal): void {
  if (stopsTheRun(reason)) return;
  keeping.ownership.requestCancel(run_id).catch((error: unknown) => {
    keeping.log.warn({ err: error, run_id }, 'a sub-workflow could not be notified that its caller ended');
  });
}

async function execute(executor: Executor, child: Child, signal: AbortSignal): Promise<SubWorkflowOutcome> {
  const workflow_id = child.admitted.workflow.settings.id;
  try {
    const handle = await executor.calls.start(toRunRequest(child));
    return await localOutcome(executor, workflow_id, handle);
  } catch (error) {
    if (!(error instanceof DuplicateRun)) throw error;
    return awaitExisting(executor, { run_id: error.existing_run_id, workflow_id }, signal);
  }
}

function notAdmitted(error: unknown): undefined {
  if (error instanceof AppError && error.code === 'not_found') return undefined;
  // There is nothing to run yet, and trying again does not change that.
  if (error instanceof AppError && error.code === 'conflict')
    throw new NodeFailure({ kind: 'params', message: error.message, final: true });
  throw error;
}

/** Workflows that start themselves more than once would otherwise fill the queue long before they are too deep. */
async function requireRoom({ calls, root_run_id }: Executor, waits: boolean): Promise<void> {
  const { descendants } = calls;
  if (await descendants.mayStartDescendant(root_run_id, waits)) return;
  throw new NodeFailure({
    kind: 'limit',
    message: `More than ${descendants.most} runs started by one run, directly or through others, are still unfinished. Start fewer at once, or raise RUN_MAX_DESCENDANTS.`,
    final: true,
  });
}

/**
 * A budget that stops a run stops those above it that the budget is of: what such a run returned is not taken for an ordinary
 * failure, with which its caller would go on.
 */
async function withBudgetLeft(
  executor: Executor,
  outcome: SubWorkflowOutcome,
  nodes: readonly NodeBudget[] = [],
): Promise<SubWorkflowOutcome> {
  if (outcome.kind === 'finished' && outcome.status === 'error' && outcome.budget_stopped === true)
    await executor.nodes.ports.budgets.requireLeft(createSpender(executor, nodes));
  return outcome;
}

/**
 * Runs another workflow for a node: with a history row of its own, as the same person and only when that person may see
 * it. Workflows that a run's user cannot see are not there at all.
 */
export async function runSubWorkflow(
  executor: Executor,
  task: NodeTask,
  request: SubWorkflowRequest,
): Promise<SubWorkflowOutcome> {
  const workflow_id = request.workflow_id.toLowerCase();
  const workflow = await executor.calls.workflows.published(workflow_id);
  const admitted = workflow && (await admitChild(executor, { workflow, request }).catch(notAdmitted));
  if (!admitted) return { kind: 'not_found' };
  await requireRoom(executor, request.wait);
  const { idempotency_key } = request;
  const { portal } = readOrigin(executor.begin);
  const options = {
    ...passedGlobals(task),
    ...passedBaseUrl(executor.calls, executor.begin),
    ...passedBudgets(executor, request.budgets ?? []),
    ...originOptions({ ...(portal ? { portal } : {}), outside_content: request.outside_content === true }),
  };
  const child = { admitted, idempotency_key, options };
  if (request.wait) {
    const outcome = await executor.slot.whileWaiting(execute(executor, child, request.signal));
    return withBudgetLeft(executor, outcome, request.budgets);
  }
  await dispatch(executor, child);
  return { kind: 'dispatched', workflow_id };
}

/** How a run that was paused has ended. */
export async function subWorkflowResult(
  executor: Executor,
  run: PausedSubWorkflow,
): Promise<SubWorkflowOutcome> {
  const outcome = await executor.slot.whileWaiting(awaitExisting(executor, run, run.signal));
  return withBudgetLeft(executor, outcome, run.budgets);
}

/** Describes what a model has to know of a workflow; null for one that the run's user may not see. */
export async function describeSubWorkflow(
  { calls, run_as }: Executor,
  id: string,
): Promise<SubWorkflowFacts | null> {
  const workflow = await calls.workflows.published(id.toLowerCase());
  if (!workflow || !(await calls.access.has(workflow.settings.id, run_as))) return null;
  const { name, description } = workflow.settings;
  const { input_fields } = summarize(workflow.version.graph.document, catalog);
  const defaults = input_fields.flatMap(({ key, defaultValue }): [string, Json][] =>
    defaultValue === undefined ? [] : [[key, defaultValue]],
  );
  return {
    name,
    description,
    keys: input_fields.map(({ key }) => key),
    defaults: Object.fromEntries(defaults),
  };
}
