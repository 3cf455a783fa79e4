import type { Credential } from '@millrace/contracts';
import { NodeFailure } from '@millrace/engine';
import {
  type CredentialConfig,
  type CredentialType,
  getOauthClient,
  type OauthSignIn,
  readConfigText,
} from '@millrace/engine/credential';
import { credentialType, credentialTypes } from '@millrace/nodes/credentials';
import { discoveries, type Egress } from '@millrace/nodes/runtime';
import { AppError, conflict, invalidField, notFound } from '../../../core/app-error.ts';
import { tokenDigest } from '../../../core/secrets/tokens.ts';
import { recordAudit } from '../../../database/audit.ts';
import type { Needs } from '../../../services.ts';
import { describeFailure } from '../calls/service-caller.ts';
import * as credentialQueries from '../queries.ts';
import { getKeyring, sealConfig } from '../sealing.ts';
import { readCredential, requireOwn, requireReadable } from '../service.ts';
import * as queries from './queries.ts';
import { grantIdentity, withoutTokens, withTokens } from './token-config.ts';
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
  /** Address of the callback, which the owner registers at the provider; not used where the provider has set another one. */
  readonly redirect_uri: string;
}

interface Begun {
  /** Where the person signs in. */
  readonly auth_url: string;
  readonly state: string;
  /** Whether `finishSignInAt` ends it. */
  readonly needs_address: boolean;
}

/** Begins a sign-in for the owner of a credential: bound to them, to the credential and to a PKCE verifier, for ten minutes. */
export async function startSignIn(
  ctx: Ctx,
  egress: Egress,
  { type, credential_id, redirect_uri: callback }: Start,
): Promise<Begun> {
  const row = await requireOwn(ctx, credential_id);
  if (row.type !== type.type)
    throw invalidField(['body', 'credential_id'], `is not a credential of type ${type.type}`);
  const stored = requireReadable(ctx, row);
  const discovered = await discover({ ...ctx, egress }, { type, config: stored, redirect_uri: callback });
  const config = { ...stored, ...discovered };
  const oauth = type.oauth?.(config);
  if (!oauth) throw new AppError('bad_request', 'The credential is set to another way of signing in');
  if (getOauthClient(oauth, config).client_id === '')
    throw conflict('Enter the client ID first, and save the credential');
  const { redirect_uri = callback } = oauth;
  const lib = await import('oauth4webapi');
  const [state, verifier] = [lib.generateRandomState(), lib.generateRandomCodeVerifier()];
  const now = ctx.now();
  await queries.insertSignIn(
    ctx.db,
    {
      state_hash: tokenDigest(state),
      user_id: ctx.actor.user_id,
      credential_id,
      code_verifier: getKeyring(ctx.secrets).seal(verifier, now),
      redirect_uri,
      discovered: discovered ? getKeyring(ctx.secrets).seal(JSON.stringify(discovered), now) : null,
      expires_at: new Date(now + SIGN_IN_MS),
    },
    new Date(now),
  );
  const code_challenge = await lib.calculatePKCECodeChallenge(verifier);
  const auth_url = authorizationUrl(oauth, { config, state, redirect_uri, code_challenge });
  return { auth_url, state, needs_address: oauth.redirect_uri !== undefined };
}

interface Discovery {
  readonly type: CredentialType;
  readonly config: CredentialConfig;
  readonly redirect_uri: string;
}

