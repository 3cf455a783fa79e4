import { forbidden, notFound } from '../../core/app-error.ts';
import type { Db } from '../../database/database.ts';
import type { Needs } from '../../services.ts';
import { lockBoard, raiseRevision, type VisibleRow, visibleById } from './queries.ts';

export type Reader = Needs<'db' | 'actor'>;
export type Writer = Needs<'db' | 'actor' | 'now' | 'request_id' | 'client_ip'>;

/** The board when it is the caller's own or shared with them; otherwise it does not exist for them. */
export async function requireVisible(ctx: Reader, id: string): Promise<VisibleRow> {
  const row = await visibleById(ctx.db, ctx.actor.user_id, id);
  if (!row) throw notFound('Board');
  return row;
}

export function requireOwner({ rank }: VisibleRow): void {
  if (rank !== 0) throw forbidden('Only the owner of the board may do this');
}

export function requireWriter({ may_write }: VisibleRow): void {
  if (!may_write) throw forbidden('The board is shared with you for reading only');
}

/** A board that is being changed: no other change of it happens until the transaction ends. */
export interface LockedBoard extends VisibleRow {
  readonly db: Db;
}

/**
 * Changes a board, or what is on it, in one transaction.
 *
 * @param need what the caller has to be: one who may write, or the owner
 */
export async function changeBoard<T>(
  ctx: Writer,
  { id, need }: { id: string; need: 'write' | 'own' },
  work: (locked: LockedBoard) => Promise<T>,
): Promise<T> {
  return ctx.db.transaction(async (tx) => {
    // Before anything is read: shares and counts would be out of date behind a change that is waited for.
    if (!(await lockBoard(tx, id))) throw notFound('Board');
    const row = await requireVisible({ ...ctx, db: tx }, id);
    if (need === 'own') requireOwner(row);
    else requireWriter(row);
    const result = await work({ ...row, db: tx });
    await raiseRevision(tx, id, new Date(ctx.now()));
    return result;
  });
}
