import type { CardAttachment } from '@millrace/contracts';
import { CARD_LIMITS } from '@millrace/contracts';
import { MEGABYTE } from '@millrace/engine/units';
import { conflict, notFound } from '../../../core/app-error.ts';
import { newId } from '../../../core/ids.ts';
import type { FileContent, PickRange } from '../../../ports/file-store.ts';
import type { Context, Services } from '../../../services.ts';
import { openContent } from '../../files/content.ts';
import { storeFile } from '../../files/store-file.ts';
import { changeBoard, type Reader, requireVisible, requireWriter, type Writer } from '../access.ts';
import * as queries from './queries.ts';
import { attachmentRecord } from './record.ts';
import { type CardPlace, noted, requireCard } from './service.ts';

type Attacher = Writer & Pick<Context, 'config'> & Pick<Services, 'files'>;

export interface AttachedUpload {
  /** Of the board, from `requireAttachable`. */
  readonly owner_id: string;
  readonly filename: string;
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * Before anything of a file is read, so that a caller who may not attach it stores nothing.
 *
 * @returns the owner of the board
 */
export async function requireAttachable(ctx: Reader, { board_id, id }: CardPlace): Promise<string> {
  const row = await requireVisible(ctx, board_id);
  requireWriter(row);
  const { board } = row;
  await requireCard({ db: ctx.db, board }, id);
  return board.owner_id;
}

/**
 * Attaches a file to a card. It belongs to the owner of the board, as whom the workflows run that read it; it has no
 * public link.
 */
export async function attachFile(
  ctx: Attacher,
  place: CardPlace,
  { owner_id, ...upload }: AttachedUpload,
): Promise<CardAttachment> {
  const id = newId();
  const input = { owner_id, ...upload, max_bytes: ctx.config.FILE_MAX_SIZE_MB * MEGABYTE };
  await storeFile(ctx, input, async (tx, file) => {
    await changeBoard({ ...ctx, db: tx }, { id: place.board_id, need: 'write' }, async (locked) => {
      const { db } = locked;
      const card = await requireCard(locked, place.id);
      if ((await queries.listAttachments(db, card.id)).length >= CARD_LIMITS.attachments) {
        throw conflict(`A card has at most ${CARD_LIMITS.attachments} attachments`);
      }
      const created_at = new Date(ctx.now());
      await queries.insertAttachment(db, { id, card_id: card.id, file_id: file.id, created_at });
      await noted(ctx, db, { card_id: card.id, kind: 'attached', content: file.filename });
    });
  });
  const attached = await queries.findAttachment(ctx.db, place.id, id);
  if (!attached) throw notFound('Attachment');
  return attachmentRecord(attached);
}

export async function downloadAttachment(
  ctx: Reader & Pick<Services, 'files'>,
  { board_id, id }: CardPlace,
  { attachment_id, pickRange }: { attachment_id: string; pickRange: PickRange },
): Promise<FileContent> {
  const { board } = await requireVisible(ctx, board_id);
  const card = await requireCard({ db: ctx.db, board }, id);
  const attached = await queries.findAttachment(ctx.db, card.id, attachment_id);
  if (!attached) throw notFound('Attachment');
  return openContent(ctx.files, attached.file, pickRange);
}

export async function removeAttachment(ctx: Writer, place: CardPlace, attachment_id: string): Promise<void> {
  await changeBoard(ctx, { id: place.board_id, need: 'write' }, async (locked) => {
    const { db } = locked;
    const card = await requireCard(locked, place.id);
    const attached = await queries.findAttachment(db, card.id, attachment_id);
    if (!attached) throw notFound('Attachment');
    await queries.deleteAttachment(db, attachment_id);
    await noted(ctx, db, { card_id: card.id, kind: 'detached', content: attached.file.filename });
  });
}
