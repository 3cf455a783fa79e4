import { createWorkflow, ECHO, shareTestApp, type TestApp, type TestUser } from '@millrace/server/testing';
import { Client as NewClient, StreamableHTTPClientTransport as NewHttp } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSse } from '../support/sse-reader.ts';

let app: TestApp;
let base: string;
beforeAll(async () => {
  app = await shareTestApp();
  base = await app.listen();
});
afterAll(async () => {
  // Clients open connections in advance, on which no request ever comes.
  app.app.server.closeAllConnections();
  await app.close();
});

const INFO = { name: 'test', version: '1' };
const streamable = (key: string, path = '/api/mcp') =>
  [new URL(path, base), { requestInit: { headers: { 'x-mcp-key': key } } }] as const;

const GENERATIONS = {
  first: async (key: string, path?: string) => {
    const client = new OldClient(INFO);
    await client.connect(new OldHttp(...streamable(key, path)));
    return client;
  },
  second: async (key: string, path?: string) => {
    const client = new NewClient(INFO, { versionNegotiation: { mode: 'auto' } });
    await client.connect(new NewHttp(...streamable(key, path)));
    return client;
  },
} as const;

const regenerateKey = async (person: TestUser) =>
  (await person.call('POST', '/api/mcp/regenerate-key')).json<{ mcp_api_key: string }>().mcp_api_key;

async function call(key: string, method: string, params: object = {}) {
  const message = { jsonrpc: '2.0', id: 1, method, params };
  const answer = await app.call('POST', '/api/mcp/message', message, { 'x-mcp-key': key });
  return answer.json<{ result?: Record<string, unknown>; error?: { code: number } }>();
}

/** All items of a list, page by page. */
async function all<Item>(key: string, list: 'resources' | 'prompts'): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: unknown;
  do {
    const { result = {} } = await call(key, `${list}/list`, cursor === undefined ? {} : { cursor });
    expect((result[list] as Item[]).length).toBeLessThanOrEqual(100);
    items.push(...(result[list] as Item[]));
    cursor = result['nextCursor'];
  } while (cursor !== undefined);
  return items;
}

const write = (person: TestUser, id: string, content: string) =>
  person.call('PUT', `/api/workflows/${id}/analysis-note`, { content, base_revision: 0 });
const buildUri = (id: string) => `millrace://workflows/${id}`;
const template = (person: TestUser, name: string, more: object = {}) =>
  person.call('POST', '/api/templates', {
    kind: 'workflow',
    workflow: { name, ...ECHO, visibility: 'specific_users', ...more },
  });

describe.each(Object.entries(GENERATIONS))(
  'MCP resources and prompts, client of the %s generation',
  (_, connect) => {
    it('the guide of a tool is listed and read: name, description, analysis document', async () => {
      const person = await app.user();
      const more = { name: 'Send report', description: 'Sends it', mcp_enabled: true };
      const id = await createWorkflow(person, ECHO, more);
      await createWorkflow(person, ECHO, { name: 'No tool' });
      await write(person, id, '## When to use it\n\nOn Mondays.');
      const client = await connect(await regenerateKey(person));
      const { resources } = await client.listResources();
      expect(resources).toMatchObject([
        { uri: buildUri(id), name: 'send_report', title: 'Send report', mimeType: 'text/markdown' },
      ]);
      const { contents } = await client.readResource({ uri: buildUri(id) });
      const text = '# Send report\n\nTool: `send_report`\n\nSends it\n\n## When to use it\n\nOn Mondays.';
      expect(contents).toEqual([{ uri: buildUri(id), mimeType: 'text/markdown', text }]);
      const { resourceTemplates } = await client.listResourceTemplates();
      expect(resourceTemplates).toMatchObject([{ uriTemplate: buildUri('{id}') }]);
      await client.close();
    });

    it('a template is listed as a prompt, with its graph and the goal that is given', async () => {
      const person = await app.user();
      await template(person, 'Daily digest', { description: 'Collects news' });
      const client = await connect(await regenerateKey(person));
      const { prompts } = await client.listPrompts();
      expect(prompts).toMatchObject([
        {
          name: 'daily_digest',
          title: 'Daily digest',
          description: 'Collects news',
          arguments: [{ name: 'goal' }],
        },
      ]);
      const got = await client.getPrompt({ name: 'daily_digest', arguments: { goal: 'Weekly instead' } });
      const [message] = got.messages;
      expect(message).toMatchObject({ role: 'user', content: { type: 'text' } });
      const text = message?.content.type === 'text' ? message.content.text : '';
      for (const part of ['Weekly instead', 'Collects news', '"type": "textInput"'])
        expect(text).toContain(part);
      const plain = await client.getPrompt({ name: 'daily_digest' });
      expect(JSON.stringify(plain.messages)).toContain('Explain the workflow template');
      await client.close();
    });
  },
);

