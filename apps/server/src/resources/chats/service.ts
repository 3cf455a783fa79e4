import {
  CHAT_LIMITS,
  type Chat,
  type ChatAnswer,
  type ChatFilters,
  type ChatList,
  type ChatMessage,
  type ChatWithMessages,
} from '@millrace/contracts';
import { DAY_MS } from '@millrace/engine/units';
import { conflict, notFound } from '../../core/app-error.ts';
import { newId } from '../../core/ids.ts';
import type { SqlClient } from '../../database/sql-client.ts';
import type { Needs } from '../../services.ts';
import { requireWorkflow } from '../workflows/access.ts';
import { requireOwnChat } from './access.ts';
import { isAbandoned, silentSince } from './answers/open-answers.ts';
import * as queries from './queries.ts';
import { type AnswerRow, type ChatRow, isAnswer, type MessageRow } from './rows.ts';

type Reader = Needs<'db' | 'actor' | 'now'>;

const chatRecord = (row: ChatRow, is_answering: boolean): Chat => ({
  id: row.id,
  workflow_id: row.workflow_id,
  title: row.title,
  is_answering,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

function answerRecord(row: AnswerRow, now: number): ChatAnswer {
  const { id, content, created_at } = row;
  const state = isAbandoned(row, now) ? 'lost' : row.state;
  return { role: 'assistant', id, ...content, state, created_at: created_at.toISOString() };
}

function messageRecord(row: MessageRow, now: number): ChatMessage {
  if (isAnswer(row)) return answerRecord(row, now);
  const { id, content, created_at } = row;
  const { text, attachment } = content;
  return {
    role: 'user',
    id,
    text,
    attachment: attachment?.name ?? null,
    created_at: created_at.toISOString(),
  };
}

export async function listChats(ctx: Reader, filters: ChatFilters): Promise<ChatList> {
  const { rows, total } = await queries.listChats(ctx.db, ctx.actor.user_id, filters);
  const ids = rows.map(({ id }) => id);
  const answering = await queries.answeringIn(ctx.db, ids, silentSince(ctx.now()));
  const items = rows.map((row) => chatRecord(row, answering.has(row.id)));
  return { items, total, limit: filters.limit, offset: filters.offset };
}

export async function createChat(ctx: Reader, workflow_id: string | null): Promise<Chat> {
  if (workflow_id !== null) await requireWorkflow(ctx, workflow_id, 'read');
  const { user_id } = ctx.actor;
  if ((await queries.countChats(ctx.db, user_id)) >= CHAT_LIMITS.chats)
    throw conflict(`You have ${CHAT_LIMITS.chats} chats; delete some of them first`);
  const now = new Date(ctx.now());
  const row = { id: newId(), user_id, workflow_id, title: null, created_at: now, updated_at: now };
  await queries.insertChat(ctx.db, row);
  return chatRecord(row, false);
}

export async function readChat(ctx: Reader, id: string): Promise<ChatWithMessages> {
  const row = await requireOwnChat(ctx, id);
  const messages = (await queries.listMessages(ctx.db, id)).map((message) =>
    messageRecord(message, ctx.now()),
  );
  const is_answering = messages.some((message) => message.role === 'assistant' && message.state === 'open');
  return { ...chatRecord(row, is_answering), messages };
}

async function requireAnswer(ctx: Reader, { id, answer_id }: AnswerPlace): Promise<AnswerRow> {
  await requireOwnChat(ctx, id);
  const row = await queries.findAnswer(ctx.db, id, answer_id);
  if (!row) throw notFound('Answer');
  return row;
}

interface AnswerPlace {
  /** Of the chat. */
  readonly id: string;
  readonly answer_id: string;
}

export const readAnswer = async (ctx: Reader, place: AnswerPlace): Promise<ChatAnswer> =>
  answerRecord(await requireAnswer(ctx, place), ctx.now());

export async function renameChat(ctx: Reader, { id, title }: { id: string; title: string }): Promise<Chat> {
  const row = await requireOwnChat(ctx, id);
  await queries.updateChat(ctx.db, id, { title });
  const answering = await queries.answeringIn(ctx.db, [id], silentSince(ctx.now()));
  return chatRecord({ ...row, title }, answering.has(id));
}

type Decision = 'accepted' | 'partly_accepted' | 'rejected';

/** Notes a decision about a proposed workflow, once; the proposal itself is not needed any more. */
export async function decideProposal(
  ctx: Reader,
  { decision, ...place }: AnswerPlace & { decision: Decision },
): Promise<ChatAnswer> {
  const row = await requireAnswer(ctx, place);
  const isDue = row.content.parts.some((part) => part.kind === 'proposal' && part.proposed !== null);
  if (!isDue || row.state === 'open') throw conflict('This answer has no proposal that waits for a decision');
  const parts = row.content.parts.map((part) =>
    part.kind === 'proposal' && part.proposed !== null ? { ...part, proposed: null, decision } : part,
  );
  const content = { ...row.content, parts };
  await queries.setContent(ctx.db, row.id, content);
  return answerRecord({ ...row, content }, ctx.now());
}

/** Which process writes the answer is unknown here: a hint goes to all of them, and the mark is read with each save. */
export async function stopChat(
  ctx: Needs<'db' | 'actor' | 'now' | 'broadcast'>,
  id: string,
): Promise<undefined> {
  await requireOwnChat(ctx, id);
  for (const answer_id of await queries.requestStop(ctx.db, id, new Date(ctx.now())))
    ctx.broadcast.publish('chat_stopped', answer_id);
}

export async function deleteChat(
  ctx: Needs<'db' | 'actor' | 'now' | 'broadcast'>,
  id: string,
): Promise<undefined> {
  await stopChat(ctx, id);
  await queries.deleteChat(ctx.db, id);
}

/** Removes chats that were not used for longer than the retention setting; 0 days keeps everything. */
export function purgeChats(
  sql: SqlClient,
  { now_ms, days }: { now_ms: number; days: number },
): Promise<number> {
  return days === 0 ? Promise.resolve(0) : queries.deleteChatsBefore(sql, new Date(now_ms - days * DAY_MS));
}
