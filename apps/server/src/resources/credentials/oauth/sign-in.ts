import type { Credential } from '@millrace/contracts';
import { NodeFailure } from '@millrace/engine';
import {
  type CredentialConfig,
  type CredentialType,
  type OauthSignIn,
  textOf,
} from '@millrace/engine/credential';
import { credentialType, credentialTypes } from '@millrace/nodes/credentials';
import type { Egress } from '@millrace/nodes/runtime';
import { AppError, conflict, invalidField, notFound } from '../../../core/app-error.ts';
import { tokenDigest } from '../../../core/tokens.ts';
import { recordAudit } from '../../../database/audit.ts';
import type { Needs } from '../../../execution/context.ts';
import * as credentialQueries from '../queries.ts';
import { keyringOf, sealConfig } from '../sealing.ts';
import { readCredential, requireOwn, requireReadable } from '../service.ts';
import { withoutSecrets } from '../service-caller.ts';
import * as queries from './queries.ts';
import { withoutTokens, withTokens } from './token-config.ts';
import { exchangeCode, GrantEnded, revokeToken, type Tokens } from './token-endpoint.ts';

const SIGN_IN_MS = 10 * 60_000;

type Ctx = Needs<'db' | 'actor' | 'secrets' | 'broadcast' | 'now' | 'request_id' | 'client_ip'>;

/** Types by their name in addresses. */
const providers: ReadonlyMap<string, CredentialType> = new Map(
  credentialTypes.flatMap((type) => (type.oauth ? [[type.type.replaceAll('_', '-'), type]] : [])),
);

export function requireProvider(name: string): CredentialType {
  const type = providers.get(name);
  if (!type) throw notFound('Sign-in provider');
  return type;
}

interface Start {
  readonly type: CredentialType;
  readonly credential_id: string;
  /** Address of the callback, which the owner registers at the provider. */
  readonly redirect_uri: string;
}

/** Begins a sign-in for the owner of a credential: bound to them, to the credential and to a PKCE verifier, for ten minutes. */
export async function startSignIn(
  ctx: Ctx,
  { type, credential_id, redirect_uri }: Start,
): Promise<{ auth_url: string; state: string }> {
  const row = await requireOwn(ctx, credential_id);
  if (row.type !== type.type)
    throw invalidField(['body', 'credential_id'], `is not a credential of type ${type.type}`);
  const config = requireReadable(ctx, row);
  const oauth = type.oauth?.(config);
  if (!oauth) throw new AppError('bad_request', 'The credential is set to another way of signing in');
  if (textOf(config, 'client_id') === '')
    throw conflict('Enter the client ID first, and save the credential');
  const lib = await import('oauth4webapi');
  const [state, verifier] = [lib.generateRandomState(), lib.generateRandomCodeVerifier()];
  const now = ctx.now();
  await queries.insertSignIn(
    ctx.db,
    {
      state_hash: tokenDigest(state),
      user_id: ctx.actor.user_id,
      credential_id,
      code_verifier: keyringOf(ctx.secrets).seal(verifier, now),
      redirect_uri,
      expires_at: new Date(now + SIGN_IN_MS),
    },
    new Date(now),
  );
  const code_challenge = await lib.calculatePKCECodeChallenge(verifier);
  return { auth_url: authorizationUrl(oauth, { config, state, redirect_uri, code_challenge }), state };
}

interface AuthorizationRequest {
  readonly config: CredentialConfig;
  readonly state: string;
  readonly redirect_uri: string;
  readonly code_challenge: string;
}

