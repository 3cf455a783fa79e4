import { listPortalFields } from '@millrace/contracts/portal-input';
import type { JsonObject } from '@millrace/engine';
import { AppError } from '../../../core/app-error.ts';
import { catchUp } from '../../../core/catch-up.ts';
import { faultPoint } from '../../../core/fault-point.ts';
import { startPolling } from '../../../core/polling.ts';
import { isConnectionLoss } from '../../../database/connection-loss.ts';
import type { Db } from '../../../database/database.ts';
import { sqlWithin } from '../../../database/sql-within.ts';
import type { AdmittedRun } from '../../../execution/admission/admission.ts';
import { workOnClaims } from '../../../execution/claimed-work.ts';
import type { QueuedRun } from '../../../execution/model/queue.ts';
import { hiddenRun } from '../../../execution/run/secrets/hidden-run.ts';
import { storedAnswer } from '../../../execution/run/stored-answer.ts';
import { claimRound } from '../../../execution/store/jobs/board-rounds.ts';
import { readProgress } from '../../../execution/store/run-progress.ts';
import type { Services } from '../../../services.ts';
import * as cards from '../cards/queries.ts';
import { type BoardRow, findColumn, lockBoard, raiseRevision } from '../queries.ts';
import { settleLink, settleRound } from './end-round.ts';
import { asCall, cardBody } from './input.ts';
import { mapCard } from './mapper.ts';
import * as queries from './queries.ts';

const LOOK_EVERY_MS = 500;
/** Rounds under way in one process: a model that maps a card may take a minute, and other boards do not wait for it. */
const MOST_AT_ONCE = 8;
/** After a look that failed. */
const REST_SECONDS = 5;
/** So many looks at a round may fail in a row in an unexpected way; then its card fails. */
const MOST_FAILURES = 3;
const UNEXPECTED = 'Something went wrong on our side';
/** Until a run that was asked to end has ended. */
const STOP_SECONDS = 1;

interface Found {
  readonly round: queries.RoundRow;
  readonly links: readonly queries.LinkRow[];
  readonly board: BoardRow;
  readonly card: cards.CardRow;
}

/**
 * Changes a round under the lock of its board, unless it has ended or changed hands meanwhile: a process whose lease ran out
 * may still be working on it.
 */
async function withRound(
  { database, now }: Services,
  { round }: Found,
  work: (found: Found & { db: Db }) => Promise<void>,
): Promise<void> {
  await database.db.transaction(async (db) => {
    const board = await lockBoard(db, round.board_id);
    const current = board && (await find(db, round.id));
    if (!current) return;
    await work({ ...current, db });
    await raiseRevision(db, board.id, new Date(now()));
  });
}

/** Undefined for a round that is over, and for one whose board is gone. */
async function find(db: Db, round_id: string): Promise<Found | undefined> {
  const round = await queries.findRound(db, round_id);
  if (!round || round.state !== 'open') return undefined;
  const [row] = await cards.withBoard(db, round.card_id);
  return row && { ...row, round, links: await queries.listLinks(db, round_id) };
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
    await queries.lookAgain(db, round.id, 0);
    stored = true;
  });
  if (stored) queued.announce();
  faultPoint('after_board_run');
}

/** Brings the card up to date with its run, and settles it once the run has ended. */
async function follow(
  services: Services,
  found: Found,
  link: queries.LinkRow & { run_id: string },
): Promise<void> {
  const { journal, ownership } = services.execution;
  const shown = await readProgress(services.database.sql, link.run_id);
  if (shown && !shown.ended) {
    if (found.round.stop_requested) await ownership.requestCancel(link.run_id);
    await withRound(services, found, async (current) => {
      const { db, round, card } = current;
      if (findCurrentLink(current)?.id !== link.id) return;
      await queries.updateLink(db, link.id, { status: shown.status });
      await queries.setCardStatus(
        db,
        card.id,
        shown.status === 'waiting_review' ? 'waiting_review' : 'running',
      );
      await queries.lookAgain(db, round.id, round.stop_requested ? STOP_SECONDS : 0);
    });
    return;
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
}

async function lookAt(services: Services, round_id: string): Promise<void> {
  const found = await find(services.database.db, round_id);
  if (!found) return;
  const link = findCurrentLink(found);
  if (link?.run_id) return follow(services, found, { ...link, run_id: link.run_id });
  if (link && !found.round.stop_requested) return start(services, found, link);
  await withRound(services, found, async (current) => {
    if (!findCurrentLink(current)?.run_id) await settleRound(services, current, 'stopped');
  });
}

/**
 * Continues each round that needs something: starts its next run, notes the progress of the one under way, ends what was
 * stopped. Any process may; a round whose process is lost is looked at again when its lease ends.
 */
export const workRounds = (services: Services, signal: AbortSignal): Promise<void> =>
  workOnClaims({
    most_at_once: MOST_AT_ONCE,
    look_every_ms: LOOK_EVERY_MS,
    claim: () => claimRound(services.database.sql),
    work: (round_id) => continueRound(services, round_id),
    signal,
  });

/** Never rejects: where not even the failure can be stored, the lease of the round ends. */
async function continueRound(services: Services, round_id: string): Promise<void> {
  const { log } = services;
  try {
    await lookAt(services, round_id);
  } catch (error) {
    log.warn({ err: error, round_id }, 'a board could not start or follow a run; trying again');
    await noteFailure(services, round_id, error).catch((err: unknown) =>
      log.warn({ err, round_id }, 'the failure of a board could not be stored; trying again'),
    );
  }
}

/** A database that is away says nothing about the round; what fails again and again would do so for ever. */
async function noteFailure(services: Services, round_id: string, error: unknown): Promise<void> {
  const { db } = services.database;
  const rest = { seconds: REST_SECONDS, is_counted: !isConnectionLoss(error) };
  const failures = await queries.restAfterFailure(db, round_id, rest);
  if (failures === undefined || failures < MOST_FAILURES) return;
  const found = await find(db, round_id);
  if (found) await giveUp(services, found);
}

/** Fails the card, and ends the run that can no longer be followed. */
async function giveUp(services: Services, found: Found): Promise<void> {
  const { ownership } = services.execution;
  const run_id = findCurrentLink(found)?.run_id;
  if (run_id) await ownership.requestCancel(run_id);
  await withRound(services, found, async (current) => {
    // Another process may have got further meanwhile.
    if (current.round.failures < MOST_FAILURES) return;
    const link = findCurrentLink(current);
    if (link) await settleLink(services, current, { link, status: 'error', error: UNEXPECTED });
    else await settleRound(services, current, 'failed');
  });
}

/** Looks for rounds until the returned function is called, which also waits for the one that is under way. */
export function startBoardRounds(services: Services): () => Promise<void> {
  return startPolling({
    every_ms: LOOK_EVERY_MS,
    work: (signal) => workRounds(services, signal),
    onError: (error) => services.log.error({ err: error }, 'boards could not be looked at'),
  });
}