/** The service's description of its sign-in now; undefined for types that know it beforehand. */
async function discover(
  { egress, now }: Pick<Ctx, 'now'> & { readonly egress: Egress },
  { type, config, redirect_uri }: Discovery,
): Promise<CredentialConfig | undefined> {
  const ask = type.discovers?.(config) ? discoveries.get(type.type) : undefined;
  try {
    return await ask?.({ http: egress, now, config, redirect_uri });
  } catch (error) {
    if (!(error instanceof NodeFailure)) throw error;
    const { kind } = error.failure;
    const code = kind === 'upstream' || kind === 'timeout' ? 'unavailable' : 'bad_request';
    throw new AppError(code, describeFailure(error, type, config), { cause: error });
  }
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
    client_id: getOauthClient(oauth, request.config).client_id,
    redirect_uri: request.redirect_uri,
    ...(scope === '' ? {} : { scope }),
    ...(oauth.resource === undefined ? {} : { resource: oauth.resource }),
    state: request.state,
    code_challenge: request.code_challenge,
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

/** The outcome that the page of the callback reports. */
export type SignInOutcome =
  | { readonly credential_id: string; readonly message?: undefined }
  | { readonly credential_id?: undefined; readonly message: string };

const refused = (message: string): SignInOutcome => ({ message });

const EXPIRED =
  'This sign-in has expired, was used before or belongs to another account. Connect the credential again.';

const MIXED_UP =
  'The answer does not come from where this sign-in began. Nothing was sent; connect the credential again.';
const CHANGED = 'The credential was changed during the sign-in. Connect it again.';

/** RFC 9207 section 2.4: an answer from elsewhere is neither used nor shown. */
function isFromIssuer({ issuer, sends_issuer = false }: OauthSignIn, params: URLSearchParams): boolean {
  const given = params.get('iss');
  if (issuer === undefined) return true;
  return given === null ? !sends_issuer : given === issuer;
}

/** The meaning that providers give the usual codes (RFC 6749 section 4.1.2.1). */
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
  const row = await requireOwn(ctx, begun.credential_id);
  if (row.type !== type.type) return refused(EXPIRED);
  const keyring = getKeyring(ctx.secrets);
  const discovered =
    begun.discovered === null ? {} : (JSON.parse(keyring.open(begun.discovered)) as CredentialConfig);
  const config = { ...requireReadable(ctx, row), ...discovered };
  const oauth = type.oauth?.(config);
  if (!oauth) return refused(EXPIRED);
  if (!isFromIssuer(oauth, params)) return refused(MIXED_UP);
  if (params.has('error')) return refused(denied(type.title, params));
  if (!params.get('code')) return refused(`${type.title} sent no code. Connect the credential again.`);
  const { redirect_uri } = begun;
  const code_verifier = keyring.open(begun.code_verifier);
  try {
    const client = { egress, now: ctx.now, title: type.title, oauth, config };
    const tokens = await exchangeCode(client, { params, state, code_verifier, redirect_uri });
    const isStored = await storeTokens(ctx, { id: row.id, type, config, discovered }, tokens);
    return isStored ? { credential_id: row.id } : refused(CHANGED);
  } catch (error) {
    if (error instanceof GrantEnded) return refused(`${type.title} refused the code: ${error.message}`);
    if (error instanceof NodeFailure) return refused(error.failure.message);
    throw error;
  }
}

/**
 * Ends a sign-in whose browser came back to an address where nothing of this service answers.
 *
 * @throws AppError with the refusal
 */
export async function finishSignInAt(
  ctx: Ctx,
  egress: Egress,
  { type, address }: { readonly type: CredentialType; readonly address: string },
): Promise<Credential> {
  const params = URL.canParse(address) ? new URL(address).searchParams : undefined;
  const isEnd = params?.get('state') && (params.get('code') || params.has('error'));
  // The page of the provider before has a state, too, which must not be used up by its address.
  if (!params || !isEnd)
    throw invalidField(
      ['body', 'address'],
      'must be the whole address of the page at which the sign-in ended, with "code" and "state"',
    );
  const { credential_id, message } = await finishSignIn(ctx, egress, { type, params });
  if (credential_id === undefined) throw new AppError('bad_request', message);
  return readCredential(ctx, credential_id);
}

interface SignedIn {
  /** Of the credential. */
  readonly id: string;
  readonly type: CredentialType;
  /** With which the sign-in ended. */
  readonly config: CredentialConfig;
  readonly discovered: CredentialConfig;
}

/** False when the tokens are not for what the credential is now. */
async function storeTokens(
  ctx: Ctx,
  { id, type, config, discovered }: SignedIn,
  tokens: Tokens,
): Promise<boolean> {
  const isStored = await ctx.db.transaction(async (tx) => {
    await credentialQueries.lockCredential(tx, id);
    const row = await requireOwn({ ...ctx, db: tx }, id);
    const current = { ...requireReadable(ctx, row), ...discovered };
    if (grantIdentity(type, current) !== grantIdentity(type, config)) return false;
    // The refresh token of another account must not stay beside the new access token.
    const next = withTokens(withoutTokens(current), tokens);
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
    return true;
  });
  if (isStored) ctx.broadcast.publish('access_changed', `user:${ctx.actor.user_id}`);
  return isStored;
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
  const token = readConfigText(before, 'refresh_token') || readConfigText(before, 'access_token');
  if (oauth && token !== '') {
    await revokeToken({ egress, now: ctx.now, title: type.title, oauth, config: before }, token);
  }
  return readCredential(ctx, id);
}