/** RFC 6749 section 4.1.1 with RFC 7636 section 4.3; further parameters of the provider never replace these. */
function authorizationUrl(oauth: OauthSignIn, request: AuthorizationRequest): string {
  const url = new URL(oauth.authorization_url);
  const scope = oauth.scopes.join(oauth.scope_separator ?? ' ');
  const parameters = {
    ...oauth.extra,
    response_type: 'code',
    client_id: textOf(request.config, 'client_id'),
    redirect_uri: request.redirect_uri,
    ...(scope === '' ? {} : { scope }),
    state: request.state,
    code_challenge: request.code_challenge,
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

/** What the page of the callback reports. */
export type SignInOutcome =
  | { readonly credential_id: string; readonly message?: undefined }
  | { readonly credential_id?: undefined; readonly message: string };

const refused = (message: string): SignInOutcome => ({ message });

const EXPIRED =
  'This sign-in has expired, was used before or belongs to another account. Connect the credential again.';

/** What providers mean by the usual codes (RFC 6749 section 4.1.2.1). */
function denied(title: string, params: URLSearchParams): string {
  const error = params.get('error') ?? '';
  if (error === 'access_denied') return `${title} was not allowed to connect.`;
  return `${title} refused the sign-in: ${(params.get('error_description') || error).slice(0, 300)}`;
}

interface Callback {
  readonly type: CredentialType;
  readonly params: URLSearchParams;
}

/** Ends a sign-in that the caller has begun, with tokens or a refusal; a state counts once. */
export async function finishSignIn(
  ctx: Ctx,
  egress: Egress,
  { type, params }: Callback,
): Promise<SignInOutcome> {
  const state = params.get('state') ?? '';
  const key = { state_hash: tokenDigest(state), user_id: ctx.actor.user_id };
  const begun = state === '' ? undefined : await queries.takeSignIn(ctx.db, key, new Date(ctx.now()));
  if (!begun) return refused(EXPIRED);
  if (params.has('error')) return refused(denied(type.title, params));
  if (!params.get('code')) return refused(`${type.title} sent no code. Connect the credential again.`);
  const row = await requireOwn(ctx, begun.credential_id);
  if (row.type !== type.type) return refused(EXPIRED);
  const config = requireReadable(ctx, row);
  const oauth = type.oauth?.(config);
  if (!oauth) return refused(EXPIRED);
  const { redirect_uri } = begun;
  const code_verifier = keyringOf(ctx.secrets).open(begun.code_verifier);
  try {
    const client = { egress, now: ctx.now, title: type.title, oauth, config };
    await storeTokens(ctx, row, await exchangeCode(client, { params, state, code_verifier, redirect_uri }));
    return { credential_id: row.id };
  } catch (error) {
    if (error instanceof GrantEnded) return refused(`${type.title} refused the code: ${error.message}`);
    if (error instanceof NodeFailure) return refused(withoutSecrets(error.failure.message, type, config));
    throw error;
  }
}

async function storeTokens(ctx: Ctx, { id }: credentialQueries.CredentialRow, tokens: Tokens): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    await credentialQueries.lockCredential(tx, id);
    const row = await requireOwn({ ...ctx, db: tx }, id);
    // The refresh token of another account must not stay beside the new access token.
    const next = withTokens(withoutTokens(requireReadable(ctx, row)), tokens);
    await credentialQueries.updateCredential(tx, id, {
      ...sealConfig(ctx.secrets, next, ctx.now()),
      updated_at: new Date(ctx.now()),
    });
    await recordAudit(tx, ctx, {
      action: 'credential.connected',
      object_kind: 'credential',
      object_id: id,
      object_name: row.name,
      details: { type: row.type, ...(tokens.account === undefined ? {} : { account: tokens.account }) },
    });
  });
  ctx.broadcast.publish('access_changed', `user:${ctx.actor.user_id}`);
}

/** Forgets the tokens, then revokes them at the provider, which may be away. */
export async function endSignIn(ctx: Ctx, egress: Egress, id: string): Promise<Credential> {
  const { type, before } = await ctx.db.transaction(async (tx) => {
    await credentialQueries.lockCredential(tx, id);
    const row = await requireOwn({ ...ctx, db: tx }, id);
    const known = credentialType(row.type);
    if (!known?.oauth) throw new AppError('bad_request', 'The credential has no sign-in');
    const config = requireReadable(ctx, row);
    await credentialQueries.updateCredential(tx, id, {
      ...sealConfig(ctx.secrets, withoutTokens(config), ctx.now()),
      updated_at: new Date(ctx.now()),
    });
    await recordAudit(tx, ctx, {
      action: 'credential.disconnected',
      object_kind: 'credential',
      object_id: id,
      object_name: row.name,
      details: { type: row.type },
    });
    return { type: known, before: config };
  });
  ctx.broadcast.publish('access_changed', `user:${ctx.actor.user_id}`);
  const oauth = type.oauth?.(before);
  const token = textOf(before, 'refresh_token') || textOf(before, 'access_token');
  if (oauth && token !== '') {
    await revokeToken({ egress, now: ctx.now, title: type.title, oauth, config: before }, token);
  }
  return readCredential(ctx, id);
}
