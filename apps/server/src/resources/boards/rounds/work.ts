import { listPortalFields } from '@millrace/contracts/portal-input';
import type { JsonObject } from '@millrace/engine';
import { AppError } from '../../../core/app-error.ts';
import { catchUp } from '../../../core/catch-up.ts';
import { faultPoint } from '../../../core/fault-point.ts';
import type { Db } from '../../../database/database.ts';
import { sqlWithin } from '../../../database/sql-within.ts';
import type { AdmittedRun } from '../../../execution/admission/admission.ts';
import type { ClaimedWork } from '../../../execution/claimed-work/claimed-work.ts';
import type { Claim } from '../../../execution/claimed-work/claims.ts';
import type { QueuedRun } from '../../../execution/model/queue.ts';
import { hiddenRun } from '../../../execution/run/secrets/hidden-run.ts';
import { storedAnswer } from '../../../execution/run/stored-answer.ts';
import { readProgress } from '../../../execution/store/run-progress.ts';
import type { Services } from '../../../services.ts';
import * as cards from '../cards/queries.ts';
import { type BoardRow, findColumn, lockBoard, raiseRevision } from '../queries.ts';
import { settleLink, settleRound } from './end-round.ts';
import { asCall, cardBody } from './input.ts';
import { mapCard } from './mapper.ts';
import * as queries from './queries.ts';

const UNEXPECTED = 'Something went wrong on our side';
/** Until a run that was asked to end has ended. */
const STOP_SECONDS = 1;

interface Found {
  readonly claim: Claim;
  readonly round: queries.RoundRow;
  readonly links: readonly queries.LinkRow[];
  readonly board: BoardRow;
  readonly card: cards.CardRow;
}

/**
 * Changes a round under the lock of its board, unless it has ended or changed hands meanwhile: a process that lost the round
 * may still be working on it.
 */
async function withRound(
  { database, now }: Services,
  { round, claim }: Found,
  work: (found: Found & { db: Db }) => Promise<void>,
): Promise<void> {
  await database.db.transaction(async (db) => {
    const board = await lockBoard(db, round.board_id);
    const current = board && (await find(db, claim));
    if (!current) return;
    await work({ ...current, db });
    await raiseRevision(db, board.id, new Date(now()));
  });
}

/** Undefined for a round that is over or has changed hands, and for one whose board is gone. */
async function find(db: Db, claim: Claim): Promise<Found | undefined> {
  const round = await queries.findClaimedRound(db, claim);
  if (!round) return undefined;
  const [row] = await cards.withBoard(db, round.card_id);
  return row && { ...row, claim, round, links: await queries.listLinks(db, round.id) };
}

const findCurrentLink = ({ links }: Found) => links.find(({ finished_at }) => finished_at === null);

/** Outputs of the workflow before, whole: what the card keeps of them may have been too long. */
async function previousOutput(
  { execution }: Services,
  { links }: Found,
  { chain_position }: queries.LinkRow,
): Promise<JsonObject | null> {
  const before = links.find((link) => link.chain_position === chain_position - 1);
  if (!before?.run_id) return null;
  const stored = await execution.journal.load(before.run_id);
  const answer = stored && storedAnswer(stored);
  if (answer) return answer.outputs;
  return before.output === null ? null : (JSON.parse(before.output) as JsonObject);
}

/** Admits the next run of a chain as the owner of the board (§5.7). */
async function admit(services: Services, found: Found, link: queries.LinkRow): Promise<AdmittedRun> {
  const { execution, database } = services;
  const { board, card, round } = found;
  const workflow = await execution.workflows.published(link.workflow_id);
  if (!workflow) throw new AppError('not_found', 'The workflow was deleted');
  const column = await findColumn(database.db, board.id, round.column_id);
  const previous_output = await previousOutput(services, found, link);
  const body = await cardBody(database.db, { board, card, column, round, previous_output });
  const { mapper_model: model, mapper_credential_id: credential_id } = board;
  const fields = listPortalFields(workflow.version.graph.document);
  const mapped =
    model === null
      ? {}
      : await mapCard(
          services,
          { owner_id: board.owner_id, model, credential_id },
          { body, fields, instructions: column?.ai_instructions ?? '' },
        );
  return execution.admit.internal({
    workflow,
    principal: { kind: 'board', run_as: board.owner_id },
    input: asCall({ ...body, ...mapped }),
  });
}

