import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { OauthGrant } from '@millrace/contracts';
import { DAY_MS } from '@millrace/engine/units';
import { notFound } from '../../core/app-error.ts';
import { tokenDigest } from '../../core/secrets/tokens.ts';
import { recordAudit } from '../../database/audit.ts';
import type { Db } from '../../database/database.ts';
import type { Needs } from '../../services.ts';
import { type Fields, serverOfResource } from './authorize.ts';
import { type ClientProof, requireClient } from './clients.ts';
import { OauthError } from './oauth-error.ts';
import * as queries from './queries.ts';
import { redirectHost } from './redirect-uris.ts';

/** 30 days: there are no refresh tokens (`docs/adr/0017-no-refresh-tokens.md`). */
export const ACCESS_TOKEN_SECONDS = 30 * 24 * 3600;

type Exchange = Needs<'db' | 'now' | 'broadcast' | 'client_ip' | 'request_id'>;

const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

/** RFC 7636 section 4.6. */
function isVerifier(verifier: string | undefined, challenge: string): boolean {
  if (verifier === undefined || !VERIFIER.test(verifier)) return false;
  const computed = createHash('sha256').update(verifier).digest('base64url');
  return timingSafeEqual(Buffer.from(computed), Buffer.from(challenge));
}

const invalidGrant = () =>
  new OauthError('invalid_grant', 'The code is invalid, expired, already used or issued for another request');

/** Revokes a grant without its person, who finds the reason in the audit log. */
async function revokeBecause(ctx: Exchange, id: string, by: 'client' | 'reused code'): Promise<void> {
  const user_id = await ctx.db.transaction(async (tx) => {
    const owner_id = await queries.revokeGrant(tx, { id }, new Date(ctx.now()));
    if (owner_id === undefined) return undefined;
    const { now, client_ip, request_id } = ctx;
    await recordAudit(
      tx,
      { now, client_ip, request_id },
      {
        action: 'oauth_grant.revoked',
        object_kind: 'oauth_grant',
        object_id: id,
        owner_id,
        details: { by },
      },
    );
    return owner_id;
  });
  if (user_id !== undefined) ctx.broadcast.publish('access_changed', `user:${user_id}`);
}

/**
 * `authorization_code`, the only grant (§5.6).
 *
 * @param ctx `resource` is the address of the default MCP server
 * @throws OauthError
 */
export async function exchangeCode(
  ctx: Exchange & { readonly resource: string },
  fields: Fields,
  proof: ClientProof,
): Promise<object> {
  const { grant_type, code, redirect_uri, code_verifier } = fields;
  if (grant_type === undefined) throw new OauthError('invalid_request', 'grant_type is missing');
  if (grant_type !== 'authorization_code')
    throw new OauthError('unsupported_grant_type', 'authorization_code is the only grant type');
  const client = await requireClient(ctx, proof);
  if (code === undefined || code_verifier === undefined)
    throw new OauthError('invalid_request', 'code and code_verifier are required');
  const grant = await queries.grantByCode(ctx.db, tokenDigest(code));
  if (grant?.client_id !== client.client_id) throw invalidGrant();
  if (!isVerifier(code_verifier, grant.code_challenge)) throw invalidGrant();
  if (redirect_uri !== undefined && redirect_uri !== grant.redirect_uri) throw invalidGrant();
  const target = fields['resource'];
  if (target !== undefined && serverOfResource(target, ctx.resource) !== grant.server_id)
    throw new OauthError('invalid_target', 'The code was issued for another resource');
  if (grant.code_expires_at.getTime() <= ctx.now() || grant.revoked_at !== null) throw invalidGrant();
  const access_token = randomBytes(32).toString('base64url');
  const token_expires_at = new Date(ctx.now() + ACCESS_TOKEN_SECONDS * 1000);
  const isFirst = await queries.claimCode(ctx.db, grant.id, {
    token_hash: tokenDigest(access_token),
    token_expires_at,
  });
  if (!isFirst) {
    // A code that is sent twice may have been stolen: RFC 6749 section 4.1.2 revokes the token that came from it.
    await revokeBecause(ctx, grant.id, 'reused code');
    throw invalidGrant();
  }
  return { access_token, token_type: 'Bearer', expires_in: ACCESS_TOKEN_SECONDS, scope: grant.scope };
}

/** RFC 7009: a client revokes its own token; an unknown token needs no revocation. */
export async function revokeToken(
  ctx: Exchange,
  token: string | undefined,
  proof: ClientProof,
): Promise<void> {
  const client = await requireClient(ctx, proof);
  if (token === undefined) throw new OauthError('invalid_request', 'token is missing');
  const grant = await queries.grantByToken(ctx.db, tokenDigest(token), new Date(ctx.now()));
  if (grant?.client_id === client.client_id) await revokeBecause(ctx, grant.id, 'client');
}

export async function listGrants(ctx: Needs<'db' | 'actor' | 'now'>): Promise<OauthGrant[]> {
  const rows = await queries.queryGrants(ctx.db, ctx.actor.user_id, new Date(ctx.now()));
  return rows.map(({ grant, client_name, server_name }) => ({
    id: grant.id,
    client_name,
    server_name,
    redirect_host: redirectHost(grant.redirect_uri),
    scope: grant.scope,
    created_at: grant.created_at.toISOString(),
    expires_at: (grant.token_expires_at ?? grant.code_expires_at).toISOString(),
  }));
}

export async function revokeOwnGrant(
  ctx: Needs<'db' | 'actor' | 'now' | 'broadcast'>,
  id: string,
): Promise<void> {
  const { user_id } = ctx.actor;
  await ctx.db.transaction(async (tx) => {
    if (!(await queries.revokeGrant(tx, { id, user_id }, new Date(ctx.now())))) throw notFound('Grant');
    await recordAudit(tx, ctx, { action: 'oauth_grant.revoked', object_kind: 'oauth_grant', object_id: id });
  });
  ctx.broadcast.publish('access_changed', `user:${user_id}`);
}

/** As long as a client has a grant, its registration is kept, so that it can ask again after its token has expired. */
const EXPIRED_KEPT_DAYS = 90;

/** Removes codes that were never exchanged and grants that expired long ago, for the daily job. */
export const purgeGrants = (db: Db, now_ms: number): Promise<number> =>
  queries.deleteOverGrants(db, {
    now: new Date(now_ms),
    expired_before: new Date(now_ms - EXPIRED_KEPT_DAYS * DAY_MS),
  });

/** A grant that is valid now. */
export interface GrantInForce {
  readonly id: string;
  readonly user_id: string;
  readonly client_id: string;
  /** The MCP server that it is for; null is the default one. */
  readonly server_id: string | null;
  readonly scopes: readonly string[];
}

const inForce = (row: queries.OauthGrantRow | undefined): GrantInForce | undefined =>
  row && {
    id: row.id,
    user_id: row.user_id,
    client_id: row.client_id,
    server_id: row.server_id,
    scopes: row.scope.split(' '),
  };

/** The grant of an access token; looked up for each request, so that a revocation applies in every process at once. */
export const grantOfToken = async (
  db: Db,
  token: string,
  now_ms: number,
): Promise<GrantInForce | undefined> =>
  inForce(await queries.grantByToken(db, tokenDigest(token), new Date(now_ms)));

export const grantById = async (db: Db, id: string, now_ms: number): Promise<GrantInForce | undefined> =>
  inForce(await queries.grantInForce(db, id, new Date(now_ms)));
