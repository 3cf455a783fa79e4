import { randomBytes, timingSafeEqual } from 'node:crypto';
import { plainWords } from '@millrace/engine';
import { DAY_MS } from '@millrace/engine/units';
import { z } from 'zod';
import { newId } from '../../core/ids.ts';
import { tokenDigest } from '../../core/secrets/tokens.ts';
import type { Needs } from '../../services.ts';
import { OauthError } from './oauth-error.ts';
import * as queries from './queries.ts';
import { isSafeRedirect } from './redirect-uris.ts';

export const AUTH_METHODS = ['none', 'client_secret_post', 'client_secret_basic'] as const;
/** The only scope: use the tools of the account. */
export const SCOPE = 'mcp';

const UNUSED_DAYS = 30;

const registration = z.object({
  redirect_uris: z.array(z.string()).min(1, 'must name at least one address').max(10),
  client_name: z.string().trim().max(200).optional(),
  token_endpoint_auth_method: z.enum(AUTH_METHODS).default('none'),
  grant_types: z.array(z.string()).default(['authorization_code']),
  response_types: z.array(z.string()).default(['code']),
});

function readRegistration(body: unknown): z.infer<typeof registration> {
  const parsed = registration.safeParse(body, { error: plainWords });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = String(issue?.path[0] ?? 'body');
  const code = field === 'redirect_uris' ? 'invalid_redirect_uri' : 'invalid_client_metadata';
  throw new OauthError(code, `${field}: ${issue?.message ?? 'is not valid'}`);
}

const UNPRINTED = /[\p{Cc}\p{Cf}\p{Cs}]/gu;

/**
 * Registers a client (RFC 7591). What it asks for beyond the code grant, refresh tokens for example, is left out of the answer.
 *
 * @throws OauthError
 */
export async function registerClient(
  ctx: Needs<'db' | 'now'>,
  body: unknown,
): Promise<Record<string, unknown>> {
  const given = readRegistration(body);
  const { redirect_uris, token_endpoint_auth_method: auth_method } = given;
  const unsafe = redirect_uris.find((uri) => !isSafeRedirect(uri));
  if (unsafe !== undefined) {
    const allowed = 'https, http on localhost, or the scheme of an app, without fragment and user name';
    throw new OauthError('invalid_redirect_uri', `${unsafe.slice(0, 200)} is not allowed; use ${allowed}`);
  }
  if (!given.grant_types.includes('authorization_code'))
    throw new OauthError('invalid_client_metadata', 'authorization_code is the only grant type');
  if (!given.response_types.includes('code'))
    throw new OauthError('invalid_client_metadata', 'code is the only response type');
  const now = new Date(ctx.now());
  const secret = auth_method === 'none' ? undefined : randomBytes(32).toString('base64url');
  // Invisible characters and those that change the direction of text would let a name look like another one.
  const name = given.client_name?.replace(UNPRINTED, '') || 'MCP Client';
  const client = { client_id: newId(), name, redirect_uris, auth_method, created_at: now };
  await queries.forgetUnusedClients(ctx.db, new Date(ctx.now() - UNUSED_DAYS * DAY_MS));
  await queries.insertClient(ctx.db, {
    ...client,
    secret_hash: secret === undefined ? null : tokenDigest(secret),
  });
  return {
    client_id: client.client_id,
    client_id_issued_at: Math.floor(ctx.now() / 1000),
    ...(secret === undefined ? {} : { client_secret: secret, client_secret_expires_at: 0 }),
    client_name: name,
    redirect_uris,
    grant_types: ['authorization_code'],
    response_types: ['code'],
    token_endpoint_auth_method: auth_method,
    scope: SCOPE,
  };
}

/** Credentials of a client at the token endpoint. */
export interface ClientProof {
  readonly client_id: string | undefined;
  readonly client_secret: string | undefined;
}

const isSecret = (given: string, hash: string): boolean =>
  timingSafeEqual(Buffer.from(tokenDigest(given)), Buffer.from(hash));

/** @throws OauthError `invalid_client` */
export async function requireClient(
  ctx: Needs<'db'>,
  { client_id, client_secret }: ClientProof,
): Promise<queries.OauthClient> {
  const client = client_id === undefined ? undefined : await queries.clientById(ctx.db, client_id);
  if (!client) throw new OauthError('invalid_client', 'The client is not registered here');
  if (client.secret_hash === null) return client;
  if (client_secret !== undefined && isSecret(client_secret, client.secret_hash)) return client;
  throw new OauthError('invalid_client', 'The client secret is missing or wrong');
}
