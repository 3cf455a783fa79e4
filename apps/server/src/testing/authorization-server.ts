import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Grant {
  readonly redirect_uri: string;
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
  /** Answers to come: `lost` takes effect but its answer never arrives, `down` is a 503. */
  readonly next: ('lost' | 'down')[];
  /** Withdraws what people have allowed. */
  revokeAll(): void;
  /** Whether calls with the access token would be answered. */
  accepts(access_token: string): boolean;
  close(): void;
}

export interface AuthorizationServerOptions {
  readonly client_id: string;
  readonly client_secret: string;
  /** Start of the only addresses that answers go to. */
  readonly redirect_uri: RegExp;
  /** Shows a page on which a person allows the access; without it everything is allowed at once. */
  readonly asks?: boolean;
  /** Seconds. */
  readonly expires_in?: number;
  readonly milliseconds_per_answer?: number;
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

async function formOf(request: IncomingMessage): Promise<URLSearchParams> {
  require(request.headers['content-type']?.startsWith(
    'application/x-www-form-urlencoded',
  ), 'invalid_request');
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return new URLSearchParams(text);
}

/**
 * An OAuth 2 authorization server that is as strict as RFC 6749, 7636, 7009 and 9700 allow: PKCE with S256, exact redirect
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

  function authorize(query: URLSearchParams, response: ServerResponse): void {
    const target = query.get('redirect_uri') ?? '';
    require(query.get('client_id') === client_id && redirect_uri.test(target), 'unauthorized_client');
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
      redirect_uri: target,
      code_challenge: query.get('code_challenge') ?? '',
      scope: query.get('scope') ?? '',
      refresh_token: '',
      access_token: '',
      revoked: false,
    };
    codes.set(code, grant);
    back.searchParams.set('code', code);
    response.writeHead(302, { location: back.href }).end();
  }

  function requireClient({ headers }: IncomingMessage, form: URLSearchParams): void {
    const [, sent] = /^Basic (\S+)$/.exec(headers.authorization ?? '') ?? [];
    const given = Buffer.from(sent ?? '', 'base64')
      .toString('utf8')
      .split(':')
      .map(decodeURIComponent);
    const inHeader = given[0] === client_id && given[1] === client_secret && !form.has('client_secret');
    const inForm = form.get('client_id') === client_id && form.get('client_secret') === client_secret;
    require(inHeader || (headers.authorization === undefined && inForm), 'invalid_client', 401);
  }

  function issued(grant: Grant): object {
    grant.access_token = `at-${randomUUID()}`;
    grant.refresh_token = `rt-${randomUUID()}`;
    const { access_token, refresh_token, scope } = grant;
    const claims = Buffer.from(JSON.stringify({ email: 'ada@example.org' })).toString('base64url');
    return {
      access_token,
      refresh_token,
      scope,
      expires_in,
      token_type: 'Bearer',
      id_token: `e30.${claims}.x`,
    };
  }

  function byCode(form: URLSearchParams): object {
    const code = form.get('code') ?? '';
    const grant = codes.get(code);
    codes.delete(code);
    require(grant && form.get('redirect_uri') === grant.redirect_uri, 'invalid_grant');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    require(challenge === grant.code_challenge, 'invalid_grant');
    grants.push(grant);
    return issued(grant);
  }

  function byRefreshToken(form: URLSearchParams): object {
    const given = form.get('refresh_token') ?? '';
    const grant = grants.find(({ refresh_token, former_token }) =>
      [refresh_token, former_token].includes(given),
    );
    if (!grant) for (const one of grants) one.revoked = true;
    require(grant && !grant.revoked, 'invalid_grant');
    if (given === grant.refresh_token) grant.former_token = given;
    return issued(grant);
  }

  async function answerToken(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = await formOf(request);
    token_requests.push(form);
    requireClient(request, form);
    const fault = next.shift();
    if (fault === 'down') throw new Refusal('temporarily_unavailable', 503);
    if (options.milliseconds_per_answer)
      await new Promise((go) => setTimeout(go, options.milliseconds_per_answer));
    const grant_type = form.get('grant_type');
    require(grant_type === 'authorization_code' || grant_type === 'refresh_token', 'unsupported_grant_type');
    const body = grant_type === 'refresh_token' ? byRefreshToken(form) : byCode(form);
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
      case 'POST /revoke': {
        const form = await formOf(request);
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
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error: code }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token_requests,
    revoked_tokens,
    next,
    revokeAll: () => {
      for (const grant of grants) grant.revoked = true;
    },
    accepts: (access_token) => grants.some((grant) => !grant.revoked && grant.access_token === access_token),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
