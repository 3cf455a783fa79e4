import type { BoardColor, BoardColumn } from '@millrace/contracts';
import { BOARD_LIMITS } from '@millrace/contracts';
import { conflict, forbidden, notFound } from '../../core/app-error.ts';
import { newId } from '../../core/ids.ts';
import { type AuditEntry, recordAudit } from '../../database/audit.ts';
import type { Db } from '../../database/database.ts';
import { canSeeWorkflow } from '../workflows/access.ts';
import { changeBoard, type LockedBoard, type Writer } from './access.ts';
import * as cards from './cards/queries.ts';
import { columnsIn, freePosition } from './positions.ts';
import * as queries from './queries.ts';
import { stopRounds } from './rounds/queries.ts';

export async function columnRecords(db: Db, board_id: string): Promise<BoardColumn[]> {
  const rows = await queries.listColumns(db, board_id);
  const chains = await queries.listChains(
    db,
    rows.map(({ column }) => column.id),
  );
  return rows.map(({ column, card_count }) => ({
    id: column.id,
    board_id,
    name: column.name,
    position: column.position,
    color: column.color,
    ai_instructions: column.ai_instructions,
    auto_advance: column.auto_advance,
    workflows: chains
      .filter(({ column_id }) => column_id === column.id)
      .map(({ workflow_id, workflow_name }, position) => ({ workflow_id, workflow_name, position })),
    card_count,
  }));
}

async function readColumn(db: Db, board_id: string, id: string): Promise<BoardColumn> {
  const column = (await columnRecords(db, board_id)).find((record) => record.id === id);
  if (!column) throw notFound('Column');
  return column;
}

const auditColumn = (
  ctx: Writer,
  { db, board }: LockedBoard,
  entry: Pick<AuditEntry, 'action' | 'details'>,
) =>
  recordAudit(db, ctx, {
    ...entry,
    object_kind: 'board',
    object_id: board.id,
    object_name: board.name,
    owner_id: board.owner_id,
  });

export async function requireColumn(
  { db, board }: Pick<LockedBoard, 'db' | 'board'>,
  id: string,
): Promise<queries.ColumnRow> {
  const column = await queries.findColumn(db, board.id, id);
  if (!column) throw notFound('Column');
  return column;
}

export async function createColumn(
  ctx: Writer,
  board_id: string,
  input: { name: string; position?: number | null | undefined; color?: BoardColor | null | undefined },
): Promise<BoardColumn> {
  const id = newId();
  return changeBoard(ctx, { id: board_id, need: 'write' }, async (locked) => {
    const { db, column_count } = locked;
    if (column_count >= BOARD_LIMITS.columns) {
      throw conflict(`A board has at most ${BOARD_LIMITS.columns} columns`);
    }
    const position = await freePosition(db, columnsIn(board_id), { wanted: input.position });
    const created_at = new Date(ctx.now());
    const { name } = input;
    await queries.insertColumns(db, [
      { id, board_id, name, position, created_at, ...(input.color ? { color: input.color } : {}) },
    ]);
    await auditColumn(ctx, locked, { action: 'board.column_created', details: { name } });
    return readColumn(db, board_id, id);
  });
}

interface ColumnChange {
  readonly name?: string | null | undefined;
  readonly position?: number | null | undefined;
  readonly color?: BoardColor | null | undefined;
  readonly ai_instructions?: string | null | undefined;
  readonly auto_advance?: boolean | null | undefined;
  readonly workflow_ids?: readonly string[] | null | undefined;
}

/**
 * Workflows run as the owner, with the owner's credentials: a collaborator who could add a workflow would be able to read them.
 * Those that are in the chain stay, whether the owner can still see them or not; they fail when it is their turn.
 */
async function requireChain(
  { db, board, rank }: LockedBoard,
  ids: readonly string[],
  known: readonly string[],
) {
  if (rank !== 0) {
    throw forbidden('Only the owner of the board, as whom they run, may change the workflows of a column');
  }
  for (const id of new Set(ids)) {
    if (!known.includes(id) && !(await canSeeWorkflow(db, board.owner_id, id))) throw notFound('Workflow');
  }
}

export async function updateColumn(
  ctx: Writer,
  { board_id, id }: { board_id: string; id: string },
  input: ColumnChange,
): Promise<BoardColumn> {
  return changeBoard(ctx, { id: board_id, need: 'write' }, async (locked) => {
    const { db } = locked;
    const column = await requireColumn(locked, id);
    if (input.workflow_ids) {
      const known = (await queries.listChains(db, [id])).map(({ workflow_id }) => workflow_id);
      await requireChain(locked, input.workflow_ids, known);
      await queries.writeChain(db, id, input.workflow_ids);
    }
    const { position: wanted } = input;
    const position =
      typeof wanted === 'number'
        ? await freePosition(db, columnsIn(board_id), { wanted, self: id })
        : column.position;
    await queries.updateColumn(db, id, {
      name: input.name ?? column.name,
      color: input.color ?? column.color,
      ai_instructions: input.ai_instructions ?? column.ai_instructions,
      auto_advance: input.auto_advance ?? column.auto_advance,
      position,
    });
    const fields = Object.entries(input).flatMap(([key, value]) => ((value ?? null) === null ? [] : [key]));
    await auditColumn(ctx, locked, {
      action: 'board.column_updated',
      details: { name: column.name, fields },
    });
    return readColumn(db, board_id, id);
  });
}

interface NamedColumn {
  readonly board_id: string;
  readonly id: string;
}

/** @param change does its work and says what the audit log records of it */
const changeColumn = (
  ctx: Writer,
  { board_id, id }: NamedColumn,
  change: (db: Db, column: queries.ColumnRow) => Promise<Pick<AuditEntry, 'action' | 'details'>>,
): Promise<void> =>
  changeBoard(ctx, { id: board_id, need: 'write' }, async (locked) => {
    const entry = await change(locked.db, await requireColumn(locked, id));
    await auditColumn(ctx, locked, entry);
  });

/** Its deleted cards can still be restored; they come to the first column then. */
export const deleteColumn = (ctx: Writer, named: NamedColumn): Promise<void> =>
  changeColumn(ctx, named, async (db, { id, name }) => {
    const left = await cards.countIn(db, id);
    if (left > 0) throw conflict(`The column has ${left} cards; move or delete them first`);
    await queries.deleteColumn(db, id);
    return { action: 'board.column_deleted', details: { name } };
  });

export const clearColumn = (ctx: Writer, named: NamedColumn): Promise<void> =>
  changeColumn(ctx, named, async (db, { id, name }) => {
    const gone = await cards.deleteIn(db, id, new Date(ctx.now()));
    await stopRounds(db, gone);
    return { action: 'board.column_cleared', details: { name, cards: gone.length } };
  });
