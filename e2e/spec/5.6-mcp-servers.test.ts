import type { McpServer, McpServerDetails, McpTool, OauthGrant } from '@millrace/contracts';
import {
  createWorkflow,
  ECHO,
  graph,
  shareTestApp,
  type TestApp,
  type TestUser,
} from '@millrace/server/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allow, newPkce, postForm, REDIRECT, registerClient, toCookieHeader } from '../support/oauth-flow.ts';
import { openSse } from '../support/sse-reader.ts';

let app: TestApp;
let base: string;
beforeAll(async () => {
  app = await shareTestApp();
  base = await app.listen();
});
afterAll(() => app.close());

type NewServer = McpServer & { mcp_api_key: string };

const withKey = (key: string) => ({ 'x-mcp-key': key });
const buildServerPath = ({ id }: { id: string }) => `/api/mcp/servers/${id}`;

async function newServer(person: TestUser, name = 'Reports'): Promise<NewServer> {
  const answer = await person.call('POST', '/api/mcp/servers', { name });
  expect(answer.statusCode).toBe(201);
  return answer.json<NewServer>();
}

async function defaultKey(person: TestUser): Promise<string> {
  return (await person.call('POST', '/api/mcp/regenerate-key')).json<{ mcp_api_key: string }>().mcp_api_key;
}

async function offer(person: TestUser, server: { id: string }, name: string, made = ECHO): Promise<string> {
  const id = await createWorkflow(person, made, { name });
  const on = await person.call('PATCH', `${buildServerPath(server)}/workflows/${id}`, { enabled: true });
  expect(on.statusCode).toBe(200);
  return id;
}

const rpc = (method: string, params: unknown = {}) => ({ jsonrpc: '2.0', id: 1, method, params });
const both = { accept: 'application/json, text/event-stream' };

async function toolsAt(path: string, key: string): Promise<string[]> {
  const answer = await app.call('GET', `${path}/tools`, undefined, withKey(key));
  return answer.json<{ tools: McpTool[] }>().tools.map(({ name }) => name);
}

/** Every way to ask a server, each with the status of its answer. */
async function statuses(path: string, headers: Record<string, string>): Promise<number[]> {
  const streamable = path === '/api/mcp' ? path : `${path}/mcp`;
  const asked = [
    app.call('GET', `${path}/tools`, undefined, headers),
    app.call('POST', `${path}/tools/call`, { name: 'none', arguments: {} }, headers),
    app.call('POST', `${path}/message`, rpc('tools/list'), headers),
    app.call('POST', `${path}/sse`, rpc('tools/list'), headers),
    app.call('POST', streamable, rpc('tools/list'), { ...headers, ...both }),
  ];
  const found = (await Promise.all(asked)).map(({ statusCode }) => statusCode);
  const stream = await fetch(new URL(`${path}/sse`, base), { headers });
  await stream.body?.cancel();
  return [...found, stream.status];
}

const ALL = (status: number) => Array.from({ length: 6 }, () => status);

