import { randomBytes } from 'node:crypto';
import {
  MAX_TURNS,
  type PortalCall,
  type PortalConversation,
  type PortalConversationItem,
  type PortalTurn,
} from '@millrace/contracts';
import { parseFile } from '@millrace/contracts/portal-input';
import { answerText, questionText, withoutPictures } from '@millrace/contracts/portal-text';
import { type Json, type JsonObject, printValue } from '@millrace/engine';
import { DAY_MS } from '@millrace/engine/units';
import { notFound } from '../../../core/app-error.ts';
import { newId, newOrderedId } from '../../../core/ids.ts';
import { tokenDigest } from '../../../core/secrets/tokens.ts';
import type { AdmittedRun } from '../../../execution/admission/admission.ts';
import { storedAnswer } from '../../../execution/run/stored-answer.ts';
import { readEndings } from '../../../execution/store/history/endings.ts';
import { deleteTurnsWithoutRun } from '../../../execution/store/jobs/turns-without-run.ts';
import type { AttemptRule } from '../../../ports/coordination/attempt-limiter.ts';
import type { Services } from '../../../services.ts';
import { tooMany } from '../access.ts';
import * as queries from './queries.ts';

/** Conversations that one address may begin. */
const BEGIN_RULE: AttemptRule = {
  name: 'portal-conversation',
  attempts: 60,
  window_seconds: 60,
  ban_seconds: 60,
};

/** Keeps a long conversation below what a model and a journal can take. */
const MAX_HISTORY_CHARACTERS = 200_000;
const MAX_TITLE = 120;
/** A conversation that was begun and never used, and a message whose run never came. */
const UNUSED_MS = DAY_MS;

type History = NonNullable<PortalCall['conversation_history']>;
type Place = queries.OwnScope & { readonly conversation_id: string };

export const conversationItem = (row: queries.ConversationRow): PortalConversationItem => ({
  id: row.id,
  title: row.title,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
  turn_count: row.turn_count,
});

/** Characters of a message that a conversation keeps; 200 larger ones would be more than a process can read at once. */
const MAX_KEPT = 100_000;

/** Of a file that is too large the type is kept, of a text its beginning; the run has all of it. */
function shortened(inputs: JsonObject): JsonObject {
  let left = MAX_KEPT;
  const kept = Object.entries(inputs).flatMap(([key, value]): [string, Json][] => {
    const whole = printValue(value);
    left -= key.length + whole.length;
    if (left >= 0) return [[key, value]];
    const file = parseFile(value);
    const room = left + whole.length;
    left = file ? room : 0;
    if (room <= 0) return [];
    return [[key, file ? `data:${file.media_type};base64,` : `${whole.slice(0, room)}…`]];
  });
  return Object.fromEntries(kept);
}

function buildTitle(inputs: JsonObject): string {
  const text = questionText(inputs).replace(/\s+/g, ' ').trim();
  const letters = Array.from(text);
  return letters.length <= MAX_TITLE ? text : `${letters.slice(0, MAX_TITLE - 1).join('')}…`;
}

/** The turns with what their runs answered. A turn whose run is not stored and not under way here is left out. */
export async function loadTurns(
  { database, execution }: Pick<Services, 'database' | 'execution'>,
  rows: readonly queries.TurnRow[],
): Promise<PortalTurn[]> {
  const { journal, live } = execution;
  const endings = await readEndings(
    database.sql,
    rows.map(({ run_id }) => run_id),
  );
  const turns = rows.map(async ({ run_id, inputs, created_at }): Promise<PortalTurn | undefined> => {
    const turn = { execution_id: run_id, inputs, created_at: created_at.toISOString() };
    const ending = endings.get(run_id);
    if (!ending && !live.get(run_id)) return undefined;
    if (ending?.state === 'done') {
      const { status, outputs, execution_time_ms } = ending;
      return { ...turn, status, outputs, execution_time_ms };
    }
    const stored = ending?.state === 'waiting' ? await journal.load(run_id) : undefined;
    const paused = stored && storedAnswer(stored);
    if (!paused) return { ...turn, status: 'running', outputs: null, execution_time_ms: null };
    const { status, outputs, execution_time_ms } = paused;
    return { ...turn, status, outputs, execution_time_ms };
  });
  return (await Promise.all(turns)).filter((turn) => turn !== undefined);
}

/** §6.2: the turns as earlier messages, oldest first; answers that failed, were stopped or are still missing are left out. */
function toHistory(turns: readonly PortalTurn[]): History {
  const messages = turns.flatMap(({ inputs, status, outputs }) => [
    { role: 'user', content: questionText(inputs) },
    { role: 'assistant', content: status === 'success' ? withoutPictures(answerText(outputs)) : '' },
  ]);
  const history: History = [];
  let characters = 0;
  for (const message of messages.filter(({ content }) => content !== '').reverse()) {
    characters += message.content.length;
    if (characters > MAX_HISTORY_CHARACTERS) break;
    history.push(message);
  }
  return history.reverse();
}

