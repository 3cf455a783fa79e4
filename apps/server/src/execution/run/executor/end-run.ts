import type { Failure, JsonObject, Outcome, RunFinished } from '@millrace/engine';
import { insertEvent } from '../../../database/platform-events.ts';
import type { QueuedRun } from '../../model/queue.ts';
import type { EndWrite, RunAnswer, RunFinal } from '../../model/run.ts';
import { wasTrial } from '../../store/encoding/run-options.ts';
import type { PublishedWorkflow } from '../../workflows/published-workflow.ts';
import { createErrorRun } from '../end/error-run.ts';
import { type RunEndEvent, runEventName, toRunEvent } from '../end/run-event.ts';
import type { Executor } from '../executor.ts';
import { workspaceName } from '../node/node-services.ts';
import { sealedOutputs } from '../secrets/sealed-result.ts';
import { readOrigin } from '../start/origin.ts';
import { isOfDraft } from '../start/trial.ts';

/** Of a name in a message. */
const SHOWN_NAME = 100;

/** The writes to global variables, for the commit that ends the run. */
function globalWrites(executor: Executor): EndWrite[] {
  const { secrets, run_as } = executor;
  const { run_secrets } = executor.keeping;
  return Array.from(executor.recorder.global_writes.entries, ([name, { value, by }]) => {
    const shown = secrets.mask(value);
    const sealed_value = shown === value ? null : run_secrets.sealGlobal(value, secrets.values);
    const write = { name, value: shown, sealed_value, ...(by === undefined ? {} : { by }) };
    return {
      key: `global:${run_as}:${name}`,
      write: (tx) => run_secrets.setGlobalVariable(tx, run_as, write),
    };
  });
}

/** The run fails when a global variable cannot be stored: a value that is silently missing would be found too late. */
function checkGlobals(executor: Executor, finished: RunFinished): RunFinished {
  if (finished.status === 'pending') return finished;
  for (const [name, { value }] of executor.recorder.global_writes.entries) {
    const refusal = executor.keeping.run_secrets.refusesGlobal(name, value);
    if (refusal === undefined) continue;
    const message = `The global variable "${name.slice(0, SHOWN_NAME)}" was not stored: ${refusal}`;
    const failure: Failure = { kind: 'params', message, final: true };
    executor.recorder.global_writes.clear();
    return { ...finished, status: 'error', outputs: { error: message }, shape: 'labels', failure };
  }
  return finished;
}

/** An error flow in the graph takes the place of the error workflow. */
function errorRunAfter(
  executor: Executor,
  finished: RunFinished,
): Promise<QueuedRun | undefined> | undefined {
  const { run_id, root_run_id, depth, secrets } = executor;
  const { settings, version } = executor.workflow;
  if (finished.status !== 'error' || version.graph.error_roots.length > 0) return undefined;
  const { failure, failed_node = null } = finished;
  const error = failure?.message ?? 'The run failed';
  const origin = { ...readOrigin(executor.begin), outside_content: executor.has_read_outside };
  const failed = { run_id, root_run_id, depth, settings, error, failed_node, secrets, origin };
  const { workflows, admit } = executor.calls;
  const { now, log } = executor.keeping;
  return createErrorRun({ workflows, admit, now, log }, failed);
}

/** After the masker. */
function shownOutcome({ secrets }: Executor, finished: RunFinished): Outcome {
  const { status, shape, http_status, failure, failed_node, unresolved_references } = finished;
  return {
    status,
    outputs: secrets.mask(finished.outputs),
    shape,
    http_status,
    failure: secrets.mask(failure),
    failed_node: secrets.mask(failed_node ?? null),
    unresolved_references,
  };
}

const hasSkills = ({ skills }: JsonObject): boolean => Array.isArray(skills) && skills.length > 0;

/** Containers share files for as long as their run takes; whether any has run in a process before this one is not known. */
function dropWorkspaces({ nodes: shared, run_id, workflow }: Executor): void {
  const { nodes } = workflow.version.graph;
  const { scripts } = shared.ports.sandboxes;
  if (nodes.some(({ data }) => hasSkills(data))) void scripts.dropWorkspace(run_id);
  for (const { definition } of nodes) {
    const { workspace } = definition.traits;
    if (workspace !== '') void scripts.dropWorkspace(workspaceName(run_id, workspace));
  }
}

/** A run that waits for this one continues; runs that this one waited for end. A sweep finds what a crash leaves untold. */
function tellFamily({ keeping, begin, progress, steps }: Executor): void {
  const { ownership, log } = keeping;
  // The run above sees the end of one that never left memory by itself.
  const mayBeAwaited = begin.parent_run_id !== null && progress !== undefined;
  const isTold = mayBeAwaited ? [ownership.decideByEnd(begin.run_id)] : [];
  const isCancelled = steps.orphans.map((run_id) => ownership.requestCancel(run_id));
  Promise.all([...isTold, ...isCancelled]).catch((error: unknown) => {
    log.warn({ err: error, run_id: begin.run_id }, 'a run could not be notified that this one has ended');
  });
}

