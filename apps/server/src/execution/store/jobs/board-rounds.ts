import { deleteInSlices } from '../../../database/delete-in-slices.ts';
import type { SqlClient } from '../../../database/sql-client.ts';
import { SHOWN_PROGRESS } from '../run-progress.ts';
import { hasNotEnded } from '../run-state.ts';

/** How long a process may work on a round before another one takes over: a model that maps a card takes its time. */
const LOOK_LEASE_SECONDS = 120;

/**
 * The round of a board that needs something for longest, for this process alone: its next run is to be started, the one
 * under way has ended or waits for a review, or a person has stopped it. Rounds of one card have their turn one after the
 * other. Undefined when there is none.
 */
export async function claimRound(sql: SqlClient): Promise<string | undefined> {
  const { rows } = await sql.query<{ id: string }>({
    name: 'claim_board_round',
    text: `UPDATE board_rounds SET next_look_at = now() + interval '${LOOK_LEASE_SECONDS} seconds'
      WHERE id = (
        SELECT o.id FROM board_rounds o
        LEFT JOIN LATERAL (
          SELECT l.run_id, l.status FROM board_card_runs l WHERE l.round_id = o.id AND l.finished_at IS NULL
          ORDER BY l.chain_position LIMIT 1) l ON true
        LEFT JOIN runs r ON r.id = l.run_id
        WHERE o.state = 'open' AND o.next_look_at <= now()
          AND NOT EXISTS (SELECT 1 FROM board_rounds e
            WHERE e.card_id = o.card_id AND e.number < o.number AND e.state = 'open')
          AND (o.stop_requested OR r.id IS NULL OR NOT (${hasNotEnded('r.state')}) OR l.status <> ${SHOWN_PROGRESS})
        ORDER BY o.next_look_at, o.id LIMIT 1 FOR UPDATE OF o SKIP LOCKED)
      RETURNING id`,
  });
  return rows[0]?.id;
}

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
