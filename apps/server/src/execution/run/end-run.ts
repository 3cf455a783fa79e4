import type { RunFinished } from '@millrace/engine';
import type { RunFinal, WaitRecord } from '../journal/journal.ts';
import { TRIGGER_SOURCES } from '../trigger-source.ts';
import { queuedRun } from './queued-run.ts';
import type { RunAnswer } from './run-request.ts';
import type { RunSession } from './session.ts';

const MAX_ERROR_DEPTH = 10;

/** Later writes of a name win. */
async function storeGlobals(session: RunSession): Promise<void> {
  const { run_secrets, log } = session.environment;
  const last = new Map(session.global_writes.map(({ name, value }) => [name, value]));
  for (const [name, value] of last) {
    await run_secrets.setGlobalVariable(session.run_as, name, value).catch((error: unknown) => {
      log.error({ err: error, run_id: session.run_id }, 'a global variable could not be stored');
    });
  }
}

function wantsErrorWorkflow(session: RunSession, finished: RunFinished): string | undefined {
  const { settings, version } = session.workflow;
  const isHandled = version.graph.error_roots.length > 0;
  if (finished.status !== 'error' || isHandled || session.depth >= MAX_ERROR_DEPTH) return undefined;
  return settings.error_workflow_id;
}

/** Starts the workflow that is set to hear of failures. The key makes it one run, however often this is repeated. */
async function startErrorWorkflow(
  session: RunSession,
  target_id: string,
  finished: RunFinished,
): Promise<void> {
  const { workflows, access, ownership, now } = session.environment;
  const { settings } = session.workflow;
  const target = await workflows.published(target_id);
  if (!target || !(await access.has(target_id, settings.owner_id))) return;
  const { failure, failed_node } = finished;
  const body = session.secrets.mask({
    workflow_id: settings.id,
    workflow_name: settings.name,
    run_id: session.run_id,
    error: failure?.message ?? 'The run failed',
    errorNode: failed_node?.node_label ?? null,
    errorNodeType: failed_node?.node_type ?? null,
  });
  await ownership.enqueue(
    queuedRun(target, {
      trigger_source: TRIGGER_SOURCES.error_workflow,
      actor_id: settings.owner_id,
      parent_run_id: session.run_id,
      root_run_id: session.root_run_id,
      depth: session.depth + 1,
      idempotency_key: `error:${session.run_id}`,
      input: { headers: {}, query: {}, body },
      started_at_ms: now(),
    }),
  );
}

function finalOf(session: RunSession, finished: RunFinished): RunFinal {
  const { status, failure, failed_node, http_status, shape, ended_at_ms } = finished;
  const masked = session.secrets.mask({ outputs: finished.outputs, failure: failure ?? null });
  return {
    status: status === 'pending' ? 'error' : status,
    outputs: masked.outputs,
    shape,
    http_status: http_status ?? null,
    failure: masked.failure,
    failed_node: failed_node ?? null,
    execution_time_ms: Math.max(0, Math.round(ended_at_ms - session.begin.started_at_ms)),
    ended_at_ms,
    ...(session.is_begun ? {} : { records: session.records }),
  };
}

function waitsOf(session: RunSession): WaitRecord[] {
  return session.suspended.map((event) => ({
    node_id: event.node_id,
    iteration: event.iteration,
    kind: event.suspension.kind,
    token_hash: null,
    due_at_ms: event.suspension.due_at ?? null,
    payload: session.secrets.mask(event.suspension.payload),
    sequence: event.sequence,
    attempt: event.attempt,
    started_at_ms: event.started_at_ms,
  }));
}

async function afterwards(session: RunSession, finished: RunFinished): Promise<void> {
  if (session.global_writes.length > 0) await storeGlobals(session);
  const target_id = wantsErrorWorkflow(session, finished);
  if (target_id === undefined) return;
  await startErrorWorkflow(session, target_id, finished).catch((error: unknown) => {
    session.environment.log.error(
      { err: error, run_id: session.run_id },
      'the error workflow was not started',
    );
  });
}

async function pause(session: RunSession): Promise<void> {
  const records = session.is_begun ? [] : session.records;
  await session.environment.journal.suspend(session.begin, waitsOf(session), records);
}

/**
 * Ends a run: what follows from it is stored first, its end last, and nobody is told before that is durable. A crash in
 * between repeats this step, and everything in it may be repeated.
 */
export async function endRun(session: RunSession, finished: RunFinished): Promise<RunAnswer> {
  const final = finalOf(session, finished);
  if (session.global_writes.length > 0 || finished.status === 'error') await afterwards(session, finished);
  if (finished.status === 'pending') await pause(session);
  else await session.environment.journal.finish(session.begin, final);
  const outputs = session.secrets.mask(finished.outputs);
  const { status, shape, http_status } = finished;
  const answer = session.answer(
    { status, outputs, shape, ...(http_status === undefined ? {} : { http_status }) },
    final.execution_time_ms,
  );
  session.environment.metrics.ended(answer, session.begin.trigger_source);
  session.frames.complete(answer);
  return answer;
}