describe('§4.3 named MCP servers', () => {
  it('each has its own set of workflows, and the default one keeps its own', async () => {
    const person = await app.user();
    const [one, two] = [await newServer(person, 'One'), await newServer(person, 'Two')];
    await offer(person, one, 'Weather');
    await offer(person, two, 'Orders');
    await createWorkflow(person, ECHO, { name: 'At the default', mcp_enabled: true });
    expect(await toolsAt(buildServerPath(one), one.mcp_api_key)).toEqual(['weather']);
    expect(await toolsAt(buildServerPath(two), two.mcp_api_key)).toEqual(['orders']);
    expect(await toolsAt('/api/mcp', await defaultKey(person))).toEqual(['at_the_default']);
    const call = { name: 'orders', arguments: { text: 'x' } };
    const elsewhere = await app.call(
      'POST',
      `${buildServerPath(one)}/tools/call`,
      call,
      withKey(one.mcp_api_key),
    );
    expect(elsewhere.json()).toMatchObject({ isError: true });
    const here = await app.call('POST', `${buildServerPath(two)}/tools/call`, call, withKey(two.mcp_api_key));
    expect(here.json()).toMatchObject({ isError: false, structuredContent: { out: { result: 'x' } } });
  });

  it('§5.6: a key opens its own server and no other, in headers only', async () => {
    const person = await app.user();
    const [one, two] = [await newServer(person, 'One'), await newServer(person, 'Two')];
    const key = await defaultKey(person);
    expect(await statuses(buildServerPath(one), withKey(one.mcp_api_key))).toEqual(ALL(200));
    expect(await statuses(buildServerPath(one), { authorization: `Bearer ${one.mcp_api_key}` })).toEqual(
      ALL(200),
    );
    for (const [path, wrong] of [
      [buildServerPath(one), two.mcp_api_key],
      [buildServerPath(one), key],
      ['/api/mcp', one.mcp_api_key],
    ] as const)
      expect(await statuses(path, withKey(wrong))).toEqual(ALL(401));
    const inAddress = await app.call('GET', `${buildServerPath(one)}/tools?key=${one.mcp_api_key}`);
    expect(inAddress.statusCode).toBe(401);
    expect(inAddress.headers['www-authenticate']).toContain(
      `/.well-known/oauth-protected-resource${buildServerPath(one)}"`,
    );
  });

  it('§5.6: the key is shown once and stored hashed; a new one ends the former one and its streams', async () => {
    const person = await app.user();
    const server = await newServer(person);
    expect(server.mcp_api_key).toMatch(/^[0-9a-f]{64}$/);
    for (const url of ['/api/mcp/servers', buildServerPath(server)])
      expect((await person.call('GET', url)).body).not.toContain(server.mcp_api_key);
    const { rows } = await app.services.database.sql.query<{ text: string }>({
      text: 'SELECT mcp_servers::text AS text FROM mcp_servers',
    });
    expect(rows.map(({ text }) => text).join()).not.toContain(server.mcp_api_key);
    const stream = await openSse(`${base}${buildServerPath(server)}/sse`, withKey(server.mcp_api_key));
    const { data: address } = await stream.next();
    expect(address.startsWith(`${buildServerPath(server)}/message?session=`)).toBe(true);
    const again = await person.call('POST', `${buildServerPath(server)}/regenerate-key`);
    const { mcp_api_key } = again.json<{ mcp_api_key: string }>();
    await expect(stream.ended()).resolves.toBe(true);
    expect((await app.call('POST', address, rpc('ping'))).statusCode).toBe(401);
    expect(await statuses(buildServerPath(server), withKey(server.mcp_api_key))).toEqual(ALL(401));
    expect(await statuses(buildServerPath(server), withKey(mcp_api_key))).toEqual(ALL(200));
  });

  it('§5.6: the session token of a stream is for the server of the stream', async () => {
    const person = await app.user();
    const [one, two] = [await newServer(person, 'One'), await newServer(person, 'Two')];
    const stream = await openSse(`${base}${buildServerPath(one)}/sse`, withKey(one.mcp_api_key));
    const { data: address } = await stream.next();
    expect((await app.call('POST', address, rpc('ping'))).statusCode).toBe(202);
    for (const elsewhere of [buildServerPath(two), '/api/mcp']) {
      const moved = address.replace(buildServerPath(one), elsewhere);
      expect((await app.call('POST', moved, rpc('ping'))).statusCode).toBe(401);
    }
    stream.close();
  });

  it('a deleted server is gone, with its key and its streams', async () => {
    const person = await app.user();
    const server = await newServer(person);
    const stream = await openSse(`${base}${buildServerPath(server)}/sse`, withKey(server.mcp_api_key));
    await stream.next();
    expect((await person.call('DELETE', buildServerPath(server))).statusCode).toBe(204);
    await expect(stream.ended()).resolves.toBe(true);
    expect(await statuses(buildServerPath(server), withKey(server.mcp_api_key))).toEqual(ALL(401));
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/regenerate-key'],
    ] as const)
      expect((await person.call(method, `${buildServerPath(server)}${path}`)).statusCode).toBe(404);
    expect((await person.call('GET', '/api/mcp/servers')).json()).toEqual([]);
  });

  it('a person has at most 100 servers, also when several are added at once', async () => {
    const person = await app.user();
    for (let count = 1; count < 100; count += 1) await newServer(person, `Server ${count}`);
    const add = (name: string) => person.call('POST', '/api/mcp/servers', { name });
    const answers = await Promise.all(['a', 'b', 'c', 'd'].map(add));
    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([201, 409, 409, 409]);
    expect((await person.call('GET', '/api/mcp/servers')).json()).toHaveLength(100);
  });

  it('a server that is deleted while it is changed is changed or not found', async () => {
    const person = await app.user();
    const id = await createWorkflow(person, ECHO);
    for (let round = 0; round < 5; round += 1) {
      const server = await newServer(person, `Round ${round}`);
      const answers = await Promise.all([
        person.call('PATCH', `${buildServerPath(server)}/workflows/${id}`, { enabled: true }),
        person.call('DELETE', buildServerPath(server)),
        person.call('POST', `${buildServerPath(server)}/regenerate-key`),
      ]);
      for (const { statusCode } of answers) expect([200, 204, 404]).toContain(statusCode);
    }
  });

  it('§5.8: a server of another person is not found, nor is a workflow that the person cannot see', async () => {
    const [owner, other] = [await app.user(), await app.user()];
    const server = await newServer(owner);
    const theirs = await createWorkflow(other, ECHO);
    const own = await offer(owner, server, 'Own');
    const enabled = { enabled: true };
    for (const [person, method, path, body] of [
      [other, 'GET', '', undefined],
      [other, 'DELETE', '', undefined],
      [other, 'POST', '/regenerate-key', undefined],
      [other, 'PATCH', `/workflows/${theirs}`, enabled],
      [other, 'PATCH', `/workflows/${own}`, enabled],
      [owner, 'PATCH', `/workflows/${theirs}`, enabled],
    ] as const)
      expect((await person.call(method, `${buildServerPath(server)}${path}`, body)).statusCode).toBe(404);
    expect((await other.call('GET', '/api/mcp/servers')).json()).toEqual([]);
    expect(await toolsAt(buildServerPath(server), server.mcp_api_key)).toEqual(['own']);
  });

  it('§5.8: a shared workflow is a tool while it is shared; the switch of one server is not that of another', async () => {
    const [owner, guest] = [await app.user(), await app.user()];
    const id = await createWorkflow(owner, ECHO, { name: 'Shared' });
    await owner.call('POST', `/api/workflows/${id}/shares`, { email: guest.email });
    const server = await newServer(guest);
    const on = await guest.call('PATCH', `${buildServerPath(server)}/workflows/${id}`, { enabled: true });
    expect(on.json()).toMatchObject({ id, mcp_enabled: true, tool_name: 'shared' });
    expect(await toolsAt(buildServerPath(server), server.mcp_api_key)).toEqual(['shared']);
    expect(await toolsAt('/api/mcp', await defaultKey(guest))).toEqual([]);
    await owner.call('DELETE', `/api/workflows/${id}/shares/${guest.id}`);
    expect(await toolsAt(buildServerPath(server), server.mcp_api_key)).toEqual([]);
  });

  it('§6.3: runs are attributed as at the default server', async () => {
    const person = await app.user();
    const server = await newServer(person);
    const id = await offer(person, server, 'Attributed');
    const params = { name: 'attributed', arguments: { text: 'x' } };
    await app.call(
      'POST',
      `${buildServerPath(server)}/message`,
      rpc('tools/call', params),
      withKey(server.mcp_api_key),
    );
    const { rows } = await app.services.database.sql.query({
      text: 'SELECT trigger_source, actor_id FROM runs WHERE workflow_id = $1',
      values: [id],
    });
    expect(rows).toEqual([{ trigger_source: 'MCP', actor_id: person.id }]);
  });

  it('its open streams are notified of its switches and of changes of its workflows', async () => {
    const person = await app.user();
    const server = await newServer(person);
    const id = await offer(person, server, 'Changes');
    const stream = await openSse(`${base}${buildServerPath(server)}/sse`, withKey(server.mcp_api_key));
    await stream.next();
    const notified = async () => {
      const frames = [await stream.next(), await stream.next()];
      return frames.map(({ data }) => (JSON.parse(data) as { method: string }).method);
    };
    const changed = ['notifications/tools/list_changed', 'notifications/resources/list_changed'];
    await person.call('PATCH', `${buildServerPath(server)}/workflows/${id}`, { enabled: false });
    expect(await notified()).toEqual(changed);
    await person.call('PATCH', `${buildServerPath(server)}/workflows/${id}`, { enabled: true });
    expect(await notified()).toEqual(changed);
    await person.call('PUT', `/api/workflows/${id}`, { description: 'What it does' });
    expect(await notified()).toEqual(changed);
    stream.close();
  });

  it('names are unique to a person; an empty one is refused with its field', async () => {
    const [person, other] = [await app.user(), await app.user()];
    await newServer(person, 'Same');
    await newServer(other, 'Same');
    expect((await person.call('POST', '/api/mcp/servers', { name: 'Same' })).statusCode).toBe(409);
    const empty = await person.call('POST', '/api/mcp/servers', { name: ' ' });
    expect(empty.statusCode).toBe(422);
    expect(empty.json<{ detail: { loc: string[] }[] }>().detail[0]?.loc).toEqual(['body', 'name']);
  });

  it('a server is read with what clients see of each workflow, also of those that are off', async () => {
    const person = await app.user();
    const server = await newServer(person);
    const fields = graph(
      [
        ['start', 'textInput', { inputFields: [{ key: 'city' }] }],
        ['out', 'output', { message: '$start.city' }],
      ],
      ['start>out'],
    );
    const on = await offer(person, server, 'Weather', fields);
    const off = await createWorkflow(person, ECHO, { name: 'Not offered' });
    const details = (await person.call('GET', buildServerPath(server))).json<McpServerDetails>();
    expect(details.mcp_url).toMatch(new RegExp(`${buildServerPath(server)}/mcp$`));
    expect(details.mcp_endpoint_url).toMatch(new RegExp(`${buildServerPath(server)}/sse$`));
    const byId = new Map(details.workflows.map((workflow) => [workflow.id, workflow]));
    expect(byId.get(on)).toMatchObject({
      mcp_enabled: true,
      tool_name: 'weather',
      tool: { title: 'Weather', inputSchema: { required: ['city'] } },
    });
    expect(byId.get(off)).toMatchObject({
      mcp_enabled: false,
      tool_name: null,
      tool: { title: 'Not offered', annotations: { readOnlyHint: true } },
    });
    const [listed] = (
      await app.call('GET', `${buildServerPath(server)}/tools`, undefined, withKey(server.mcp_api_key))
    ).json<{ tools: McpTool[] }>().tools;
    expect(listed).toEqual({ name: 'weather', ...byId.get(on)?.tool });
  });
});

