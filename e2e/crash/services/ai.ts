import { chatStream, json, startFakeProvider } from '../../../packages/models/src/testing/fake-provider.ts';
import { startMcpServer } from '../../../packages/nodes/src/testing/mcp-server.ts';

/** Services for models and tools, in the wire formats of real ones. */
export interface AiServices {
  /** Base address of a server with Chat Completions and of a decision model. */
  readonly models_url: string;
  /** Address of an MCP server with the tool `say`, which repeats what it is given. */
  readonly tools_url: string;
  close(): Promise<void>;
}

const DECISION = {
  model: 'small',
  answers: { urgent: { type: 'noul', noul: 0.9 } },
  usage: { input_tokens: 1, output_tokens: 1 },
};
/** Of a run of the harness. */
const LABEL = /"([a-z]+\d*-\d+)"/;

const USE = { id: 'use-1', name: 'shape', arguments: '{}' };

/** The model answers with the label of the run that asks; an agent has to use its tool before. */
export async function startAiServices(): Promise<AiServices> {
  const provider = await startFakeProvider(({ path, body }) => {
    if (path.endsWith('/systemone')) return json(DECISION);
    const request = JSON.stringify(body);
    if (body?.['tools'] && !request.includes('"role":"tool"'))
      return { chunks: chatStream([], { tools: [USE] }) };
    return { chunks: chatStream(['model ', LABEL.exec(request)?.[1] ?? 'without a label']) };
  });
  const tools = await startMcpServer();
  return {
    models_url: provider.url,
    tools_url: tools.url,
    async close() {
      provider.stop();
      await tools.close();
    },
  };
}
