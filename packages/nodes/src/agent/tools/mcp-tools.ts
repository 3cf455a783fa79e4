import { isJsonObject, type JsonObject, NodeFailure, type StepEffect } from '@millrace/engine';
import { resultOf } from '../../kit/mcp/result.ts';
import { type McpServer, nameOf, serverOfConnection } from '../../kit/mcp/server.ts';
import { type McpCaller, type McpSession, openMcpSession } from '../../kit/mcp/session.ts';
import { storedServer } from '../../kit/mcp/stored-server.ts';
import { approvalMode, type Reviews } from './reviews.ts';
import {
  type AgentCall,
  orFailedResult,
  type Tool,
  toolName,
  type Used,
  usedInOneStep,
  usedInSteps,
} from './tool.ts';

const DEFAULT_SECONDS = 30;

/** A tool as its server described it; recorded, so that a repeated agent offers the same tools. */
type Listed = { name: string; description: string; input_schema: JsonObject; effect: StepEffect };
type Listing = { tools: Listed[]; elapsed_ms: number; error?: string };

interface Connection {
  readonly field: string;
  readonly label: string;
  readonly is_program: boolean;
  open(): Promise<McpSession>;
}

export interface McpTools {
  readonly tools: readonly Tool[];
  /** Time until the slowest server had listed them; all are asked at once. */
  readonly list_ms: number;
}

/** The tools of all connections. A server that cannot be reached is left out, with a line in the log. */
export async function mcpTools(call: AgentCall, reviews: Reviews): Promise<McpTools> {
  const connections = call.params.mcpConnections.map((stored, at) => connectionOf(call, stored, at));
  const approved = new Set<string>();
  const listed = await Promise.all(
    connections.map(async (connection, at) => {
      const listing = await call.step<Listing>(`mcp-${at + 1}`, 'read', () => listOf(call, connection));
      return { connection, ...listing };
    }),
  );
  for (const { connection, error } of listed) {
    if (error !== undefined) {
      call.services.log('warn', `The tools of ${connection.label} cannot be used: ${error}`);
    }
  }
  return {
    tools: listed.flatMap(({ connection, tools }) =>
      tools.map((tool) => toolOf(call, { connection, tool, reviews, approved })),
    ),
    list_ms: Math.max(0, ...listed.map(({ elapsed_ms }) => elapsed_ms)),
  };
}

function connectionOf(
  call: AgentCall,
  stored: AgentCall['params']['mcpConnections'][number],
  at: number,
): Connection {
  const field = `mcpConnections.${at}`;
  const { services, signal } = call;
  const { credentialId = '' } = stored;
  const written = credentialId === '' ? serverOfConnection(stored as JsonObject, field) : undefined;
  const caller: McpCaller = {
    http: services.http,
    startProgram: (job) => services.startProgram(job),
    now: () => services.now(),
    signal,
    timeout_ms: (stored.timeoutSeconds ?? DEFAULT_SECONDS) * 1_000,
    onLog: (line) => services.log('info', line.slice(0, 2_000)),
  };
  return {
    field,
    label: stored.label?.trim() || (written && labelOf(written)) || `MCP server ${at + 1}`,
    is_program: written?.transport === 'stdio',
    // A credential is read for each conversation: an agent may outlast its token.
    open: async () =>
      openMcpSession(caller, written ?? (await storedServer(call, credentialId)), `${field}.url`),
  };
}

const labelOf = (server: McpServer): string =>
  server.transport === 'stdio' ? nameOf(server, server.field) : server.url;

