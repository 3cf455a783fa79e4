import { newId, newOrderedId } from '../../../core/ids.ts';
import type { Db } from '../../../database/database.ts';
import { noteActivity } from '../cards/activities.ts';
import type { CardRow } from '../cards/queries.ts';
import { type ColumnRow, listChains } from '../queries.ts';
import * as queries from './queries.ts';

export interface RoundCause {
  readonly card: Pick<CardRow, 'id' | 'board_id'>;
  readonly column: ColumnRow;
  /** Who moved the card or requested the run; null for the service itself. */
  readonly started_by: string | null;
  readonly comment?: string | null;
  readonly skip_auto_advance?: boolean;
  readonly at_ms: number;
}

/**
 * Stores that the chain of a column is to be started on a card, in the transaction of its cause: neither exists without
 * the other, and any process that finds the round starts its runs. False when the column has no chain.
 *
 * @param db the transaction, which holds the lock of the board
 */
export async function startRound(db: Db, cause: RoundCause): Promise<boolean> {
  const { card, column, started_by, at_ms } = cause;
  const chain = await listChains(db, [column.id]);
  if (chain.length === 0) return false;
  const waits = await queries.hasOpenRound(db, card.id);
  const id = newOrderedId(at_ms);
  const created_at = new Date(at_ms);
  await queries.insertRound(
    db,
    {
      id,
      board_id: card.board_id,
      card_id: card.id,
      number: await queries.nextNumber(db, card.id),
      column_id: column.id,
      column_name: column.name,
      comment: cause.comment ?? null,
      skip_auto_advance: cause.skip_auto_advance === true,
      started_by,
      created_at,
    },
    chain.map(({ workflow_id, workflow_name }, at) => ({
      id: newId(),
      round_id: id,
      chain_position: at + 1,
      chain_length: chain.length,
      workflow_id,
      workflow_name,
    })),
  );
  if (!waits) await queries.setCardStatus(db, card.id, 'queued');
  await noteActivity(db, {
    card_id: card.id,
    kind: 'run_started',
    actor_id: started_by,
    content: column.name,
    at_ms,
  });
  return true;
}
