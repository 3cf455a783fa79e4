import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Grant {
  readonly client_id: string;
  readonly redirect_uri: string;
  /** RFC 8707. */
  readonly resource: string | null;
  readonly code_challenge: string;
  readonly scope: string;
  /** The only refresh token that counts now; the one before counts until the client has shown that it got this one. */
  refresh_token: string;
  former_token?: string;
  access_token: string;
  revoked: boolean;
}

export interface AuthorizationServer {
  readonly url: string;
  /** Requests of the token endpoint as they came. */
  readonly token_requests: URLSearchParams[];
  readonly revoked_tokens: string[];
  /** Clients that registered themselves (RFC 7591). */
  readonly registrations: Record<string, unknown>[];
  /** Forgets the clients that registered themselves. */
  forgetClients(): void;
  /** Answers to come: `lost` takes effect but its answer never arrives, `down` is a 503. */
  readonly next: ('lost' | 'down')[];
  /** Withdraws what people have allowed. */
  revokeAll(): void;
  /** Whether calls with the access token would be answered, at this resource where one is named. */
  accepts(access_token: string, resource?: string): boolean;
  close(): void;
}

export interface AuthorizationServerOptions {
  readonly client_id: string;
  /** Undefined for a client without a secret. */
  readonly client_secret?: string;
  /** Start of the only addresses that answers go to. */
  readonly redirect_uri: RegExp;
  /** Shows a page on which a person allows the access; without it everything is allowed at once. */
  readonly asks?: boolean;
  /** Seconds. */
  readonly expires_in?: number;
  readonly milliseconds_per_answer?: number;
  /** A refresh token counts until the access is withdrawn, and is given once, as many providers have it. */
  readonly keeps_refresh_tokens?: boolean;
  /** Lets clients register themselves, or refuses them; without it there is no such endpoint. */
  readonly registration?: 'open' | 'refused';
  /** Replaces parts of the metadata (RFC 8414); undefined leaves one out. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** `iss` of answers (RFC 9207): its own, another one, or none. */
  readonly iss?: 'own' | 'other' | 'none';
  /** Errors repeat everything that the token endpoint was sent last. */
  readonly repeats?: boolean;
}

interface Client {
  /** Undefined for public clients. */
  readonly secret: string | undefined;
  isRedirect(uri: string): boolean;
}

class Refusal extends Error {
  readonly status: number;
  constructor(code: string, status = 400) {
    super(code);
    this.status = status;
  }
}

