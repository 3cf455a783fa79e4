import { expect } from 'vitest';
import { githubApi } from '../../../packages/nodes/src/github/testing/github-api.ts';
import { jiraApi } from '../../../packages/nodes/src/jira/testing/jira-api.ts';
import { serveJson } from '../../../packages/nodes/src/testing/servers/json-server.ts';
import type { SmokeCases } from '../smoke-case.ts';
import { type SmokeWorld, serveRoutes } from '../world.ts';

const FEED =
  '<rss version="2.0"><channel><title>News</title><item><title>One</title><link>https://example.com/1</link></item></channel></rss>';

/** A file of the Drive as a field of a form, and as the body. */
async function sendStoredFile({ runNode }: SmokeWorld): Promise<void> {
  const saved = await runNode('drive', {
    driveOperation: 'save',
    driveBase64Content: Buffer.from('a;b\n').toString('base64'),
    driveFilename: 'list.csv',
  });
  const { id } = saved as { id: string };
  const { url } = await serveJson(({ headers, body }) => ({ body: [headers['content-length'], body] }));
  const form = await runNode('http', { curl: `curl ${url} -F 'doc=@$start.body.file'` }, { file: { id } });
  const [length, text] = (form as { body: [string, string] }).body;
  expect(text).toMatch(
    /^--(millrace-[\da-f-]+)\r\nContent-Disposition: form-data; name="doc"; filename="list\.csv"\r\nContent-Type: text\/csv\r\n\r\na;b\n\r\n--\1--\r\n$/,
  );
  expect(length).toBe(String(text.length));
  expect(await runNode('http', { curl: `curl ${url} -T ${id}` })).toMatchObject({
    body: ['4', 'a;b\n'],
    request: { method: 'PUT', headers: { 'Content-Type': 'text/csv' } },
  });
}

async function storeAnswer({ runNode, ask }: SmokeWorld): Promise<void> {
  const { url } = await serveJson(() => ({ body: { a: 1 } }));
  const stored = await runNode('http', { curl: `curl ${url}/a.json`, responseBody: 'file' });
  const { file } = stored as { file: { id: string } };
  expect(await ask('GET', `/api/files/${file.id}`)).toMatchObject({ filename: 'a.json', size_bytes: 7 });
}

