import type { BoardCard, BoardCardDetail, CardRun } from '@millrace/contracts';
import { BOARD_LIMITS, CARD_LIMITS } from '@millrace/contracts';
import type { Json } from '@millrace/engine';
import { DAY_MS } from '@millrace/engine/units';
import { conflict, notFound } from '../../../core/app-error.ts';
import { newId } from '../../../core/ids.ts';
import type { Db } from '../../../database/database.ts';
import type { SqlClient } from '../../../database/sql-client.ts';
import { changeBoard, type LockedBoard, type Reader, requireVisible, type Writer } from '../access.ts';
import { requireColumn } from '../columns.ts';
import { cardsIn, freePosition } from '../positions.ts';
import { type ColumnRow, columnAfter, findColumn } from '../queries.ts';
import * as rounds from '../rounds/queries.ts';
import { noteActivity } from './activities.ts';
import * as queries from './queries.ts';
import { activityRecord, attachmentRecord, cardRecord } from './record.ts';

/** A card of a board. */
export interface CardPlace {
  readonly board_id: string;
  readonly id: string;
}

export async function requireCard(
  { db, board }: Pick<LockedBoard, 'db' | 'board'>,
  id: string,
): Promise<queries.PlacedCard> {
  const card = await queries.findCard(db, board.id, id);
  if (!card) throw notFound('Card');
  return card;
}

export async function readListed(db: Db, { board_id, id }: CardPlace): Promise<BoardCard> {
  const card = await queries.listedCard(db, board_id, id);
  if (!card) throw notFound('Card');
  return cardRecord(card);
}

export async function listCards(
  ctx: Reader,
  board_id: string,
  filter: queries.CardFilter,
): Promise<{ cards: BoardCard[]; total: number }> {
  await requireVisible(ctx, board_id);
  const [rows, total] = await Promise.all([
    queries.listCards(ctx.db, board_id, filter),
    queries.countCards(ctx.db, board_id, filter),
  ]);
  return { cards: rows.map(cardRecord), total };
}

function runRecord({ run, column_name }: { run: rounds.LinkRow; column_name: string }): CardRun {
  return {
    id: run.id,
    round_id: run.round_id,
    workflow_id: run.workflow_id,
    workflow_name: run.workflow_name,
    column_name,
    chain_position: run.chain_position,
    chain_length: run.chain_length,
    status: run.status,
    execution_history_id: run.run_id,
    output: run.output === null ? null : (JSON.parse(run.output) as Json),
    output_is_cut: run.output_is_cut,
    error: run.error,
    started_at: run.started_at?.toISOString() ?? null,
    finished_at: run.finished_at?.toISOString() ?? null,
  };
}

export async function readCard(ctx: Reader, { board_id, id }: CardPlace): Promise<BoardCardDetail> {
  await requireVisible(ctx, board_id);
  const card = await readListed(ctx.db, { board_id, id });
  const [activities, attachments, runs] = await Promise.all([
    queries.newestActivities(ctx.db, id, CARD_LIMITS.activities),
    queries.listAttachments(ctx.db, id),
    rounds.newestRuns(ctx.db, id, CARD_LIMITS.runs),
  ]);
  return {
    ...card,
    activities: activities.map(activityRecord),
    attachments: attachments.map(attachmentRecord),
    runs: runs.map(runRecord),
  };
}

function requireRoom({ card_count }: Pick<LockedBoard, 'card_count'>): void {
  if (card_count >= BOARD_LIMITS.cards) throw conflict(`A board has at most ${BOARD_LIMITS.cards} cards`);
}

async function requireFirstColumn(db: Db, board_id: string): Promise<ColumnRow> {
  const column = await columnAfter(db, board_id, undefined);
  if (!column) throw conflict('The board has no columns; add one first');
  return column;
}