interface Consequences {
  readonly writes: readonly EndWrite[];
  /** To be called when they are durable. */
  announce(): void;
}

/** Further effects of the end of the run: stored in the same commit, so only if this end is the one that counts. */
async function prepareConsequences(executor: Executor, finished: RunFinished): Promise<Consequences> {
  const writes = globalWrites(executor);
  const run = await errorRunAfter(executor, finished);
  if (!run) return { writes, announce: () => undefined };
  const { write, announce } = executor.keeping.ownership.enqueueAtEnd(run);
  return { writes: [...writes, write], announce };
}

/**
 * Runs whose end is an event: started from outside, on a published version, not for a trial. A run that an event started is
 * not one of them, and neither is what it starts: otherwise events of runs would follow from each other without end.
 */
function isReportable({ begin, workflow }: Executor): boolean {
  const { trigger_node_id } = begin;
  if (begin.parent_run_id !== null || wasTrial(begin.options) || isOfDraft({ workflow })) return false;
  if (trigger_node_id === null) return true;
  const start = workflow.version.graph.nodes.find(({ id }) => id === trigger_node_id);
  return start?.definition.receives !== 'event';
}

/** The workflow as it is now: a trigger for its end may be newer than the run. Without a promise where it is known. */
function workflowNow({ keeping, calls, workflow }: Executor) {
  const known = calls.workflows.published(workflow.settings.id);
  if (!(known instanceof Promise)) return known;
  return known.catch((error: unknown) => {
    keeping.log.warn({ err: error, workflow_id: workflow.settings.id }, 'a workflow could not be read again');
    return workflow;
  });
}

function buildEvent(
  { begin }: Executor,
  final: RunFinal,
  workflow: PublishedWorkflow | undefined,
): RunEndEvent | undefined {
  if (!workflow) return undefined;
  const { status, failure, failed_node = null, execution_time_ms, ended_at_ms } = final;
  return toRunEvent({
    run_id: begin.run_id,
    settings: workflow.settings,
    trigger_source: begin.trigger_source,
    error: status === 'error' ? (failure?.message ?? 'The run failed') : null,
    status,
    failed_node,
    execution_time_ms,
    ended_at_ms,
  });
}

async function finish(executor: Executor, finished: RunFinished, final: RunFinal): Promise<void> {
  const { journal, now } = executor.keeping;
  let event: RunEndEvent | undefined;
  if (runEventName(final.status) && isReportable(executor)) {
    const workflow = workflowNow(executor);
    event = buildEvent(executor, final, workflow instanceof Promise ? await workflow : workflow);
  }
  if (!event && executor.recorder.global_writes.isEmpty && finished.status !== 'error') {
    executor.requireHeld();
    return journal.finish(executor.begin, final);
  }
  const { writes, announce } = await prepareConsequences(executor, finished);
  executor.requireHeld();
  const reported = event;
  const report: EndWrite[] = reported
    ? [
        {
          key: `event:${executor.run_id}`,
          write: (tx) => insertEvent(tx, { ...reported, at: new Date(now()) }),
        },
      ]
    : [];
  await journal.finish(executor.begin, { ...final, writes: [...writes, ...report] });
  announce();
}

/**
 * Ends a run: its end and what follows from it are one commit, and no one is notified before it is durable. A run that was
 * superseded or doubled writes nothing.
 */
export async function endRun(executor: Executor, ended: RunFinished): Promise<RunAnswer> {
  const { keeping, begin, recorder, steps } = executor;
  const finished = checkGlobals(executor, ended);
  const { ended_at_ms } = finished;
  const execution_time_ms = Math.max(0, Math.round(ended_at_ms - begin.started_at_ms));
  const outcome = shownOutcome(executor, finished);
  const { status, outputs, shape, http_status, failure, failed_node, unresolved_references } = outcome;
  if (status === 'pending') {
    await keeping.journal.suspend(begin.run_id, steps.book.openWaits);
  } else {
    // Written out instead of spread: every run pays for this.
    await finish(executor, finished, {
      status,
      outputs,
      shape,
      http_status,
      failure,
      failed_node,
      unresolved_references,
      execution_time_ms,
      ended_at_ms,
      records: recorder.is_open ? undefined : recorder.records,
      sealed_outputs: sealedOutputs(keeping, begin, { real: finished.outputs, masked: outputs }),
    });
    tellFamily(executor);
    dropWorkspaces(executor);
  }
  const answer = recorder.answer(outcome, execution_time_ms);
  keeping.metrics.ended(answer, begin.trigger_source);
  recorder.frames.complete(answer);
  return answer;
}
