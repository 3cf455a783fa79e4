import type { Masker } from '@millrace/engine';
import { DAY_MS, MEGABYTE } from '@millrace/engine/units';
import { type Upload as ReceivedUpload, receivers } from '@millrace/nodes/runtime';
import { AppError } from '../../core/app-error.ts';
import { type AuditEntry, recordAudit } from '../../database/audit.ts';
import type { Db } from '../../database/database.ts';
import { triggerCauses } from '../../database/schema/index.ts';
import { sqlWithin } from '../../database/sql-within.ts';
import { sealedData } from '../../execution/run/secrets/sealed-result.ts';
import type { Needs, Services } from '../../services.ts';
import { addDefaultLink } from '../files/links.ts';
import { displayFilename, storeFile } from '../files/store-file.ts';
import { isAccepted, peekType } from './accepted-types.ts';
import { determineStatus, noSlot, type Slot, slotOfRun, slotOfToken, toRefusal } from './slot.ts';

type FileRow = Awaited<ReturnType<typeof storeFile>>;

/** Details of the sender that come beside the token. */
export interface Sender {
  readonly user_agent: string | undefined;
  /** Begins to read the file; asked for once the slot takes one. @throws AppError for what is no file */
  readonly file: (max_bytes: number) => Promise<Pick<Sent, 'filename' | 'body'>>;
}

type IntakeContext = Needs<'db' | 'config' | 'now' | 'request_id' | 'client_ip'>;

interface Intake {
  readonly services: Services;
  readonly ctx: IntakeContext;
  readonly slot: Slot;
  readonly workflow: { readonly id: string; readonly name: string; readonly owner_id: string };
  readonly user_agent: string | undefined;
}

/** Longest part of what a sender says about itself that is kept. */
const LONGEST_AGENT = 200;

const { input: buildInput, causes_kept_days } = uploadReceiver();

function uploadReceiver() {
  for (const receiver of receivers.values()) if (receiver.kind === 'upload') return receiver;
  throw new Error('no trigger type receives files');
}

/** §4.3: every attempt leaves an entry, except one at an address that does not exist. */
async function recordAttempt(
  db: Db,
  { ctx, slot, workflow, user_agent }: Intake,
  entry: Pick<AuditEntry, 'action' | 'outcome'> & { details?: Record<string, unknown> },
): Promise<void> {
  await recordAudit(db, ctx, {
    ...entry,
    object_kind: 'workflow',
    object_id: workflow.id,
    object_name: workflow.name,
    owner_id: workflow.owner_id,
    details: {
      slot_id: slot.run.begin.run_id,
      user_agent: user_agent?.slice(0, LONGEST_AGENT) ?? null,
      ...entry.details,
    },
  });
}

/** The same where the answer is known already: a log that cannot be written must not take its place. */
async function recordOutcome(intake: Intake, entry: Pick<AuditEntry, 'action' | 'outcome'>): Promise<void> {
  await recordAttempt(intake.ctx.db, intake, entry).catch((error: unknown) =>
    intake.services.log.warn(
      { err: error, action: entry.action },
      'an upload could not be written to the audit log',
    ),
  );
}

interface Sent {
  readonly filename: string;
  readonly body: AsyncIterable<Uint8Array>;
  readonly max_bytes: number;
}

async function requireFile({ ctx, slot }: Intake, sender: Sender): Promise<Sent> {
  const max_bytes = Math.min(slot.max_size_mb, ctx.config.FILE_MAX_SIZE_MB) * MEGABYTE;
  const upload = await sender.file(max_bytes);
  const filename = displayFilename(upload.filename);
  const { mime, body } = await peekType(upload.body, filename);
  if (!isAccepted(slot.allowed_types, { mime, filename })) {
    const allowed = slot.allowed_types.join(', ');
    throw new AppError('unsupported_media_type', `This is ${mime}; the address takes ${allowed}`);
  }
  return { filename, body, max_bytes };
}

function toReceivedUpload({ ctx, slot }: Intake, file: FileRow, download_url: string): ReceivedUpload {
  return {
    file: {
      id: file.id,
      name: file.filename,
      mime: file.mime_type,
      size: file.size_bytes,
      download_url,
    },
    uploaded_at: new Date(ctx.now()).toISOString(),
    client_ip: ctx.client_ip,
    slot_id: slot.run.begin.run_id,
  };
}

/** The slot was open when the file began to arrive. */
class SlotClosed extends Error {}

