import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { OAUTH_CODE_SECONDS, OAUTH_CONSENT_SECONDS } from '@millrace/contracts';
import { newId } from '../../core/ids.ts';
import { tokenDigest } from '../../core/secrets/tokens.ts';
import { recordAudit } from '../../database/audit.ts';
import type { Needs } from '../../services.ts';
import { SCOPE } from './clients.ts';
import { OauthError } from './oauth-error.ts';
import * as queries from './queries.ts';
import { matchesRedirect } from './redirect-uris.ts';

/** Fields of an authorization request as they were sent. */
export type Fields = Readonly<Record<string, string | undefined>>;

/** Where the answer goes; only what is known to lead to the client. */
export interface Destination {
  readonly client: queries.OauthClient;
  readonly redirect_uri: string;
  readonly state: string | undefined;
}

export interface AuthorizationRequest extends Destination {
  readonly code_challenge: string;
  /** The MCP server that the token is to be for; null is the default one. */
  readonly server_id: string | null;
}

/** Names that a request repeats on the page and in the form. */
export const REQUEST_FIELDS = [
  'response_type',
  'client_id',
  'redirect_uri',
  'state',
  'scope',
  'resource',
  'code_challenge',
  'code_challenge_method',
] as const;

/**
 * Client and redirect address, without which nothing may be sent anywhere.
 *
 * @throws OauthError to be shown to the person
 */
export async function requireDestination(ctx: Needs<'db'>, fields: Fields): Promise<Destination> {
  const { client_id = '', redirect_uri, state } = fields;
  const client = await queries.clientById(ctx.db, client_id);
  if (!client) throw new OauthError('invalid_client', 'The client is not registered here');
  const [only, ...others] = client.redirect_uris;
  const target = redirect_uri ?? (others.length === 0 ? only : undefined);
  if (target === undefined || !matchesRedirect(target, client.redirect_uris))
    throw new OauthError('invalid_request', 'The redirect address is not one that the client registered');
  return { client, redirect_uri: target, state };
}

const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

function requireScope(scope: string | undefined): void {
  if (scope === undefined || scope.trim() === '') return;
  if (!scope.split(' ').includes(SCOPE)) throw new OauthError('invalid_scope', `The only scope is ${SCOPE}`);
}

const BELOW_RESOURCE =
  /^(?:\/servers\/(?<id>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}))?(?:\/mcp|\/sse)?$/i;

/**
 * The MCP server that a resource indicator means (RFC 8707); null is the default one, also without an indicator.
 *
 * @param target what the client names: the server, or one of its endpoints
 * @param resource address of the default server
 * @throws OauthError `invalid_target`
 */
export function serverOfResource(target: string | undefined, resource: string): string | null {
  if (target === undefined) return null;
  const url = target.replace(/\/+$/, '');
  const found = url.startsWith(resource) ? BELOW_RESOURCE.exec(url.slice(resource.length)) : null;
  if (!found) throw new OauthError('invalid_target', 'The resource must be an MCP server of this service');
  return found.groups?.['id']?.toLowerCase() ?? null;
}

/**
 * The rest of the request (§5.6): code grant, PKCE with S256, the resource that it is for (RFC 8707).
 *
 * @param resource address of the default MCP server
 * @throws OauthError to be sent to the client
 */
export function requireRequest(
  destination: Destination,
  fields: Fields,
  resource: string,
): AuthorizationRequest {
  if (fields['response_type'] !== 'code')
    throw new OauthError('unsupported_response_type', 'code is the only response type');
  const { code_challenge, code_challenge_method } = fields;
  if (code_challenge === undefined || code_challenge_method !== 'S256')
    throw new OauthError('invalid_request', 'PKCE with code_challenge_method=S256 is required');
  if (!CHALLENGE.test(code_challenge))
    throw new OauthError('invalid_request', 'The code_challenge is not the SHA-256 of a verifier');
  requireScope(fields['scope']);
  return { ...destination, code_challenge, server_id: serverOfResource(fields['resource'], resource) };
}

/** Covers everything that the page shows and who is signed in, so that another account cannot use the consent. */
function consentMac(
  secret: string,
  { client, redirect_uri, state, code_challenge, server_id }: AuthorizationRequest,
  { user_id, at }: { user_id: string | undefined; at: number },
): string {
  const asked = [client.client_id, redirect_uri, state ?? null, code_challenge, server_id];
  const bound = [...asked, user_id ?? null, at];
  return createHmac('sha256', secret)
    .update(JSON.stringify(['oauth consent', bound]))
    .digest('hex');
}

type Csrf = Needs<'secrets' | 'now'>;

/** §5.6: HMAC-SHA256, valid for ten minutes, for this request and this account only. */
export function csrfToken(ctx: Csrf, request: AuthorizationRequest, user_id: string | undefined): string {
  const at = Math.floor(ctx.now() / 1000);
  return `${at}:${consentMac(ctx.secrets.secret_key, request, { user_id, at })}`;
}

/** @throws OauthError `invalid_request` */
export function requireCsrfToken(
  ctx: Csrf,
  request: AuthorizationRequest,
  { given, user_id }: { given: string | undefined; user_id: string | undefined },
): void {
  const [time = '', mac = ''] = (given ?? '').split(':');
  const at = /^\d{1,12}$/.test(time) ? Number(time) : 0;
  const age = ctx.now() / 1000 - at;
  const expected = Buffer.from(consentMac(ctx.secrets.secret_key, request, { user_id, at }));
  const sent = Buffer.from(mac);
  const fits = sent.length === expected.length && timingSafeEqual(sent, expected);
  if (fits && age >= -1 && age <= OAUTH_CONSENT_SECONDS) return;
  throw new OauthError(
    'invalid_request',
    'This page has expired or belongs to another account; connect again from the client',
  );
}

/** Stores the consent and returns a code, valid once and for ten minutes. */
export async function issueCode(
  ctx: Needs<'db' | 'now'> & { readonly user_id: string; readonly client_ip: string },
  { client, redirect_uri, code_challenge, server_id }: AuthorizationRequest,
): Promise<string> {
  const code = randomBytes(32).toString('base64url');
  const now = ctx.now();
  const { user_id } = ctx;
  const id = newId();
  await ctx.db.transaction(async (tx) => {
    await queries.insertGrant(tx, {
      id,
      user_id,
      client_id: client.client_id,
      scope: SCOPE,
      server_id,
      redirect_uri,
      code_hash: tokenDigest(code),
      code_challenge,
      code_expires_at: new Date(now + OAUTH_CODE_SECONDS * 1000),
      created_at: new Date(now),
    });
    await recordAudit(
      tx,
      { now: ctx.now, client_ip: ctx.client_ip },
      {
        action: 'oauth_grant.created',
        object_kind: 'oauth_grant',
        object_id: id,
        object_name: client.name,
        owner_id: user_id,
      },
    );
  });
  return code;
}