describe('the inspector', () => {
  type Frames = { frames: { from: string; message: Record<string, unknown> }[] };
  const inspect = async (person: TestUser, body: object) =>
    (await person.call('POST', '/api/mcp/inspect', body)).json<Frames>().frames;

  it('shows the request and the answer of the server, for what the server offers', async () => {
    const person = await app.user();
    const server = await newServer(person);
    await offer(person, server, 'Weather');
    const [request, answer] = await inspect(person, { server_id: server.id, method: 'tools/list' });
    expect(request).toEqual({ from: 'client', message: { ...rpc('tools/list') } });
    expect(answer).toMatchObject({
      from: 'server',
      message: { id: 1, result: { tools: [{ name: 'weather' }] } },
    });
    const [, byDefault] = await inspect(person, { method: 'tools/list' });
    expect(byDefault).toMatchObject({ message: { result: { tools: [] } } });
    const [, unknown] = await inspect(person, { method: 'nothing/like/that' });
    expect(unknown).toMatchObject({ message: { error: { code: -32601 } } });
  });

  it('§6.3: a call runs the workflow, source MCP, with its progress before the answer', async () => {
    const person = await app.user();
    const id = await createWorkflow(person, ECHO, { name: 'Echo', mcp_enabled: true });
    const params = { name: 'echo', arguments: { text: 'x' }, _meta: { progressToken: 1 } };
    const frames = await inspect(person, { method: 'tools/call', params });
    expect(frames.slice(1, -1).map(({ message }) => message['method'])).toContain('notifications/progress');
    expect(frames.at(-1)?.message).toMatchObject({ result: { structuredContent: { out: { result: 'x' } } } });
    const { rows } = await app.services.database.sql.query({
      text: 'SELECT trigger_source, actor_id FROM runs WHERE workflow_id = $1',
      values: [id],
    });
    expect(rows).toEqual([{ trigger_source: 'MCP', actor_id: person.id }]);
  });

  it('§5.8: a server of another person is not found', async () => {
    const [owner, other] = [await app.user(), await app.user()];
    const { id } = await newServer(owner);
    const answer = await other.call('POST', '/api/mcp/inspect', { server_id: id, method: 'tools/list' });
    expect(answer.statusCode).toBe(404);
  });
});

