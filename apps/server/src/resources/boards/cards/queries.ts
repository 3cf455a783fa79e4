import { CARD_LIMITS, type CardStatus } from '@millrace/contracts';
import { and, asc, desc, eq, inArray, isNotNull, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../../database/database.ts';
import { deleteInSlices } from '../../../database/delete-in-slices.ts';
import { likePattern } from '../../../database/like-pattern.ts';
import {
  boardActivities,
  boardAttachments,
  boardCards,
  boardColumns,
  boards,
  files,
  users,
} from '../../../database/schema/index.ts';
import type { SqlClient } from '../../../database/sql-client.ts';

export type CardRow = typeof boardCards.$inferSelect;

const listed = (content: SQL<string>, is_excerpt: SQL<boolean>) => ({
  id: boardCards.id,
  board_id: boardCards.board_id,
  column_id: boardColumns.id,
  title: boardCards.title,
  content,
  is_excerpt,
  position: boardCards.position,
  run_status: boardCards.run_status,
  comments: sql<number>`(SELECT count(*) FROM ${boardActivities}
    WHERE ${boardActivities.card_id} = ${boardCards.id} AND ${boardActivities.kind} = 'comment')::int`,
  attachments: sql<number>`(SELECT count(*) FROM ${boardAttachments}
    WHERE ${boardAttachments.card_id} = ${boardCards.id})::int`,
  created_by: users.name,
  created_at: boardCards.created_at,
  updated_at: boardCards.updated_at,
});

const EXCERPT = sql.raw(String(CARD_LIMITS.excerpt));
const excerpts = listed(
  sql<string>`left(${boardCards.content}, ${EXCERPT})`,
  sql<boolean>`length(${boardCards.content}) > ${EXCERPT}`,
);
const whole = listed(sql<string>`${boardCards.content}`, sql<boolean>`false`);

const isThere = isNull(boardCards.deleted_at);

function select(db: Db, columns: typeof whole, condition: SQL | undefined) {
  return db
    .select(columns)
    .from(boardCards)
    .innerJoin(boardColumns, eq(boardColumns.id, boardCards.column_id))
    .leftJoin(users, eq(users.id, boardCards.created_by))
    .where(and(isThere, condition));
}

export type ListedCard = Awaited<ReturnType<typeof select>>[number];

const inOrder = [
  asc(boardColumns.position),
  asc(boardColumns.id),
  asc(boardCards.position),
  asc(boardCards.id),
];

/** Cards of all columns, the first ones of each before the next ones of any. */
export const firstOfEach = (db: Db, board_id: string, limit: number): Promise<ListedCard[]> =>
  select(
    db,
    excerpts,
    sql`${boardCards.id} IN (SELECT o.id FROM (
      SELECT c.id, c.column_id, row_number() OVER (PARTITION BY c.column_id ORDER BY c.position, c.id) AS place
      FROM board_cards c WHERE c.board_id = ${board_id} AND c.deleted_at IS NULL) o
      ORDER BY o.place, o.column_id LIMIT ${limit})`,
  ).orderBy(...inOrder);

export interface CardFilter {
  readonly column_id?: string | undefined;
  readonly search?: string | undefined;
  readonly run_status?: CardStatus | undefined;
  readonly limit: number;
  readonly offset: number;
}

function matches(board_id: string, { column_id, search, run_status }: CardFilter): SQL | undefined {
  const words = search?.trim() ? likePattern(search.trim()) : undefined;
  return and(
    eq(boardCards.board_id, board_id),
    column_id === undefined ? undefined : eq(boardCards.column_id, column_id),
    run_status === undefined ? undefined : eq(boardCards.run_status, run_status),
    words === undefined
      ? undefined
      : or(
          sql`${boardCards.title} ILIKE ${words}`,
          sql`${boardCards.content} ILIKE ${words}`,
          sql`EXISTS (SELECT 1 FROM ${boardActivities} WHERE ${boardActivities.card_id} = ${boardCards.id}
            AND ${boardActivities.kind} = 'comment' AND ${boardActivities.content} ILIKE ${words})`,
        ),
  );
}

export const listCards = (db: Db, board_id: string, filter: CardFilter): Promise<ListedCard[]> =>
  select(db, excerpts, matches(board_id, filter))
    .orderBy(...inOrder)
    .limit(filter.limit)
    .offset(filter.offset);

export const countCards = (db: Db, board_id: string, filter: CardFilter): Promise<number> =>
  db.$count(boardCards, and(isThere, matches(board_id, filter)));

export const countIn = (db: Db, column_id: string): Promise<number> =>
  db.$count(boardCards, and(isThere, eq(boardCards.column_id, column_id)));

export async function listedCard(db: Db, board_id: string, id: string): Promise<ListedCard | undefined> {
  const [row] = await select(db, whole, and(eq(boardCards.id, id), eq(boardCards.board_id, board_id)));
  return row;
}

/** A card that is not deleted, and therefore has a column. */
export type PlacedCard = CardRow & { readonly column_id: string };

async function findOne(db: Db, board_id: string, condition: SQL | undefined): Promise<CardRow | undefined> {
  const [row] = await db
    .select()
    .from(boardCards)
    .where(and(eq(boardCards.board_id, board_id), condition));
  return row;
}

export async function findCard(db: Db, board_id: string, id: string): Promise<PlacedCard | undefined> {
  const row = await findOne(db, board_id, and(eq(boardCards.id, id), isThere));
  return row && row.column_id !== null ? { ...row, column_id: row.column_id } : undefined;
}

export const findDeletedCard = (db: Db, board_id: string, id: string): Promise<CardRow | undefined> =>
  findOne(db, board_id, and(eq(boardCards.id, id), isNotNull(boardCards.deleted_at)));

/** A card, deleted or not, with its board. */
export const withBoard = (db: Db, id: string) =>
  db
    .select({ card: boardCards, board: boards })
    .from(boardCards)
    .innerJoin(boards, eq(boards.id, boardCards.board_id))
    .where(eq(boardCards.id, id));

export const insertCard = (db: Db, row: typeof boardCards.$inferInsert) => db.insert(boardCards).values(row);

export const updateCard = (db: Db, id: string, change: Partial<CardRow>) =>
  db.update(boardCards).set(change).where(eq(boardCards.id, id));

/** @returns ids of the cards that are gone now */
export async function deleteIn(db: Db, column_id: string, deleted_at: Date): Promise<string[]> {
  const rows = await db
    .update(boardCards)
    .set({ deleted_at })
    .where(and(isThere, eq(boardCards.column_id, column_id)))
    .returning({ id: boardCards.id });
  return rows.map(({ id }) => id);
}

/**
 * Cards whose runs are still being ended stay until that is done: their rounds do it, which go with them.
 *
 * @returns how many cards were removed for good
 */
export const purgeCards = (sql: SqlClient, deleted_before: Date): Promise<number> =>
  deleteInSlices(
    sql,
    `DELETE FROM board_cards WHERE id IN (
      SELECT c.id FROM board_cards c WHERE c.deleted_at < $1
        AND NOT EXISTS (SELECT 1 FROM board_rounds o WHERE o.card_id = c.id AND o.state = 'open')
      LIMIT $2)`,
    [deleted_before],
  );

export type ActivityRow = typeof boardActivities.$inferSelect;

export const insertActivity = (db: Db, row: typeof boardActivities.$inferInsert) =>
  db.insert(boardActivities).values(row);

function selectActivities(db: Db, condition: SQL | undefined) {
  return db
    .select({ activity: boardActivities, actor_name: users.name })
    .from(boardActivities)
    .leftJoin(users, eq(users.id, boardActivities.actor_id))
    .where(condition)
    .orderBy(desc(boardActivities.id));
}

export const newestActivities = (db: Db, card_id: string, limit: number) =>
  selectActivities(db, eq(boardActivities.card_id, card_id)).limit(limit);

export const newestComments = (db: Db, card_id: string, limit: number) =>
  selectActivities(db, and(eq(boardActivities.card_id, card_id), eq(boardActivities.kind, 'comment'))).limit(
    limit,
  );

export const countComments = (db: Db, card_id: string): Promise<number> =>
  db.$count(boardActivities, and(eq(boardActivities.card_id, card_id), eq(boardActivities.kind, 'comment')));

export async function findComment(db: Db, card_id: string, id: string): Promise<ActivityRow | undefined> {
  const [row] = await db
    .select()
    .from(boardActivities)
    .where(
      and(
        eq(boardActivities.id, id),
        eq(boardActivities.card_id, card_id),
        eq(boardActivities.kind, 'comment'),
      ),
    );
  return row;
}

export const deleteActivity = (db: Db, id: string) =>
  db.delete(boardActivities).where(eq(boardActivities.id, id));

export const listAttachments = (db: Db, card_id: string) =>
  db
    .select({ attachment: boardAttachments, file: files })
    .from(boardAttachments)
    .innerJoin(files, eq(files.id, boardAttachments.file_id))
    .where(eq(boardAttachments.card_id, card_id))
    .orderBy(asc(boardAttachments.created_at), asc(boardAttachments.id));

export type AttachedFile = Awaited<ReturnType<typeof listAttachments>>[number];

export async function findAttachment(db: Db, card_id: string, id: string): Promise<AttachedFile | undefined> {
  const [row] = await db
    .select({ attachment: boardAttachments, file: files })
    .from(boardAttachments)
    .innerJoin(files, eq(files.id, boardAttachments.file_id))
    .where(and(eq(boardAttachments.card_id, card_id), eq(boardAttachments.id, id)));
  return row;
}

export const insertAttachment = (db: Db, row: typeof boardAttachments.$inferInsert) =>
  db.insert(boardAttachments).values(row);

export const deleteAttachment = (db: Db, id: string) =>
  db.delete(boardAttachments).where(inArray(boardAttachments.id, [id]));