/** Stores the run together with the note that it was started, so that of several processes one does it, once. */
async function start(services: Services, found: Found, link: queries.LinkRow): Promise<void> {
  let run: QueuedRun;
  // A database that cannot be asked is no reason to fail the card.
  await catchUp(services);
  try {
    const admitted = await admit(services, found, link);
    const idempotency_key = `board:${link.id}`;
    run = await hiddenRun(services, admitted, { idempotency_key });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { message } = error;
    await withRound(services, found, async (current) => {
      if (findCurrentLink(current)?.id !== link.id || findCurrentLink(current)?.run_id) return;
      await settleLink(services, current, { link, status: 'error', error: message });
    });
    return;
  }
  faultPoint('before_board_run');
  const queued = services.execution.ownership.enqueueAtEnd(run);
  let stored = false;
  await withRound(services, found, async (current) => {
    const { db, round, card } = current;
    const next = findCurrentLink(current);
    if (next?.id !== link.id || next.run_id !== null || round.stop_requested) return;
    await queued.write.write(sqlWithin(db));
    const started_at = new Date(services.now());
    await queries.updateLink(db, link.id, { status: 'running', run_id: run.run_id, started_at });
    await queries.setCardStatus(db, card.id, 'running');
    stored = true;
  });
  if (stored) queued.announce();
  faultPoint('after_board_run');
}

/** Brings the card up to date with its run, and settles it once the run has ended. Resolves to the seconds until the next look. */
async function follow(
  services: Services,
  found: Found,
  link: queries.LinkRow & { run_id: string },
): Promise<number> {
  const { journal, ownership } = services.execution;
  const shown = await readProgress(services.database.sql, link.run_id);
  if (shown && !shown.ended) {
    if (found.round.stop_requested) await ownership.requestCancel(link.run_id);
    await withRound(services, found, async (current) => {
      const { db, card } = current;
      if (findCurrentLink(current)?.id !== link.id) return;
      await queries.updateLink(db, link.id, { status: shown.status });
      await queries.setCardStatus(
        db,
        card.id,
        shown.status === 'waiting_review' ? 'waiting_review' : 'running',
      );
    });
    return found.round.stop_requested ? STOP_SECONDS : 0;
  }
  const stored = shown && (await journal.load(link.run_id));
  const final = stored?.final;
  await withRound(services, found, async (current) => {
    if (findCurrentLink(current)?.id !== link.id) return;
    await settleLink(services, current, {
      link,
      status: final ? (shown?.status ?? 'error') : 'error',
      ...(final ? { output: final.outputs } : {}),
      error: final ? (final.failure?.message ?? null) : 'The run was deleted',
      is_deleted: !shown,
    });
  });
  return 0;
}

/** Starts the next run of a round, notes the progress of the one under way, or ends what was stopped. */
async function continueRound(services: Services, claim: Claim): Promise<number> {
  const found = await find(services.database.db, claim);
  if (!found) return 0;
  const link = findCurrentLink(found);
  if (link?.run_id) return follow(services, found, { ...link, run_id: link.run_id });
  if (link && !found.round.stop_requested) await start(services, found, link);
  else
    await withRound(services, found, async (current) => {
      if (!findCurrentLink(current)?.run_id) await settleRound(services, current, 'stopped');
    });
  return 0;
}

/** Fails the card, and ends the run that can no longer be followed. */
async function giveUp(services: Services, claim: Claim): Promise<void> {
  const found = await find(services.database.db, claim);
  if (!found) return;
  const run_id = findCurrentLink(found)?.run_id;
  if (run_id) await services.execution.ownership.requestCancel(run_id);
  await withRound(services, found, async (current) => {
    const link = findCurrentLink(current);
    if (link) await settleLink(services, current, { link, status: 'error', error: UNEXPECTED });
    else await settleRound(services, current, 'failed');
  });
}

export const BOARD_ROUNDS: ClaimedWork<Services> = {
  name: 'a round of a board',
  table: queries.ROUND_CLAIMS,
  // A model that maps a card may take a minute, and other boards do not wait for it.
  most_at_once: 8,
  most_seconds: 120,
  work: (services, { claim }) => continueRound(services, claim),
  giveUp,
};
