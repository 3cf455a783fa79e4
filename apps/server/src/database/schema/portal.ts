import { index, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { createdAt, instant, partOf, primaryId } from '../columns.ts';
import { workflowId } from './workflows.ts';

/** §2.6: people who may use the portal of one workflow. They have no account. */
export const portalUsers = pgTable(
  'portal_users',
  {
    id: primaryId(),
    workflow_id: workflowId(),
    username: text('username').notNull(),
    password_hash: text('password_hash').notNull(),
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
    user_id: partOf('user_id', () => portalUsers.id),
    expires_at: instant('expires_at').notNull(),
    created_at: createdAt(),
  },
  (t) => [
    index('portal_sessions_workflow').on(t.workflow_id),
    index('portal_sessions_user').on(t.user_id),
    index('portal_sessions_expiry').on(t.expires_at),
  ],
);
