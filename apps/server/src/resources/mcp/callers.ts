import { mcpSessionToken, signToken, tokenDigest, verifyToken } from '../../core/secrets/tokens.ts';
import type { McpPrincipal } from '../../execution/admission/principal.ts';
import type { Services } from '../../services.ts';
import { type GrantInForce, grantById, grantOfToken } from '../oauth/tokens.ts';
import { type KeyOwner, ownerOfKey } from './keys.ts';
import type { Toolset } from './queries.ts';
import { isSession } from './sessions.ts';

type CallerServices = Pick<Services, 'database' | 'secrets' | 'now'>;

/** The sender of MCP messages and the credential that identified them. */
export interface McpCaller {
  readonly principal: McpPrincipal;
  /** Id of the key or of the grant; a new one has a new id. */
  readonly credential_id: string;
  /** The tools that the server at the address offers; the credential is for that server alone. */
  readonly toolset: Toolset;
}

/** Everything that a key may do; tokens of the OAuth server have the scopes of their grant. */
const KEY_SCOPES = ['mcp'] as const;

const keyHolder = (user_id: string): McpPrincipal => ({ kind: 'mcp_key', user_id, scopes: KEY_SCOPES });

/** A signed-in person who tries a server of their own: what the holder of its key may do. */
export const ownCaller = (toolset: Toolset): Pick<McpCaller, 'principal' | 'toolset'> => ({
  principal: keyHolder(toolset.user_id),
  toolset,
});

const keyCaller = (server_id: string | null, owner: KeyOwner | undefined): McpCaller | undefined =>
  owner && {
    principal: keyHolder(owner.user_id),
    credential_id: owner.key_id,
    toolset: { user_id: owner.user_id, server_id },
  };

function grantCaller(server_id: string | null, grant: GrantInForce | undefined): McpCaller | undefined {
  if (grant?.server_id !== server_id) return undefined;
  const { user_id, client_id, scopes } = grant;
  return {
    principal: { kind: 'oauth_grant', user_id, client_id, scopes },
    credential_id: grant.id,
    toolset: { user_id, server_id },
  };
}

/**
 * The caller with that key of the server, or with an access token for it (§5.6); looked up for each request, so that a
 * revocation applies in every process at once.
 *
 * @param server_id server that the address names; null for the default one
 */
export async function callerOfSecret(
  { database, now }: CallerServices,
  server_id: string | null,
  secret: string,
): Promise<McpCaller | undefined> {
  const { db } = database;
  return (
    keyCaller(server_id, await ownerOfKey(db, server_id, { key_hash: tokenDigest(secret) })) ??
    grantCaller(server_id, await grantOfToken(db, secret, now()))
  );
}

type Proven = Pick<McpCaller, 'credential_id' | 'toolset'> & {
  readonly principal: Pick<McpPrincipal, 'kind'>;
};

/** The caller while their credential is valid. */
export async function callerAgain(
  { database, now }: CallerServices,
  { principal, credential_id, toolset: { user_id, server_id } }: Proven,
): Promise<McpCaller | undefined> {
  const { db } = database;
  const caller =
    principal.kind === 'mcp_key'
      ? keyCaller(server_id, await ownerOfKey(db, server_id, { key_id: credential_id }))
      : grantCaller(server_id, await grantById(db, credential_id, now()));
  return caller?.principal.user_id === user_id ? caller : undefined;
}

/** §8.3. */
export const SESSION_TOKEN_SECONDS = 3600;

/** A token for the messages of one stream; in its address it replaces the key (§5.6). */
export function issueSessionToken(
  { secrets, now }: CallerServices,
  { principal, credential_id }: McpCaller,
  stream_id: string,
): Promise<string> {
  const claims = {
    sub: principal.user_id,
    sid: stream_id,
    via: principal.kind,
    cid: credential_id,
    type: 'mcp_session',
    exp: Math.floor(now() / 1000) + SESSION_TOKEN_SECONDS,
  } as const;
  return signToken(mcpSessionToken, claims, secrets.secret_key);
}

export interface StreamCaller extends McpCaller {
  readonly stream_id: string;
}

/** The opener of the stream at this server; undefined when the token is over, or what the stream was opened with is. */
export async function callerOfSession(
  services: CallerServices,
  server_id: string | null,
  token: string,
): Promise<StreamCaller | undefined> {
  const { secrets, now } = services;
  const claims = await verifyToken(mcpSessionToken, token, { secret: secrets.secret_key, now: now() });
  if (!claims) return undefined;
  const { sub: user_id, sid: stream_id, via: kind, cid: credential_id } = claims;
  const caller = await callerAgain(services, {
    principal: { kind },
    credential_id,
    toolset: { user_id, server_id },
  });
  return caller && (await isSession(services.database.db, stream_id)) ? { ...caller, stream_id } : undefined;
}