describe('§5.6 OAuth and named servers (RFC 8707)', () => {
  const HOST = 'localhost:80';

  /** The whole way of a client that names a resource; the fields of the answer of the token endpoint. */
  async function tokenFor(
    person: TestUser,
    resource: string | undefined,
    atToken: Record<string, string> = {},
  ): Promise<Record<string, string>> {
    const { client_id = '' } = await registerClient(app);
    const { code_verifier, code_challenge } = newPkce();
    const location = await allow(app, person, {
      response_type: 'code',
      client_id,
      redirect_uri: REDIRECT,
      code_challenge_method: 'S256',
      code_challenge,
      ...(resource === undefined ? {} : { resource }),
    });
    const code = location.searchParams.get('code') ?? '';
    const grant = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: REDIRECT,
      client_id,
      code_verifier,
    };
    const answer = await postForm(app, '/token', { ...grant, ...atToken }, { host: HOST });
    return answer.json<Record<string, string>>();
  }

  const bearer = ({ access_token = '' }: Record<string, string>) => ({
    authorization: `Bearer ${access_token}`,
  });

  it('a grant for a server opens that server alone; without a resource it is for the default one', async () => {
    const person = await app.user();
    const server = await newServer(person, 'Named');
    const resource = `http://${HOST}${buildServerPath(server)}`;
    for (const named of [resource, `${resource}/mcp`, `${resource}/sse`]) {
      const token = bearer(await tokenFor(person, named, { resource: named }));
      expect(await statuses(buildServerPath(server), token)).toEqual(ALL(200));
      expect(await statuses('/api/mcp', token)).toEqual(ALL(401));
    }
    for (const none of [undefined, `http://${HOST}/api/mcp`]) {
      const token = bearer(await tokenFor(person, none));
      expect(await statuses('/api/mcp', token)).toEqual(ALL(200));
      expect(await statuses(buildServerPath(server), token)).toEqual(ALL(401));
    }
    const grants = (await person.call('GET', '/api/oauth/grants')).json<OauthGrant[]>();
    expect(grants.map(({ server_name }) => server_name ?? '').toSorted()).toEqual([
      '',
      '',
      'Named',
      'Named',
      'Named',
    ]);
    await person.call('DELETE', buildServerPath(server));
    expect((await person.call('GET', '/api/oauth/grants')).json()).toHaveLength(2);
  });

  it('the consent page names the server and its tools', async () => {
    const person = await app.user();
    const server = await newServer(person, 'For <reports>');
    await offer(person, server, 'Monthly report');
    await createWorkflow(person, ECHO, { name: 'Elsewhere', mcp_enabled: true });
    const { client_id = '' } = await registerClient(app);
    const query = new URLSearchParams({
      response_type: 'code',
      client_id,
      redirect_uri: REDIRECT,
      code_challenge_method: 'S256',
      code_challenge: newPkce().code_challenge,
      resource: `http://${HOST}${buildServerPath(server)}`,
    });
    const page = await app.call('GET', `/authorize?${query.toString()}`, undefined, {
      ...toCookieHeader(person),
      host: HOST,
    });
    expect(page.body).toContain('For &lt;reports&gt;');
    expect(page.body).toContain('Monthly report');
    expect(page.body).not.toContain('Elsewhere');
    const stranger = await app.user();
    const theirs = await app.call('GET', `/authorize?${query.toString()}`, undefined, {
      ...toCookieHeader(stranger),
      host: HOST,
    });
    expect(theirs.statusCode).toBe(400);
    expect(theirs.body).not.toContain('reports');
  });

  it('a code for one server is not exchanged for another; other resources are refused', async () => {
    const person = await app.user();
    const server = await newServer(person);
    const resource = `http://${HOST}${buildServerPath(server)}`;
    const other = await tokenFor(person, resource, { resource: `http://${HOST}/api/mcp` });
    expect(other).toMatchObject({ error: 'invalid_target' });
    const { client_id = '' } = await registerClient(app);
    const { code_challenge } = newPkce();
    for (const wrong of [
      `${resource}/tools`,
      `http://evil.example${buildServerPath(server)}`,
      `http://${HOST}/api`,
    ]) {
      const query = new URLSearchParams({
        response_type: 'code',
        client_id,
        redirect_uri: REDIRECT,
        code_challenge_method: 'S256',
        code_challenge,
        resource: wrong,
      });
      const answer = await app.call('GET', `/authorize?${query.toString()}`, undefined, {
        ...toCookieHeader(person),
        host: HOST,
      });
      expect(new URL(String(answer.headers.location)).searchParams.get('error')).toBe('invalid_target');
    }
  });

  it('RFC 9728: each server names its resource', async () => {
    const person = await app.user();
    const server = await newServer(person);
    const url = `/.well-known/oauth-protected-resource${buildServerPath(server)}`;
    const answer = await app.call('GET', url, undefined, { host: HOST });
    expect(answer.json()).toMatchObject({
      resource: `http://${HOST}${buildServerPath(server)}`,
      authorization_servers: [`http://${HOST}`],
    });
  });
});
