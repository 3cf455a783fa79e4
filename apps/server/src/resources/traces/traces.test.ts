import type { Trace, TraceList } from '@millrace/contracts';
import { chatStream, type FakeProvider, refuse, startFakeProvider } from '@millrace/models/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestApp, type TestApp, type TestUser } from '../../testing/test-app.ts';
import { dailyJobs } from '../../triggers/daily/jobs.ts';
import { createWorkflow, executeUrl, graph } from '../executions/testing/workflows.ts';

const KEY = 'k-canary-0123456789';
const SECRET = 'bearer-canary-9876543210';
const DAY_MS = 86_400_000;

let app: TestApp;
let provider: FakeProvider;
let user: TestUser;
let credential_id: string;
beforeAll(async () => {
  provider = await startFakeProvider(({ body }) =>
    body?.['model'] === 'broken'
      ? refuse(400, { error: { message: 'no such model' } })
      : { chunks: chatStream([`You said ${JSON.stringify(body?.['messages'])}`]) },
  );
  app = await createTestApp({
    env: { HTTP_ALLOW_PRIVATE_URLS: 'true', MODEL_PRICES: '{"m1":{"input":1000,"output":2000}}' },
  });
});
afterAll(async () => {
  await app.close();
  provider.stop();
});
beforeEach(async () => {
  user = await app.user();
  credential_id = await made('models', 'custom', { api_key: KEY, base_url: provider.url });
});

async function made(name: string, type: string, config: object): Promise<string> {
  return (await user.call('POST', '/api/credentials', { name, type, config })).json<{ id: string }>().id;
}

const asking = (data: Record<string, unknown> = {}) =>
  graph(
    [
      ['start', 'textInput'],
      ['ask', 'llm', { credentialId: credential_id, model: 'm1', userMessage: '$start.text', ...data }],
      ['out', 'output', { message: '$ask.text' }],
    ],
    ['start>ask', 'ask>out'],
  );

async function run(data: Record<string, unknown> = {}, text = 'Hi'): Promise<string> {
  const id = await createWorkflow(user, asking(data));
  await user.call('POST', executeUrl(id), { text });
  await app.services.traces.flush();
  return id;
}

async function list(query = '', who = user): Promise<TraceList> {
  const answer = await who.call('GET', `/api/traces${query}`);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json<TraceList>();
}

const read = async (id: string, who = user) => who.call('GET', `/api/traces/${id}`);

test('a call of a model is listed with its run, its node, its tokens and its cost', async () => {
  const workflow_id = await run();
  const history = await user.call('GET', `/api/workflows/${workflow_id}/history`);
  const run_id = history.json<{ items: { id: string }[] }>().items[0]?.id;
  const found = await list();
  expect(found).toMatchObject({ total: 1, limit: 50, offset: 0 });
  expect(found.items).toEqual([
    {
      id: expect.any(String),
      created_at: expect.any(String),
      source: 'workflow',
      request_type: 'chat',
      provider: 'compatible',
      model: 'm1',
      credential_id,
      credential_name: 'models',
      workflow_id,
      workflow_name: expect.any(String),
      run_id,
      node_id: 'ask',
      node_label: 'ask',
      step: 'call',
      status: 'success',
      elapsed_ms: expect.any(Number),
      prompt_tokens: 12,
      completion_tokens: 5,
      total_tokens: 17,
      cached_tokens: 0,
      cost_usd: 0.022,
      is_priced: true,
    },
  ]);
  const detail = (await read(found.items[0]?.id ?? '')).json<Trace>();
  expect(detail).toMatchObject({
    request: { messages: [{ role: 'user', text: 'Hi' }] },
    response: { text: expect.stringContaining('You said') },
    error: null,
    is_cut: false,
  });
});

test('neither keys nor values of credentials are in a trace', async () => {
  await made('SECRET', 'bearer', { bearer_token: SECRET });
  await run({ userMessage: `Use $credentials.SECRET, not ${KEY}` });
  const found = await list();
  const texts = JSON.stringify([found, (await read(found.items[0]?.id ?? '')).json()]);
  expect(texts).toContain('Use bearer-**');
  const { rows } = await app.services.database.sql.query({ text: 'SELECT * FROM traces' });
  for (const text of [texts, JSON.stringify(rows)]) {
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain(KEY);
  }
});

test('a refused call is listed as an error, with the reason in its detail', async () => {
  await run({ model: 'broken' });
  await run();
  const found = await list('?status=error');
  expect(found).toMatchObject({ total: 1, items: [{ status: 'error', cost_usd: null, is_priced: false }] });
  const detail = (await read(found.items[0]?.id ?? '')).json<Trace>();
  expect(detail).toMatchObject({ response: null, error: expect.stringContaining('no such model') });
  expect((await list('?status=success')).total).toBe(1);
});

