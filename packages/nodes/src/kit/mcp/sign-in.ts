import { NodeFailure } from '@millrace/engine';
import { type CredentialConfig, readConfigText } from '@millrace/engine/credential';
import { MEGABYTE } from '@millrace/engine/units';
import type { AuthorizationServerMetadata } from '@modelcontextprotocol/client';
import type { DiscoveryRequest } from '../../implement.ts';
import { hasOwnClient } from './discovered.ts';
import { type EgressFetch, egressFetch } from './egress-fetch.ts';
import type { McpLibrary } from './failures.ts';
import { describeHost, extraHeaders } from './server.ts';

const TIMEOUT_MS = 20_000;
const OFFLINE = 'offline_access';

const refused = (message: string, cause?: unknown): NodeFailure =>
  new NodeFailure(
    { kind: 'credential', message, field: 'credentialId', final: true },
    cause === undefined ? {} : { cause },
  );

interface Search extends DiscoveryRequest {
  readonly library: McpLibrary;
  /** Address of the MCP server. */
  readonly url: string;
  /** For messages. */
  readonly host: string;
  readonly fetch: EgressFetch;
}

/**
 * Finds out where people sign in to an MCP server, as whom this service does so, and what for: the challenge of the server and its
 * metadata (RFC 9728), those of its authorization server (RFC 8414), and a registration there (RFC 7591) unless the owner
 * has a client. The server gets the header of the credential, the others nothing secret.
 */
export async function discoverMcpSignIn(request: DiscoveryRequest): Promise<CredentialConfig> {
  const library = await import('@modelcontextprotocol/client');
  const url = readConfigText(request.config, 'mcp_url');
  const host = describeHost({ url }, 'mcp_url');
  const over = new AbortController();
  const fetch = egressFetch(request.http, {
    ends_at_ms: request.now() + TIMEOUT_MS,
    now: request.now,
    signal: over.signal,
    max_answer_bytes: MEGABYTE,
    onError: () => undefined,
  });
  try {
    return await discover({ ...request, library, url, host, fetch });
  } catch (error) {
    if (error instanceof NodeFailure) throw error;
    throw toFailure(error, library, host);
  } finally {
    over.abort();
  }
}

async function discover(search: Search): Promise<CredentialConfig> {
  const { library, url, fetch } = search;
  const challenge = await fetchChallenge(search);
  const described = await fetchResourceMetadata(search, challenge.resourceMetadataUrl);
  const issuer = described?.authorization_servers?.[0] ?? new URL(url).origin;
  requireSafe(search, issuer, 'issuer');
  const metadata = await library.discoverAuthorizationServerMetadata(issuer, { fetchFn: fetch });
  if (!metadata) {
    throw refused(
      `The MCP server ${search.host} names no authorization server that can be signed in to; choose the sign-in by token or headers`,
    );
  }
  requireUsable(search, metadata);
  const asked_scope = chooseScope(
    search,
    metadata,
    challenge.scope ?? described?.scopes_supported?.join(' '),
  );
  return {
    discovered_for: url,
    issuer: metadata.issuer,
    authorization_url: metadata.authorization_endpoint,
    token_url: metadata.token_endpoint,
    revocation_url: revocationUrl(metadata),
    sends_issuer: metadata['authorization_response_iss_parameter_supported'] === true ? 'yes' : '',
    resource: described?.resource ?? library.resourceUrlFromServerUrl(url).href,
    asked_scope,
    ...(await clientFor(search, metadata, asked_scope)),
  };
}

/** The server's answer to a caller without a token (RFC 9728 section 5.1). */
async function fetchChallenge({ library, config, url, fetch }: Search) {
  const isStream = readConfigText(config, 'mcp_transport') === 'sse';
  const headers = {
    ...extraHeaders(config),
    accept: isStream ? 'text/event-stream' : 'application/json, text/event-stream',
  };
  const answer = isStream
    ? await fetch(url, { headers })
    : await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
      });
  await answer.body?.cancel();
  return answer.status === 401 ? library.extractWWWAuthenticateParams(answer) : {};
}

