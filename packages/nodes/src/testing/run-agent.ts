import type { Json, JsonObject } from '@millrace/engine';
import {
  chatStream,
  type FakeProvider,
  type FakeReply,
  refuse,
  type SeenCall,
  startFakeProvider,
  type ToldTool,
} from '@millrace/models/testing';
import { afterEach } from 'vitest';
import type { Egress } from '../services.ts';
import { streamingEgress } from './real-egress.ts';
import { runWorkflow, type WorkflowSituation } from './run-workflow.ts';

/** Servers of models that this test file has started; each is stopped after its test. */
export const running: FakeProvider[] = [];
afterEach(() => {
  for (const server of running.splice(0)) server.stop();
});

export const says = (text: string): FakeReply => ({ chunks: chatStream([text]) });
let ids = 0;
export const toolCall = (name: string, input: unknown): ToldTool => ({
  id: `use_${++ids}`,
  name,
  arguments: typeof input === 'string' ? input : JSON.stringify(input),
});
export const asksFor = (...tools: ToldTool[]): FakeReply => ({ chunks: chatStream([], { tools }) });

export interface Asked extends WorkflowSituation {
  readonly lines?: string;
  readonly nodes?: Record<string, JsonObject>;
  /** Beside those of models. */
  readonly extra_credentials?: WorkflowSituation['credentials'];
  /** The model is one of Anthropic. */
  readonly isAnthropic?: boolean;
}

export type Replies = readonly FakeReply[] | ((call: SeenCall, count: number) => FakeReply);

/** Runs an agent whose model answers with `replies`, one after another. */
export async function work(
  data: JsonObject,
  replies: Replies,
  { lines, nodes, extra_credentials, isAnthropic = false, ...situation }: Asked = {},
) {
  const server = await startFakeProvider((call, count) => {
    const reply = typeof replies === 'function' ? replies(call, count) : replies[count];
    return reply ?? refuse(400, { error: { message: 'the script is over' } });
  });
  running.push(server);
  const custom = { type: 'custom', values: { api_key: '', base_url: server.url } };
  const http = streamingEgress();
  const toServer: Egress = {
    ...http,
    request: (request) =>
      http.request({ ...request, url: request.url.replace('https://api.anthropic.com', server.url) }),
  };
  const run = await runWorkflow(
    lines ?? 'start -> boss',
    {
      start: { type: 'textInput' },
      boss: { type: 'agent', credentialId: 'c', model: 'm1', userMessage: 'Do it', ...data },
      ...nodes,
    },
    {
      credentials: {
        c: isAnthropic ? { type: 'anthropic', values: { api_key: 'k' } } : custom,
        other: custom,
        ...extra_credentials,
      },
      input: { headers: {}, query: {}, body: { text: 'hi', town: 'Rome' } },
      ...situation,
      services: { http: toServer, ...situation.services },
    },
  );
  const bodies = server.seen.map(({ body }) => body as { messages: JsonObject[]; tools?: Json[] });
  const output = run.output['boss'] as JsonObject;
  return { run, output, bodies, steps: run.trace.steps };
}

export const listTools = (body: { tools?: Json[] } | undefined) =>
  (body?.tools ?? []).map((tool) => (tool as { function: JsonObject }).function);
const MARKED = /^<data tool="[^"]*">\n([\s\S]*)\n<\/data>$/;

/** Results of tools in a request, without the marks around data. */
export const resultsIn = (body: { messages: JsonObject[] } | undefined) =>
  (body?.messages ?? [])
    .filter(({ role }) => role === 'tool')
    .map(({ content }) => String(content).replace(MARKED, '$1'));
