import { NodeFailure } from '@millrace/engine';
import {
  type CredentialConfig,
  getOauthClient,
  type OauthSignIn,
  type ServiceAccount,
} from '@millrace/engine/credential';
import { readBytes } from '@millrace/nodes/read-bytes';
import type { Egress } from '@millrace/nodes/runtime';
import type * as oauth from 'oauth4webapi';

/** The answer of a token endpoint. */
export interface Tokens {
  readonly access_token: string;
  /** Absent when the one before stays valid. */
  readonly refresh_token?: string;
  /** Only of providers whose identity is kept. */
  readonly id_token?: string;
  /** Epoch milliseconds; absent when the provider does not say. */
  readonly expires_at_ms?: number;
  readonly scope?: string;
  /** How people know the account: its address, else the name of its workspace. */
  readonly account?: string;
}

/** The provider takes the refresh token or the key no longer: only a new sign-in helps. */
export class GrantEnded extends Error {}

const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 256 * 1024;
const ASSERTION_SECONDS = 600;

export interface TokenClient {
  readonly egress: Egress;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** How messages name the provider. */
  readonly title: string;
  readonly oauth: Omit<OauthSignIn, 'authorization_url' | 'scopes'>;
  readonly config: CredentialConfig;
}

type Library = typeof oauth;
/** Loaded with the first sign-in. */
const library = (): Promise<Library> => import('oauth4webapi');

function buildParts(lib: Library, { oauth: signIn, config }: TokenClient) {
  const { client_id, client_secret } = getOauthClient(signIn, config);
  const server: oauth.AuthorizationServer = {
    issuer: signIn.issuer ?? new URL(signIn.token_url).origin,
    token_endpoint: signIn.token_url,
    ...(signIn.revocation_url === undefined ? {} : { revocation_endpoint: signIn.revocation_url }),
    ...(signIn.sends_issuer ? { authorization_response_iss_parameter_supported: true } : {}),
  };
  const client: oauth.Client = { client_id };
  const proof =
    signIn.client_auth === 'none'
      ? lib.None()
      : signIn.client_auth === 'basic'
        ? clientSecretBasic(client_secret)
        : lib.ClientSecretPost(client_secret);
  return { server, client, proof };
}

/**
 * Client ID and secret as user name and password, form-encoded (RFC 6749 section 2.3.1). The library encodes `-`, `.`, `_`
 * and `*` as well, which the form encoding keeps; servers that do not decode then refuse client IDs such as UUIDs.
 */
function clientSecretBasic(client_secret: string): oauth.ClientAuth {
  return (_server, { client_id }, _body, headers) => {
    const pair = `${formEncoded(client_id)}:${formEncoded(client_secret)}`;
    headers.set('authorization', `Basic ${btoa(pair)}`);
  };
}

const formEncoded = (text: string) => new URLSearchParams([['', text]]).toString().slice(1);

/** Parameters that prove something; services may repeat them in their errors. */
const PROOFS = ['client_secret', 'refresh_token', 'code', 'code_verifier', 'assertion'];

interface Exchange {
  /** Claims and further members of the answer, which name the account. */
  described: Readonly<Record<string, unknown>>;
  id_token: string | undefined;
  /** Values that were sent and must not be shown. */
  sent: readonly string[];
  readonly options: {
    readonly [oauth.customFetch]: (
      url: string,
      init: oauth.CustomFetchOptions<'POST', URLSearchParams>,
    ) => Promise<Response>;
    readonly [oauth.allowInsecureRequests]: boolean;
  };
}

/** Requests of the library through the guarded way out. Redirects are not followed: secrets go where their owner said. */
function exchangeThrough(lib: Library, egress: Egress): Exchange {
  const exchange: Exchange = {
    described: {},
    id_token: undefined,
    sent: [],
    options: {
      // Addresses of the owner's own network may be plain; the guard decides what may be reached at all.
      [lib.allowInsecureRequests]: true,
      [lib.customFetch]: async (url, { method, headers, body }) => {
        exchange.sent = PROOFS.flatMap((name) => body.get(name) || []);
        const answer = await egress.request({
          method,
          url,
          headers: Object.entries(headers),
          body: body.toString(),
          timeout_ms: TIMEOUT_MS,
          max_response_bytes: MAX_ANSWER_BYTES,
          follow_redirects: false,
          signal: new AbortController().signal,
        });
        const { text, described, id_token } = takeIdToken((await readBytes(answer.body)).toString('utf8'));
        exchange.described = described;
        exchange.id_token = id_token;
        const type = answer.headers['content-type'] ?? 'application/json';
        const isEmpty = [204, 205, 304].includes(answer.status);
        return new Response(isEmpty ? null : text, {
          status: answer.status,
          headers: { 'content-type': type },
        });
      },
    },
  };
  return exchange;
}

