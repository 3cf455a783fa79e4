import { isJsonObject, type JsonObject } from '@millrace/engine';
import { recordAudit } from '../../database/audit.ts';
import type { CalledRun } from '../../execution/admission/call.ts';
import { getUserId } from '../../execution/admission/principal.ts';
import type { RunAnswer } from '../../execution/model/run.ts';
import type { Services } from '../../services.ts';

const INSTRUCTIONS =
  'Send the file as the form field "file" to upload_url before expires_at, for example with the curl command. ' +
  'The address works once; its answer holds the result of the run.';

/** The answer that a caller gets instead of a result when the workflow begins with a file (§4.3). */
export interface MintedSlot extends JsonObject {
  file_upload_required: true;
  slot_id: string;
  curl: string;
  upload_url: string;
  expires_at: string;
  max_size_mb: number;
  allowed_types: string[];
  instructions: string;
}

/** The slot that a run waits at; undefined when the run has continued, as after a repeated request with its idempotency key. */
function mintedSlot(
  { config }: Pick<Services, 'config'>,
  { run_id, status, outputs }: RunAnswer,
): MintedSlot | undefined {
  if (status !== 'pending') return undefined;
  const payload = Object.values(outputs).find(
    (output) => isJsonObject(output) && output['file_upload_required'] === true,
  );
  if (payload === undefined) return undefined;
  // Guarantee: only the trigger node makes such a payload.
  const slot = payload as unknown as MintedSlot;
  const max_size_mb = Math.min(slot.max_size_mb, config.FILE_MAX_SIZE_MB);
  return { ...slot, max_size_mb, slot_id: run_id, instructions: INSTRUCTIONS };
}

/**
 * The slot that answers a call of a workflow which begins with a file. Who requested it is recorded, for the owner of the
 * workflow.
 */
export async function mintSlot(
  services: Pick<Services, 'config' | 'database' | 'now'>,
  { slot: requested, workflow, replayed }: CalledRun,
  { answer, request_id }: { answer: RunAnswer; request_id: string },
): Promise<MintedSlot | undefined> {
  const slot = requested && mintedSlot(services, answer);
  if (!slot || replayed) return slot;
  const { id, name, owner_id } = workflow.settings;
  const { asked_by, client_ip } = requested;
  await recordAudit(
    services.database.db,
    { now: services.now, request_id, client_ip },
    {
      action: 'file_intake.minted',
      object_kind: 'workflow',
      object_id: id,
      object_name: name,
      owner_id,
      details: { slot_id: slot.slot_id, asked_by: asked_by.kind, user_id: getUserId(asked_by) ?? null },
    },
  );
  return slot;
}
