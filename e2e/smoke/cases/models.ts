import type { JsonObject } from '@millrace/engine';
import { chatStream, imagesReply, json, startFakeProvider } from '@millrace/models/testing';
import { startMcpServer } from '@millrace/nodes/testing/mcp-server';
import { graph } from '@millrace/server/testing';
import { expect, vi } from 'vitest';
import { type SmokeCases, WITHIN } from '../smoke-case.ts';
import { type SmokeWorld, serveRoutes } from '../world.ts';

const KEY = 'key-of-the-model-server';

/** A model that always says the same, and the id of its credential. */
async function withModel(world: SmokeWorld, use: (credentialId: string) => Promise<void>): Promise<void> {
  const provider = await startFakeProvider((call) => {
    if (call.headers['authorization'] !== `Bearer ${KEY}`) return { status: 404, chunks: ['no'] };
    return call.path === '/chat/completions' ? { chunks: chatStream(['Hi ', 'there']) } : imagesReply(call);
  });
  try {
    await use(await world.store('custom', { api_key: KEY, base_url: provider.url }));
  } finally {
    provider.stop();
  }
}

/**
 * As far as the installation of its packages, for which the engine of the tests has no network. The tests of the sandbox run
 * agents in containers.
 */
async function codingCase(
  world: SmokeWorld,
  type: 'codex' | 'opencodeGo',
  config: JsonObject,
): Promise<void> {
  let asked = 0;
  const branch = () => {
    asked += 1;
    return { body: { object: { sha: 'b'.repeat(40) } } };
  };
  const { url } = await serveRoutes(
    { 'GET /repos/ada/engine/git/ref/heads/main': branch },
    { authorization: `Bearer ${KEY}` },
  );
  const githubCredentialId = await world.store('github', { api_key: KEY, base_url: url });
  const credentialId = await world.store(type === 'codex' ? 'codex' : 'opencode', config);
  const repositoryUrl = `${url}/ada/engine`;
  const data = { credentialId, githubCredentialId, repositoryUrl, taskPrompt: '$input.text' };
  const id = await world.create(
    graph(
      [
        ['start', 'textInput'],
        ['node', type, data],
      ],
      ['start>node'],
    ),
  );
  await cancelWhen(world, { id, text: 'Fix it' }, () => asked === 1);
}

/** Starts a run and cancels it once it has come that far. */
async function cancelWhen(
  world: SmokeWorld,
  { id, text }: { id: string; text: string },
  isThere: () => boolean = () => true,
): Promise<void> {
  const cancelled = expect(world.execute(id, { text })).rejects.toThrow('The run was cancelled');
  await expect.poll(isThere).toBe(true);
  const findExecution = async () => {
    const active = await world.ask<{ execution_id: string; workflow_id: string }[]>(
      'GET',
      '/api/workflows/executions/active',
    );
    return active.find(({ workflow_id }) => workflow_id === id)?.execution_id;
  };
  const execution_id = await vi.waitUntil(findExecution, WITHIN);
  await world.ask('POST', `/api/workflows/${id}/executions/${execution_id}/cancel`);
  await cancelled;
}

/** Nodes of models, and of what models work with. */
export const modelCases: SmokeCases = {
  llm: (world) =>
    withModel(world, async (credentialId) => {
      const output = await world.runNode(
        'llm',
        { credentialId, model: 'small', userMessage: '$input.text' },
        { text: 'Hello' },
      );
      expect(output).toMatchObject({ text: 'Hi there', model: 'small' });
      const generated = await world.runNode(
        'llm',
        { credentialId, model: 'gpt-image-1', outputType: 'image', userMessage: '$input.text' },
        { text: 'A cat' },
      );
      expect(generated).toMatchObject({
        image: expect.stringMatching(/^data:image\/png;base64,/),
        file: { mime_type: 'image/png', download_url: expect.stringContaining('/api/files/dl/') },
      });
    }),
  agent: (world) =>
    withModel(world, async (credentialId) => {
      const output = await world.runNode(
        'agent',
        { credentialId, model: 'small', userMessage: '$input.text' },
        { text: 'Hello' },
      );
      expect(output).toMatchObject({ text: 'Hi there' });
    }),
  async decision({ store, runNode }) {
    const answer = {
      model: 'small',
      answers: { urgent: { type: 'noul', noul: 0.98 } },
      usage: { input_tokens: 20, output_tokens: 1 },
    };
    const { url } = await serveRoutes(
      { 'POST /v1/systemone': { body: answer } },
      { authorization: `Bearer ${KEY}` },
    );
    const credentialId = await store('decision', { base_url: url, api_key: KEY });
    const questions = [{ id: 'urgent', type: 'noul', instructions: 'Is it urgent?' }];
    expect(
      await runNode(
        'decision',
        { credentialId, model: 'small', state: '$input.text', questions },
        { text: 'Down!' },
      ),
    ).toEqual(answer);
  },
  async mcpCall({ store, runNode }) {
    const server = await startMcpServer({ token: KEY });
    try {
      const credentialId = await store('mcp', { mcp_url: server.url, mcp_token: KEY });
      const data = { credentialId, selectedTool: 'add', toolArguments: { a: 2, b: 3 } };
      expect(JSON.stringify(await runNode('mcpCall', data))).toContain('"sum":5');
    } finally {
      await server.close();
    }
  },
  async playwright(world) {
    const data = { playwrightSteps: [{ action: 'navigate', url: '$input.text' }] };
    const id = await world.create(
      graph(
        [
          ['start', 'textInput'],
          ['node', 'playwright', data],
        ],
        ['start>node'],
      ),
    );
    // As far as the installation of its package, as above.
    await cancelWhen(world, { id, text: 'https://example.com' });
  },
  codex: (world) => codingCase(world, 'codex', { access_token: KEY }),
  opencodeGo: (world) => codingCase(world, 'opencodeGo', { api_key: KEY }),
  async rag({ store, ask, runNode }) {
    const provider = await startFakeProvider(({ path, body }) =>
      path === '/embeddings'
        ? json({
            data: [body?.['input']].flat().map((_, index) => ({ index, embedding: [1, 0, 0] })),
            usage: { prompt_tokens: 1, total_tokens: 1 },
          })
        : { status: 404, chunks: ['no'] },
    );
    try {
      const credential_id = await store('rag', {
        openai_api_key: KEY,
        embedding_base_url: provider.url,
        embedding_dimensions: 3,
        db_type: 'pgvector',
      });
      const { id: vectorStoreId } = await ask<{ id: string }>('POST', '/api/vector-stores', {
        name: 'Handbook',
        credential_id,
      });
      const content = { vectorStoreId, ragOperation: 'insert', documentContent: '$input.text' };
      expect(await runNode('rag', content, { text: 'Open from 9 to 17' })).toMatchObject({
        success: true,
      });
      const found = await runNode('rag', { vectorStoreId, ragOperation: 'search', queryText: 'When?' });
      expect(JSON.stringify(found)).toContain('Open from 9 to 17');
    } finally {
      provider.stop();
    }
  },
};
