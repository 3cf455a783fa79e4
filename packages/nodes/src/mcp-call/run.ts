import { isJsonObject, type JsonObject, type StepEffect } from '@millrace/engine';
import type { z } from 'zod';
import { implement, type NodeCall } from '../implement.ts';
import { typedArguments } from '../kit/mcp/arguments.ts';
import { isChecked } from '../kit/mcp/is-checked.ts';
import { readResult } from '../kit/mcp/result.ts';
import { type McpServer, serverOfConnection, serverOfCredential } from '../kit/mcp/server.ts';
import { type McpCaller, openMcpSession, requireTool } from '../kit/mcp/session.ts';
import { discoverMcpSignIn } from '../kit/mcp/sign-in.ts';
import { storedServer } from '../kit/mcp/stored-server.ts';
import { refusedParam } from '../kit/refused-param.ts';
import { mcpCall } from './definition.ts';

type Call = NodeCall<z.output<typeof mcpCall.params>>;

/** The facts of a tool that the call needs; recorded, so that a repeated node judges by the same words of the server. */
interface KnownTool extends JsonObject {
  input_schema: JsonObject;
  effect: StepEffect;
}

export const runMcpCall = implement(
  mcpCall,
  async (call) => {
    const { params } = call;
    const name = params.selectedTool.trim();
    if (name === '') throw refusedParam('selectedTool', 'is empty; choose a tool or check its expression');
    const session = openMcpSession(createMcpCaller(call), await resolveServer(call), 'connection.url');
    try {
      const tool = await call.step('tool', 'read', async () =>
        knownTool(requireTool(await session.listTools(), name)),
      );
      const input = typedArguments(params.toolArguments, tool.input_schema);
      if (!(await isChecked(call, input, tool.input_schema))) {
        call.services.log(
          'warn',
          `The schema of the tool "${name}" cannot be checked here; the server decides`,
        );
      }
      const result = await call.step('call', determineEffect(tool, call), async () => {
        const definition = { name, inputSchema: { ...tool.input_schema, type: 'object' as const } };
        const answer = await session.callTool({
          tool: definition,
          input,
          onProgress: (progress) => call.progress(progress),
        });
        return { value: readResult(name, answer) };
      });
      return { output: { result: result.value } };
    } finally {
      await session.close();
    }
  },
  {
    discoveries: { mcp: discoverMcpSignIn },
    connections: {
      mcp: async ({ caller, config }) => {
        const session = openMcpSession(
          { ...caller, timeout_ms: 15_000 },
          serverOfCredential(config),
          'mcp_url',
        );
        await session.listTools().finally(() => session.close());
      },
    },
  },
);

async function resolveServer(call: Call): Promise<McpServer> {
  const { params } = call;
  const credentialId = params.credentialId || params.connection.credentialId;
  if (credentialId) return storedServer(call, credentialId);
  return serverOfConnection(params.connection as JsonObject, 'connection');
}

function createMcpCaller({ services, signal, params }: Call): McpCaller {
  return {
    http: services.http,
    startProgram: (job) => services.startProgram(job),
    now: () => services.now(),
    signal,
    timeout_ms: params.timeoutSeconds * 1000,
    onLog: (line) => services.log('info', line.slice(0, 2_000)),
  };
}

function knownTool({ inputSchema, annotations }: ReturnType<typeof requireTool>): KnownTool {
  const input_schema = isJsonObject(inputSchema) ? inputSchema : {};
  const effect = annotations?.readOnlyHint ? 'read' : annotations?.idempotentHint ? 'idempotent' : 'unsafe';
  return { input_schema, effect };
}

/** A call that may do its work twice is repeated only when the node says so: the protocol has no key for repeated calls. */
function determineEffect({ effect }: KnownTool, { params }: Call): StepEffect {
  return effect === 'unsafe' && params.onUnknownOutcome === 'repeat' ? 'idempotent' : effect;
}
