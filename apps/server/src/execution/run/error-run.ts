import type { FailedNode } from '@millrace/engine';
import { AppError } from '../../core/app-error.ts';
import type { QueuedRun } from '../ownership/ownership.ts';
import type { GivenUpConsequences, GivenUpRun } from '../store/error-runs.ts';
import type { WorkflowSettings } from '../workflows/published-workflow.ts';
import type { RunEnvironment } from './environment.ts';
import { ERROR_RUN_KEY } from './error-run-key.ts';
import { queuedRun } from './queued-run.ts';
import { runEventOf } from './run-event.ts';
import { RunSecretsMask } from './secrets/secrets-mask.ts';

const MAX_ERROR_DEPTH = 10;

/** What the error workflow needs of a run that has failed. */
export interface FailedRun {
  readonly run_id: string;
  readonly root_run_id: string;
  readonly depth: number;
  readonly settings: WorkflowSettings;
  readonly error: string;
  /** Null when no node failed. */
  readonly failed_node: Pick<FailedNode, 'node_label' | 'node_type'> | null;
  /** Of the failed run (§5.8). */
  readonly secrets: Pick<RunSecretsMask, 'mask'>;
}

type ErrorRunNeeds = Pick<RunEnvironment, 'workflows' | 'admit' | 'now' | 'log'>;

/** The run of the workflow that is set to hear of failures; its key keeps it from being stored twice. Undefined: none is wanted. */
export async function errorRunOf(
  { workflows, admit, now, log }: ErrorRunNeeds,
  failed: FailedRun,
): Promise<QueuedRun | undefined> {
  const { run_id, root_run_id, depth, settings, failed_node } = failed;
  const { error_workflow_id } = settings;
  if (error_workflow_id === undefined || depth >= MAX_ERROR_DEPTH) return undefined;
  const target = await workflows.published(error_workflow_id);
  if (!target) return undefined;
  const body = failed.secrets.mask({
    workflow_id: settings.id,
    workflow_name: settings.name,
    run_id,
    error: failed.error,
    errorNode: failed_node?.node_label ?? null,
    errorNodeType: failed_node?.node_type ?? null,
  });
  try {
    const admitted = await admit.internal({
      workflow: target,
      principal: {
        kind: 'parent_run',
        cause: 'error_workflow',
        run_as: settings.owner_id,
        run: { run_id, root_run_id, depth: depth + 1 },
      },
      input: { headers: {}, query: {}, body },
    });
    return queuedRun(admitted, { idempotency_key: ERROR_RUN_KEY + run_id, started_at_ms: now() });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    log.warn({ err: error, run_id, error_workflow_id }, 'the error workflow was not admitted');
    return undefined;
  }
}

/**
 * The same for a run that was given up, which no process could end, and its event. An error flow in its own graph, which otherwise
 * replaces the error workflow, has not run either.
 */
export async function errorRunOfGivenUp(
  environment: ErrorRunNeeds & Pick<RunEnvironment, 'run_secrets'>,
  { workflow_id, actor_id, ...run }: GivenUpRun,
): Promise<GivenUpConsequences> {
  const workflow = await environment.workflows.published(workflow_id);
  if (!workflow) return {};
  const { settings } = workflow;
  const shared = await environment.run_secrets.secretsOf(actor_id ?? settings.owner_id);
  const ended = { ...run, settings, failed_node: null };
  const event = run.is_reportable ? runEventOf({ ...ended, status: 'error' }) : undefined;
  return {
    run: await errorRunOf(environment, { ...ended, secrets: new RunSecretsMask(shared) }),
    event: event && { ...event, at: new Date(environment.now()) },
  };
}
