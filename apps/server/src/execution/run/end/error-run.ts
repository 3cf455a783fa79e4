import type { FailedNode, JsonObject } from '@millrace/engine';
import { AppError } from '../../../core/app-error.ts';
import type { InternalPrincipal } from '../../admission/principal.ts';
import type { GivenUpConsequences, GivenUpRun, QueuedRun } from '../../model/queue.ts';
import { ERROR_RUN_KEY } from '../../model/run.ts';
import type { WorkflowSettings } from '../../workflows/published-workflow.ts';
import type { RunCalls } from '../node/run-calls.ts';
import type { RunKeeping } from '../run-keeping.ts';
import { RunSecretsMask } from '../secrets/secrets-mask.ts';
import type { Vault } from '../secrets/vault.ts';
import { originOptions, type RunOrigin } from '../start/origin.ts';
import { queuedRun } from '../start/queued-run.ts';
import { toRunEvent } from './run-event.ts';

const MAX_ERROR_DEPTH = 10;

interface Failure {
  readonly settings: WorkflowSettings;
  readonly error: string;
  /** Null when no node failed. */
  readonly failed_node: Pick<FailedNode, 'node_label' | 'node_type'> | null;
  readonly secrets: Pick<RunSecretsMask, 'mask'>;
  /** Where the content of the message came from, as far as it is known. */
  readonly origin?: RunOrigin;
}

/** The facts that the error workflow needs of a run that has failed; the secrets are those of the run (§5.8). */
export interface FailedRun extends Failure {
  readonly run_id: string;
  readonly root_run_id: string;
  readonly depth: number;
}

type ErrorRunNeeds = Pick<RunCalls, 'workflows' | 'admit'> & Pick<RunKeeping, 'now' | 'log'>;

interface ErrorRunStart {
  readonly principal: InternalPrincipal;
  /** Keeps the run from being stored twice. */
  readonly idempotency_key: string;
  /** Facts that the body gives beside the failure. */
  readonly facts: JsonObject;
}

/** The run of the workflow that is set to hear of failures. Undefined: none is wanted. */
async function errorRunFor(
  { workflows, admit, now, log }: ErrorRunNeeds,
  { settings, error, failed_node, secrets, origin = {} }: Failure,
  { principal, idempotency_key, facts }: ErrorRunStart,
): Promise<QueuedRun | undefined> {
  const { error_workflow_id } = settings;
  if (error_workflow_id === undefined) return undefined;
  const target = await workflows.published(error_workflow_id);
  if (!target) return undefined;
  const body = secrets.mask({
    workflow_id: settings.id,
    workflow_name: settings.name,
    ...facts,
    error,
    errorNode: failed_node?.node_label ?? null,
    errorNodeType: failed_node?.node_type ?? null,
  });
  try {
    const admitted = await admit.internal({
      workflow: target,
      principal,
      input: { headers: {}, query: {}, body },
    });
    return queuedRun(admitted, { idempotency_key, options: originOptions(origin), started_at_ms: now() });
  } catch (reason) {
    if (!(reason instanceof AppError)) throw reason;
    log.warn({ err: reason, ...facts, error_workflow_id }, 'the error workflow was not admitted');
    return undefined;
  }
}

export async function createErrorRun(
  needs: ErrorRunNeeds,
  { run_id, root_run_id, depth, ...failure }: FailedRun,
): Promise<QueuedRun | undefined> {
  if (depth >= MAX_ERROR_DEPTH) return undefined;
  return errorRunFor(needs, failure, {
    principal: {
      kind: 'parent_run',
      cause: 'error_workflow',
      run_as: failure.settings.owner_id,
      run: { run_id, root_run_id, depth: depth + 1 },
    },
    idempotency_key: ERROR_RUN_KEY + run_id,
    facts: { run_id },
  });
}

/** A trigger that began to fail, as its event says. */
export interface FailedTrigger {
  readonly event_id: string;
  readonly workflow_id: string;
  readonly node_id: string;
  readonly type: string;
  /** A sentence for the owner. */
  readonly error: string;
  readonly failed_at: string;
}

/** The same for a trigger, where no run has failed. */
export async function errorRunOfTrigger(
  needs: ErrorRunNeeds & Vault,
  { event_id, workflow_id, node_id, type, error, failed_at }: FailedTrigger,
): Promise<QueuedRun | undefined> {
  const workflow = await needs.workflows.published(workflow_id);
  if (!workflow) return undefined;
  const { settings, version } = workflow;
  const node = version.graph.nodes.find(({ id }) => id === node_id);
  const shared = await needs.run_secrets.getSecrets(settings.owner_id);
  const failed_node = { node_label: node?.label ?? node_id, node_type: type };
  return errorRunFor(
    needs,
    { settings, error, failed_node, secrets: new RunSecretsMask(shared) },
    {
      principal: { kind: 'failed_trigger', run_as: settings.owner_id },
      idempotency_key: ERROR_RUN_KEY + event_id,
      facts: { run_id: null, trigger_node_id: node_id, failed_at },
    },
  );
}

/**
 * The run of the error workflow for a run that was given up, which no process could end, and its event. An error flow in its own graph, which otherwise
 * replaces the error workflow, has not run either.
 */
export async function errorRunOfGivenUp(
  needs: ErrorRunNeeds & Vault,
  { workflow_id, actor_id, ...run }: GivenUpRun,
): Promise<GivenUpConsequences> {
  const workflow = await needs.workflows.published(workflow_id);
  if (!workflow) return {};
  const { settings } = workflow;
  const shared = await needs.run_secrets.getSecrets(actor_id ?? settings.owner_id);
  const ended = { ...run, settings, failed_node: null };
  const event = run.is_reportable ? toRunEvent({ ...ended, status: 'error' }) : undefined;
  return {
    run: await createErrorRun(needs, { ...ended, secrets: new RunSecretsMask(shared) }),
    event: event && { ...event, at: new Date(needs.now()) },
  };
}
