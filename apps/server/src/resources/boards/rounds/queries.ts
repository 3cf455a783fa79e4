import type { CardStatus } from '@millrace/contracts';
import { and, asc, desc, eq, inArray, isNotNull, isNull, max, sql } from 'drizzle-orm';
import type { Db } from '../../../database/database.ts';
import { deleteInSlices } from '../../../database/delete-in-slices.ts';
import { boardCardRuns, boardCards, boardRounds } from '../../../database/schema/index.ts';
import type { SqlClient } from '../../../database/sql-client.ts';
import type { Claim, ClaimTable } from '../../../execution/claimed-work/claims.ts';
import { SHOWN_PROGRESS } from '../../../execution/store/run-progress.ts';
import { hasNotEnded } from '../../../execution/store/run-state.ts';

export type RoundRow = typeof boardRounds.$inferSelect;
export type LinkRow = typeof boardCardRuns.$inferSelect;

/**
 * A round is ready when its next run has to be started, when the current one has ended or its status differs from the one on
 * the card, or when a person has stopped it. Rounds of one card are carried out one after the other.
 */
export const ROUND_CLAIMS: ClaimTable = {
  name: 'board_rounds',
  due_at: 'next_look_at',
  is_open: `state = 'open'`,
  is_ready: `NOT EXISTS (SELECT 1 FROM board_rounds e
      WHERE e.card_id = board_rounds.card_id AND e.number < board_rounds.number AND e.state = 'open')
    AND (stop_requested OR NOT EXISTS (
      SELECT 1 FROM (
        SELECT l.run_id, l.status FROM board_card_runs l WHERE l.round_id = board_rounds.id AND l.finished_at IS NULL
        ORDER BY l.chain_position LIMIT 1) l
      JOIN runs r ON r.id = l.run_id
      WHERE ${hasNotEnded('r.state')} AND l.status = ${SHOWN_PROGRESS}))`,
};

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

/** Requests the end of the open rounds of some cards; the next process to claim them does so; a process that holds one loses it. */
export async function stopRounds(db: Db, card_ids: readonly string[]): Promise<void> {
  if (card_ids.length === 0) return;
  await db
    .update(boardRounds)
    .set({ stop_requested: true, next_look_at: sql`now()`, claim_id: null })
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

/** Undefined for a round that is over or that another process has claimed since. */
export async function findClaimedRound(db: Db, { id, claim_id }: Claim): Promise<RoundRow | undefined> {
  const [row] = await db
    .select()
    .from(boardRounds)
    .where(and(eq(boardRounds.id, id), eq(boardRounds.claim_id, claim_id), eq(boardRounds.state, 'open')));
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

export const setCardStatus = (db: Db, card_id: string, run_status: CardStatus) =>
  db.update(boardCards).set({ run_status }).where(eq(boardCards.id, card_id));

/** Forgets what a round that is over has kept of runs that were deleted before it was. */
export async function forgetDeletedRuns(sql: SqlClient, round_id: string): Promise<void> {
  await sql.query({
    text: `UPDATE board_card_runs l SET run_id = NULL, output = NULL, output_is_cut = false, error = NULL
      WHERE l.round_id = $1 AND l.run_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.id = l.run_id)`,
    values: [round_id],
  });
}

/**
 * Removes rounds that ended before an instant, as runs are removed that began before it.
 *
 * @returns how many
 */
export const purgeRounds = (sql: SqlClient, ended_before: Date): Promise<number> =>
  deleteInSlices(
    sql,
    `DELETE FROM board_rounds WHERE id IN (SELECT id FROM board_rounds WHERE finished_at < $1 LIMIT $2)`,
    [ended_before],
  );
