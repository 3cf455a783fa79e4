import { index, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { belongsTo, createdAt, instant, primaryId, updatedAt } from '../columns.ts';
import { workflowId } from './workflows.ts';

/** §2.6: people who may use the portal of one workflow. They have no account. */
export const portalUsers = pgTable(
  'portal_users',
  {
    id: primaryId(),
    workflow_id: workflowId(),
    username: text('username').notNull(),
    password_hash: text('password_hash').notNull(),
    /** Failed sign-ins to the portal before this are forgotten; of several users the newest counts. */
    failures_since: instant('failures_since'),
    created_at: createdAt(),
  },
  (t) => [uniqueIndex('portal_users_name').on(t.workflow_id, t.username)],
);

/** §2.6: only the SHA-256 of a token is stored. Sessions go with their user, and with the portal. */
export const portalSessions = pgTable(
  'portal_sessions',
  {
    token_hash: text('token_hash').primaryKey(),
    workflow_id: workflowId(),
    user_id: belongsTo('user_id', () => portalUsers.id),
    expires_at: instant('expires_at').notNull(),
    created_at: createdAt(),
  },
  (t) => [
    index('portal_sessions_workflow').on(t.workflow_id),
    index('portal_sessions_user').on(t.user_id),
    index('portal_sessions_expiry').on(t.expires_at),
  ],
);

/** Conversation of one visitor in a portal: a person of the portal, or the holder of a visitor token. */
export const portalConversations = pgTable(
  'portal_conversations',
  {
    /** Random, so that it cannot be guessed. */
    id: primaryId(),
    workflow_id: workflowId(),
    user_id: uuid('user_id').references(() => portalUsers.id, { onDelete: 'cascade' }),
    /** SHA-256 of the visitor token; null with a person. */
    visitor_hash: text('visitor_hash'),
    /** Beginning of the first message; empty before that. */
    title: text('title').notNull().default(''),
    created_at: createdAt(),
    updated_at: updatedAt(),
  },
  (t) => [
    index('portal_conversations_workflow').on(t.workflow_id, t.updated_at, t.id),
    index('portal_conversations_user').on(t.user_id, t.updated_at),
    index('portal_conversations_visitor').on(t.workflow_id, t.visitor_hash, t.updated_at),
    index('portal_conversations_age').on(t.updated_at),
  ],
);

/** A message of a conversation. Its answer is that of its run, with which it is deleted (`database/migrator/install-triggers.ts`). */
export const portalTurns = pgTable(
  'portal_turns',
  {
    /** UUID version 7: turns are in its order. Stored before the run is, which may never come. */
    run_id: uuid('run_id').primaryKey(),
    conversation_id: belongsTo('conversation_id', () => portalConversations.id),
    /** JSON, masked (§5.8). */
    inputs: text('inputs').notNull(),
    created_at: createdAt(),
  },
  (t) => [index('portal_turns_conversation').on(t.conversation_id, t.run_id)],
);