/** Why it is closed; asked after the transaction, for the embedded database has one connection. */
async function closedBy({ services, ctx, slot }: Intake): Promise<AppError> {
  const now = await slotOfRun(services.execution, slot.run.begin.run_id);
  return toRefusal(determineStatus(now, ctx.now())) ?? noSlot();
}

/**
 * In the transaction of the file: its link, the end of the wait, the cause. Of uploads at the same moment one decides, and
 * what the others have stored goes with their transactions.
 */
async function consume(
  intake: Intake,
  tx: Db,
  { file, masker }: { file: FileRow; masker: Masker | undefined },
) {
  const { services, ctx, slot, workflow } = intake;
  const { run_id } = slot.run.begin;
  const { node_id, iteration, key } = slot.wait;
  const upload = toReceivedUpload(intake, file, await addDefaultLink({ ...ctx, db: tx }, file.id));
  const input = buildInput(node_id, upload);
  const { outcome, announce } = await services.execution.ownership.resumeWithin(sqlWithin(tx), run_id, {
    node_id,
    iteration,
    key,
    decision: 'uploaded',
    data: sealedData(services, input),
    // §6.2, with nothing in it that the owner's secrets would show (§5.8).
    run_input: masker ? masker.mask(input) : input,
  });
  if (outcome !== 'resumed') throw new SlotClosed();
  const at = ctx.now();
  const expires_at = causes_kept_days === null ? null : new Date(at + causes_kept_days * DAY_MS);
  await tx
    .insert(triggerCauses)
    .values({ workflow_id: workflow.id, node_id, cause: run_id, run_id, first_at: new Date(at), expires_at })
    .onConflictDoNothing();
  await recordAttempt(tx, intake, { action: 'file_intake.upload_accepted', details: { file_id: file.id } });
  return { upload, announce };
}

async function receive(intake: Intake, sender: Sender): Promise<ReceivedUpload> {
  const { services, ctx, slot, workflow } = intake;
  const refusal = toRefusal(determineStatus(slot, ctx.now()));
  if (refusal) throw refusal;
  const sent = await requireFile(intake, sender);
  // Asked before the transaction: as many uploads at once as there are connections would wait for one more for ever.
  const { masker } = await services.run_secrets.getSecrets(workflow.owner_id);
  let consumed: Awaited<ReturnType<typeof consume>> | undefined;
  await storeFile(
    { db: ctx.db, files: services.files, now: ctx.now, request_id: ctx.request_id, client_ip: ctx.client_ip },
    {
      ...sent,
      owner_id: workflow.owner_id,
      workflow_id: workflow.id,
      run_id: slot.run.begin.run_id,
      source_node_id: slot.wait.node_id,
    },
    async (tx, file) => {
      consumed = await consume(intake, tx, { file, masker });
    },
  ).catch(async (error: unknown) => {
    throw error instanceof SlotClosed ? await closedBy(intake) : error;
  });
  if (!consumed) throw new Error('a file was stored without ending its wait');
  consumed.announce();
  return consumed.upload;
}

const REASONS: Partial<Record<AppError['code'], string>> = {
  conflict: 'rejected_used',
  gone: 'rejected_expired',
  too_large: 'rejected_size',
  unsupported_media_type: 'rejected_type',
};

/** The facts that the entry of a run that failed is written from. */
export interface Received {
  readonly upload: ReceivedUpload;
  /** The run of the file has ended with an error. */
  runFailed(): Promise<void>;
}

/**
 * Takes the file of a slot. When it resolves, file and decision are stored together, and the run continues.
 *
 * @throws AppError 404, 409, 410, 413, 415; the slot stays open after the last two and after a broken upload
 */
export async function receiveUpload(
  services: Services,
  ctx: IntakeContext,
  { token, sender }: { token: string; sender: Sender },
): Promise<Received> {
  const { execution } = services;
  const slot = await slotOfToken(execution, token);
  const workflow = await execution.workflows.published(slot.run.begin.workflow_id);
  if (!workflow) throw noSlot();
  const intake: Intake = { services, ctx, slot, workflow: workflow.settings, user_agent: sender.user_agent };
  try {
    const upload = await receive(intake, sender);
    const runFailed = () => recordOutcome(intake, { action: 'file_intake.run_failed' });
    return { upload, runFailed };
  } catch (error) {
    if (error instanceof AppError) {
      const action = `file_intake.${REASONS[error.code] ?? 'rejected_broken'}`;
      await recordOutcome(intake, { action, outcome: 'refused' });
    }
    throw error;
  }
}
