import { isJsonObject, type JsonObject, NodeFailure, type StepEffect } from '@millrace/engine';
import type { ProgramServer } from '../../kit/mcp/program.ts';
import { readResult } from '../../kit/mcp/result.ts';
import { describeServer, type McpServer, serverOfConnection } from '../../kit/mcp/server.ts';
import { type McpCaller, type McpSession, openMcpSession } from '../../kit/mcp/session.ts';
import { SharedServer } from '../../kit/mcp/shared-server.ts';
import { storedServer } from '../../kit/mcp/stored-server.ts';
import {
  type AgentCall,
  type ApprovalMode,
  orFailedResult,
  type Tool,
  toolName,
  type Used,
  usedInOneStep,
} from './tool.ts';

const DEFAULT_SECONDS = 30;

/** A tool as its server described it; recorded, so that a repeated agent offers the same tools. */
type Listed = { name: string; description: string; input_schema: JsonObject; effect: StepEffect };
type Listing = { tools: Listed[]; elapsed_ms: number; error?: string };

interface Connection {
  readonly label: string;
  readonly is_program: boolean;
  /** Talks to the server: a program is started once for the agent, others get a new conversation for each call. */
  converse<T>(work: (session: McpSession) => Promise<T>): Promise<T>;
}

export interface McpTools {
  readonly tools: readonly Tool[];
  /** Time until the slowest server had listed them; all are asked at once. */
  readonly list_ms: number;
  /** Servers have named all of their tools. */
  readonly is_complete: boolean;
}

/** The tools of all connections. A server that cannot be reached is left out, with a line in the log. */
export async function mcpTools(call: AgentCall): Promise<McpTools> {
  const connections = call.params.mcpConnections.map((stored, at) => buildConnection(call, stored, at));
  const listed = await Promise.all(
    connections.map(async (connection, at) => {
      const listing = await call.step<Listing>(`mcp-${at + 1}`, 'read', () => loadListing(call, connection));
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
      tools.map((tool) => createTool(call, { connection, tool })),
    ),
    is_complete: listed.every(({ error }) => error === undefined),
    list_ms: Math.max(0, ...listed.map(({ elapsed_ms }) => elapsed_ms)),
  };
}

function buildConnection(
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
    label: stored.label?.trim() || (written && labelServer(written)) || `MCP server ${at + 1}`,
    is_program: written?.transport === 'stdio',
    converse:
      written?.transport === 'stdio'
        ? sharedProgram(call, caller, written)
        : // A credential is read for each conversation: an agent may outlast its token.
          async (work) =>
            closing(
              openMcpSession(caller, written ?? (await storedServer(call, credentialId)), `${field}.url`),
              work,
            ),
  };
}

/** A program keeps its memory between the calls of an agent, and can take seconds to start. */
function sharedProgram(call: AgentCall, caller: McpCaller, server: ProgramServer): Connection['converse'] {
  const shared = new SharedServer(caller, server);
  call.whenOver(() => shared.close());
  return (work) => shared.use(work);
}

async function closing<T>(session: McpSession, work: (session: McpSession) => Promise<T>): Promise<T> {
  try {
    return await work(session);
  } finally {
    await session.close();
  }
}

const labelServer = (server: McpServer): string =>
  server.transport === 'stdio' ? describeServer(server, server.field) : server.url;

async function loadListing(call: AgentCall, { converse, is_program }: Connection): Promise<Listing> {
  const started_ms = call.services.now();
  const elapsed = () => call.services.now() - started_ms;
  try {
    const listed = await converse((session) => session.listTools());
    const tools = listed.map(({ name, description = '', inputSchema, annotations }) => ({
      name,
      description,
      input_schema: isJsonObject(inputSchema) ? inputSchema : { type: 'object' },
      effect: toEffect(annotations),
    }));
    return { tools, elapsed_ms: elapsed() };
  } catch (error) {
    if (!(error instanceof NodeFailure) || call.signal.aborted) throw error;
    // A server elsewhere may be away; a program that cannot be started here is for the person who made the agent.
    if (is_program && ['sandbox', 'params'].includes(error.failure.kind)) throw error;
    return { tools: [], elapsed_ms: elapsed(), error: error.failure.message };
  }
}

function toEffect(
  annotations: { readOnlyHint?: boolean | undefined; idempotentHint?: boolean | undefined } | undefined,
): StepEffect {
  return annotations?.readOnlyHint ? 'read' : annotations?.idempotentHint ? 'idempotent' : 'unsafe';
}

interface Offered {
  readonly connection: Connection;
  readonly tool: Listed;
}

function createTool(call: AgentCall, offered: Offered): Tool {
  const { connection, tool } = offered;
  return {
    definition: {
      name: toolName(tool.name),
      description: tool.description,
      input_schema: { ...tool.input_schema, type: 'object' },
    },
    source: 'mcp',
    facts: { mcp_server: connection.label },
    title: tool.name,
    approval: approvalOfServers(call),
    is_parallel: tool.effect === 'read',
    is_outside: true,
    touches: tool.effect === 'read' ? 'reads' : 'changes',
    use: (input, key) => orFailedResult(call, callTool(call, offered, { input, key })),
  };
}

/**
 * Whether calls of MCP tools need approval. The text in `hitlSummary` does not count as approval: until a mode is chosen,
 * every call is shown to a person first.
 */
function approvalOfServers({ params }: AgentCall): ApprovalMode {
  return params.mcpApprovalMode === '' ? 'always' : params.mcpApprovalMode;
}

interface Wanted {
  readonly input: JsonObject;
  readonly key: string;
}

function callTool(call: AgentCall, { connection, tool }: Offered, { input, key }: Wanted): Promise<Used> {
  return call.step<Used>(key, tool.effect, () =>
    usedInOneStep(call, async () => {
      const definition = {
        name: tool.name,
        inputSchema: { ...tool.input_schema, type: 'object' as const },
      };
      const answer = await connection.converse((session) => session.callTool({ tool: definition, input }));
      return { result: readResult(tool.name, answer) };
    }),
  );
}
