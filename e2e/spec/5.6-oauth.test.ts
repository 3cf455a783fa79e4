import { createTestApp, createWorkflow, ECHO, type TestApp, type TestUser } from '@millrace/server/testing';
import * as oauth from 'oauth4webapi';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  allow,
  hiddenFields,
  letClientIn,
  newPkce,
  postForm,
  REDIRECT,
  registerClient,
  toCookieHeader,
} from '../support/oauth-flow.ts';

let app: TestApp;
let user: TestUser;
let base: string;
beforeAll(async () => {
  app = await createTestApp();
  base = await app.listen();
  user = await app.user();
  await createWorkflow(user, ECHO, { name: 'Let <b>in</b>', mcp_enabled: true });
}, 60_000);
afterAll(async () => {
  app.app.server.closeAllConnections();
  await app.close();
});

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const toolsStatus = async (token: string) =>
  (await app.call('GET', '/api/mcp/tools', undefined, bearer(token))).statusCode;

/** A correct authorization request of a new client, but for what a test says. */
async function createRequest(more: Record<string, string | undefined> = {}, client: object = {}) {
  const { client_id = '' } = await registerClient(app, client);
  const pkce = newPkce();
  const all = {
    response_type: 'code',
    client_id,
    redirect_uri: REDIRECT,
    state: 'st',
    scope: 'mcp',
    code_challenge: pkce.code_challenge,
    code_challenge_method: 'S256',
    ...more,
  };
  const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { client_id, pkce, request: Object.fromEntries(given) };
}

const authorize = (request: Record<string, string>, headers: Record<string, string> = {}) =>
  app.call('GET', `/authorize?${new URLSearchParams(request).toString()}`, undefined, headers);

async function obtainCode(more: Record<string, string | undefined> = {}) {
  const made = await createRequest(more);
  const code = (await allow(app, user, made.request)).searchParams.get('code') ?? '';
  const exchange = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: made.request['redirect_uri'] ?? '',
    client_id: made.client_id,
    code_verifier: made.pkce.code_verifier,
  };
  return { ...made, code, exchange };
}

function createClientAuth(method: string, secret: string): oauth.ClientAuth {
  switch (method) {
    case 'client_secret_post':
      return oauth.ClientSecretPost(secret);
    case 'client_secret_basic':
      return oauth.ClientSecretBasic(secret);
    default:
      return oauth.None();
  }
}

describe('§5.6 with an independent client (oauth4webapi)', () => {
  it.each(['none', 'client_secret_post', 'client_secret_basic'])(
    'discovery, registration (%s), consent, code, token, tool call, revocation',
    async (token_endpoint_auth_method) => {
      const insecure = { [oauth.allowInsecureRequests]: true };
      const refused = await fetch(`${base}/api/mcp`, { method: 'POST' });
      expect(refused.status).toBe(401);
      const metadataUrl = /resource_metadata="([^"]+)"/.exec(
        refused.headers.get('www-authenticate') ?? '',
      )?.[1];
      const resource = new URL(`${base}/api/mcp`);
      expect(metadataUrl).toBe(`${base}/.well-known/oauth-protected-resource/api/mcp`);
      const described = await oauth.processResourceDiscoveryResponse(
        resource,
        await oauth.resourceDiscoveryRequest(resource, insecure),
      );
      const issuer = new URL(described.authorization_servers?.[0] ?? '');
      const found = await oauth.discoveryRequest(issuer, { ...insecure, algorithm: 'oauth2' });
      const server = await oauth.processDiscoveryResponse(issuer, found);
      const registered = await oauth.dynamicClientRegistrationRequest(
        server,
        { redirect_uris: [REDIRECT], client_name: 'Independent', token_endpoint_auth_method },
        insecure,
      );
      const client = await oauth.processDynamicClientRegistrationResponse(registered);
      const proof = createClientAuth(token_endpoint_auth_method, String(client.client_secret));

      const code_verifier = oauth.generateRandomCodeVerifier();
      const state = oauth.generateRandomState();
      const request = {
        client_id: client.client_id,
        redirect_uri: REDIRECT,
        response_type: 'code',
        scope: 'mcp',
        state,
        resource: resource.href,
        code_challenge: await oauth.calculatePKCECodeChallenge(code_verifier),
        code_challenge_method: 'S256',
      };
      const sentTo = await allow(app, user, request, resource.host);
      const params = oauth.validateAuthResponse(server, client, sentTo, state);
      const exchanged = await oauth.authorizationCodeGrantRequest(
        server,
        client,
        proof,
        params,
        REDIRECT,
        code_verifier,
        insecure,
      );
      const token = await oauth.processAuthorizationCodeResponse(server, client, exchanged);
      expect(token).toMatchObject({ token_type: 'bearer', scope: 'mcp' });
      expect(token.refresh_token).toBeUndefined();

      const called = await app.call(
        'POST',
        '/api/mcp/tools/call',
        { name: 'let_binb', arguments: { text: 'hi' } },
        bearer(token.access_token),
      );
      expect(called.json()).toMatchObject({ isError: false, structuredContent: { out: { result: 'hi' } } });

      const revoked = await oauth.revocationRequest(server, client, proof, token.access_token, insecure);
      await oauth.processRevocationResponse(revoked);
      expect(await toolsStatus(token.access_token)).toBe(401);
    },
    30_000,
  );
});