/** The server's description of itself (RFC 9728 section 3); undefined for servers of earlier protocols, which say nothing. */
async function fetchResourceMetadata(search: Search, named: URL | undefined) {
  const { library, url, fetch, host } = search;
  if (named) requireSafe(search, named.href, 'resource_metadata');
  const options = named ? { resourceMetadataUrl: named } : {};
  const described = await library
    .discoverOAuthProtectedResourceMetadata(url, options, fetch)
    .catch((error: unknown) => {
      if (named || error instanceof NodeFailure) throw error;
      return undefined;
    });
  if (!described) return undefined;
  const requestedResource = library.resourceUrlFromServerUrl(url);
  // A token that is for another server must not be asked for in the name of this one (RFC 9728 section 3.3).
  if (library.checkResourceAllowed({ requestedResource, configuredResource: described.resource }))
    return described;
  throw refused(`The MCP server ${host} describes another server, ${described.resource.slice(0, 200)}`);
}

/** Addresses lead to a web page or take secrets, so they are at least as safe as the one that the owner entered. */
function requireSafe({ url, host }: Search, address: string, name: string): void {
  const parsed = URL.canParse(address) ? new URL(address) : undefined;
  const isWeb =
    parsed?.protocol === 'https:' || (parsed?.protocol === 'http:' && new URL(url).protocol === 'http:');
  if (isWeb && parsed?.username === '' && parsed.password === '') return;
  throw refused(
    `The sign-in of the MCP server ${host} names an address that is not safe to use (${name}); it must begin with https://`,
  );
}

/** Empty when there is none (RFC 7009); OpenID's metadata has no name for it, but servers send it there, too. */
function revocationUrl(metadata: AuthorizationServerMetadata): string {
  const { revocation_endpoint: address } = metadata as { revocation_endpoint?: unknown };
  return typeof address === 'string' ? address : '';
}

function requireUsable(search: Search, metadata: AuthorizationServerMetadata): void {
  const { issuer } = metadata;
  for (const name of ['authorization_endpoint', 'token_endpoint'] as const)
    requireSafe(search, metadata[name], name);
  if (metadata.registration_endpoint)
    requireSafe(search, metadata.registration_endpoint, 'registration_endpoint');
  if (revocationUrl(metadata)) requireSafe(search, revocationUrl(metadata), 'revocation_endpoint');
  // Without it a stolen code could be exchanged; servers that do not name the method are refused as well (RFC 9700 section 2.1.1).
  if (!metadata.code_challenge_methods_supported?.includes('S256'))
    throw refused(
      `The authorization server ${issuer} does not support PKCE with S256, without which nothing is sent to it`,
    );
  if (!metadata.response_types_supported.includes('code'))
    throw refused(`The authorization server ${issuer} does not support the response type code`);
}

/**
 * The scope that the owner asks for, else the one that the server asks for; and that the sign-in lasts, where that is a
 * scope of its own.
 */
function chooseScope(
  { config }: Search,
  { scopes_supported = [] }: AuthorizationServerMetadata,
  suggested = '',
): string {
  const scopes = (readConfigText(config, 'scopes') || suggested).split(/\s+/).filter(Boolean);
  const asksToLast = scopes.length > 0 && scopes_supported.includes(OFFLINE) && !scopes.includes(OFFLINE);
  return [...scopes, ...(asksToLast ? [OFFLINE] : [])].join(' ');
}

/** How clients prove themselves here, the safest first. */
const PROOFS = { client_secret_basic: 'basic', client_secret_post: 'post', none: 'none' } as const;
type Proof = keyof typeof PROOFS;
const isProof = (name: string | undefined): name is Proof =>
  name !== undefined && Object.hasOwn(PROOFS, name);

/** RFC 8414 section 2: without a list it is `client_secret_basic`. */
const listAuthMethods = (metadata: AuthorizationServerMetadata): readonly string[] =>
  metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];

async function clientFor(
  search: Search,
  metadata: AuthorizationServerMetadata,
  scope: string,
): Promise<CredentialConfig> {
  const { config } = search;
  if (!hasOwnClient(config))
    return knownClient(search, metadata) ?? (await register(search, metadata, scope));
  requireOwnIssuer(search, metadata);
  const withSecret = listAuthMethods(metadata).includes('client_secret_basic') ? 'basic' : 'post';
  return {
    issuer_client: readConfigText(config, 'client_id'),
    client_auth: readConfigText(config, 'client_secret') === '' ? 'none' : withSecret,
  };
}

