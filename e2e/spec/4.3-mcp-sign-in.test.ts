import { type McpTestServer, startMcpServer } from '@millrace/nodes/testing/mcp-server';
import {
  type AuthorizationServer,
  type AuthorizationServerOptions,
  createTestApp,
  createWorkflow,
  ECHO,
  graph,
  startAuthorizationServer,
  useOwnTestApp,
} from '@millrace/server/testing';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { allow } from '../support/oauth-flow.ts';

const CALLBACK = '/api/credentials/mcp/oauth/callback';

const env = { HTTP_ALLOW_PRIVATE_URLS: 'true', ACCESS_TOKEN_MINUTES: '1000' };
const app = await useOwnTestApp({ env });
const base = await app.listen();
const user = await app.user();
afterAll(() => app.app.server.closeAllConnections());

let provider: AuthorizationServer;
let tools: McpTestServer;
afterEach(async () => {
  provider?.close();
  await tools?.close();
});

/** An MCP server that asks for tokens of an authorization server; neither is ours. */
async function serve(
  options: Partial<AuthorizationServerOptions> = {},
  guard: { resource?: string; authorization_server?: string } = {},
): Promise<void> {
  app.clock.now = Date.now();
  provider = await startAuthorizationServer({
    client_id: 'client-1',
    client_secret: 'canary-secret',
    redirect_uri: new RegExp(`^http://localhost(:80)?${CALLBACK}$`),
    registration: 'open',
    iss: 'own',
    ...options,
  });
  const { accepts, url: authorization_server } = provider;
  tools = await startMcpServer({ guard: { authorization_server, accepts, ...guard } });
}

let named = 0;
async function create(more: object = {}): Promise<string> {
  const config = { mcp_url: tools.url, mcp_auth: 'oauth', ...more };
  const body = { name: `tools ${(named += 1)}`, type: 'mcp', config };
  const made = await user.call('POST', '/api/credentials', body);
  expect(made.statusCode, made.body).toBe(201);
  expect(made.json()).toMatchObject({ sign_in: 'missing' });
  return made.json<{ id: string }>().id;
}

const start = (credential_id: string) =>
  user.call('POST', '/api/credentials/mcp/oauth/authorize', { credential_id });

/** Acts as the person's browser at a provider that allows everything. Resolves to where it is sent back to. */
async function allowed(id: string): Promise<URL> {
  const begun = await start(id);
  expect(begun.statusCode, begun.body).toBe(200);
  const answer = await fetch(begun.json<{ auth_url: string }>().auth_url, { redirect: 'manual' });
  return new URL(answer.headers.get('location') ?? '');
}

const comeBack = ({ pathname, search }: URL) => user.call('GET', `${pathname}${search}`);

async function connect(more: object = {}): Promise<string> {
  const id = await create(more);
  const page = await comeBack(await allowed(id));
  expect(page.statusCode, page.body.slice(page.body.indexOf('<main>'))).toBe(200);
  return id;
}

const shown = async (id: string) => (await user.call('GET', `/api/credentials/${id}`)).json<object>();

async function run(credentialId: string) {
  const id = await createWorkflow(
    user,
    graph(
      [
        ['start', 'textInput'],
        ['ask', 'mcpCall', { credentialId, selectedTool: 'add', toolArguments: { a: '2', b: '40' } }],
        ['out', 'output', { message: '$ask.result' }],
      ],
      ['start>ask', 'ask>out'],
    ),
  );
  const done = await user.call('POST', `/api/workflows/${id}/execute`, {});
  return done.json<{ status: string }>();
}

const SUM = { status: 'success', outputs: { out: { result: { sum: 42 } } } };
const grants = () => provider.token_requests.map((form) => form.get('grant_type'));