async function listOf(call: AgentCall, { open, is_program }: Connection): Promise<Listing> {
  const started_ms = call.services.now();
  const elapsed = () => call.services.now() - started_ms;
  let session: McpSession | undefined;
  try {
    session = await open();
    const tools = (await session.listTools()).map(({ name, description = '', inputSchema, annotations }) => ({
      name,
      description,
      input_schema: isJsonObject(inputSchema) ? inputSchema : { type: 'object' },
      effect: effectOf(annotations),
    }));
    return { tools, elapsed_ms: elapsed() };
  } catch (error) {
    if (!(error instanceof NodeFailure) || call.signal.aborted) throw error;
    // A server elsewhere may be away; a program that cannot be started here is for the person who made the agent.
    if (is_program && ['sandbox', 'params'].includes(error.failure.kind)) throw error;
    return { tools: [], elapsed_ms: elapsed(), error: error.failure.message };
  } finally {
    await session?.close();
  }
}

function effectOf(
  annotations: { readOnlyHint?: boolean | undefined; idempotentHint?: boolean | undefined } | undefined,
): StepEffect {
  return annotations?.readOnlyHint ? 'read' : annotations?.idempotentHint ? 'idempotent' : 'unsafe';
}

interface Offered {
  readonly connection: Connection;
  readonly tool: Listed;
  readonly reviews: Reviews;
  /** Tools that a person has approved for good. */
  readonly approved: Set<string>;
}

function toolOf(call: AgentCall, offered: Offered): Tool {
  const { connection, tool } = offered;
  const mode = approvalMode(call);
  return {
    definition: {
      name: toolName(tool.name),
      description: tool.description,
      input_schema: { ...tool.input_schema, type: 'object' },
    },
    source: 'mcp',
    facts: { mcp_server: connection.label },
    is_parallel: tool.effect === 'read' && mode === 'never',
    use: (input, key) =>
      mode === 'never'
        ? orFailedResult(call, callTool(call, offered, { input, key }))
        : approvedCall(call, offered, { input, key, mode }),
  };
}

interface Wanted {
  readonly input: JsonObject;
  readonly key: string;
}

function callTool(call: AgentCall, { connection, tool }: Offered, { input, key }: Wanted): Promise<Used> {
  return call.step<Used>(key, tool.effect, () =>
    usedInOneStep(call, async () => {
      const session = await connection.open();
      try {
        const definition = {
          name: tool.name,
          inputSchema: { ...tool.input_schema, type: 'object' as const },
        };
        const answer = await session.callTool({ tool: definition, input });
        return { result: resultOf(tool.name, answer) };
      } finally {
        await session.close();
      }
    }),
  );
}

/** A call that a person sees first, with its arguments, which may be edited. */
async function approvedCall(
  call: AgentCall,
  offered: Offered,
  { input, key, mode }: Wanted & { readonly mode: 'always' | 'once' },
): Promise<Used> {
  const { connection, tool, reviews, approved } = offered;
  const id = `${connection.field} ${tool.name}`;
  let agreed = input;
  if (mode === 'always' || !approved.has(id)) {
    const outcome = await reviews.ask(key, {
      summary: `The agent wants to call "${tool.name}" of ${connection.label}`,
      draft: `\`\`\`json\n${JSON.stringify(input, null, 2)}\n\`\`\``,
    });
    if (outcome['decision'] === 'refused') {
      const { refusalReason } = outcome;
      const result = {
        decision: 'refused',
        ...(refusalReason === undefined ? {} : { reason: refusalReason }),
      };
      return usedInSteps(call, key, () => Promise.resolve({ result, refused: true }));
    }
    const edited = outcome['editedText'];
    if (typeof edited === 'string') {
      const read = argumentsIn(edited);
      if (!read) {
        const result = { error: 'A person edited the arguments into something that is no JSON object' };
        return usedInSteps(call, key, () => Promise.resolve({ result }));
      }
      agreed = read;
    }
    // Only now: arguments that could not be read were no approval of a call.
    approved.add(id);
  }
  return orFailedResult(call, callTool(call, offered, { input: agreed, key }));
}

function argumentsIn(text: string): JsonObject | undefined {
  const inside = /^\s*```(?:json)?\s*\n([\s\S]*?)\n?\s*```\s*$/i.exec(text)?.[1] ?? text;
  try {
    const value: unknown = JSON.parse(inside);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
