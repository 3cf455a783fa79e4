import type { JsonObject } from '@millrace/engine';
import {
  chatStream,
  type FakeProvider,
  type FakeReply,
  type SeenCall,
  startFakeProvider,
  type ToldTool,
} from '@millrace/models/testing';
import { type McpTestServer, startMcpServer } from '@millrace/nodes/testing/mcp-server';
import {
  createWorkflow,
  executeUrl,
  fetchHistoryEntry,
  findResult,
  graph,
  type HistoryEntry,
  shareTestApp,
  storeModelCredential,
  type TestApp,
  type TestUser,
} from '@millrace/server/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

let server: FakeProvider;
let tools: McpTestServer;
let app: TestApp;
let user: TestUser;
let credentialId: string;
/** Answers of the model, one after another. */
let script: FakeReply[];
/** The answer of the tool at `/tool`. */
let tool: FakeReply;

beforeAll(async () => {
  server = await startFakeProvider(({ path }) =>
    path.startsWith('/tool') ? tool : (script.shift() ?? { chunks: chatStream(['done']) }),
  );
  tools = await startMcpServer();
  app = await shareTestApp({ HTTP_ALLOW_PRIVATE_URLS: 'true' });
  user = await app.user();
  credentialId = await storeModelCredential(user, server.url);
});
beforeEach(() => {
  server.seen.length = 0;
});
afterAll(async () => {
  await app.close();
  await tools.close();
  server.stop();
});

type Lead = HistoryEntry['node_results'][number];

/** Runs an agent with these answers of its model, and resolves to its row in history. */
async function lead(
  answers: readonly FakeReply[],
  data: JsonObject = {},
  toolNode?: JsonObject,
): Promise<Lead> {
  script = [...answers];
  const agent = { credentialId, model: 'm1', userMessage: 'Go', ...data };
  const id = await createWorkflow(
    user,
    graph(
      [
        ['start', 'textInput'],
        ['lead', 'agent', agent],
        ['out', 'output', { message: '$lead.text' }],
        ...(toolNode ? ([['use', String(toolNode['type']), toolNode]] as const) : []),
      ],
      ['start>lead', 'lead>out', ...(toolNode ? ['use:tool-output>lead:tool-input'] : [])],
    ),
  );
  const answer = await user.call('POST', executeUrl(id), { text: 'x' });
  const run_id = String(answer.headers['x-execution-id']);
  const row = findResult(await fetchHistoryEntry(user, { id, run_id }), 'lead');
  if (!row) throw new Error(answer.body.slice(0, 1_000));
  return row;
}

const uses = (...told: ToldTool[]): FakeReply => ({ chunks: chatStream([], { tools: told }) });
const use = (name: string, given: string, id = 'use-1'): ToldTool => ({ id, name, arguments: given });
const http = () => ({ type: 'http', curl: `curl ${server.url}/tool` });
const set = { type: 'set', mappings: [{ key: 'value', value: 'kept' }] };

/** Results of tools, as the model was told them last. */
const told = (): string[] =>
  ((server.seen.at(-1)?.body?.['messages'] ?? []) as { role: string; content: unknown }[])
    .filter(({ role }) => role === 'tool')
    .map(({ content }) => String(content));

/** A stream without an end. */
const endless = (piece: string): FakeReply['chunks'] => {
  const [event = ''] = chatStream([piece]).slice(1);
  const chunks = {
    *[Symbol.iterator]() {
      for (;;) yield event;
    },
  };
  // Guarantee: the server only goes through it.
  return chunks as unknown as FakeReply['chunks'];
};

describe('§8.4: a model', () => {
  it('that never stops writing is left after the time of a call, and its connection is closed', async () => {
    const row = await lead([{ chunks: endless('on and on ') }], { requestTimeoutSeconds: 1 });
    expect(row).toMatchObject({
      status: 'error',
      error: expect.stringMatching(/no complete answer within 1 s$/),
    });
    await (server.seen[0] as SeenCall).closed;
    expect(server.seen).toHaveLength(1);
  });

  it('that writes more than 50 MB is left at once, and the error says so', async () => {
    const row = await lead([{ chunks: endless('x'.repeat(2 ** 20)) }]);
    expect(row).toMatchObject({ status: 'error', error: expect.stringContaining('larger than 50 MB') });
    await (server.seen[0] as SeenCall).closed;
    expect(server.seen, 'it is not asked again').toHaveLength(1);
  });

  it('that asks for a tool with broken JSON is told so, and the tool is not used', async () => {
    const row = await lead([uses(use('use', 'value is "kept'))], {}, set);
    expect(row).toMatchObject({ status: 'success', output: { text: 'done' } });
    expect(told()[0]).toContain('The arguments of use cannot be used');
  });

  it('that asks for a tool with gigantic arguments is told so, and history does not keep them', async () => {
    const row = await lead([uses(use('use', JSON.stringify({ value: 'x'.repeat(2_000_000) })))], {}, set);
    expect(row).toMatchObject({ status: 'success', output: { text: 'done' } });
    expect(told()[0]).toContain('more than 1000000 characters');
    expect(JSON.stringify(row.output).length).toBeLessThan(10_000);
  });

  it('that asks for the same tool two hundred times at once gets as many results', async () => {
    const asked = Array.from({ length: 200 }, (_, at) => use('use', '{}', `use-${at}`));
    const row = await lead([uses(...asked)], {}, set);
    expect(row.output['tool_calls']).toHaveLength(200);
    expect(told()).toHaveLength(200);
  });
});

describe('§8.4: a tool', () => {
  const connection = (timeoutSeconds: number) => ({
    mcpConnections: [
      { id: 'x', label: 'Tools', transport: 'streamable_http', url: tools.url, timeoutSeconds },
    ],
  });

  it('that hangs is cancelled after its time, and the model is told', async () => {
    const row = await lead([uses(use('slow', '{"ms": 60000}'))], connection(1));
    expect(row).toMatchObject({ status: 'success', output: { text: 'done' } });
    expect(told()[0]).toContain('did not answer within 1 s');
    await expect.poll(() => tools.slow.cancelled).toBe(1);
  });

  it('that floods is put before the model in part, and history keeps the beginning', async () => {
    tool = { headers: { 'content-type': 'text/plain' }, chunks: ['flood '.repeat(500_000)] };
    const row = await lead([uses(use('use', '{}'))], {}, http());
    expect(row).toMatchObject({ status: 'success', output: { text: 'done' } });
    expect(told()[0]?.length).toBeLessThan(10_000);
    expect(told()[0]).toContain('Read more of it with read_tool_result');
    expect(JSON.stringify(row.output).length).toBeLessThan(10_000);
  });

  it('that returns binary data hands the model valid text', async () => {
    const bytes = Uint8Array.from({ length: 4_096 }, (_, at) => (at * 7) % 256);
    tool = { headers: { 'content-type': 'application/octet-stream' }, chunks: [bytes] };
    const row = await lead([uses(use('use', '{}'))], {}, http());
    expect(row).toMatchObject({ status: 'success', output: { text: 'done' } });
    expect(() => encodeURIComponent(told()[0] ?? '')).not.toThrow();
    expect(told()[0]).not.toMatch(/\\u0000/);
  });

  it('whose server breaks the connection off is an error that the model is told', async () => {
    tool = { chunks: ['half'], end: 'drop' };
    const row = await lead([uses(use('use', '{}'))], {}, http());
    expect(row).toMatchObject({ status: 'success', output: { text: 'done' } });
    expect(told()[0]).toContain('the connection was closed before the answer was complete');
  });
});
