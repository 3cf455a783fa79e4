import { and, asc, eq, lt, ne, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../database/database.ts';
import { boardCards, boardColumns } from '../../database/schema/index.ts';

/** Things that are ordered by fractional ranks: the columns of a board, or the cards of a column. */
export interface Ordered {
  readonly table: typeof boardColumns | typeof boardCards;
  readonly of: SQL | undefined;
}

export const columnsIn = (board_id: string): Ordered => ({
  table: boardColumns,
  of: eq(boardColumns.board_id, board_id),
});

export const cardsIn = (column_id: string): Ordered => ({
  table: boardCards,
  of: and(eq(boardCards.column_id, column_id), sql`${boardCards.deleted_at} IS NULL`),
});

/** Whole numbers from 0 again, in the same order. */
async function renumber(db: Db, { table, of }: Ordered): Promise<void> {
  const order = db
    .select({
      id: table.id,
      place: sql<number>`row_number() OVER (ORDER BY ${table.position}, ${table.id})`.as('place'),
    })
    .from(table)
    .where(of)
    .as('o');
  await db.execute(sql`
    UPDATE ${table} SET position = o.place - 1 FROM (SELECT ${order.id}, ${order.place} FROM ${order}) o
    WHERE ${table.id} = o.id`);
}

/**
 * The rank of a new item: the requested one where it is free, halfway to the previous one where it is taken, after the last
 * one when none is requested. `db` is a transaction that holds the lock of the board.
 *
 * @param self the item being moved, which is not compared with itself
 */
export async function freePosition(
  db: Db,
  ordered: Ordered,
  { wanted, self }: { wanted: number | null | undefined; self?: string },
): Promise<number> {
  const { table } = ordered;
  const others = and(ordered.of, self === undefined ? undefined : ne(table.id, self));
  if (wanted === null || wanted === undefined) {
    const [last] = await db
      .select({ position: sql<number | null>`max(${table.position})` })
      .from(table)
      .where(others);
    return last?.position === null || last === undefined ? 0 : Math.floor(last.position) + 1;
  }
  const [holder] = await db
    .select({ id: table.id })
    .from(table)
    .where(and(others, eq(table.position, wanted)))
    .orderBy(asc(table.id))
    .limit(1);
  if (!holder) return wanted;
  const [before] = await db
    .select({ position: sql<number | null>`max(${table.position})` })
    .from(table)
    .where(and(others, lt(table.position, wanted)));
  const previous = before?.position ?? null;
  if (previous === null) return wanted - 1;
  const between = (previous + wanted) / 2;
  if (between > previous && between < wanted) return between;
  await renumber(db, ordered);
  const [moved] = await db.select({ position: table.position }).from(table).where(eq(table.id, holder.id));
  return freePosition(db, ordered, { wanted: moved?.position ?? wanted, ...(self ? { self } : {}) });
}