/**
 * The identity in an answer only names the account on a page, and came straight from the provider over its own connection
 * (OpenID Connect Core section 3.1.3.7, 6), so its signature is not looked at; nothing is decided by it.
 */
function takeIdToken(text: string): Pick<Exchange, 'described' | 'id_token'> & { readonly text: string } {
  try {
    const { id_token, ...answer } = JSON.parse(text) as Record<string, unknown>;
    const [, payload = ''] = typeof id_token === 'string' ? id_token.split('.') : [];
    const claims =
      payload === '' ? {} : (JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as object);
    return {
      text: JSON.stringify(answer),
      described: { ...answer, ...claims },
      id_token: payload === '' ? undefined : String(id_token),
    };
  } catch {
    return { text, described: {}, id_token: undefined };
  }
}

function accountIn(described: Readonly<Record<string, unknown>>): string | undefined {
  const found = ['email', 'workspace_name', 'name'].map((name) => described[name]);
  return found.find((value): value is string => typeof value === 'string' && value !== '')?.slice(0, 200);
}

function toTokens(
  answer: oauth.TokenEndpointResponse,
  { described, id_token }: Pick<Exchange, 'described' | 'id_token'>,
  now_ms: number,
): Tokens {
  const account = accountIn(described);
  return {
    access_token: answer.access_token,
    ...(answer.refresh_token === undefined ? {} : { refresh_token: answer.refresh_token }),
    ...(id_token === undefined ? {} : { id_token }),
    ...(answer.expires_in === undefined ? {} : { expires_at_ms: now_ms + answer.expires_in * 1000 }),
    ...(answer.scope === undefined ? {} : { scope: answer.scope }),
    ...(account === undefined ? {} : { account }),
  };
}

/** The fault in words for the owner; messages of the library name neither the provider nor the fix. */
function toFailure(
  lib: Library,
  error: unknown,
  { title, oauth, config }: TokenClient,
  sent: Exchange['sent'],
): Error {
  if (error instanceof NodeFailure) return error;
  if (error instanceof lib.ResponseBodyError) {
    const secrets = [...sent, getOauthClient(oauth, config).client_secret].filter(Boolean);
    const said = secrets
      .reduce((words, secret) => words.replaceAll(secret, '**'), error.error_description ?? error.error)
      .slice(0, 300);
    if (error.error === 'invalid_grant') return new GrantEnded(said);
    // A client that registered itself can be forgotten, and is registered anew by the next sign-in.
    if (oauth.client && error.error === 'invalid_client') return new GrantEnded(said);
    const message = `${title} refused the sign-in: ${said}`;
    return new NodeFailure(
      { kind: 'credential', message, field: 'credentialId', final: true },
      { cause: error },
    );
  }
  const status =
    error instanceof Error && error.cause instanceof Response ? ` (status ${error.cause.status})` : '';
  const message = `${title} did not answer the sign-in as RFC 6749 describes${status}`;
  return new NodeFailure({ kind: 'upstream', message }, { cause: error });
}

async function asked(
  client: TokenClient,
  send: (
    lib: Library,
    parts: ReturnType<typeof buildParts>,
    exchange: Exchange,
  ) => Promise<oauth.TokenEndpointResponse>,
): Promise<Tokens> {
  const lib = await library();
  const exchange = exchangeThrough(lib, client.egress);
  try {
    const answer = await send(lib, buildParts(lib, client), exchange);
    const { described, id_token } = exchange;
    const kept = client.oauth.keeps_identity ? id_token : undefined;
    return toTokens(answer, { described, id_token: kept }, client.now());
  } catch (error) {
    throw toFailure(lib, error, client, exchange.sent);
  }
}