test('filters narrow the list, and words find names and texts', async () => {
  const workflow_id = await run({}, 'How is "Ada"?');
  await run({}, '100%');
  const run_id = (await list()).items[1]?.run_id;
  for (const query of [
    `workflow_id=${workflow_id}`,
    `run_id=${run_id}`,
    `search=${encodeURIComponent('how is "ada"')}`,
  ]) {
    expect((await list(`?${query}`)).items, query).toMatchObject([{ workflow_id }]);
  }
  expect((await list(`?search=${encodeURIComponent('100%')}`)).total).toBe(1);
  expect((await list(`?search=${encodeURIComponent('1_0')}`)).total).toBe(0);
  expect((await list(`?credential_id=${credential_id}&source=workflow`)).total).toBe(2);
  expect((await list('?source=board')).total).toBe(0);
  const newest = await list('?limit=1');
  const oldest = await list('?limit=1&order=asc');
  expect([newest.total, newest.items.length]).toEqual([2, 1]);
  expect(oldest.items[0]?.workflow_id).toBe(workflow_id);
  expect((await list('?limit=1&offset=1')).items).toEqual(oldest.items);
  for (const query of ['limit=0', 'limit=201', 'order=up', 'source=other', 'run_id=1']) {
    expect((await user.call('GET', `/api/traces?${query}`)).statusCode, query).toBe(422);
  }
});

test('traces belong to the person in whose name the model was asked', async () => {
  await run();
  const id = (await list()).items[0]?.id ?? '';
  const other = await app.user();
  expect(await list('', other)).toMatchObject({ total: 0, items: [] });
  expect((await read(id, other)).statusCode).toBe(404);
  expect((await read(crypto.randomUUID())).statusCode).toBe(404);
  expect((await other.call('DELETE', '/api/traces')).statusCode).toBe(204);
  expect((await list()).total).toBe(1);
});

test('deleting removes all own traces, also those that are not stored yet', async () => {
  const id = await createWorkflow(user, asking());
  await user.call('POST', executeUrl(id), { text: 'x' });
  expect((await user.call('DELETE', '/api/traces')).statusCode).toBe(204);
  await app.services.traces.flush();
  expect((await list()).total).toBe(0);
});

test('a trace outlives its credential and its workflow, under the names that they had', async () => {
  const workflow_id = await run();
  expect((await user.call('DELETE', `/api/credentials/${credential_id}`)).statusCode).toBe(204);
  await app.services.database.sql.query({
    text: 'DELETE FROM workflows WHERE id = $1',
    values: [workflow_id],
  });
  expect((await list()).items).toMatchObject([
    { credential_id: null, credential_name: 'models', workflow_id: null },
  ]);
});

test('the daily job removes traces behind the retention, and only those', async () => {
  await run();
  const purge = dailyJobs(app.services).find(({ name }) => name === 'trace-retention');
  const before = app.clock.now;
  try {
    app.clock.now = before + 29 * DAY_MS;
    await purge?.run();
    const { rows } = await app.services.database.sql.query({
      text: 'SELECT id FROM traces WHERE user_id = $1',
      values: [user.id],
    });
    expect(rows).toHaveLength(1);
    app.clock.now = before + 31 * DAY_MS;
    await purge?.run();
  } finally {
    app.clock.now = before;
  }
  expect((await list()).total).toBe(0);
});

test('the dashboard chat leaves a trace of its own kind', async () => {
  const answer = await user.call('POST', '/api/ai/dashboard-chat', {
    credential_id,
    model: 'm1',
    message: 'What runs today?',
  });
  expect(answer.statusCode).toBe(200);
  await app.services.traces.flush();
  const found = await list('?source=dashboard_chat');
  expect(found.items).toMatchObject([
    { workflow_id: null, run_id: null, node_id: null, step: null, credential_id },
  ]);
  const detail = (await read(found.items[0]?.id ?? '')).json<Trace>();
  expect(JSON.stringify(detail.request)).toContain('What runs today?');
});

test('a run whose trace cannot be stored is not affected', async () => {
  const { sql } = app.services.database;
  await sql.query({ text: 'ALTER TABLE traces RENAME TO traces_away' });
  try {
    const id = await createWorkflow(user, asking());
    const answer = await user.call('POST', executeUrl(id), { text: 'x' });
    expect(answer.json()).toMatchObject({ status: 'success' });
    await app.services.traces.flush();
  } finally {
    await sql.query({ text: 'ALTER TABLE traces_away RENAME TO traces' });
  }
  await run();
  expect((await list()).total).toBe(1);
});

test('a call that took longer than 25 days is stored with its time', async () => {
  const elapsed_ms = 2 ** 31 + 5;
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  app.services.traces.note(
    {
      request_type: 'chat',
      model: 'slow',
      request: {},
      response: { text: 'done' },
      error: null,
      usage,
      started_at_ms: Date.now() - elapsed_ms,
      elapsed_ms,
    },
    { user_id: user.id, source: 'workflow', credential: null },
  );
  await app.services.traces.flush();
  expect((await list()).items).toMatchObject([{ model: 'slow', elapsed_ms }]);
});
