import type { CardActivity } from '@millrace/contracts';
import { CARD_LIMITS } from '@millrace/contracts';
import { conflict, forbidden, notFound } from '../../../core/app-error.ts';
import type { Db } from '../../../database/database.ts';
import { changeBoard, type Writer } from '../access.ts';
import * as queries from './queries.ts';
import { activityRecord } from './record.ts';
import { type CardPlace, noted, requireCard } from './service.ts';

export async function requireCommentRoom(db: Db, card_id: string): Promise<void> {
  if ((await queries.countComments(db, card_id)) < CARD_LIMITS.comments) return;
  throw conflict(`A card has at most ${CARD_LIMITS.comments} comments; delete some first`);
}

export async function addComment(ctx: Writer, place: CardPlace, content: string): Promise<CardActivity> {
  return changeBoard(ctx, { id: place.board_id, need: 'write' }, async (locked) => {
    const { db } = locked;
    const card = await requireCard(locked, place.id);
    await requireCommentRoom(db, card.id);
    const id = await noted(ctx, db, { card_id: card.id, kind: 'comment', content });
    const activity = await queries.findComment(db, card.id, id);
    if (!activity) throw new Error('the comment was not stored');
    return activityRecord({ activity, actor_name: ctx.actor.name });
  });
}

/** Only comments can be deleted: what happened to a card stays. */
export async function deleteActivity(ctx: Writer, place: CardPlace, activity_id: string): Promise<void> {
  await changeBoard(ctx, { id: place.board_id, need: 'write' }, async (locked) => {
    const { db, rank } = locked;
    const card = await requireCard(locked, place.id);
    const comment = await queries.findComment(db, card.id, activity_id);
    if (!comment) throw notFound('Comment');
    if (comment.actor_id !== ctx.actor.user_id && rank !== 0) {
      throw forbidden('Only its author and the owner of the board may delete a comment');
    }
    await queries.deleteActivity(db, comment.id);
  });
}