/** A client is known to one authorization server; its secret must not reach another one because the MCP server names it now. */
function requireOwnIssuer({ config, host }: Search, { issuer }: AuthorizationServerMetadata): void {
  const [client_id, known] = [readConfigText(config, 'client_id'), readConfigText(config, 'issuer')];
  if (readConfigText(config, 'issuer_client') !== client_id || known === issuer) return;
  throw refused(
    `The client ID is for ${known}, but the MCP server ${host} now names the authorization server ${issuer.slice(0, 200)}; if that is right, register a client there and enter its ID and secret`,
  );
}

/** The client of an earlier sign-in, while the authorization server is likely to know it. */
function knownClient(
  { config, redirect_uri, now }: Search,
  { issuer }: AuthorizationServerMetadata,
): CredentialConfig | undefined {
  const until_ms = Date.parse(readConfigText(config, 'registered_until'));
  const isKnown =
    readConfigText(config, 'registered_client_id') !== '' &&
    readConfigText(config, 'issuer') === issuer &&
    readConfigText(config, 'registered_redirect') === redirect_uri &&
    // A sign-in that has ended may have ended with its client, so that to disconnect and connect again always helps.
    readConfigText(config, 'connection') === 'connected' &&
    !(until_ms <= now());
  if (!isKnown) return undefined;
  const kept = [
    'client_auth',
    'registered_client_id',
    'registered_client_secret',
    'registered_redirect',
    'registered_until',
  ];
  return Object.fromEntries(kept.map((name) => [name, readConfigText(config, name)]));
}

async function register(
  { library, fetch, redirect_uri }: Search,
  metadata: AuthorizationServerMetadata,
  scope: string,
): Promise<CredentialConfig> {
  const { issuer } = metadata;
  if (!metadata.registration_endpoint) {
    throw refused(
      `The authorization server ${issuer} does not let clients register themselves; register one there with the redirect address ${redirect_uri}, and enter its client ID`,
    );
  }
  const proofs = listAuthMethods(metadata);
  const token_endpoint_auth_method = Object.keys(PROOFS).find((name) => proofs.includes(name));
  if (token_endpoint_auth_method === undefined)
    throw refused(
      `The authorization server ${issuer} accepts clients only by ${proofs.join(', ').slice(0, 200)}`,
    );
  const asked = { client_name: 'Millrace', redirect_uris: [redirect_uri], token_endpoint_auth_method };
  const clientMetadata = library.resolveClientMetadata({
    clientMetadata: { ...asked, response_types: ['code'] },
    redirectUrl: redirect_uri,
  });
  const client = await library.registerClient(issuer, {
    metadata,
    clientMetadata,
    ...(scope === '' ? {} : { scope }),
    fetchFn: fetch,
  });
  const { client_secret = '', client_secret_expires_at: until = 0 } = client;
  const given = isProof(client.token_endpoint_auth_method)
    ? client.token_endpoint_auth_method
    : token_endpoint_auth_method;
  return {
    client_auth: client_secret === '' || !isProof(given) ? 'none' : PROOFS[given],
    registered_client_id: client.client_id,
    registered_client_secret: client_secret,
    registered_redirect: redirect_uri,
    registered_until: client_secret === '' || until === 0 ? '' : new Date(until * 1000).toISOString(),
  };
}

function toFailure(error: unknown, library: McpLibrary, host: string): NodeFailure {
  if (error instanceof library.IssuerMismatchError) {
    const names = `names itself ${String(error.received).slice(0, 200)}, not ${String(error.expected).slice(0, 200)}`;
    return refused(
      `The authorization server of the MCP server ${host} ${names}; nothing is sent to it`,
      error,
    );
  }
  if (error instanceof library.RegistrationRejectedError) {
    return refused(
      `The authorization server of the MCP server ${host} refused to register a client (${reasonIn(error.body, error.status)}); register one there and enter its client ID`,
      error,
    );
  }
  const words = error instanceof Error ? error.message.slice(0, 300) : 'no reason';
  const message = `The sign-in of the MCP server ${host} is not described as RFC 9728 and RFC 8414 say: ${words}`;
  return new NodeFailure({ kind: 'upstream', message }, { cause: error });
}

/** RFC 7591 section 3.2.2. */
function reasonIn(body: string, status: number): string {
  try {
    const { error, error_description } = JSON.parse(body) as Record<string, unknown>;
    const said = [error, error_description].filter((part) => typeof part === 'string' && part !== '');
    if (said.length > 0) return said.join(': ').slice(0, 300);
  } catch {
    // The status says enough.
  }
  return `status ${status}`;
}
