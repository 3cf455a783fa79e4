import { index, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { createdAt, instant, primaryId } from '../columns.ts';
import { userId } from './accounts.ts';
import { mcpServers } from './mcp.ts';

/** Clients that registered themselves (RFC 7591); until a person lets one in, it can do nothing. */
export const oauthClients = pgTable('oauth_clients', {
  client_id: text('client_id').primaryKey(),
  name: text('name').notNull(),
  redirect_uris: text('redirect_uris').array().notNull(),
  /** `none` for public clients, which have no secret. */
  auth_method: text('auth_method').notNull(),
  secret_hash: text('secret_hash'),
  created_at: createdAt(),
});

/**
 * Permission that a person gave a client: first a code, then the token that it was exchanged for. Of both only the
 * SHA-256.
 */
export const oauthGrants = pgTable(
  'oauth_grants',
  {
    id: primaryId(),
    user_id: userId('user_id'),
    client_id: text('client_id')
      .notNull()
      .references(() => oauthClients.client_id, { onDelete: 'cascade' }),
    scope: text('scope').notNull(),
    /** The MCP server that the client asked for; null for the default one. */
    server_id: uuid('server_id').references(() => mcpServers.id, { onDelete: 'cascade' }),
    redirect_uri: text('redirect_uri').notNull(),
    code_hash: text('code_hash').notNull(),
    code_challenge: text('code_challenge').notNull(),
    code_expires_at: instant('code_expires_at').notNull(),
    /** Set when the token is made; the code is worth nothing from then on. */
    token_hash: text('token_hash'),
    token_expires_at: instant('token_expires_at'),
    revoked_at: instant('revoked_at'),
    created_at: createdAt(),
  },
  (t) => [
    uniqueIndex('oauth_grants_code').on(t.code_hash),
    uniqueIndex('oauth_grants_token').on(t.token_hash),
    index('oauth_grants_user').on(t.user_id),
    index('oauth_grants_client').on(t.client_id),
    index('oauth_grants_server').on(t.server_id),
  ],
);