interface BegunConversation {
  readonly id: string;
  readonly visitor_token: string | null;
}

export interface PortalConversations {
  /** @throws AppError `rate_limited` */
  begin(scope: queries.OwnScope, client_ip: string): Promise<BegunConversation>;
  list(
    scope: queries.OwnScope,
    paging: queries.Paging,
  ): Promise<queries.Paging & { items: PortalConversationItem[]; total: number }>;
  /** @throws AppError `not_found`, also for the conversation of someone else; so do the others */
  read(place: Place): Promise<PortalConversation>;
  remove(place: Place): Promise<void>;
  /** The part of the conversation so far that a run reads, before the run that is replaced. */
  history(place: Place, replaces: string | null): Promise<History>;
  /** Keeps the message before its run starts, so that no answer is without its place; the run gets its id. */
  keep(
    place: Place,
    admitted: AdmittedRun,
    body: Pick<PortalCall, 'inputs' | 'replaces'>,
  ): Promise<AdmittedRun>;
  /** Takes a message back whose run did not start. */
  takeBack(run_id: string): Promise<void>;
}

/** Visitors without a token get one: only who has it can open the conversation again. */
async function beginConversation(
  { database, now }: Services,
  { workflow_id, holder }: queries.OwnScope,
): Promise<BegunConversation> {
  const id = newId();
  const insert = (by: queries.Holder) =>
    queries.insertConversation(database.sql, { id, workflow_id, holder: by, at: new Date(now()) });
  if (holder.user_id !== null || holder.visitor_hash !== null) {
    await insert(holder);
    return { id, visitor_token: null };
  }
  const visitor_token = randomBytes(32).toString('base64url');
  await insert({ user_id: null, visitor_hash: tokenDigest(visitor_token) });
  return { id, visitor_token };
}

/** The inputs as they are kept: without secrets, and shortened. */
async function maskInputs(
  run_secrets: Services['run_secrets'],
  { run_as }: AdmittedRun,
  given: JsonObject,
): Promise<JsonObject> {
  const { masker } = await run_secrets.getSecrets(run_as);
  return shortened(masker ? masker.mask(given) : given);
}

export function createPortalConversations(services: Services): PortalConversations {
  const { database, run_secrets, execution, now } = services;
  const { sql } = database;
  const begun = services.attempt_limiters(BEGIN_RULE);

  async function require({ conversation_id, ...scope }: Place): Promise<queries.ConversationRow> {
    const row = await queries.findConversation(sql, scope, conversation_id);
    if (!row) throw notFound('Conversation');
    return row;
  }

  return {
    async begin(scope, client_ip) {
      const wait_seconds = await begun.count(client_ip);
      if (wait_seconds !== undefined) throw tooMany(wait_seconds);
      return beginConversation(services, scope);
    },
    async list(scope, paging) {
      const { rows, total } = await queries.listConversations(sql, scope, paging);
      return { items: rows.map(conversationItem), total, ...paging };
    },
    async read(place) {
      const row = await require(place);
      const turns = await queries.readTurns(sql, row.id, { limit: MAX_TURNS });
      return { ...conversationItem(row), turns: await loadTurns(services, turns) };
    },
    async remove({ conversation_id, ...scope }) {
      if (!(await queries.deleteConversation(sql, scope, conversation_id))) throw notFound('Conversation');
    },
    async history(place, before) {
      const { id } = await require(place);
      const turns = await queries.readTurns(sql, id, { limit: MAX_TURNS, before });
      return toHistory(await loadTurns(services, turns));
    },
    async keep({ conversation_id }, admitted, { inputs: given, replaces = null }) {
      const inputs = await maskInputs(run_secrets, admitted, given);
      const at_ms = now();
      const run_id = newOrderedId(at_ms);
      const turn = {
        run_id,
        conversation_id,
        inputs,
        title: buildTitle(inputs),
        replaces,
        at: new Date(at_ms),
      };
      if (!(await queries.insertTurn(sql, turn))) throw notFound('Conversation');
      return { ...admitted, run_id, conversation_id };
    },
    async takeBack(run_id) {
      if (execution.live.get(run_id)) return;
      const endings = await readEndings(sql, [run_id]);
      if (!endings.has(run_id)) await queries.deleteTurn(sql, run_id);
    },
  };
}

/** @param days since the last message; 0 keeps what was used */
export async function purgeConversations(
  services: Pick<Services, 'database' | 'now'>,
  days: number,
): Promise<number> {
  const { sql } = services.database;
  const at = services.now();
  const begun = new Date(at - UNUSED_MS);
  await deleteTurnsWithoutRun(sql, begun);
  const used = days === 0 ? new Date(0) : new Date(at - days * DAY_MS);
  return queries.deleteConversationsBefore(sql, { used, begun });
}