function require(condition: unknown, code: string, status?: number): asserts condition {
  if (!condition) throw new Refusal(code, status);
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  require(request.headers['content-type']?.startsWith(
    'application/x-www-form-urlencoded',
  ), 'invalid_request');
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return new URLSearchParams(text);
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/**
 * An OAuth 2 authorization server that is as strict as RFC 6749, 7636, 7009, 8707 and 9700 allow: PKCE with S256, exact redirect
 * addresses, codes that count once, refresh tokens that are replaced with each use and whose reuse ends the grant.
 */
export async function startAuthorizationServer(
  options: AuthorizationServerOptions,
): Promise<AuthorizationServer> {
  const { client_id, client_secret, redirect_uri, expires_in = 3600 } = options;
  const codes = new Map<string, Grant>();
  const grants: Grant[] = [];
  const token_requests: URLSearchParams[] = [];
  const revoked_tokens: string[] = [];
  const next: ('lost' | 'down')[] = [];
  const registrations: Record<string, unknown>[] = [];
  const own: Client = { secret: client_secret, isRedirect: (uri) => redirect_uri.test(uri) };
  const clients = new Map([[client_id, own]]);
  let issuer = '';

  const metadata = () => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    revocation_endpoint: `${issuer}/revoke`,
    ...(options.registration ? { registration_endpoint: `${issuer}/register` } : {}),
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    ...(options.iss ? { authorization_response_iss_parameter_supported: true } : {}),
    ...options.metadata,
  });

  async function register(request: IncomingMessage): Promise<object> {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const asked = JSON.parse(text) as Record<string, unknown>;
    registrations.push(asked);
    require(options.registration === 'open', 'invalid_client_metadata');
    const redirects = asked['redirect_uris'] as string[];
    require(redirects.every((uri) => redirect_uri.test(uri)), 'invalid_redirect_uri');
    const secret = asked['token_endpoint_auth_method'] === 'none' ? undefined : randomUUID();
    const id = `registered-${randomUUID()}`;
    clients.set(id, { secret, isRedirect: (uri) => redirects.includes(uri) });
    const given = secret === undefined ? {} : { client_secret: secret, client_secret_expires_at: 0 };
    return { ...asked, client_id: id, ...given };
  }

  function authorize(query: URLSearchParams, response: ServerResponse): void {
    const target = query.get('redirect_uri') ?? '';
    const client = query.get('client_id') ?? '';
    require(clients.get(client)?.isRedirect(target), 'unauthorized_client');
    require(query.get('response_type') === 'code', 'unsupported_response_type');
    require(query.get('code_challenge_method') === 'S256' &&
      query.get('code_challenge')?.length === 43, 'invalid_request');
    require((query.get('state') ?? '').length >= 32, 'invalid_request');
    const back = new URL(target);
    back.searchParams.set('state', query.get('state') ?? '');
    if (options.asks && !query.has('allowed')) {
      const page = `<title>Provider</title><a href="/authorize?${query.toString().replaceAll('&', '&amp;')}&amp;allowed=1">Allow</a>`;
      response.writeHead(200, { 'content-type': 'text/html' }).end(page);
      return;
    }
    const code = randomUUID();
    const grant: Grant = {
      client_id: client,
      resource: query.get('resource'),
      redirect_uri: target,
      code_challenge: query.get('code_challenge') ?? '',
      scope: query.get('scope') ?? '',
      refresh_token: '',
      access_token: '',
      revoked: false,
    };
    codes.set(code, grant);
    back.searchParams.set('code', code);
    if (options.iss && options.iss !== 'none')
      back.searchParams.set('iss', options.iss === 'own' ? issuer : 'https://other.example');
    response.writeHead(302, { location: back.href }).end();
  }

  /** Id of the client, which has proven itself. */
  function requireClient({ headers }: IncomingMessage, form: URLSearchParams): string {
    const [, sent] = /^Basic (\S+)$/.exec(headers.authorization ?? '') ?? [];
    const given = Buffer.from(sent ?? '', 'base64')
      .toString('utf8')
      .split(':')
      .map(decodeURIComponent);
    const inHeader = headers.authorization !== undefined;
    const [id = '', secret] = inHeader ? given : [form.get('client_id') ?? '', form.get('client_secret')];
    const client = clients.get(id);
    require(client && (secret ?? undefined) === client.secret, 'invalid_client', 401);
    require(!(inHeader && form.has('client_secret')), 'invalid_client', 401);
    return id;
  }

  function issued(grant: Grant): object {
    const isKept = options.keeps_refresh_tokens && grant.refresh_token !== '';
    grant.access_token = `at-${randomUUID()}`;
    if (!isKept) grant.refresh_token = `rt-${randomUUID()}`;
    const { access_token, refresh_token, scope } = grant;
    const claims = Buffer.from(JSON.stringify({ email: 'ada@example.org' })).toString('base64url');
    return {
      access_token,
      ...(isKept ? {} : { refresh_token }),
      scope,
      expires_in,
      token_type: 'Bearer',
      id_token: `e30.${claims}.x`,
    };
  }

  function byCode(client: string, form: URLSearchParams): object {
    const code = form.get('code') ?? '';
    const grant = codes.get(code);
    codes.delete(code);
    require(grant?.client_id === client, 'invalid_grant');
    require(form.get('redirect_uri') === grant.redirect_uri, 'invalid_grant');
    require(form.get('resource') === grant.resource, 'invalid_target');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    require(challenge === grant.code_challenge, 'invalid_grant');
    grants.push(grant);
    return issued(grant);
  }

  function byRefreshToken(client: string, form: URLSearchParams): object {
    const given = form.get('refresh_token') ?? '';
    const grant = grants.find(({ refresh_token, former_token }) =>
      [refresh_token, former_token].includes(given),
    );
    if (!grant) for (const one of grants) one.revoked = true;
    require(grant?.client_id === client && !grant.revoked, 'invalid_grant');
    require(form.get('resource') === grant.resource, 'invalid_target');
    if (given === grant.refresh_token) grant.former_token = given;
    return issued(grant);
  }

  async function answerToken(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = await readForm(request);
    token_requests.push(form);
    const client = requireClient(request, form);
    const fault = next.shift();
    if (fault === 'down') throw new Refusal('temporarily_unavailable', 503);
    if (options.milliseconds_per_answer)
      await new Promise((go) => setTimeout(go, options.milliseconds_per_answer));
    const grant_type = form.get('grant_type');
    require(grant_type === 'authorization_code' || grant_type === 'refresh_token', 'unsupported_grant_type');
    const body = grant_type === 'refresh_token' ? byRefreshToken(client, form) : byCode(client, form);
    if (fault === 'lost') return void request.socket.destroy();
    response
      .writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' })
      .end(JSON.stringify(body));
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://server');
    switch (`${request.method} ${url.pathname}`) {
      case 'GET /authorize':
        return authorize(url.searchParams, response);
      case 'POST /token':
        return answerToken(request, response);
      case 'GET /.well-known/oauth-authorization-server':
        return sendJson(response, 200, metadata());
      case 'POST /register':
        return sendJson(response, 201, await register(request));
      case 'POST /revoke': {
        const form = await readForm(request);
        requireClient(request, form);
        revoked_tokens.push(form.get('token') ?? '');
        return void response.writeHead(200).end();
      }
      default:
        throw new Refusal('not_found', 404);
    }
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      const status = error instanceof Refusal ? error.status : 500;
      const code = error instanceof Error ? error.message : 'server_error';
      const error_description = [...(token_requests.at(-1)?.values() ?? [])].join(' ');
      sendJson(response, status, { error: code, ...(options.repeats ? { error_description } : {}) });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: issuer,
    token_requests,
    registrations,
    forgetClients: () => {
      clients.clear();
      clients.set(client_id, own);
    },
    revoked_tokens,
    next,
    revokeAll: () => {
      for (const grant of grants) grant.revoked = true;
    },
    accepts: (access_token, resource) =>
      grants.some(
        (grant) =>
          !grant.revoked &&
          grant.access_token === access_token &&
          (resource === undefined || grant.resource === resource),
      ),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
