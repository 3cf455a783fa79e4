import type { JsonObject } from '@millrace/engine';
import { newOrderedId } from '../../core/ids.ts';
import type { SecretSet } from '../../ports/run/run-secrets.ts';
import type { RunKeeping } from '../run/run-keeping.ts';
import type { RunRequest } from '../run/start/run-request.ts';

export type RefusalNeeds = Pick<RunKeeping, 'journal' | 'metrics' | 'run_secrets' | 'log' | 'now'>;

/** A call or a firing that starts no run. */
export type WithoutRun = Pick<RunRequest, 'workflow' | 'input' | 'run_as' | 'trigger_source'>;

interface AnswerWithoutRun {
  readonly status: 'cached' | 'rate_limited';
  readonly outputs: JsonObject;
}

/** Leaves a row in history of what started no run. @returns its id */
export function recordWithoutRun(
  { journal, metrics, run_secrets, log, now }: RefusalNeeds,
  { workflow, input, run_as, trigger_source }: WithoutRun,
  { status, outputs }: AnswerWithoutRun,
): string {
  const at_ms = now();
  const run_id = newOrderedId(at_ms);
  const call = {
    run_id,
    workflow_id: workflow.settings.id,
    version_id: workflow.version.id,
    status,
    trigger_source,
    actor_id: run_as,
    outputs,
    http_status: status === 'rate_limited' ? 429 : null,
    at_ms,
  };
  const record = ({ masker }: SecretSet) =>
    journal.recordRefusal({ ...call, input: masker ? masker.mask(input) : input });
  const secrets = run_secrets.getSecrets(run_as);
  if (secrets instanceof Promise) {
    secrets.then(record, (error: unknown) =>
      log.warn({ err: error, run_id }, 'a call that was answered without a run is missing in the history'),
    );
  } else record(secrets);
  metrics.refused(status, trigger_source);
  return run_id;
}
