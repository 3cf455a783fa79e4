import type { BoardState, BoardSummary } from '@millrace/contracts';
import { BOARD_LIMITS, BOARD_MAPPER_TYPES } from '@millrace/contracts';
import { invalidField, notFound } from '../../core/app-error.ts';
import { newId } from '../../core/ids.ts';
import { recordAudit } from '../../database/audit.ts';
import type { Db } from '../../database/database.ts';
import { sqlWithin } from '../../database/sql-within.ts';
import type { Services } from '../../services.ts';
import { requireUsable } from '../credentials/service.ts';
import { sharedBy } from '../shares/reach.ts';
import { changeBoard, type Reader, requireVisible, type Writer } from './access.ts';
import * as cards from './cards/queries.ts';
import { cardRecord } from './cards/record.ts';
import { columnRecords } from './columns.ts';
import * as queries from './queries.ts';
import { runsOnBoard } from './rounds/queries.ts';

function boardRecord({
  board,
  may_write,
  column_count,
  card_count,
  ...row
}: queries.VisibleRow): BoardSummary {
  const is_own = row.rank === 0;
  return {
    id: board.id,
    name: board.name,
    description: board.description,
    column_count,
    card_count,
    mapper_model: board.mapper_model,
    mapper_credential_id: is_own ? board.mapper_credential_id : null,
    permission: is_own ? 'owner' : may_write ? 'write' : 'read',
    owner_id: board.owner_id,
    revision: board.revision,
    created_at: board.created_at.toISOString(),
    updated_at: board.updated_at.toISOString(),
    ...sharedBy(row),
  };
}

export const listBoards = async (ctx: Reader): Promise<BoardSummary[]> =>
  (await queries.listVisible(ctx.db, ctx.actor.user_id)).map(boardRecord);

const readSummary = async (ctx: Reader, id: string): Promise<BoardSummary> =>
  boardRecord(await requireVisible(ctx, id));

export async function readRevision(ctx: Reader, id: string): Promise<{ revision: number }> {
  const revision = await queries.findRevision(ctx.db, ctx.actor.user_id, id);
  if (revision === undefined) throw notFound('Board');
  return { revision };
}

export async function readBoard(ctx: Reader, id: string): Promise<BoardState> {
  const summary = await readSummary(ctx, id);
  const [columns, first, has_active_runs] = await Promise.all([
    columnRecords(ctx.db, id),
    cards.firstOfEach(ctx.db, id, BOARD_LIMITS.state_cards),
    queries.hasOpenRounds(ctx.db, id),
  ]);
  return { ...summary, columns, cards: first.map(cardRecord), has_active_runs };
}

interface MapperInput {
  readonly mapper_model?: string | null | undefined;
  readonly mapper_credential_id?: string | null | undefined;
}

/** The model runs as the owner, so its credential is one that the owner may use. */
async function requireMapper(
  ctx: Reader,
  { mapper_model, mapper_credential_id }: MapperInput,
): Promise<void> {
  if (!mapper_model !== !mapper_credential_id) {
    const missing = mapper_model ? 'mapper_credential_id' : 'mapper_model';
    throw invalidField(['body', missing], 'is missing: a model and its credential go together');
  }
  if (!mapper_credential_id) return;
  const { credential } = await requireUsable(ctx, mapper_credential_id);
  if (!BOARD_MAPPER_TYPES.has(credential.type)) {
    throw invalidField(['body', 'mapper_credential_id'], 'is no credential of a model provider');
  }
}

const FIRST_COLUMNS = [
  ['To do', 'gray'],
  ['In progress', 'blue'],
  ['Review', 'amber'],
  ['Done', 'green'],
] as const;

const insertFirstColumns = (db: Db, board_id: string, created_at: Date) =>
  queries.insertColumns(
    db,
    FIRST_COLUMNS.map(([name, color], position) => ({ board_id, name, color, position, created_at })),
  );

export async function createBoard(
  ctx: Writer,
  input: MapperInput & { name: string; description?: string | null | undefined },
): Promise<BoardSummary> {
  await requireMapper(ctx, input);
  const id = newId();
  const now = new Date(ctx.now());
  await ctx.db.transaction(async (tx) => {
    await queries.insertBoard(tx, {
      id,
      owner_id: ctx.actor.user_id,
      name: input.name,
      description: input.description || null,
      mapper_model: input.mapper_model ?? null,
      mapper_credential_id: input.mapper_credential_id ?? null,
      created_at: now,
      updated_at: now,
    });
    await insertFirstColumns(tx, id, now);
    await recordAudit(tx, ctx, {
      action: 'board.created',
      object_kind: 'board',
      object_id: id,
      object_name: input.name,
    });
  });
  return readSummary(ctx, id);
}

interface BoardChange extends MapperInput {
  readonly name?: string | null | undefined;
  readonly description?: string | null | undefined;
}

/** `null` removes description and model; a name that is absent or null stays. */
export async function updateBoard(ctx: Writer, id: string, input: BoardChange): Promise<BoardSummary> {
  await changeBoard(ctx, { id, need: 'own' }, async ({ db, board }) => {
    const mapper = {
      mapper_model: input.mapper_model === undefined ? board.mapper_model : input.mapper_model,
      mapper_credential_id:
        input.mapper_credential_id === undefined ? board.mapper_credential_id : input.mapper_credential_id,
    };
    if (input.mapper_model !== undefined || input.mapper_credential_id !== undefined) {
      await requireMapper({ ...ctx, db }, mapper);
    }
    const name = input.name ?? board.name;
    const description = input.description === undefined ? board.description : input.description || null;
    await queries.updateBoard(db, id, { name, description, ...mapper });
    await recordAudit(db, ctx, {
      action: 'board.updated',
      object_kind: 'board',
      object_id: id,
      object_name: name,
      details: {
        fields: (['name', 'description', 'mapper_model', 'mapper_credential_id'] as const).filter(
          (key) => input[key] !== undefined,
        ),
      },
    });
  });
  return readSummary(ctx, id);
}

/** Runs on it are asked to end in the same transaction: with the board goes what would have followed the runs. */
export async function deleteBoard(
  ctx: Writer,
  { execution }: Pick<Services, 'execution'>,
  id: string,
): Promise<void> {
  const { announce } = await changeBoard(ctx, { id, need: 'own' }, async ({ db, board, card_count }) => {
    const run_ids = await runsOnBoard(db, id);
    const cancelled = await execution.ownership.cancelWithin(sqlWithin(db), run_ids);
    await queries.deleteBoard(db, id);
    await recordAudit(db, ctx, {
      action: 'board.deleted',
      object_kind: 'board',
      object_id: id,
      object_name: board.name,
      details: { cards: card_count },
    });
    return cancelled;
  });
  announce();
}
