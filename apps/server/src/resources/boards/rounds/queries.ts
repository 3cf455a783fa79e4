import type { CardStatus } from '@millrace/contracts';
import { and, asc, desc, eq, inArray, isNotNull, isNull, max, sql } from 'drizzle-orm';
import type { Db } from '../../../database/database.ts';
import { boardCardRuns, boardCards, boardRounds } from '../../../database/schema/index.ts';

export type RoundRow = typeof boardRounds.$inferSelect;
export type LinkRow = typeof boardCardRuns.$inferSelect;

export async function nextNumber(db: Db, card_id: string): Promise<number> {
  const [row] = await db
    .select({ number: max(boardRounds.number) })
    .from(boardRounds)
    .where(eq(boardRounds.card_id, card_id));
  return (row?.number ?? 0) + 1;
}

export async function insertRound(
  db: Db,
  round: typeof boardRounds.$inferInsert,
  links: (typeof boardCardRuns.$inferInsert)[],
): Promise<void> {
  await db.insert(boardRounds).values(round);
  await db.insert(boardCardRuns).values(links);
}

export async function hasOpenRound(db: Db, card_id: string): Promise<boolean> {
  const rows = await db
    .select({ id: boardRounds.id })
    .from(boardRounds)
    .where(and(eq(boardRounds.card_id, card_id), eq(boardRounds.state, 'open')))
    .limit(1);
  return rows.length > 0;
}

/** Requests the end of the open rounds of some cards; the process that claims them next does that. */
export async function stopRounds(db: Db, card_ids: readonly string[]): Promise<void> {
  if (card_ids.length === 0) return;
  await db
    .update(boardRounds)
    .set({ stop_requested: true, next_look_at: sql`now()` })
    .where(and(inArray(boardRounds.card_id, [...card_ids]), eq(boardRounds.state, 'open')));
}

/** Ids of the runs on a board that have been started and have not been seen to end. */
export async function runsOnBoard(db: Db, board_id: string): Promise<string[]> {
  const rows = await db
    .select({ run_id: boardCardRuns.run_id })
    .from(boardCardRuns)
    .innerJoin(boardRounds, eq(boardRounds.id, boardCardRuns.round_id))
    .where(
      and(
        eq(boardRounds.board_id, board_id),
        eq(boardRounds.state, 'open'),
        isNotNull(boardCardRuns.run_id),
        isNull(boardCardRuns.finished_at),
      ),
    );
  return rows.flatMap(({ run_id }) => (run_id === null ? [] : [run_id]));
}

/** The newest runs of a card, newest chain first, each chain in its order. */
export const newestRuns = (db: Db, card_id: string, limit: number) =>
  db
    .select({ run: boardCardRuns, column_name: boardRounds.column_name })
    .from(boardCardRuns)
    .innerJoin(boardRounds, eq(boardRounds.id, boardCardRuns.round_id))
    .where(eq(boardRounds.card_id, card_id))
    .orderBy(desc(boardRounds.number), asc(boardCardRuns.chain_position))
    .limit(limit);

export async function findRound(db: Db, id: string): Promise<RoundRow | undefined> {
  const [row] = await db.select().from(boardRounds).where(eq(boardRounds.id, id));
  return row;
}

export const listLinks = (db: Db, round_id: string): Promise<LinkRow[]> =>
  db
    .select()
    .from(boardCardRuns)
    .where(eq(boardCardRuns.round_id, round_id))
    .orderBy(asc(boardCardRuns.chain_position));

export const updateLink = (db: Db, id: string, change: Partial<LinkRow>) =>
  db.update(boardCardRuns).set(change).where(eq(boardCardRuns.id, id));

/** Runs that have not started never will. */
export const cancelPending = (db: Db, round_id: string, finished_at: Date) =>
  db
    .update(boardCardRuns)
    .set({ status: 'cancelled', finished_at })
    .where(and(eq(boardCardRuns.round_id, round_id), eq(boardCardRuns.status, 'pending')));

export const endRound = (db: Db, id: string, change: Pick<RoundRow, 'state' | 'finished_at'>) =>
  db.update(boardRounds).set(change).where(eq(boardRounds.id, id));

const after = (seconds: number) => sql`now() + make_interval(secs => ${seconds}::float8)`;

/**
 * After a look that went well.
 *
 * @param seconds until a process looks at the round again
 */
export const lookAgain = (db: Db, id: string, seconds: number) =>
  db
    .update(boardRounds)
    .set({ next_look_at: after(seconds), failures: 0 })
    .where(eq(boardRounds.id, id));

/**
 * After a look that failed.
 *
 * @returns how many failed in a row; undefined when the round is over
 */
export async function restAfterFailure(
  db: Db,
  id: string,
  { seconds, is_counted }: { seconds: number; is_counted: boolean },
): Promise<number | undefined> {
  const [row] = await db
    .update(boardRounds)
    .set({
      next_look_at: after(seconds),
      failures: is_counted ? sql`${boardRounds.failures} + 1` : boardRounds.failures,
    })
    .where(and(eq(boardRounds.id, id), eq(boardRounds.state, 'open')))
    .returning({ failures: boardRounds.failures });
  return row?.failures;
}

export const setCardStatus = (db: Db, card_id: string, run_status: CardStatus) =>
  db.update(boardCards).set({ run_status }).where(eq(boardCards.id, card_id));
