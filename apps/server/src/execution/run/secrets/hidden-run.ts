import type { JsonObject } from '@millrace/engine';
import type { AdmittedRun } from '../../admission/admission.ts';
import type { QueuedRun } from '../../model/queue.ts';
import type { RunKeeping } from '../run-keeping.ts';
import { queuedRun } from '../start/queued-run.ts';
import { hideStart } from './sealed-input.ts';
import { RunSecretsMask } from './secrets-mask.ts';

/** An admitted run as the queue stores it, with the secrets of the person that it is attributed to hidden (§5.8). */
export async function hiddenRun(
  keeping: Pick<RunKeeping, 'run_secrets' | 'now'>,
  admitted: AdmittedRun,
  { options = {}, idempotency_key }: { readonly options?: JsonObject; readonly idempotency_key: string },
): Promise<QueuedRun> {
  const secrets = new RunSecretsMask(await keeping.run_secrets.getSecrets(admitted.run_as));
  const start = hideStart(keeping, { input: admitted.input, options }, secrets);
  return queuedRun(admitted, { ...start, idempotency_key, started_at_ms: keeping.now() });
}
