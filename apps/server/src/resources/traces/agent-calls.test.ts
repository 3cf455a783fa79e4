import type { TraceList } from '@millrace/contracts';
import type { JsonObject } from '@millrace/engine';
import { chatStream, type FakeProvider, type FakeReply, startFakeProvider } from '@millrace/models/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestApp, type TestApp, type TestUser } from '../../testing/test-app.ts';
import { createWorkflow, executeUrl, graph } from '../executions/testing/workflows.ts';

/** 12 tokens in and 5 out at the price of the model. */
const CALL_USD = 0.022;

let app: TestApp;
let provider: FakeProvider;
let user: TestUser;
let credentialId: string;
/** Answers by the name of the model. */
let replies: Record<string, FakeReply[]>;
beforeAll(async () => {
  provider = await startFakeProvider(
    ({ body }) => replies[String(body?.['model'])]?.shift() ?? says('{"nodes": [], "edges": []}'),
  );
  const MODEL_PRICES = '{"m1":{"input":1000,"output":2000},"sub":{"input":1000,"output":2000}}';
  app = await createTestApp({ env: { HTTP_ALLOW_PRIVATE_URLS: 'true', MODEL_PRICES } });
});
afterAll(async () => {
  await app.close();
  provider.stop();
});
beforeEach(async () => {
  provider.seen.length = 0;
  user = await app.user();
  const config = { api_key: 'k-0123456789', base_url: provider.url };
  const made = await user.call('POST', '/api/credentials', { name: 'models', type: 'custom', config });
  credentialId = made.json<{ id: string }>().id;
});

const says = (text: string): FakeReply => ({ chunks: chatStream([text]) });
const asksScout = (): FakeReply => {
  const input = { sub_agent_label: 'scout', prompt: 'Look.' };
  return {
    chunks: chatStream([], {
      tools: [{ id: 't', name: 'call_sub_agent', arguments: JSON.stringify(input) }],
    }),
  };
};

interface Row {
  readonly node_label: string;
  readonly output: JsonObject;
  readonly metadata: JsonObject;
}
/** Runs an agent that remembers, asks another one and answers as JSON. @returns its row in the history */
async function run(data: JsonObject = {}): Promise<Row | undefined> {
  const agent = (model: string, more: JsonObject): JsonObject => ({
    credentialId,
    model,
    userMessage: 'Hi',
    ...more,
  });
  const lead = {
    isOrchestrator: true,
    subAgentLabels: ['scout'],
    persistentMemoryEnabled: true,
    jsonOutputEnabled: true,
    ...data,
  };
  const document = graph(
    [
      ['start', 'textInput'],
      ['lead', 'agent', agent('m1', lead)],
      ['scout', 'agent', agent('sub', {})],
      ['out', 'output', { message: 'ok' }],
    ],
    ['start>lead', 'lead>out'],
  );
  const id = await createWorkflow(user, document);
  await user.call('POST', executeUrl(id), { text: 'x' });
  await app.services.traces.flush();
  const list = await user.call('GET', `/api/workflows/${id}/history`);
  const [item] = list.json<{ items: { id: string }[] }>().items;
  const read = await user.call('GET', `/api/workflows/${id}/history/${item?.id}`);
  return read
    .json<{ node_results: Row[] }>()
    .node_results.findLast(({ node_label }) => node_label === 'lead');
}
async function traced() {
  const { items } = (await user.call('GET', '/api/traces')).json<TraceList>();
  return items
    .map(({ node_label, step, total_tokens, cost_usd }) => ({ node_label, step, total_tokens, cost_usd }))
    .toReversed();
}
const call = (node_label: string, step: string) => ({
  node_label,
  step,
  total_tokens: 17,
  cost_usd: CALL_USD,
});

test('calls of sub-agents, of the repair of JSON and of the memory are traced with tokens and cost', async () => {
  replies = { m1: [asksScout(), says('not JSON'), says('{"a": 1}')], sub: [says('Found')] };
  const lead = await run();
  expect(lead?.output).toEqual({ a: 1, model: 'm1' });
  expect(lead?.metadata['usage']).toEqual({ prompt_tokens: 60, completion_tokens: 25, total_tokens: 85 });
  expect(await traced()).toEqual([
    call('lead', 'model-1'),
    call('scout', 'tool-1-1/model-1'),
    call('lead', 'model-2'),
    call('lead', 'repair'),
    call('lead', 'memory-facts'),
  ]);
});

test('the memory counts for the cost budget of the agent, and is not paid over it', async () => {
  replies = { m1: [says('{"a": 1}')] };
  const lead = await run({ maxCostUsd: CALL_USD });
  expect(lead?.output).toEqual({ a: 1, model: 'm1' });
  expect(lead?.metadata['memory']).toMatchObject({ problem: expect.stringContaining('cost budget') });
  expect(await traced()).toEqual([call('lead', 'model-1')]);
});

test('the repair of JSON counts for the cost budget of the agent, and is not paid over it', async () => {
  replies = { m1: [says('not JSON'), says('{"a": 1}')] };
  const lead = await run({ maxCostUsd: CALL_USD });
  expect(lead?.output['error']).toContain('The cost budget of the node "lead" is used up');
  expect(await traced()).toEqual([call('lead', 'model-1')]);
});
