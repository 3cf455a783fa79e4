import type { JsonObject } from '@millrace/engine';
import { chatStream, type FakeProvider, type FakeReply, startFakeProvider } from '@millrace/models/testing';
import { expect } from 'vitest';
import { createWorkflow, executeUrl, type graph } from '../../../resources/executions/testing/workflows.ts';
import { createTestApp, type TestApp, type TestUser } from '../../../testing/test-app.ts';

/** 12 tokens in and 5 out at these prices. */
export const CALL_USD = 0.022;
const PRICES = { m1: { input: 1000, output: 2000 }, m2: { input: 1000, output: 2000 } };

export interface LogLine {
  readonly msg: string;
  readonly budget?: string;
  readonly budget_id?: string;
  readonly amount_usd?: number;
  readonly model?: string;
}

export interface RunAnswer {
  id: string;
  status: string;
  outputs: Record<string, unknown>;
  node_results: {
    node_label: string;
    status: string;
    output: Record<string, unknown>;
    error: string | null;
  }[];
}

/** An application, and a provider of models whose calls have a price. */
export interface SpendingApp {
  readonly app: TestApp;
  readonly provider: FakeProvider;
  /** Answers of the provider; once there are none left, "Done.". */
  readonly replies: FakeReply[];
  readonly logged: LogLine[];
  close(): Promise<void>;
}

export async function startSpendingApp(): Promise<SpendingApp> {
  const replies: FakeReply[] = [];
  const logged: LogLine[] = [];
  const provider = await startFakeProvider(() => replies.shift() ?? { chunks: chatStream(['Done.']) });
  const app = await createTestApp({
    env: { HTTP_ALLOW_PRIVATE_URLS: 'true', MODEL_PRICES: JSON.stringify(PRICES) },
    onLog: (line) => logged.push(JSON.parse(line) as LogLine),
  });
  const close = async (): Promise<void> => {
    await app.close();
    provider.stop();
  };
  return { app, provider, replies, logged, close };
}

/** A person with a credential for the provider; what earlier tests have left is forgotten. */
export async function startTest({ app, provider, replies, logged }: SpendingApp) {
  for (const list of [replies, logged, provider.seen]) list.length = 0;
  const user = await app.user();
  const config = { api_key: 'k-0123456789', base_url: provider.url };
  const made = await user.call('POST', '/api/credentials', { name: 'models', type: 'custom', config });
  return { user, credentialId: made.json<{ id: string }>().id };
}

export const usesTool = (name: string, input: JsonObject): FakeReply => ({
  chunks: chatStream(['Working.'], {
    tools: [{ id: `t-${name}`, name, arguments: JSON.stringify(input) }],
  }),
});

export async function createWith(
  user: TestUser,
  content: ReturnType<typeof graph>,
  settings: object = {},
): Promise<string> {
  const id = await createWorkflow(user, content);
  const answer = await user.call('PUT', `/api/workflows/${id}`, settings);
  expect(answer.statusCode, answer.body).toBe(200);
  return id;
}

/** The newest run as history keeps it. */
export async function readNewestRun(user: TestUser, id: string): Promise<RunAnswer> {
  const list = await user.call('GET', `/api/workflows/${id}/history?limit=1`);
  const [entry] = list.json<{ items: { id: string }[] }>().items;
  return (await user.call('GET', `/api/workflows/${id}/history/${entry?.id}`)).json<RunAnswer>();
}

export async function runOnce(user: TestUser, id: string): Promise<RunAnswer> {
  await user.call('POST', executeUrl(id), { text: 'x' });
  return readNewestRun(user, id);
}

export const findNode = ({ node_results }: RunAnswer, label: string) =>
  node_results.find(({ node_label }) => node_label === label);

export const listWarnings = (logged: readonly LogLine[]) =>
  logged.filter(({ msg }) => msg.includes('cost budget'));