/** Integrations whose credential, or whose parameters, name the server: each with one operation. */
export const integrationCases: SmokeCases = {
  async http(world) {
    const { ask, runNode } = world;
    const shop = await serveRoutes(
      { 'POST /orders': ({ body }) => ({ status: 201, body: { stored: body } }) },
      { authorization: 'Bearer token-of-the-shop' },
    );
    const config = { bearer_token: 'token-of-the-shop' };
    await ask('POST', '/api/credentials', { name: 'shopToken', type: 'bearer', config });
    const curl = `curl -X POST ${shop.url}/orders -H "Authorization: Bearer $credentials.shopToken" -H "Content-Type: application/json" -d '{"id": 7}'`;
    expect(await runNode('http', { curl })).toMatchObject({ status: 201, body: { stored: { id: 7 } } });
    await sendStoredFile(world);
    await storeAnswer(world);
  },
  async graphql({ runNode }) {
    const shop = await serveRoutes({
      'POST /graphql': ({ body }) => ({
        body: { data: { sent: (body as { variables: object }).variables } },
      }),
    });
    const data = {
      endpoint: `${shop.url}/graphql`,
      query: 'query ($id: ID!) { sent(id: $id) }',
      variables: '{"id": "7"}',
    };
    expect(await runNode('graphql', data)).toEqual({ data: { sent: { id: '7' } } });
  },
  async rss({ runNode }) {
    const blog = await serveJson(() => ({ headers: { 'content-type': 'application/rss+xml' }, body: FEED }));
    expect(await runNode('rss', { feedUrl: `${blog.url}/feed` })).toMatchObject({
      items: [{ title: 'One', link: 'https://example.com/1' }],
    });
  },
  async crawler({ store, runNode }) {
    const solved = {
      status: 'ok',
      solution: { url: 'http://127.0.0.1:9/x', status: 200, response: '<h1>Hi</h1>' },
    };
    const solver = await serveRoutes({
      'POST /v1': ({ body }) =>
        (body as { cmd?: string }).cmd === 'request.get' ? { body: solved } : { status: 500 },
    });
    const credentialId = await store('flaresolverr', { flaresolverr_url: solver.url });
    const output = await runNode('crawler', { credentialId, crawlerUrl: 'http://127.0.0.1:9/x' });
    expect(output).toEqual({ html: '<h1>Hi</h1>', url: 'http://127.0.0.1:9/x', status: 200 });
  },
  async slack({ store, runNode }) {
    const { url, seen } = await serveRoutes({
      'POST /services/T1/B1/key': { headers: { 'content-type': 'text/html' }, body: 'ok' },
    });
    const credentialId = await store('slack', { webhook_url: `${url}/services/T1/B1/key` });
    const output = await runNode('slack', { credentialId, message: '$input.text' }, { text: 'Hello ü' });
    expect(output).toEqual({ status: 200, response: 'ok' });
    expect(seen.map(({ body }) => body)).toEqual([{ text: 'Hello ü' }]);
  },
  async discord({ store, runNode }) {
    const { url } = await serveRoutes({
      'POST /api/webhooks/1/key': ({ body }) => ({ body: { id: '9', ...(body as object) } }),
    });
    const credentialId = await store('discord', { webhook_url: `${url}/api/webhooks/1/key` });
    const output = await runNode('discord', { credentialId, message: '$input.text' }, { text: 'Hello ü' });
    expect(output).toMatchObject({ status: 200, response: { id: '9', content: 'Hello ü' } });
  },
  async supabase({ store, runNode }) {
    const { url, seen } = await serveRoutes(
      { 'GET /rest/v1/orders': { body: [{ id: 7 }] } },
      { authorization: 'Bearer key-of-supabase', apikey: 'key-of-supabase' },
    );
    const config = { supabase_url: url, supabase_key: 'key-of-supabase', supabase_schema: 'public' };
    const credentialId = await store('supabase', config);
    const data = {
      credentialId,
      supabaseOperation: 'select',
      supabaseTable: 'orders',
      supabaseFilter: '{"status": "open"}',
    };
    expect(await runNode('supabase', data)).toEqual({
      success: true,
      operation: 'select',
      rows: [{ id: 7 }],
      count: 1,
    });
    expect(seen[0]?.query).toMatchObject({ status: 'eq.open' });
  },
  async clickhouse({ store, runNode }) {
    const rows = { meta: [{ name: 'id', type: 'UInt8' }], data: [{ id: 7 }] };
    const headers = { 'x-clickhouse-user': 'default', 'x-clickhouse-key': 'key-of-clickhouse' };
    const { url } = await serveRoutes({ 'POST /': { body: rows } }, headers);
    const { hostname: host, port } = new URL(url);
    const config = {
      host,
      port: Number(port),
      username: 'default',
      password: 'key-of-clickhouse',
      database: 'shop',
      secure: false,
    };
    const credentialId = await store('clickhouse', config);
    const data = { credentialId, clickhouseOperation: 'query', clickhouseQuery: 'SELECT id FROM orders' };
    expect(await runNode('clickhouse', data)).toMatchObject({ rows: [{ id: 7 }] });
  },
  async github({ store, runNode }) {
    const repository = { id: 1, name: 'hello', full_name: 'octo/hello' };
    const { url } = await serveJson(githubApi({ 'GET /repos/octo/hello': { body: repository } }, '/api/v3'));
    const credentialId = await store('github', { api_key: 'ghp_canary', base_url: `${url}/api/v3` });
    const data = { credentialId, githubOperation: 'getRepository', githubOwner: 'octo', githubRepo: 'hello' };
    expect(await runNode('github', data)).toMatchObject({ repository });
  },
  async jira({ store, runNode }) {
    const myself = { accountId: '7', displayName: 'Zoë' };
    const { url } = await serveJson(jiraApi({ 'GET /rest/api/3/myself': { body: myself } }));
    const config = {
      email: 'zoe@example.com',
      api_token: 'tok_canary',
      base_url: url,
      deployment: 'cloud',
      api_version: '3',
    };
    const credentialId = await store('jira', config);
    expect(await runNode('jira', { credentialId, jiraOperation: 'getMyself' })).toMatchObject({
      success: true,
      user: myself,
    });
  },
  async grist({ store, runNode }) {
    const { url } = await serveRoutes(
      {
        'GET /api/docs/doc1/tables/Orders/records': {
          body: { records: [{ id: 7, fields: { Name: 'Ada' } }] },
        },
      },
      { authorization: 'Bearer key-of-grist' },
    );
    const credentialId = await store('grist', { api_key: 'key-of-grist', server_url: url });
    const data = { credentialId, gristOperation: 'getRecords', gristDocId: 'doc1', gristTableId: 'Orders' };
    expect(await runNode('grist', data)).toMatchObject({ success: true, count: 1 });
  },
  async cal({ store, runNode }) {
    const { url } = await serveRoutes(
      { 'GET /v2/webhooks': { body: { status: 'success', data: [{ id: 'w1', active: true }] } } },
      { authorization: 'Bearer key-of-cal' },
    );
    const credentialId = await store('cal_api', { api_key: 'key-of-cal', base_url: url });
    const data = { credentialId, calOperation: 'listWebhooks' };
    expect(await runNode('cal', data)).toMatchObject({ webhooks: [{ id: 'w1', active: true }], count: 1 });
  },
  async youcomSearch({ store, runNode }) {
    const page = { title: 'Größe', url: 'https://example.com', description: 'About size' };
    const { url } = await serveRoutes(
      { 'GET /v1/search': { body: { results: { web: [page] } } } },
      { 'x-api-key': 'key-of-search' },
    );
    const credentialId = await store('youcom', { api_key: 'key-of-search', base_url: url });
    const found = await runNode('youcomSearch', { credentialId, query: 'size' });
    expect(found).toMatchObject({ results: [{ title: 'Größe', snippet: 'About size' }], has_api_key: true });
  },
  async sentry({ store, runNode }) {
    const { url } = await serveRoutes(
      { 'GET /api/0/organizations/acme/issues/': { body: [{ id: '7', title: 'Broken' }] } },
      { authorization: 'Bearer key-of-sentry' },
    );
    const credentialId = await store('sentry', { api_token: 'key-of-sentry', base_url: url });
    const data = { credentialId, sentryOperation: 'listIssues', sentryOrganizationSlug: 'acme' };
    expect(await runNode('sentry', data)).toMatchObject({ issues: [{ id: '7', title: 'Broken' }] });
  },
};
