import { NodeFailure } from '@millrace/engine';
import { expect, test } from 'vitest';
import type { Egress, EgressRequest } from '../../services.ts';
import { discoveredSignIn } from './discovered.ts';
import { serverOfCredential } from './server.ts';
import { discoverMcpSignIn } from './sign-in.ts';

const SERVER = 'https://tools.example/mcp';
const ISSUER = 'https://login.example/tenant';
const REDIRECT = 'https://flows.example/api/credentials/mcp/oauth/callback';

interface Answer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly json?: object;
}

/** The internet, by address without its query. */
function internet(answers: Readonly<Record<string, Answer>>) {
  const asked: EgressRequest[] = [];
  const http = {
    request: (request: EgressRequest) => {
      asked.push(request);
      const { status = 200, headers = {}, json } = answers[request.url] ?? { status: 404 };
      const text = json === undefined ? '' : JSON.stringify(json);
      async function* body() {
        yield Buffer.from(text);
      }
      return Promise.resolve({
        status,
        url: request.url,
        headers: { 'content-type': 'application/json', ...headers },
        body: body(),
      });
    },
  };
  return { http: http as unknown as Egress, asked };
}

const METADATA = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/authorize`,
  token_endpoint: `${ISSUER}/token`,
  registration_endpoint: `${ISSUER}/register`,
  response_types_supported: ['code'],
  code_challenge_methods_supported: ['S256'],
  scopes_supported: ['read', 'offline_access'],
};

const world = (metadata: object = {}): Record<string, Answer> => ({
  [SERVER]: { status: 401, headers: { 'www-authenticate': 'Bearer scope="read"' } },
  'https://tools.example/.well-known/oauth-protected-resource/mcp': {
    json: { resource: SERVER, authorization_servers: [ISSUER] },
  },
  'https://login.example/.well-known/oauth-authorization-server/tenant': {
    json: { ...METADATA, ...metadata },
  },
  [`${ISSUER}/register`]: {
    status: 201,
    json: { client_id: 'new', redirect_uris: [REDIRECT], client_secret: 's', client_secret_expires_at: 100 },
  },
});

const discover = (answers: Record<string, Answer>, config: object = {}, now_ms = 0) => {
  const { http, asked } = internet(answers);
  const all = { mcp_url: SERVER, mcp_auth: 'oauth', ...config };
  const found = discoverMcpSignIn({ http, now: () => now_ms, config: all, redirect_uri: REDIRECT });
  return { found, asked, all };
};

async function catchRefusal(work: Promise<unknown>): Promise<string> {
  const error = await work.catch((thrown: unknown) => thrown);
  if (error instanceof NodeFailure) return error.failure.message;
  throw new Error(`expected a failure, got ${String(error)}`);
}

test('what the server and its authorization server say becomes the sign-in', async () => {
  const { found, all, asked } = discover(world());
  expect(discoveredSignIn({ ...all, ...(await found) })).toEqual({
    authorization_url: `${ISSUER}/authorize`,
    token_url: `${ISSUER}/token`,
    issuer: ISSUER,
    sends_issuer: false,
    scopes: ['read', 'offline_access'],
    resource: SERVER,
    client_auth: 'basic',
    client: { client_id: 'new', client_secret: 's' },
  });
  expect(asked.every(({ follow_redirects }) => !follow_redirects)).toBe(true);
});

test('a server of an earlier protocol is its own authorization server', async () => {
  const { found } = discover({
    [SERVER]: { status: 401 },
    'https://tools.example/.well-known/oauth-authorization-server': {
      json: { ...METADATA, issuer: 'https://tools.example' },
    },
    [`${ISSUER}/register`]: world()[`${ISSUER}/register`] ?? {},
  });
  expect(await found).toMatchObject({ issuer: 'https://tools.example', resource: SERVER });
});

test.each(['authorization_endpoint', 'token_endpoint', 'registration_endpoint', 'revocation_endpoint'])(
  'an %s that is less safe than the server is refused',
  async (name) => {
    const { found, asked } = discover(world({ [name]: 'http://login.example/x' }));
    expect(await catchRefusal(found)).toContain(`not safe to use (${name})`);
    expect(asked.map(({ url }) => url)).not.toContain(`${ISSUER}/register`);
  },
);

test('so is an address of metadata that the challenge names', async () => {
  const challenge = 'Bearer resource_metadata="http://169.254.169.254/latest"';
  const answers = { ...world(), [SERVER]: { status: 401, headers: { 'www-authenticate': challenge } } };
  const { found, asked } = discover(answers);
  expect(await catchRefusal(found)).toContain('not safe to use (resource_metadata)');
  expect(asked).toHaveLength(1);
});

test('a registration is used again until it ends, for the same issuer and address', async () => {
  const { found, all } = discover(world());
  const known = { ...all, ...(await found), connection: 'connected' };
  const registrations = async (config: object, now_ms: number) => {
    const again = discover(world(), { ...known, ...config }, now_ms);
    await again.found;
    return again.asked.filter(({ url }) => url.endsWith('/register')).length;
  };
  expect(await registrations({}, 99_000)).toBe(0);
  expect(await registrations({}, 100_000)).toBe(1);
  expect(await registrations({ connection: 'ended' }, 0)).toBe(1);
  expect(await registrations({ connection: '' }, 0)).toBe(1);
  expect(await registrations({ registered_redirect: 'https://old.example' }, 0)).toBe(1);
  expect(await registrations({ issuer: 'https://bank.example' }, 0)).toBe(1);
});

test('a client of the owner stays with the authorization server that it was first used at', async () => {
  const own = { client_id: 'mine', client_secret: 'secret-canary' };
  const { found, all } = discover(world(), own);
  const known = { ...all, ...(await found) };
  expect(known).toMatchObject({ issuer: ISSUER, issuer_client: 'mine' });
  const evil = 'https://evil.example';
  const moved = {
    ...world(),
    'https://tools.example/.well-known/oauth-protected-resource/mcp': {
      json: { resource: SERVER, authorization_servers: [evil] },
    },
    [`${evil}/.well-known/oauth-authorization-server`]: { json: { ...METADATA, issuer: evil } },
  };
  const refusal = await catchRefusal(discover(moved, known).found);
  expect(refusal).toContain(`for ${ISSUER}, but the MCP server tools.example now names`);
  expect(refusal).not.toContain('canary');
  expect(await discover(moved, { ...known, client_id: 'another' }).found).toMatchObject({ issuer: evil });
  expect(await discover(world(), known).found).toMatchObject({ issuer: ISSUER });
});

test('a token is for the server that it was discovered for, and no other', async () => {
  const { found, all } = discover(world());
  const config = { ...all, ...(await found), access_token: 'token-canary' };
  expect(serverOfCredential(config).headers).toEqual({ authorization: 'Bearer token-canary' });
  const moved = { ...config, mcp_url: 'https://other.example/mcp', mcp_token: 'left-over' };
  expect(() => serverOfCredential(moved)).toThrow('not signed in to its MCP server yet');
  expect(serverOfCredential({ ...moved, mcp_auth: 'token' }).headers).toEqual({
    authorization: 'Bearer left-over',
  });
});
