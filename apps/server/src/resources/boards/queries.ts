import { and, asc, eq, inArray, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../database/database.ts';
import {
  boardCards,
  boardColumns,
  boardColumnWorkflows,
  boardRounds,
  boards,
  users,
  workflows,
} from '../../database/schema/index.ts';
import { buildReachColumns } from '../shares/reach.ts';
import { boardShareable, grantRank, mayWrite, visibleIds } from '../shares/shareable.ts';

export type BoardRow = typeof boards.$inferSelect;
export type ColumnRow = typeof boardColumns.$inferSelect;

function selectVisible(db: Db, user_id: string, condition?: SQL) {
  return db
    .select({
      board: boards,
      may_write: mayWrite(boardShareable, user_id),
      column_count: sql<number>`(SELECT count(*) FROM ${boardColumns} WHERE ${boardColumns.board_id} = ${boards.id})::int`,
      card_count: sql<number>`(SELECT count(*) FROM ${boardCards}
        WHERE ${boardCards.board_id} = ${boards.id} AND ${boardCards.deleted_at} IS NULL)::int`,
      ...buildReachColumns(boardShareable, user_id),
    })
    .from(boards)
    .innerJoin(users, eq(users.id, boards.owner_id))
    .where(and(inArray(boards.id, visibleIds(boardShareable, user_id)), condition));
}

export type VisibleRow = Awaited<ReturnType<typeof selectVisible>>[number];

export const listVisible = (db: Db, user_id: string): Promise<VisibleRow[]> =>
  selectVisible(db, user_id).orderBy(grantRank(boardShareable, user_id), asc(boards.name), asc(boards.id));

export async function visibleById(db: Db, user_id: string, id: string): Promise<VisibleRow | undefined> {
  const [row] = await selectVisible(db, user_id, eq(boards.id, id));
  return row;
}

/** Queried every few seconds by each page that shows the board. */
export async function findRevision(db: Db, user_id: string, id: string): Promise<number | undefined> {
  const [row] = await db
    .select({ revision: boards.revision })
    .from(boards)
    .where(and(eq(boards.id, id), inArray(boards.id, visibleIds(boardShareable, user_id))));
  return row?.revision;
}

export async function lockBoard(db: Db, id: string): Promise<BoardRow | undefined> {
  const [row] = await db.select().from(boards).where(eq(boards.id, id)).for('update');
  return row;
}

export const raiseRevision = (db: Db, id: string, at: Date) =>
  db
    .update(boards)
    .set({ revision: sql`${boards.revision} + 1`, updated_at: at })
    .where(eq(boards.id, id));

export const insertBoard = (db: Db, row: typeof boards.$inferInsert) => db.insert(boards).values(row);

export const updateBoard = (db: Db, id: string, change: Partial<BoardRow>) =>
  db.update(boards).set(change).where(eq(boards.id, id));

export const deleteBoard = (db: Db, id: string) => db.delete(boards).where(eq(boards.id, id));

export async function hasOpenRounds(db: Db, board_id: string): Promise<boolean> {
  const rows = await db
    .select({ id: boardRounds.id })
    .from(boardRounds)
    .where(and(eq(boardRounds.board_id, board_id), eq(boardRounds.state, 'open')))
    .limit(1);
  return rows.length > 0;
}

/** Columns of a board in their order, each with how many cards it has. */
export const listColumns = (db: Db, board_id: string) =>
  db
    .select({
      column: boardColumns,
      card_count: sql<number>`count(${boardCards.id})::int`,
    })
    .from(boardColumns)
    .leftJoin(
      boardCards,
      and(eq(boardCards.column_id, boardColumns.id), sql`${boardCards.deleted_at} IS NULL`),
    )
    .where(eq(boardColumns.board_id, board_id))
    .groupBy(boardColumns.id)
    .orderBy(asc(boardColumns.position), asc(boardColumns.id));

export interface ChainLink {
  readonly column_id: string;
  readonly workflow_id: string;
  readonly workflow_name: string;
  readonly position: number;
}

/** The chains of some columns, each in its order. */
export const listChains = (db: Db, column_ids: readonly string[]): Promise<ChainLink[]> =>
  db
    .select({
      column_id: boardColumnWorkflows.column_id,
      workflow_id: boardColumnWorkflows.workflow_id,
      workflow_name: workflows.name,
      position: boardColumnWorkflows.position,
    })
    .from(boardColumnWorkflows)
    .innerJoin(workflows, eq(workflows.id, boardColumnWorkflows.workflow_id))
    .where(inArray(boardColumnWorkflows.column_id, [...column_ids]))
    .orderBy(asc(boardColumnWorkflows.column_id), asc(boardColumnWorkflows.position));

export async function writeChain(db: Db, column_id: string, workflow_ids: readonly string[]): Promise<void> {
  await db.delete(boardColumnWorkflows).where(eq(boardColumnWorkflows.column_id, column_id));
  if (workflow_ids.length === 0) return;
  await db
    .insert(boardColumnWorkflows)
    .values(workflow_ids.map((workflow_id, position) => ({ column_id, workflow_id, position })));
}

export async function findColumn(db: Db, board_id: string, id: string): Promise<ColumnRow | undefined> {
  const [row] = await db
    .select()
    .from(boardColumns)
    .where(and(eq(boardColumns.id, id), eq(boardColumns.board_id, board_id)));
  return row;
}

/** The column at the left end, or the next one to the right of another, in the order in which they are shown. */
export async function columnAfter(
  db: Db,
  board_id: string,
  column: Pick<ColumnRow, 'id' | 'position'> | undefined,
): Promise<ColumnRow | undefined> {
  const [row] = await db
    .select()
    .from(boardColumns)
    .where(
      and(
        eq(boardColumns.board_id, board_id),
        column &&
          sql`(${boardColumns.position}, ${boardColumns.id}) > (${column.position}::float8, ${column.id}::uuid)`,
      ),
    )
    .orderBy(asc(boardColumns.position), asc(boardColumns.id))
    .limit(1);
  return row;
}

export const insertColumns = (db: Db, rows: (typeof boardColumns.$inferInsert)[]) =>
  db.insert(boardColumns).values(rows);

export const updateColumn = (db: Db, id: string, change: Partial<ColumnRow>) =>
  db.update(boardColumns).set(change).where(eq(boardColumns.id, id));

export const deleteColumn = (db: Db, id: string) => db.delete(boardColumns).where(eq(boardColumns.id, id));
