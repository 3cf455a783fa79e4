import type { ChatAnswerState } from '@millrace/contracts';
import { sql } from 'drizzle-orm';
import { index, integer, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { belongsTo, createdAt, instant, jsonText, primaryId, updatedAt } from '../columns.ts';
import { userId } from './accounts.ts';
import { workflows } from './workflows.ts';

/** Conversations with an assistant; each belongs to one person. */
export const chats = pgTable(
  'chats',
  {
    id: primaryId(),
    user_id: userId('user_id'),
    /** The workflow whose editor it belongs to; null: the assistant of the dashboard. */
    workflow_id: uuid('workflow_id').references(() => workflows.id, { onDelete: 'cascade' }),
    title: text('title'),
    created_at: createdAt(),
    /** When the last message was sent. */
    updated_at: updatedAt(),
  },
  (t) => [
    index('chats_user').on(t.user_id, t.updated_at, t.id),
    index('chats_workflow').on(t.workflow_id).where(sql`${t.workflow_id} is not null`),
    index('chats_updated_at').on(t.updated_at),
  ],
);

export const chatMessages = pgTable(
  'chat_messages',
  {
    id: primaryId(),
    chat_id: belongsTo('chat_id', () => chats.id),
    /** From 0, without gaps. */
    position: integer('position').notNull(),
    /** A question with its attachment, or the parts of an answer. */
    content: jsonText('content').notNull(),
    /** Null for a question. */
    state: text('state').$type<ChatAnswerState>(),
    stop_requested_at: instant('stop_requested_at'),
    /** When the process that writes an answer last saved it; one that is silent for long has ended. */
    saved_at: instant('saved_at').notNull(),
    created_at: createdAt(),
  },
  (t) => [
    uniqueIndex('chat_messages_position').on(t.chat_id, t.position),
    index('chat_messages_open').on(t.chat_id).where(sql`${t.state} = 'open'`),
  ],
);