describe('§4.3 signing in to an MCP server that requires it', () => {
  it.each([
    ['client_secret_basic', { token_endpoint_auth_methods_supported: undefined }],
    ['client_secret_post', { token_endpoint_auth_methods_supported: ['client_secret_post', 'none'] }],
    ['none', { token_endpoint_auth_methods_supported: ['private_key_jwt', 'none'] }],
  ])('discovery, registration (%s), PKCE, code, call', async (method, metadata) => {
    await serve({ metadata });
    const id = await create();
    const begun = (await start(id)).json<{ auth_url: string; state: string }>();
    const sent = Object.fromEntries(new URL(begun.auth_url).searchParams);
    expect(sent).toEqual({
      response_type: 'code',
      client_id: expect.stringMatching(/^registered-/),
      redirect_uri: `http://localhost${sent['redirect_uri']?.includes(':80') ? ':80' : ''}${CALLBACK}`,
      scope: 'tools',
      state: begun.state,
      resource: tools.url,
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    expect(provider.registrations).toMatchObject([
      {
        client_name: 'Millrace',
        redirect_uris: [sent['redirect_uri']],
        grant_types: ['authorization_code', 'refresh_token'],
        token_endpoint_auth_method: method,
      },
    ]);
    const answer = await fetch(begun.auth_url, { redirect: 'manual' });
    const page = await comeBack(new URL(answer.headers.get('location') ?? ''));
    expect(page.statusCode, page.body).toBe(200);
    expect(await shown(id)).toMatchObject({ sign_in: 'connected', public_fields: { issuer: provider.url } });
    const done = await run(id);
    expect(done).toMatchObject(SUM);
    expect(provider.token_requests[0]?.get('resource')).toBe(tools.url);
    const listed = await user.call('POST', '/api/mcp/fetch-tools', { connection: { credential_id: id } });
    expect(listed.statusCode, listed.body).toBe(200);
    const tested = await user.call('POST', '/api/credentials/test', { type: 'mcp', credential_id: id });
    expect(tested.json()).toMatchObject({ success: true });
  });

  it('the older transport signs in, too', async () => {
    await serve();
    expect(await run(await connect({ mcp_url: tools.sse_url, mcp_transport: 'sse' }))).toMatchObject(SUM);
  });

  it('a client of the owner needs no registration', async () => {
    await serve({ registration: 'refused' });
    const id = await connect({ client_id: 'client-1', client_secret: 'canary-secret', scopes: 'mine' });
    expect(await run(id)).toMatchObject(SUM);
    expect(provider.registrations).toEqual([]);
    expect(JSON.stringify(await shown(id))).not.toContain('canary');
  });

  it('signs in to the OAuth server of another Millrace, and calls a workflow there', async () => {
    tools = await startMcpServer();
    await createWorkflow(user, ECHO, { name: 'Echo', mcp_enabled: true });
    const id = await create({ mcp_url: `${base}/api/mcp` });
    const begun = await start(id);
    expect(begun.statusCode, begun.body).toBe(200);
    const address = new URL(begun.json<{ auth_url: string }>().auth_url);
    const back = await allow(app, user, Object.fromEntries(address.searchParams), new URL(base).host);
    const page = await comeBack(back);
    expect(page.statusCode, page.body).toBe(200);
    const connection = { credential_id: id };
    const listed = await user.call('POST', '/api/mcp/fetch-tools', { connection });
    expect(listed.json()).toMatchObject({ tools: [{ name: 'echo' }] });
    // Its server gives no refresh tokens: when the grant is revoked, only the owner can sign in again.
    const [grant] = (await user.call('GET', '/api/oauth/grants')).json<{ id: string }[]>();
    await user.call('DELETE', `/api/oauth/grants/${grant?.id}`);
    const refused = await user.call('POST', '/api/mcp/fetch-tools', { connection });
    expect(refused.statusCode).toBe(422);
    expect(refused.body).toContain('sign in again on the credentials page');
    expect(await shown(id)).toMatchObject({ sign_in: 'ended' });
    expect(await endedEvents(id)).toHaveLength(1);
  });
});

/** Names of the secrets that the token endpoint was sent last, after a check that the words have none of them. */
function repeated(shown: string): { sent: string[]; shown: string } {
  const form = provider.token_requests.at(-1) ?? new URLSearchParams();
  const secrets = ['client_secret', 'refresh_token', 'code', 'code_verifier'].filter((name) =>
    form.has(name),
  );
  for (const name of secrets) expect(shown).not.toContain(form.get(name));
  return { sent: secrets, shown };
}

const endedEvents = async (id: string) => {
  const { rows } = await app.services.database.sql.query<{ payload: string }>({
    text: `SELECT payload FROM platform_events WHERE name = 'credential.sign_in_ended'`,
  });
  return rows.filter(
    ({ payload }) => (JSON.parse(payload) as { credential_id: string }).credential_id === id,
  );
};

describe('tokens that end', () => {
  it('are renewed with rotation before they end, for the same resource', async () => {
    await serve();
    const id = await connect();
    app.clock.now += 3_600_000;
    expect(await run(id)).toMatchObject(SUM);
    app.clock.now += 3_600_000;
    expect(await run(id)).toMatchObject(SUM);
    expect(grants()).toEqual(['authorization_code', 'refresh_token', 'refresh_token']);
    const [, one, two] = provider.token_requests;
    expect(one?.get('refresh_token')).not.toBe(two?.get('refresh_token'));
    expect(two?.get('resource')).toBe(tools.url);
  });

  it('that the server refuses early are renewed once, and the call is sent again', async () => {
    let refuses = false;
    await serve();
    const { accepts } = provider;
    await tools.close();
    let last = '';
    tools = await startMcpServer({
      guard: {
        authorization_server: provider.url,
        accepts: (token, resource) => {
          const isOld = refuses && token === last;
          if (!refuses) last = token;
          return !isOld && accepts(token, resource);
        },
      },
    });
    const id = await connect();
    expect(await run(id)).toMatchObject(SUM);
    refuses = true;
    expect(await run(id)).toMatchObject(SUM);
    expect(grants()).toEqual(['authorization_code', 'refresh_token']);
  });

  it('a revoked grant fails with what to do, notifies the owner once, and the next sign-in registers anew', async () => {
    await serve();
    const id = await connect();
    provider.revokeAll();
    provider.forgetClients();
    for (let round = 0; round < 2; round += 1) {
      const done = await run(id);
      expect(done.status).toBe('error');
      expect(JSON.stringify(done)).toContain('sign in again on the credentials page');
    }
    expect(await endedEvents(id)).toHaveLength(1);
    expect(await shown(id)).toMatchObject({ sign_in: 'ended' });
    expect((await comeBack(await allowed(id))).statusCode).toBe(200);
    expect(await run(id)).toMatchObject(SUM);
    expect(provider.registrations).toHaveLength(2);
  });

  it('words of the authorization server that repeat what was sent are in no event and on no page', async () => {
    const metadata = { token_endpoint_auth_methods_supported: ['client_secret_post'] };
    await serve({ metadata, repeats: true });
    const id = await connect();
    provider.revokeAll();
    const done = await run(id);
    expect(done.status).toBe('error');
    const { sent, shown: words } = repeated(JSON.stringify([done, await endedEvents(id)]));
    expect(sent).toEqual(['client_secret', 'refresh_token']);
    expect(words).toContain('** refresh_token');
    const back = await allowed(id);
    back.searchParams.set('code', 'code-canary');
    const page = await comeBack(back);
    expect(page.statusCode).toBe(400);
    expect(repeated(page.body).sent).toEqual(['client_secret', 'code', 'code_verifier']);
    expect(page.body).toMatch(/refused the code: .*\*\*/);
  });

  it('nor are tokens that an MCP server repeats, also one that was renewed meanwhile', async () => {
    await serve();
    const id = await connect();
    const [, port] = /:(\d+)\/mcp$/.exec(tools.url) ?? [];
    await tools.close();
    let refused = '';
    const { url: authorization_server, accepts } = provider;
    tools = await startMcpServer({
      port: Number(port),
      repeats: true,
      guard: {
        authorization_server,
        accepts: (token, resource) => {
          refused ||= token;
          return token !== refused && accepts(token, resource);
        },
      },
    });
    const listed = await user.call('POST', '/api/mcp/fetch-tools', { connection: { credential_id: id } });
    expect(grants()).toEqual(['authorization_code', 'refresh_token']);
    expect(listed.statusCode).toBe(422);
    expect(listed.body).toContain('** is not liked');
  });

  it('another server in the same credential starts without them', async () => {
    await serve();
    const id = await connect();
    const other = await startMcpServer();
    const config = { mcp_url: other.url, mcp_auth: 'oauth' };
    await user.call('PUT', `/api/credentials/${id}`, { config });
    expect(await shown(id)).toMatchObject({ sign_in: 'missing' });
    const done = await run(id);
    expect(JSON.stringify(done)).toContain('not signed in to its MCP server yet');
    expect(other.headers).toEqual([]);
    await other.close();
  });

  it('disconnecting revokes them', async () => {
    await serve();
    const id = await connect();
    await user.call('DELETE', `/api/credentials/${id}/oauth`);
    expect(provider.revoked_tokens).toEqual([expect.stringMatching(/^rt-/)]);
    expect(await shown(id)).toMatchObject({ sign_in: 'missing' });
  });
});

describe('what is refused before anything is sent', () => {
  it.each<[string, Partial<AuthorizationServerOptions>, object, string]>([
    ['no PKCE', { metadata: { code_challenge_methods_supported: undefined } }, {}, 'does not support PKCE'],
    [
      'PKCE by plain',
      { metadata: { code_challenge_methods_supported: ['plain'] } },
      {},
      'does not support PKCE',
    ],
    [
      'metadata of another issuer',
      { metadata: { issuer: 'https://bank.example' } },
      {},
      'names itself https://bank.example',
    ],
    [
      'registration refused',
      { registration: 'refused' },
      {},
      'refused to register a client (invalid_client_metadata)',
    ],
    ['no registration', { metadata: { registration_endpoint: undefined } }, {}, 'enter its client ID'],
    [
      'clients by key alone',
      { metadata: { token_endpoint_auth_methods_supported: ['private_key_jwt'] } },
      {},
      'only by private_key_jwt',
    ],
    [
      'a page that is a program',
      { metadata: { authorization_endpoint: 'javascript:alert(1)' } },
      {},
      'sign-in of the MCP server',
    ],
    ['no code grant', { metadata: { response_types_supported: ['token'] } }, {}, 'response type code'],
    [
      'a description of another server',
      {},
      { resource: 'https://bank.example/mcp' },
      'describes another server, https://bank.example/mcp',
    ],
    ['no authorization server there', {}, { authorization_server: 'http://127.0.0.1:1' }, '127.0.0.1'],
  ])('%s', async (_, options, guard, words) => {
    await serve(options, guard);
    const answer = await start(await create());
    expect([400, 503]).toContain(answer.statusCode);
    expect(answer.body).toContain(words);
    expect(provider.token_requests).toEqual([]);
  });

  it('a server that asks for no sign-in', async () => {
    await serve();
    await tools.close();
    tools = await startMcpServer();
    const answer = await start(await create());
    expect(answer.statusCode).toBe(400);
    expect(answer.body).toContain('names no authorization server');
  });

  it('private addresses, also behind a public description', async () => {
    await serve();
    const guarded = await createTestApp();
    const someone = await guarded.user();
    const config = { mcp_url: tools.url, mcp_auth: 'oauth' };
    const made = await someone.call('POST', '/api/credentials', { name: 'a', type: 'mcp', config });
    const { id: credential_id } = made.json<{ id: string }>();
    const answer = await someone.call('POST', '/api/credentials/mcp/oauth/authorize', { credential_id });
    expect(answer.statusCode).toBe(503);
    expect(answer.body).toContain('its address is not public');
    expect(provider.registrations).toEqual([]);
    await guarded.close();
  }, 60_000);
});

describe('answers that are not for this sign-in', () => {
  it.each(['other', 'none'] as const)('an issuer that is wrong or missing (%s) is a mix-up', async (iss) => {
    await serve({ iss });
    const page = await comeBack(await allowed(await create()));
    expect(page.statusCode).toBe(400);
    expect(page.body).toContain('does not come from where this sign-in began');
    expect(provider.token_requests).toEqual([]);
  });

  it('an error of another issuer is not shown', async () => {
    await serve();
    const { state } = (await start(await create())).json<{ state: string }>();
    const page = await user.call('GET', `${CALLBACK}?error=call+us&iss=https://bank.example&state=${state}`);
    expect(page.body).toContain('does not come from where this sign-in began');
    expect(page.body).not.toContain('call us');
  });

  it('a wrong state, another person, and a state that was used', async () => {
    await serve();
    const back = await allowed(await create());
    const forged = new URL(back);
    forged.searchParams.set('state', 'x'.repeat(43));
    expect((await comeBack(forged)).statusCode).toBe(400);
    const stranger = await app.user();
    expect((await stranger.call('GET', `${back.pathname}${back.search}`)).statusCode).toBe(400);
    expect((await comeBack(back)).statusCode).toBe(200);
    expect((await comeBack(back)).statusCode).toBe(400);
    expect(grants()).toEqual(['authorization_code']);
  });

  it('a code is sent only to where the sign-in began, also when the server has moved since', async () => {
    await serve();
    const id = await create();
    const back = await allowed(id);
    const attacker = await startAuthorizationServer({
      client_id: 'client-1',
      client_secret: 'x',
      redirect_uri: /./,
      registration: 'open',
    });
    // The same credential begins again while its server names another place.
    const moved = await startMcpServer({
      guard: { authorization_server: attacker.url, accepts: () => false },
    });
    await user.call('PUT', `/api/credentials/${id}`, { config: { mcp_url: moved.url, mcp_auth: 'oauth' } });
    expect((await start(id)).statusCode).toBe(200);
    const page = await comeBack(back);
    expect(page.statusCode).toBe(400);
    expect(attacker.token_requests).toEqual([]);
    expect(provider.token_requests).toEqual([]);
    attacker.close();
    await moved.close();
  });
});
