import { CHAT_LIMITS } from '@millrace/contracts';
import { AppError, conflict, notFound } from '../../../core/app-error.ts';
import { newId } from '../../../core/ids.ts';
import type { Db } from '../../../database/database.ts';
import type { Needs } from '../../../services.ts';
import * as queries from '../queries.ts';
import {
  type AnswerRow,
  type ChatRow,
  isAnswer,
  type MessageRow,
  type QuestionContent,
  type QuestionRow,
} from '../rows.ts';
import { isAbandoned, silentSince } from './open-answers.ts';

/** The message that a person sends in a chat. */
export interface Sent {
  /** Without text and attachment, no question is kept. */
  readonly question: QuestionContent;
  /** The answer to a confirmation of an earlier answer. */
  readonly decided: { readonly token: string; readonly decision: 'accept' | 'refuse' } | undefined;
}

export interface Begun {
  readonly question_id: string | null;
  readonly answer_id: string;
  /** Messages before the question, with the decision in it. */
  readonly earlier: readonly MessageRow[];
}

/** The beginning of a text in one line. */
function buildTitle({ text, attachment }: QuestionContent): string {
  const line = (text.trim() || (attachment?.name ?? '')).replace(/[\s\p{Cc}\p{Surrogate}]+/gu, ' ').trim();
  const { title_characters: most } = CHAT_LIMITS;
  return line.length > most ? `${line.slice(0, most - 1).replace(/\p{Surrogate}$/u, '')}…` : line;
}

/** Notes a decision, and drops proposals that wait for one: the next answer is about the graph as it is then. */
function settled(row: MessageRow, decided: Sent['decided']): MessageRow {
  if (!isAnswer(row)) return row;
  const parts = row.content.parts.map((part) => {
    if (part.kind === 'proposal' && part.proposed !== null) return { ...part, proposed: null };
    if (part.kind === 'confirmation' && part.asked.token === decided?.token)
      return { ...part, decision: decided.decision };
    return part;
  });
  const isSame = parts.every((part, at) => part === row.content.parts[at]);
  return isSame ? row : { ...row, content: { ...row.content, parts } };
}

async function requireRoom(
  ctx: Needs<'actor' | 'now'>,
  { tx, rows }: { tx: Db; rows: readonly MessageRow[] },
): Promise<void> {
  if (rows.some((row) => isAnswer(row) && row.state === 'open' && !isAbandoned(row, ctx.now())))
    throw conflict('The assistant is still answering in this chat; wait for it, or stop it');
  // A question and its answer.
  if (rows.length + 2 > CHAT_LIMITS.messages)
    throw conflict(`This chat has ${rows.length} messages and takes no more; begin a new one`);
  const open = await queries.countAnswering(tx, ctx.actor.user_id, silentSince(ctx.now()));
  if (open >= CHAT_LIMITS.open_answers)
    throw new AppError('rate_limited', `The assistant is answering in ${open} chats; wait for one of them`, {
      headers: { 'Retry-After': '5' },
    });
}

/**
 * Keeps what a person sent, and opens the answer to it.
 *
 * @throws AppError `not_found` when the chat was deleted meanwhile; `conflict` while it has an open answer, and when it is full;
 *   `rate_limited` when too many of the person's chats have one
 */
export function beginAnswer(
  ctx: Needs<'db' | 'actor' | 'now'>,
  chat: Pick<ChatRow, 'id' | 'title'>,
  { question, decided }: Sent,
): Promise<Begun> {
  const chat_id = chat.id;
  return ctx.db.transaction(async (tx) => {
    if ((await queries.lockChat(tx, chat_id)).length === 0) throw notFound('Chat');
    const rows = await queries.listMessages(tx, chat_id);
    await requireRoom(ctx, { tx, rows });
    await queries.giveUpAnswers(tx, chat_id);
    const earlier = rows.map((row) => settled(row, decided));
    for (const [at, row] of earlier.entries())
      if (isAnswer(row) && row !== rows[at]) await queries.setContent(tx, row.id, row.content);
    const now = new Date(ctx.now());
    const next = (rows.at(-1)?.position ?? -1) + 1;
    const common = { chat_id, stop_requested_at: null, saved_at: now, created_at: now };
    const isSaid = question.text.trim() !== '' || question.attachment !== null;
    const asked: QuestionRow[] = isSaid
      ? [{ ...common, id: newId(), position: next, content: question, state: null }]
      : [];
    const answer: AnswerRow = {
      ...common,
      id: newId(),
      position: next + asked.length,
      content: { parts: [], problem: null },
      state: 'open',
    };
    await queries.insertMessages(tx, [...asked, answer]);
    const title = chat.title ?? (buildTitle(question) || null);
    await queries.updateChat(tx, chat_id, { title, updated_at: now });
    return { question_id: asked[0]?.id ?? null, answer_id: answer.id, earlier };
  });
}