describe('§5.8 who sees resources and prompts', () => {
  it('a guide is read while its workflow is a tool of the reader, and by others never', async () => {
    const [owner, guest] = [await app.user(), await app.user()];
    const id = await createWorkflow(owner, ECHO, { name: 'Shared', mcp_enabled: true });
    await owner.call('POST', `/api/workflows/${id}/shares`, { email: guest.email });
    const key = await regenerateKey(guest);
    const read = async () => (await call(key, 'resources/read', { uri: buildUri(id) })).error?.code;
    expect(await all(key, 'resources')).toEqual([]);
    expect(await read()).toBe(-32602);
    await guest.call('PATCH', `/api/mcp/workflows/${id}`, { mcp_enabled: true });
    expect(await read()).toBeUndefined();
    await owner.call('DELETE', `/api/workflows/${id}/shares/${guest.id}`);
    expect(await read()).toBe(-32602);
    expect((await call(key, 'resources/read', { uri: 'file:///etc/passwd' })).error?.code).toBe(-32602);
  });

  it('a template is a prompt of those who may see it', async () => {
    const [author, reader, stranger] = [await app.user(), await app.user(), await app.user()];
    await template(author, 'Private thing', { shared_with: [reader.email] });
    const names = async (person: TestUser) =>
      (await all<{ name: string }>(await regenerateKey(person), 'prompts')).map(({ name }) => name);
    expect(await names(author)).toContain('private_thing');
    expect(await names(reader)).toContain('private_thing');
    expect(await names(stranger)).not.toContain('private_thing');
    const refused = await call(await regenerateKey(stranger), 'prompts/get', { name: 'private_thing' });
    expect(refused.error?.code).toBe(-32602);
  });

  it('a named server offers the guides of its own workflows, and no prompts', async () => {
    const person = await app.user();
    await template(person, 'Not for this client');
    await createWorkflow(person, ECHO, { name: 'Elsewhere', mcp_enabled: true });
    const id = await createWorkflow(person, ECHO, { name: 'Here' });
    const made = await person.call('POST', '/api/mcp/servers', { name: 'Narrow' });
    const server = made.json<{ id: string; mcp_api_key: string }>();
    const path = `/api/mcp/servers/${server.id}`;
    await person.call('PATCH', `${path}/workflows/${id}`, { enabled: true });
    for (const connect of Object.values(GENERATIONS)) {
      const client = await connect(server.mcp_api_key, `${path}/mcp`);
      expect(client.getServerCapabilities()).toEqual({
        tools: { listChanged: true },
        resources: { listChanged: true },
      });
      const { resources } = await client.listResources();
      expect(resources.map(({ uri }) => uri)).toEqual([buildUri(id)]);
      await client.close();
    }
  });
});

describe('MCP lists of resources and prompts', () => {
  it('come in pages, each item once', async () => {
    const person = await app.user();
    const key = await regenerateKey(person);
    for (let n = 0; n < 101; n += 1) {
      await createWorkflow(person, { nodes: [], edges: [] }, { name: `Many ${n}`, mcp_enabled: true });
      await template(person, `Many ${n}`);
    }
    for (const [list, field] of [
      ['resources', 'uri'],
      ['prompts', 'name'],
    ] as const) {
      const items = await all<Record<string, string>>(key, list);
      expect(items).toHaveLength(101);
      expect(new Set(items.map((item) => item[field])).size).toBe(101);
    }
  }, 60_000);

  it('open streams are notified that resources change with the tools', async () => {
    const person = await app.user();
    const id = await createWorkflow(person, ECHO);
    const stream = await openSse(`${base}/api/mcp/sse`, { 'x-mcp-key': await regenerateKey(person) });
    await stream.next();
    await person.call('PATCH', `/api/mcp/workflows/${id}`, { mcp_enabled: true });
    const methods = [await stream.next(), await stream.next()].map(
      ({ data }) => (JSON.parse(data) as { method: string }).method,
    );
    expect(methods).toEqual(['notifications/tools/list_changed', 'notifications/resources/list_changed']);
    stream.close();
  });
});
