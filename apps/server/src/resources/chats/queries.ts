import type { ChatFilters } from '@millrace/contracts';
import { and, asc, count, desc, eq, gte, ilike, inArray, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../database/database.ts';
import { deleteInSlices } from '../../database/delete-in-slices.ts';
import { likePattern } from '../../database/like-pattern.ts';
import { chatMessages, chats } from '../../database/schema/index.ts';
import type { SqlClient } from '../../database/sql-client.ts';
import { visibleIds, workflowShareable } from '../shares/shareable.ts';
import { type AnswerRow, type ChatRow, isAnswer, type MessageRow, type StoredMessage } from './rows.ts';

/** Guarantee: only `insertMessages` and `saveAnswer` write contents, each with the state that goes with it. */
const asMessage = (row: StoredMessage) => row as MessageRow;

/** Own chats; those about a workflow only for as long as the person can see it. */
const isOwn = (user_id: string): SQL | undefined =>
  and(
    eq(chats.user_id, user_id),
    or(isNull(chats.workflow_id), inArray(chats.workflow_id, visibleIds(workflowShareable, user_id))),
  );

const filtered = (user_id: string, { workflow_id, search }: ChatFilters): SQL | undefined =>
  and(
    isOwn(user_id),
    workflow_id ? eq(chats.workflow_id, workflow_id) : isNull(chats.workflow_id),
    search ? ilike(chats.title, likePattern(search)) : undefined,
  );

export async function listChats(
  db: Db,
  user_id: string,
  filters: ChatFilters,
): Promise<{ rows: ChatRow[]; total: number }> {
  const where = filtered(user_id, filters);
  const rows = await db
    .select()
    .from(chats)
    .where(where)
    .orderBy(desc(chats.updated_at), desc(chats.id))
    .limit(filters.limit)
    .offset(filters.offset);
  const [counted] = await db.select({ total: count() }).from(chats).where(where);
  return { rows, total: counted?.total ?? 0 };
}

export async function ownChat(db: Db, user_id: string, id: string): Promise<ChatRow | undefined> {
  const [row] = await db
    .select()
    .from(chats)
    .where(and(eq(chats.id, id), isOwn(user_id)));
  return row;
}

export async function countChats(db: Db, user_id: string): Promise<number> {
  const [row] = await db.select({ count: count() }).from(chats).where(eq(chats.user_id, user_id));
  return row?.count ?? 0;
}

export const insertChat = (db: Db, row: ChatRow) => db.insert(chats).values(row);

/** @returns how many there were: none when it was deleted meanwhile */
export async function updateChat(db: Db, id: string, change: Partial<ChatRow>): Promise<number> {
  const rows = await db.update(chats).set(change).where(eq(chats.id, id)).returning({ id: chats.id });
  return rows.length;
}

export const deleteChat = (db: Db, id: string) => db.delete(chats).where(eq(chats.id, id));

/** @returns how many were removed */
export const deleteChatsBefore = (client: SqlClient, at: Date): Promise<number> =>
  deleteInSlices(
    client,
    'DELETE FROM chats WHERE id IN (SELECT id FROM chats WHERE updated_at < $1 LIMIT $2::int)',
    [at],
  );

/** Until the transaction ends, no other answer begins in it. */
export const lockChat = (db: Db, id: string) =>
  db.select({ id: chats.id }).from(chats).where(eq(chats.id, id)).for('update');

export async function listMessages(db: Db, chat_id: string): Promise<MessageRow[]> {
  const rows = await db
    .select()
    .from(chatMessages)
    .where(eq(chatMessages.chat_id, chat_id))
    .orderBy(asc(chatMessages.position));
  return rows.map(asMessage);
}

export async function findAnswer(db: Db, chat_id: string, id: string): Promise<AnswerRow | undefined> {
  const [row] = await db
    .select()
    .from(chatMessages)
    .where(and(eq(chatMessages.id, id), eq(chatMessages.chat_id, chat_id)));
  const message = row && asMessage(row);
  return message && isAnswer(message) ? message : undefined;
}

export const insertMessages = (db: Db, rows: readonly MessageRow[]) =>
  db.insert(chatMessages).values([...rows]);

export const setContent = (db: Db, id: string, content: AnswerRow['content']) =>
  db.update(chatMessages).set({ content }).where(eq(chatMessages.id, id));

const isOpen = eq(chatMessages.state, 'open');

/** Which of the chats have an answer that was saved since then and is not complete. */
export async function answeringIn(
  db: Db,
  chat_ids: readonly string[],
  since: Date,
): Promise<ReadonlySet<string>> {
  if (chat_ids.length === 0) return new Set();
  const rows = await db
    .select({ chat_id: chatMessages.chat_id })
    .from(chatMessages)
    .where(and(inArray(chatMessages.chat_id, [...chat_ids]), isOpen, gte(chatMessages.saved_at, since)));
  return new Set(rows.map(({ chat_id }) => chat_id));
}

/** Answers of a person that were saved since then and are not complete. */
export async function countAnswering(db: Db, user_id: string, since: Date): Promise<number> {
  const [row] = await db
    .select({ count: count() })
    .from(chatMessages)
    .innerJoin(chats, eq(chats.id, chatMessages.chat_id))
    .where(and(eq(chats.user_id, user_id), isOpen, gte(chatMessages.saved_at, since)));
  return row?.count ?? 0;
}

/** @returns the ids of the answers that are to end */
export async function requestStop(db: Db, chat_id: string, now: Date): Promise<string[]> {
  const rows = await db
    .update(chatMessages)
    .set({ stop_requested_at: now })
    .where(and(eq(chatMessages.chat_id, chat_id), isOpen))
    .returning({ id: chatMessages.id });
  return rows.map(({ id }) => id);
}

/** @returns undefined when there is nothing to save any more, because the chat was deleted or the answer given up */
export async function saveAnswer(
  db: Db,
  id: string,
  change: Pick<AnswerRow, 'saved_at'> & Partial<Pick<AnswerRow, 'content' | 'state'>>,
): Promise<{ is_stop_requested: boolean } | undefined> {
  const [row] = await db
    .update(chatMessages)
    .set(change)
    .where(and(eq(chatMessages.id, id), isOpen))
    .returning({ is_stop_requested: sql<boolean>`${chatMessages.stop_requested_at} IS NOT NULL` });
  return row;
}

/** Marks open answers as lost, because their process has ended. */
export const giveUpAnswers = (db: Db, chat_id: string) =>
  db
    .update(chatMessages)
    .set({ state: 'lost' })
    .where(and(eq(chatMessages.chat_id, chat_id), isOpen));
