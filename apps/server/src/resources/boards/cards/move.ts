import type { BoardCard } from '@millrace/contracts';
import { conflict } from '../../../core/app-error.ts';
import type { Db } from '../../../database/database.ts';
import { changeBoard, type Writer } from '../access.ts';
import { requireColumn } from '../columns.ts';
import { cardsIn, freePosition } from '../positions.ts';
import { type ColumnRow } from '../queries.ts';
import * as rounds from '../rounds/queries.ts';
import { startRound } from '../rounds/start-round.ts';
import { noteActivity } from './activities.ts';
import { requireCommentRoom } from './comments.ts';
import * as queries from './queries.ts';
import { type CardPlace, noted, readListed, requireCard } from './service.ts';

interface Move {
  readonly card: queries.CardRow;
  readonly to: ColumnRow;
  readonly position?: number | null | undefined;
  /** Null when the card moves by itself, after a chain that succeeded. */
  readonly actor_id: string | null;
  readonly at_ms: number;
}

/**
 * Puts a card elsewhere. Another column starts its chain, once for each move: the move is the cause, and is stored together
 * with it. While an earlier chain of the card is under way, the new one waits for its end.
 *
 * @param db the transaction, which holds the lock of the board
 */
export async function placeCard(
  db: Db,
  { card, to, position: wanted, actor_id, at_ms }: Move,
): Promise<void> {
  const stays = card.column_id === to.id;
  if (stays && (wanted === null || wanted === undefined || wanted === card.position)) return;
  const position = await freePosition(db, cardsIn(to.id), { wanted, self: card.id });
  const updated_at = new Date(at_ms);
  await queries.updateCard(db, card.id, { column_id: to.id, position, updated_at });
  if (stays) return;
  await noteActivity(db, { card_id: card.id, kind: 'moved', actor_id, content: to.name, at_ms });
  const started = await startRound(db, { card, column: to, started_by: actor_id, at_ms });
  // The status described the column that the card has left.
  if (!started && !(await rounds.hasOpenRound(db, card.id))) await rounds.setCardStatus(db, card.id, 'idle');
}

export async function moveCard(
  ctx: Writer,
  place: CardPlace,
  input: { to_column_id: string; position?: number | null | undefined },
): Promise<BoardCard> {
  return changeBoard(ctx, { id: place.board_id, need: 'write' }, async (locked) => {
    const { db } = locked;
    const card = await requireCard(locked, place.id);
    const to = await requireColumn(locked, input.to_column_id);
    const { position } = input;
    await placeCard(db, { card, to, position, actor_id: ctx.actor.user_id, at_ms: ctx.now() });
    return readListed(db, place);
  });
}

interface RunAgain {
  readonly comment: string | null;
  readonly skip_auto_advance: boolean;
}

/** Runs the chain of the card's column again; with a comment as its follow-up. */
export async function runCard(ctx: Writer, place: CardPlace, again: RunAgain): Promise<BoardCard> {
  return changeBoard(ctx, { id: place.board_id, need: 'write' }, async (locked) => {
    const { db } = locked;
    const card = await requireCard(locked, place.id);
    if (await rounds.hasOpenRound(db, card.id)) {
      throw conflict('Workflows are already running on this card; wait for them or stop them');
    }
    if (again.comment !== null) {
      await requireCommentRoom(db, card.id);
      await noted(ctx, db, { card_id: card.id, kind: 'comment', content: again.comment });
    }
    const column = await requireColumn(locked, card.column_id);
    const cause = { card, column, started_by: ctx.actor.user_id, at_ms: ctx.now() };
    if (!(await startRound(db, { ...cause, ...again }))) {
      throw conflict(`The column "${column.name}" has no workflows; add one in its settings`);
    }
    return readListed(db, place);
  });
}

export async function stopCard(ctx: Writer, place: CardPlace): Promise<BoardCard> {
  return changeBoard(ctx, { id: place.board_id, need: 'write' }, async (locked) => {
    const { db } = locked;
    const card = await requireCard(locked, place.id);
    if (!(await rounds.hasOpenRound(db, card.id))) throw conflict('No workflow is running on this card');
    await rounds.stopRounds(db, [card.id]);
    return readListed(db, place);
  });
}