export async function createCard(
  ctx: Writer,
  board_id: string,
  input: {
    title: string;
    content: string;
    column_id?: string | null | undefined;
    position?: number | null | undefined;
  },
): Promise<BoardCard> {
  const id = newId();
  return changeBoard(ctx, { id: board_id, need: 'write' }, async (locked) => {
    const { db } = locked;
    requireRoom(locked);
    const column = input.column_id
      ? await requireColumn(locked, input.column_id)
      : await requireFirstColumn(db, board_id);
    const created_at = new Date(ctx.now());
    await queries.insertCard(db, {
      id,
      board_id,
      column_id: column.id,
      title: input.title,
      content: input.content,
      position: await freePosition(db, cardsIn(column.id), { wanted: input.position }),
      created_by: ctx.actor.user_id,
      created_at,
      updated_at: created_at,
    });
    await noted(ctx, db, { card_id: id, kind: 'created', content: column.name });
    return readListed(db, { board_id, id });
  });
}

type Noted = Pick<queries.ActivityRow, 'card_id' | 'kind' | 'content'>;

/** Notes what the caller did. */
export const noted = (ctx: Writer, db: Db, what: Noted): Promise<string> =>
  noteActivity(db, { ...what, actor_id: ctx.actor.user_id, at_ms: ctx.now() });

export async function updateCard(
  ctx: Writer,
  place: CardPlace,
  input: { title?: string | null | undefined; content?: string | null | undefined },
): Promise<BoardCard> {
  return changeBoard(ctx, { id: place.board_id, need: 'write' }, async (locked) => {
    const { db } = locked;
    const card = await requireCard(locked, place.id);
    const title = input.title ?? card.title;
    const content = input.content ?? card.content;
    if (title !== card.title || content !== card.content) {
      await queries.updateCard(db, card.id, { title, content, updated_at: new Date(ctx.now()) });
      await noted(ctx, db, { card_id: card.id, kind: 'edited', content: title });
    }
    return readListed(db, place);
  });
}

export async function deleteCard(ctx: Writer, place: CardPlace): Promise<void> {
  await changeBoard(ctx, { id: place.board_id, need: 'write' }, async (locked) => {
    const { db } = locked;
    const card = await requireCard(locked, place.id);
    await queries.updateCard(db, card.id, { deleted_at: new Date(ctx.now()) });
    await rounds.stopRounds(db, [card.id]);
  });
}

/** Puts a deleted card back to its place; where its column was deleted, too, at the end of the first one. */
export async function restoreCard(ctx: Writer, place: CardPlace): Promise<BoardCard> {
  return changeBoard(ctx, { id: place.board_id, need: 'write' }, async (locked) => {
    const { db, board } = locked;
    const card = await queries.findDeletedCard(db, board.id, place.id);
    if (!card) throw notFound('Card');
    requireRoom(locked);
    const former = card.column_id === null ? undefined : await findColumn(db, board.id, card.column_id);
    const column = former ?? (await requireFirstColumn(db, board.id));
    const wanted = former && card.position;
    const position = await freePosition(db, cardsIn(column.id), { wanted, self: card.id });
    await queries.updateCard(db, card.id, { deleted_at: null, column_id: column.id, position });
    await noted(ctx, db, { card_id: card.id, kind: 'restored', content: column.name });
    return readListed(db, place);
  });
}

const RESTORABLE_DAYS = 30;

/** Removes deleted cards that were not restored in time; attached files stay in the Drive of their owner. */
export const purgeDeletedCards = (sql: SqlClient, now_ms: number): Promise<number> =>
  queries.purgeCards(sql, new Date(now_ms - RESTORABLE_DAYS * DAY_MS));

/** Removes what cards show of chains that ended longer ago than runs are kept; 0 days keeps it. */
export const purgeCardRuns = (
  sql: SqlClient,
  { now_ms, days }: { now_ms: number; days: number },
): Promise<number> =>
  days === 0 ? Promise.resolve(0) : rounds.purgeRounds(sql, new Date(now_ms - days * DAY_MS));