describe('§5.6 metadata', () => {
  it('§5.6: only the authorization_code grant with PKCE method S256', async () => {
    const server = (await app.call('GET', '/.well-known/oauth-authorization-server')).json();
    expect(server).toMatchObject({
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    });
  });
});

describe('§4.8 POST /register', () => {
  it('what is registered comes back; grants beyond the code grant are left out', async () => {
    const asked = {
      client_name: 'A client',
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'client_secret_post',
    };
    const client = await registerClient(app, asked);
    expect(client).toMatchObject({
      client_id: expect.any(String),
      client_secret: expect.any(String),
      client_name: 'A client',
      redirect_uris: [REDIRECT],
      grant_types: ['authorization_code'],
      response_types: ['code'],
    });
    expect(await registerClient(app)).not.toHaveProperty('client_secret');
  });

  it.each([
    [{ redirect_uris: [] }, 'invalid_redirect_uri'],
    [{ redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: ['JavaScript:alert(1)'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: [' javascript:alert(1)'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: ['java\nscript:alert(1)'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: ['data:text/html,x'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: ['file:///etc/passwd'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: ['http://example.com/cb'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: ['http://localhost.evil.example/cb'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: ['https://user@example.com/cb'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: ['https://example.com/cb#x'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: ['/relative'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: [REDIRECT], token_endpoint_auth_method: 'private_key_jwt' }, 'invalid_client_metadata'],
    [{ redirect_uris: [REDIRECT], grant_types: ['client_credentials'] }, 'invalid_client_metadata'],
    [{ redirect_uris: [REDIRECT], response_types: ['token'] }, 'invalid_client_metadata'],
  ])('refuses %j', async (body, error) => {
    const headers = { 'x-test-ip': `10.98.0.${Math.floor(Math.random() * 250)}` };
    const answer = await app.call('POST', '/register', body, headers);
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ error, error_description: expect.any(String) });
  });
});

it.each([
  [{}, 'redirect_uris: is missing; enter a list'],
  [{ redirect_uris: REDIRECT }, 'redirect_uris: must be a list'],
  [{ redirect_uris: [REDIRECT], client_name: 5 }, 'client_name: must be text'],
])(
  '§4.8: the registration of %j is refused in the words of every other error',
  async (body, error_description) => {
    const answer = await app.call('POST', '/register', body, { 'x-test-ip': '10.98.1.1' });
    expect(answer.json()).toMatchObject({ error_description });
  },
);

describe('§5.6 authorization requests', () => {
  it('a wrong client or redirect address is shown to the user and not redirected (open redirects)', async () => {
    for (const more of [
      { client_id: 'unknown' },
      { redirect_uri: 'https://evil.example/' },
      { redirect_uri: `${REDIRECT}/more` },
      { redirect_uri: `${REDIRECT}?x=1` },
      { redirect_uri: 'http://127.0.0.1:9999/callback' },
      { redirect_uri: 'http://localhost:9999@evil.example/callback' },
    ]) {
      const { request } = await createRequest(more);
      const answer = await authorize(request);
      expect(answer.statusCode).toBe(400);
      expect(answer.headers.location).toBeUndefined();
      expect(answer.headers['content-type']).toContain('text/html');
    }
  });

  it('on the own machine the port may differ (RFC 8252)', async () => {
    const { request } = await createRequest({ redirect_uri: 'http://localhost:1/callback' });
    expect((await authorize(request)).statusCode).toBe(200);
  });

  it.each([
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ response_type: undefined }, 'unsupported_response_type'],
    [{ code_challenge: undefined }, 'invalid_request'],
    [{ code_challenge_method: undefined }, 'invalid_request'],
    [{ code_challenge_method: 'plain' }, 'invalid_request'],
    [{ code_challenge: 'short' }, 'invalid_request'],
    [{ scope: 'admin' }, 'invalid_scope'],
    [{ resource: 'https://other.example/mcp' }, 'invalid_target'],
  ])('§5.6: %j leads back to the client as an error, with state and iss', async (more, error) => {
    const { request } = await createRequest(more);
    const answer = await authorize(request);
    expect(answer.statusCode).toBe(303);
    const there = new URL(String(answer.headers.location));
    expect(there.origin + there.pathname).toBe(REDIRECT);
    expect(Object.fromEntries(there.searchParams)).toMatchObject({
      error,
      state: 'st',
      iss: expect.any(String),
    });
  });

  it('a parameter that comes twice is refused', async () => {
    const { request } = await createRequest();
    const url = `/authorize?${new URLSearchParams(request).toString()}&client_id=x`;
    expect((await app.call('GET', url)).statusCode).toBe(400);
  });
});

describe('§5.6 consent page', () => {
  it('§5.6: displayed values are HTML-escaped; no scripts, no frames, no cache', async () => {
    const { request } = await createRequest(
      { state: '"><script>alert(1)</script>' },
      { client_name: `<img src=x onerror="alert('x')">&` },
    );
    const page = await authorize(request, toCookieHeader(user));
    expect(page.statusCode).toBe(200);
    expect(page.body).not.toMatch(/<script|<img|<b>in/);
    expect(page.body).toContain('&lt;img src=x onerror=&quot;alert(&#39;x&#39;)&quot;&gt;&amp;');
    expect(page.body).toContain('Let &lt;b&gt;in&lt;/b&gt;');
    expect(hiddenFields(page.body)['state']).toBe(request['state']);
    const policy = String(page.headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("form-action 'self' http://localhost:9999");
    expect(page.headers['x-frame-options']).toBe('DENY');
    expect(page.headers['cache-control']).toBe('no-store');
  });

  it('works without a session: e-mail address and password; wrong ones show the page again', async () => {
    const { request } = await createRequest();
    const fields = { ...hiddenFields((await authorize(request)).body), decision: 'allow', email: user.email };
    const wrong = await postForm(app, '/authorize', { ...fields, password: 'Wrong1234' });
    expect(wrong.statusCode).toBe(400);
    expect(wrong.body).toContain('E-mail address or password is wrong');
    expect(wrong.body).toContain(`type="email" autocomplete="username" required value="${user.email}"`);
    expect(wrong.body).not.toContain('Wrong1234');
    const odd = await postForm(app, '/authorize', { ...fields, email: '"><b>x', password: 'Wrong1234' });
    expect(odd.body).toContain('value="&quot;&gt;&lt;b&gt;x"');
    const right = await postForm(app, '/authorize', { ...fields, password: 'Passw0rd!' });
    expect(new URL(String(right.headers.location)).searchParams.get('code')).toBeTruthy();
  });

  it('§5.6: a form that is sent without a button is allowed by e-mail address and password, never by a session', async () => {
    const { request } = await createRequest();
    const codeIn = ({ headers }: { headers: { location?: unknown } }) =>
      new URL(String(headers.location)).searchParams.get('code');
    const person = { email: user.email, password: 'Passw0rd!' };
    const fields = { ...hiddenFields((await authorize(request)).body), ...person };
    expect(codeIn(await postForm(app, '/authorize', fields))).toBeTruthy();
    const wrong = await postForm(app, '/authorize', { ...fields, password: 'Wrong1234' });
    expect(wrong.statusCode).toBe(400);
    const unknown = await postForm(app, '/authorize', { ...fields, decision: 'other' });
    expect(codeIn(unknown)).toBeNull();
    const cookie = toCookieHeader(user);
    const own = { ...hiddenFields((await authorize(request, cookie)).body), ...person };
    expect(codeIn(await postForm(app, '/authorize', own, cookie))).toBeNull();
  });

  it('Deny leads back with access_denied', async () => {
    const { request } = await createRequest();
    const fields = hiddenFields((await authorize(request)).body);
    const answer = await postForm(app, '/authorize', { ...fields, decision: 'deny' });
    expect(new URL(String(answer.headers.location)).searchParams.get('error')).toBe('access_denied');
  });

  it('§5.6, §8.3: the CSRF token belongs to this request, this person and ten minutes', async () => {
    const { request } = await createRequest();
    const cookie = toCookieHeader(user);
    const hidden = hiddenFields((await authorize(request, cookie)).body);
    const fields = { ...hidden, decision: 'allow' };
    const [time = '', mac = ''] = (hidden['csrf_token'] ?? '').split(':');
    const other = await app.user();
    const status = async (changed: Record<string, string>, headers = cookie) =>
      (await postForm(app, '/authorize', { ...fields, ...changed }, headers)).statusCode;
    expect(await status({ csrf_token: '' })).toBe(400);
    expect(await status({ csrf_token: `${Number(time) + 1}:${mac}` })).toBe(400);
    expect(await status({ state: 'other' })).toBe(400);
    expect(await status({ code_challenge: newPkce().code_challenge })).toBe(400);
    expect(await status({ redirect_uri: 'http://localhost:1/callback' })).toBe(400);
    expect(await status({}, toCookieHeader(other))).toBe(400);
    expect(await status({}, {})).toBe(400);
    // A page that an attacker opened without a session does not do for a person who has one.
    const stranger = hiddenFields((await authorize(request)).body);
    expect(await status({ csrf_token: stranger['csrf_token'] ?? '' })).toBe(400);
    app.clock.now += 601_000;
    expect(await status({})).toBe(400);
    app.clock.now -= 2_000;
    expect(await status({})).toBe(303);
    app.clock.now -= 599_000;
  });
});

describe('§5.6 codes and tokens', () => {
  const fetchError = async (fields: Record<string, string>, headers: Record<string, string> = {}) => {
    const answer = await postForm(app, '/token', fields, headers);
    expect(answer.headers['cache-control']).toBe('no-store');
    return [answer.statusCode, answer.json<{ error?: string }>().error];
  };

  it('a code is good once; its second use takes back what came from the first', async () => {
    const { exchange } = await obtainCode();
    const first = await postForm(app, '/token', exchange);
    expect(first.headers['cache-control']).toBe('no-store');
    const { access_token } = first.json<{ access_token: string }>();
    expect(await toolsStatus(access_token)).toBe(200);
    expect(await fetchError(exchange)).toEqual([400, 'invalid_grant']);
    expect(await toolsStatus(access_token)).toBe(401);
  });

  it('of many exchanges at once none leaves a token that works twice', async () => {
    const { exchange } = await obtainCode();
    const answers = await Promise.all(Array.from({ length: 8 }, () => postForm(app, '/token', exchange)));
    expect(answers.filter(({ statusCode }) => statusCode === 200).length).toBe(1);
  });

  it('a code belongs to its client, its redirect address, its verifier and ten minutes', async () => {
    const { exchange } = await obtainCode();
    const { client_id = '' } = await registerClient(app);
    expect(await fetchError({ ...exchange, client_id })).toEqual([400, 'invalid_grant']);
    expect(await fetchError({ ...exchange, code_verifier: newPkce().code_verifier })).toEqual([
      400,
      'invalid_grant',
    ]);
    expect(await fetchError({ ...exchange, redirect_uri: 'http://localhost:1/callback' })).toEqual([
      400,
      'invalid_grant',
    ]);
    expect(await fetchError({ ...exchange, code: 'x' })).toEqual([400, 'invalid_grant']);
    app.clock.now += 601_000;
    expect(await fetchError(exchange)).toEqual([400, 'invalid_grant']);
    app.clock.now -= 601_000;
    expect((await postForm(app, '/token', exchange)).statusCode).toBe(200);
  });

  it('§5.6: other grants are refused, and requests without PKCE verifier', async () => {
    const { exchange } = await obtainCode();
    for (const grant_type of ['refresh_token', 'password', 'client_credentials', 'implicit']) {
      expect(await fetchError({ ...exchange, grant_type })).toEqual([400, 'unsupported_grant_type']);
    }
    const { code_verifier: _, ...without } = exchange;
    expect(await fetchError(without)).toEqual([400, 'invalid_request']);
    const { grant_type: __, ...untyped } = exchange;
    expect(await fetchError(untyped)).toEqual([400, 'invalid_request']);
    expect(await fetchError({ ...exchange, client_id: 'unknown' })).toEqual([401, 'invalid_client']);
  });

  it('a confidential client has to show its secret', async () => {
    const { client_id = '', client_secret = '' } = await registerClient(app, {
      token_endpoint_auth_method: 'client_secret_basic',
    });
    const { request, pkce } = await createRequest({ client_id });
    const code = (await allow(app, user, request)).searchParams.get('code') ?? '';
    const { code_verifier } = pkce;
    const fields = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: REDIRECT,
      client_id,
      code_verifier,
    };
    const basic = (secret: string) => ({
      authorization: `Basic ${Buffer.from(`${client_id}:${secret}`).toString('base64')}`,
    });
    expect(await fetchError(fields)).toEqual([401, 'invalid_client']);
    expect(await fetchError(fields, basic('wrong'))).toEqual([401, 'invalid_client']);
    expect((await postForm(app, '/token', fields, basic(client_secret))).statusCode).toBe(200);
  });

  it('tokens and codes are opaque, stored hashed, and open MCP alone', async () => {
    const { access_token, code } = await letClientIn(app, user);
    for (const url of ['/api/auth/me', '/api/workflows', '/api/oauth/grants']) {
      expect((await app.call('GET', url, undefined, bearer(access_token))).statusCode).toBe(401);
    }
    const { rows } = await app.services.database.sql.query<{ text: string }>({
      text: 'SELECT oauth_grants::text AS text FROM oauth_grants',
    });
    const stored = rows.map(({ text }) => text).join();
    expect(stored).not.toContain(access_token);
    expect(stored).not.toContain(code);
  });

  it('a token ends after 30 days', async () => {
    const { access_token } = await letClientIn(app, user);
    const days = 24 * 3600 * 1000;
    app.clock.now += 30 * days - 1000;
    expect(await toolsStatus(access_token)).toBe(200);
    app.clock.now += 2000;
    expect(await toolsStatus(access_token)).toBe(401);
    app.clock.now -= 30 * days + 1000;
  });

  it('a person sees whom they let in, and takes it back at once; others cannot', async () => {
    const person = await app.user();
    const { access_token } = await letClientIn(app, person);
    const list = (await person.call('GET', '/api/oauth/grants')).json<{ id: string }[]>();
    expect(list).toMatchObject([
      { client_name: 'MCP Client', redirect_host: 'localhost:9999', scope: 'mcp' },
    ]);
    const url = `/api/oauth/grants/${list[0]?.id}`;
    expect((await user.call('DELETE', url)).statusCode).toBe(404);
    expect(await toolsStatus(access_token)).toBe(200);
    expect((await person.call('DELETE', url)).statusCode).toBe(204);
    expect(await toolsStatus(access_token)).toBe(401);
    expect((await person.call('GET', '/api/oauth/grants')).json()).toEqual([]);
  });

  it('the audit log says why a grant was revoked without its person', async () => {
    const person = await app.user();
    const first = await letClientIn(app, person);
    const second = await letClientIn(app, person);
    await postForm(app, '/revoke', { token: first.access_token, client_id: first.client_id });
    const { client_id, code, pkce } = second;
    const exchange = { grant_type: 'authorization_code', code, client_id, code_verifier: pkce.code_verifier };
    expect((await postForm(app, '/token', exchange)).statusCode).toBe(400);
    const { items } = (await person.call('GET', '/api/audit?action=oauth_grant.revoked')).json<{
      items: { details: unknown }[];
    }>();
    expect(items.map(({ details }) => details)).toEqual([{ by: 'reused code' }, { by: 'client' }]);
  });

  it('a client can revoke its own token only', async () => {
    const { access_token } = await letClientIn(app, user);
    const { client_id = '' } = await registerClient(app);
    expect((await postForm(app, '/revoke', { token: access_token, client_id })).statusCode).toBe(200);
    expect(await toolsStatus(access_token)).toBe(200);
    expect((await postForm(app, '/revoke', { token: 'unknown', client_id })).statusCode).toBe(200);
    expect((await postForm(app, '/revoke', { token: access_token, client_id: 'unknown' })).statusCode).toBe(
      401,
    );
  });
});
