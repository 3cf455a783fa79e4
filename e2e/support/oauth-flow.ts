import { createHash, randomBytes } from 'node:crypto';
import type { TestApp, TestUser } from '@millrace/server/testing';

export const REDIRECT = 'http://localhost:9999/callback';

export interface Pkce {
  readonly code_verifier: string;
  readonly code_challenge: string;
}

export function newPkce(): Pkce {
  const code_verifier = randomBytes(32).toString('base64url');
  return { code_verifier, code_challenge: createHash('sha256').update(code_verifier).digest('base64url') };
}

type Fields = Record<string, string>;

export const form = (fields: Fields): { payload: string; headers: Fields } => ({
  payload: new URLSearchParams(fields).toString(),
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
});

let clients = 0;

/** Registers a client from an address of its own, so that the limit of registrations is not met. */
export async function registerClient(app: TestApp, more: object = {}): Promise<Fields> {
  clients += 1;
  const headers = { 'x-test-ip': `10.99.${clients >> 8}.${clients & 255}` };
  const answer = await app.call('POST', '/register', { redirect_uris: [REDIRECT], ...more }, headers);
  if (answer.statusCode !== 201) throw new Error(`registering a client answered ${answer.body}`);
  return answer.json<Fields>();
}

export const toCookieHeader = ({ access_token }: TestUser): Fields => ({
  cookie: `access_token=${access_token}`,
});

/** The hidden fields of a consent page. */
export function hiddenFields(page: string): Fields {
  const fields: Fields = {};
  for (const [, name = '', value = ''] of page.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)) {
    fields[name] = value
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&');
  }
  return fields;
}

export function postForm(app: TestApp, url: string, fields: Fields, more: Fields = {}) {
  const { payload, headers } = form(fields);
  return app.app.inject({ method: 'POST', url, payload, headers: { ...headers, ...more } });
}

/**
 * Acts as a browser whose person presses Allow. Resolves to where it is sent to.
 *
 * @param host name under which the browser reaches the server
 */
export async function allow(
  app: TestApp,
  user: TestUser,
  request: Fields,
  host = 'localhost:80',
): Promise<URL> {
  const headers = { ...toCookieHeader(user), host };
  const url = `/authorize?${new URLSearchParams(request).toString()}`;
  const page = await app.call('GET', url, undefined, headers);
  const fields = { ...hiddenFields(page.body), decision: 'allow' };
  const answer = await postForm(app, '/authorize', fields, headers);
  return new URL(String(answer.headers.location));
}

/** The whole way of a client to a token, with its own names for everything. */
export async function letClientIn(
  app: TestApp,
  user: TestUser,
): Promise<{ client_id: string; code: string; pkce: Pkce; access_token: string }> {
  const { client_id = '' } = await registerClient(app);
  const pkce = newPkce();
  const code_challenge_method = 'S256';
  const { code_challenge } = pkce;
  const request = {
    response_type: 'code',
    client_id,
    redirect_uri: REDIRECT,
    code_challenge_method,
    code_challenge,
  };
  const code = (await allow(app, user, request)).searchParams.get('code') ?? '';
  const { code_verifier } = pkce;
  const exchange = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: REDIRECT,
    client_id,
    code_verifier,
  };
  const answer = await postForm(app, '/token', exchange);
  return { client_id, code, pkce, access_token: answer.json<{ access_token: string }>().access_token };
}