/** RFC 8707 section 2.2. */
const forResource = ({ oauth: { resource } }: TokenClient) =>
  resource === undefined ? {} : { additionalParameters: { resource } };

export interface CodeAnswer {
  /** Parameters with which the browser came back. */
  readonly params: URLSearchParams;
  readonly state: string;
  readonly code_verifier: string;
  readonly redirect_uri: string;
}

/**
 * Exchanges a code for tokens (RFC 6749 section 4.1.3 with RFC 7636 section 4.5).
 *
 * @throws GrantEnded when the code is not valid any more; NodeFailure for everything else
 */
export function exchangeCode(
  client: TokenClient,
  { params, state, code_verifier, redirect_uri }: CodeAnswer,
): Promise<Tokens> {
  return asked(client, async (lib, { server, client: known, proof }, { options }) => {
    // Without a known issuer its parameter cannot be compared (RFC 9207 section 2.4).
    if (client.oauth.issuer === undefined) params.delete('iss');
    const checked = lib.validateAuthResponse(server, known, params, state);
    const answer = await lib.authorizationCodeGrantRequest(
      server,
      known,
      proof,
      checked,
      redirect_uri,
      code_verifier,
      { ...options, ...forResource(client) },
    );
    return lib.processGenericTokenEndpointResponse(server, known, answer);
  });
}

/** New tokens for a refresh token (RFC 6749 section 6). @throws GrantEnded, NodeFailure */
export function refreshTokens(client: TokenClient, refresh_token: string): Promise<Tokens> {
  return asked(client, async (lib, { server, client: known, proof }, { options }) => {
    const answer = await lib.refreshTokenGrantRequest(server, known, proof, refresh_token, {
      ...options,
      ...forResource(client),
    });
    return lib.processGenericTokenEndpointResponse(server, known, answer);
  });
}

/** A token for a service account, which signs for itself (RFC 7523 section 2.1). @throws GrantEnded, NodeFailure */
export function accountTokens(
  { egress, now, title }: Pick<TokenClient, 'egress' | 'now' | 'title'>,
  account: ServiceAccount,
): Promise<Tokens> {
  const client: TokenClient = {
    egress,
    now,
    title,
    config: { client_id: account.issuer },
    oauth: { token_url: account.token_url, client_auth: 'none' },
  };
  return asked(client, async (lib, { server, client: known }, { options }) => {
    const assertion = await signedAssertion(account, Math.floor(now() / 1000));
    const grant = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
    // The assertion is the proof; the client has no other one.
    const noProof: oauth.ClientAuth = () => undefined;
    const answer = await lib.genericTokenEndpointRequest(
      server,
      known,
      noProof,
      grant,
      { assertion },
      options,
    );
    return lib.processGenericTokenEndpointResponse(server, known, answer);
  });
}

async function signedAssertion(account: ServiceAccount, now_seconds: number): Promise<string> {
  const { importPKCS8, SignJWT } = await import('jose');
  const key = await importPKCS8(account.private_key, 'RS256').catch((error: unknown) => {
    const message = 'The private key of the service account cannot be read; enter the whole key file again';
    throw new NodeFailure(
      { kind: 'credential', message, field: 'credentialId', final: true },
      { cause: error },
    );
  });
  return new SignJWT({
    scope: account.scopes.join(' '),
    ...(account.subject ? { sub: account.subject } : {}),
  })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', ...(account.key_id ? { kid: account.key_id } : {}) })
    .setIssuer(account.issuer)
    .setAudience(account.token_url)
    .setIssuedAt(now_seconds)
    .setExpirationTime(now_seconds + ASSERTION_SECONDS)
    .sign(key);
}

/** Ends a token at the provider (RFC 7009); false when that did not work. */
export async function revokeToken(client: TokenClient, token: string): Promise<boolean> {
  if (client.oauth.revocation_url === undefined) return false;
  const lib = await library();
  const { server, client: known, proof } = buildParts(lib, client);
  const { options } = exchangeThrough(lib, client.egress);
  try {
    await lib.processRevocationResponse(await lib.revocationRequest(server, known, proof, token, options));
    return true;
  } catch {
    return false;
  }
}
