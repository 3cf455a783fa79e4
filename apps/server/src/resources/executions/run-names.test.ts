import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestApp, shareTestApp, type TestApp, type TestUser } from '../../testing/test-app.ts';
import { createWorkflow, executeUrl, graph, until } from './testing/workflows.ts';

const NAMES = graph(
  [
    ['start', 'textInput'],
    [
      'out',
      'output',
      {
        outputSchema: ['workflowName', 'workflowDescription', 'workflowPath', 'workflowUrl'].map((name) => ({
          key: name,
          value: `$${name}`,
        })),
      },
    ],
  ],
  ['start>out'],
);

const SIMPLE = { 'x-simple-response': 'true' };

const call = async (app: TestApp, id: string, headers: Record<string, string> = {}) =>
  (await app.call('POST', executeUrl(id), {}, { ...headers, ...SIMPLE })).json<{
    out: { result: Record<string, unknown> };
  }>().out.result;

describe('names of the workflow in its runs', () => {
  let app: TestApp;
  let owner: TestUser;
  let id: string;
  beforeAll(async () => {
    app = await shareTestApp();
    owner = await app.user();
    id = await createWorkflow(owner, NAMES, { name: 'Orders', description: 'Takes orders' });
  });
  afterAll(() => app.close());

  test('are its name, description, path, and the address that the request was sent to', async () => {
    expect(await call(app, id, { host: 'flows.example.com:8443' })).toEqual({
      workflowName: 'Orders',
      workflowDescription: 'Takes orders',
      workflowPath: `/workflows/${id}`,
      workflowUrl: `http://flows.example.com:8443/workflows/${id}`,
    });
  });

  test('a proxy that is not trusted does not choose the scheme', async () => {
    const headers = { host: 'flows.example.com', 'x-forwarded-proto': 'https' };
    expect(await call(app, id, headers)).toMatchObject({
      workflowUrl: `http://flows.example.com/workflows/${id}`,
    });
  });

  test.each([false, true])(
    'a sub-workflow has its own below the same address, dispatched: %s',
    async (alone) => {
      const child = await createWorkflow(owner, NAMES);
      const caller = graph(
        [
          ['start', 'textInput'],
          ['call', 'execute', { executeWorkflowId: child, executeDoNotWait: alone }],
          ['out', 'output', { message: '$call.outputs.out.result.workflowUrl' }],
        ],
        ['start>call', 'call>out'],
      );
      const above = await createWorkflow(owner, caller);
      const headers = { host: 'flows.example.com', ...SIMPLE };
      const answer = await app.call('POST', executeUrl(above), {}, headers);
      const url = `http://flows.example.com/workflows/${child}`;
      expect(answer.json()).toEqual({ out: { result: alone ? null : url } });
      const base_url = await until(async () => {
        const { rows } = await app.services.database.sql.query<{ base_url: string }>({
          text: "SELECT options::json->>'base_url' AS base_url FROM runs WHERE workflow_id = $1",
          values: [child],
        });
        return rows[0]?.base_url;
      });
      expect(base_url).toBe('http://flows.example.com');
    },
  );
});

test('a trusted proxy says whether the address is https', async () => {
  const app = await createTestApp({ env: { TRUST_PROXY_HEADERS: 'true' } });
  try {
    const id = await createWorkflow(await app.user(), NAMES);
    const headers = { host: 'flows.example.com', 'x-forwarded-proto': 'https' };
    expect(await call(app, id, headers)).toMatchObject({
      workflowUrl: `https://flows.example.com/workflows/${id}`,
    });
  } finally {
    await app.close();
  }
});

test('the configured address counts before that of the request', async () => {
  const app = await createTestApp({ env: { PUBLIC_URL: 'https://millrace.example.org/' } });
  try {
    const id = await createWorkflow(await app.user(), NAMES);
    expect(await call(app, id, { host: 'flows.example.com' })).toMatchObject({
      workflowUrl: `https://millrace.example.org/workflows/${id}`,
    });
  } finally {
    await app.close();
  }
});
