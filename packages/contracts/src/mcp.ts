import { z } from 'zod';
import { idParams, timestamp, uuid } from './common.ts';
import { endpoint } from './endpoint.ts';
import type { ErrorCode } from './error-body.ts';
import { endMcpSession, listMcpSessions } from './mcp-sessions.ts';
import { storedName } from './text.ts';

const tag = 'MCP';
/** A call carries the arguments of one tool, or a few JSON-RPC messages. */
const MOST_BYTES = 4 * 1024 * 1024;

const inputField = z.object({ key: z.string(), defaultValue: z.unknown().optional() });

/** The part of a tool that a client sees. */
export const mcpTool = z
  .object({
    name: z.string(),
    title: z.string(),
    description: z.string(),
    /** JSON Schema of the arguments. */
    inputSchema: z.object({
      type: z.literal('object'),
      properties: z.record(z.string(), z.record(z.string(), z.json())),
      required: z.array(z.string()),
    }),
    /** The effects that the nodes of the workflow may have on the outside world. */
    annotations: z.object({
      readOnlyHint: z.boolean(),
      destructiveHint: z.boolean(),
      idempotentHint: z.boolean(),
      openWorldHint: z.boolean(),
    }),
  })
  .meta({ id: 'McpTool' });
export type McpTool = z.infer<typeof mcpTool>;

/** A workflow as its person offers it to MCP clients, or could. */
export const mcpWorkflow = z
  .object({
    id: uuid,
    name: z.string(),
    description: z.string().nullable(),
    /** Whether this server offers it; at the default one the person's own switch: the owner's is that of the workflow, others have one on their share. */
    mcp_enabled: z.boolean(),
    tool_name: z
      .string()
      .nullable()
      .describe('Name of the tool, which stays when the workflow is renamed; null while it is off.'),
    new_tool_name: z
      .string()
      .nullable()
      .describe(
        'Name that the tool would get from the present name of the workflow; null when it has that name, or is off.',
      ),
    input_fields: z.array(inputField),
    /** The part of the tool that clients see beside its name, also while it is off. */
    tool: mcpTool.omit({ name: true }),
  })
  .meta({ id: 'McpWorkflow' });
export type McpWorkflow = z.infer<typeof mcpWorkflow>;

const addresses = {
  /** Address for clients that speak streamable HTTP. */
  mcp_url: z.string(),
  /** Address of the older transport with server-sent events. */
  mcp_endpoint_url: z.string(),
};

export const mcpConfig = z
  .object({
    /** Always null: a key is shown once, when it is made. */
    mcp_api_key: z.null(),
    mcp_api_key_set: z.boolean(),
    ...addresses,
    workflows: z.array(mcpWorkflow),
  })
  .meta({ id: 'McpConfig' });
export type McpConfig = z.infer<typeof mcpConfig>;

export const mcpToolResult = z
  .object({
    content: z.array(z.object({ type: z.literal('text'), text: z.string() })),
    structuredContent: z.record(z.string(), z.unknown()).optional(),
    isError: z.boolean(),
  })
  .meta({ id: 'McpToolResult' });
export type McpToolResult = z.infer<typeof mcpToolResult>;

export const readMcpConfig = endpoint({
  id: 'readMcpConfig',
  method: 'GET',
  path: '/api/mcp/config',
  tag,
  summary: 'Addresses for MCP clients, and which workflows are tools',
  auth: 'session',
  response: mcpConfig,
});

const mcpKey = z.object({ mcp_api_key: z.string() }).meta({ id: 'McpKey' });

export const regenerateMcpKey = endpoint({
  id: 'regenerateMcpKey',
  method: 'POST',
  path: '/api/mcp/regenerate-key',
  tag,
  summary: 'Create a new key, shown only once; the former one stops working',
  auth: 'session',
  response: mcpKey,
});

const use_new_name = z
  .boolean()
  .default(false)
  .describe('Give the tool the name `new_tool_name`; clients know it by that name from then on.');

export const switchMcpWorkflow = endpoint({
  id: 'switchMcpWorkflow',
  method: 'PATCH',
  path: '/api/mcp/workflows/{id}',
  tag,
  summary: 'Offer a workflow as a tool, or stop; each user decides for their own clients',
  auth: 'session',
  params: idParams,
  body: z.object({ mcp_enabled: z.boolean(), use_new_name }),
  response: mcpWorkflow,
  errors: ['not_found'],
});

const serverTag = 'MCP servers';
const serverPath = '/api/mcp/servers/{id}';

/** A server of the person beside the default one, with a key and a set of workflows of its own. */
export const mcpServer = z
  .object({ id: uuid, name: z.string(), created_at: timestamp, ...addresses })
  .meta({ id: 'McpServer' });
export type McpServer = z.infer<typeof mcpServer>;

export const mcpServerDetails = mcpServer
  .extend({ workflows: z.array(mcpWorkflow) })
  .meta({ id: 'McpServerDetails' });
export type McpServerDetails = z.infer<typeof mcpServerDetails>;

export const listMcpServers = endpoint({
  id: 'listMcpServers',
  method: 'GET',
  path: '/api/mcp/servers',
  tag: serverTag,
  summary: 'MCP servers of the caller beside the default one, by name',
  auth: 'session',
  response: z.array(mcpServer),
});

export const createMcpServer = endpoint({
  id: 'createMcpServer',
  method: 'POST',
  path: '/api/mcp/servers',
  tag: serverTag,
  summary: 'Create a server that offers no workflow yet; its key is shown only once',
  auth: 'session',
  body: z.object({ name: storedName(100) }),
  response: mcpServer.extend({ mcp_api_key: z.string() }).meta({ id: 'NewMcpServer' }),
  status: 201,
  errors: ['conflict'],
});

export const readMcpServer = endpoint({
  id: 'readMcpServer',
  method: 'GET',
  path: serverPath,
  tag: serverTag,
  summary: 'A server with the workflows that it offers, or could',
  auth: 'session',
  params: idParams,
  response: mcpServerDetails,
  errors: ['not_found'],
});

export const deleteMcpServer = endpoint({
  id: 'deleteMcpServer',
  method: 'DELETE',
  path: serverPath,
  tag: serverTag,
  summary: 'Delete a server with its key and what OAuth clients were granted on it',
  auth: 'session',
  params: idParams,
  errors: ['not_found'],
});

export const regenerateMcpServerKey = endpoint({
  id: 'regenerateMcpServerKey',
  method: 'POST',
  path: `${serverPath}/regenerate-key`,
  tag: serverTag,
  summary: 'Create a new key for a server, shown only once; the former one stops working',
  auth: 'session',
  params: idParams,
  response: mcpKey,
  errors: ['not_found'],
});

export const switchMcpServerWorkflow = endpoint({
  id: 'switchMcpServerWorkflow',
  method: 'PATCH',
  path: '/api/mcp/servers/{server_id}/workflows/{workflow_id}',
  tag: serverTag,
  summary: 'Offer a workflow at a server, or stop',
  auth: 'session',
  params: z.object({ server_id: uuid, workflow_id: uuid }),
  body: z.object({ enabled: z.boolean(), use_new_name }),
  response: mcpWorkflow,
  errors: ['not_found'],
});

const words = z.string().max(65_536);

/** Where an MCP server is: a stored credential, or an address or program as a node or an export holds it. */
const mcpConnection = z.looseObject({
  credential_id: uuid.nullish(),
  transport: z.string().max(50).default('streamable_http'),
  url: z.string().max(4_096).default(''),
  headers: z.union([z.record(z.string(), words), words]).default({}),
  /** Of the transport stdio. */
  command: words.optional(),
  args: z.union([z.array(words), words]).optional(),
  env: z.union([z.record(z.string(), words), words]).optional(),
  /** Further packages of the program, one a line. */
  packages: words.optional(),
  allowNetwork: z.boolean().optional(),
  timeoutSeconds: z.number().min(1).max(60).default(15),
});

/** A tool of another server, in the words of that server. */
export const mcpServerTool = z
  .object({
    name: z.string(),
    title: z.string().optional(),
    description: z.string(),
    /** JSON Schema of the arguments. */
    inputSchema: z.record(z.string(), z.json()),
    annotations: z
      .object({
        readOnlyHint: z.boolean().optional(),
        destructiveHint: z.boolean().optional(),
        idempotentHint: z.boolean().optional(),
        openWorldHint: z.boolean().optional(),
      })
      .optional(),
  })
  .meta({ id: 'McpServerTool' });
export type McpServerTool = z.infer<typeof mcpServerTool>;

export const fetchMcpTools = endpoint({
  id: 'fetchMcpTools',
  method: 'POST',
  path: '/api/mcp/fetch-tools',
  tag,
  summary: 'Tools of another MCP server; 422 with its words when it cannot be asked',
  auth: 'session',
  body: z.object({ connection: mcpConnection }),
  response: z.object({ tools: z.array(mcpServerTool) }).meta({ id: 'McpServerTools' }),
  errors: ['not_found', 'conflict'],
});

/** A message of the protocol as it was sent. */
export const mcpFrame = z
  .object({ from: z.enum(['client', 'server']), message: z.record(z.string(), z.json()) })
  .meta({ id: 'McpFrame' });
export type McpFrame = z.infer<typeof mcpFrame>;

export const inspectMcp = endpoint({
  id: 'inspectMcp',
  method: 'POST',
  path: '/api/mcp/inspect',
  tag,
  summary: 'Send a request to an own server as a client would; the answer is every frame in order',
  auth: 'session',
  body: z.object({
    /** Null is the default server. */
    server_id: uuid.nullish(),
    /** Method of the protocol: `tools/list`. */
    method: storedName(100),
    params: z.record(z.string(), z.json()).default({}),
  }),
  body_limit: MOST_BYTES,
  response: z.object({ frames: z.array(mcpFrame) }).meta({ id: 'McpFrames' }),
  errors: ['not_found'],
});

const errors = ['bad_request', 'unauthenticated', 'forbidden'] as const;

/**
 * The endpoints for MCP clients: those of the default server, and the same ones of each named server.
 *
 * @param of inserted into the ids of the endpoints
 */
function mcpTransports<Of extends '' | 'Server', Params extends typeof idParams | undefined>(
  of: Of,
  { path, streamable, tag, params }: { path: string; streamable: string; tag: string; params: Params },
) {
  const common = { tag, params, auth: 'own', kind: 'raw', errors } as const;
  /** The bodies are read by the handlers, once these know the caller. */
  const call = <const Id extends string>(id: Id, below: string, summary: string, more: ErrorCode[] = []) =>
    endpoint({
      ...common,
      id,
      method: 'POST',
      path: `${path}${below}`,
      summary,
      body_limit: MOST_BYTES,
      errors: [...errors, 'too_large', ...more],
    });
  return {
    tools: endpoint({
      ...common,
      id: `listMcp${of}Tools`,
      method: 'GET',
      path: `${path}/tools`,
      summary: 'Tools of the server (§5.6), sorted by name',
      response: z.object({ tools: z.array(mcpTool) }).meta({ id: 'McpTools' }),
    }),
    call: call(
      `callMcp${of}Tool`,
      '/tools/call',
      'Calls a tool by `{name, arguments}`; a failed run and an unknown tool answer 200 with `isError`',
      ['invalid_input'],
    ),
    message: call(
      `sendMcp${of}Message`,
      '/message',
      'A JSON-RPC message; with the session of an open event stream the answer goes there, and 202 is returned',
      ['conflict'],
    ),
    sse: call(
      `sendMcp${of}Sse`,
      '/sse',
      `A JSON-RPC message, answered here; clients that accept event streams are answered as at \`${path}${streamable}\``,
    ),
    streamable: call(
      `sendMcp${of}`,
      streamable,
      'Streamable HTTP of the Model Context Protocol, all its versions; the answer is JSON or an event stream',
    ),
    stream: endpoint({
      ...common,
      id: `openMcp${of}Sse`,
      method: 'GET',
      path: `${path}/sse`,
      summary:
        'Event stream whose first event names the address for messages, with a token for one hour (§5.6)',
      kind: 'stream',
      errors: [...errors, 'rate_limited'],
    }),
  };
}

export const defaultMcpTransports = mcpTransports('', {
  path: '/api/mcp',
  streamable: '',
  tag,
  params: undefined,
});
export const serverMcpTransports = mcpTransports('Server', {
  path: serverPath,
  // Clients also send GET and DELETE there, which at the path of the server itself read and delete it.
  streamable: '/mcp',
  tag: serverTag,
  params: idParams,
});

export const mcpEndpoints = [
  readMcpConfig,
  regenerateMcpKey,
  switchMcpWorkflow,
  listMcpServers,
  createMcpServer,
  readMcpServer,
  deleteMcpServer,
  regenerateMcpServerKey,
  switchMcpServerWorkflow,
  fetchMcpTools,
  inspectMcp,
  listMcpSessions,
  endMcpSession,
  ...Object.values(defaultMcpTransports),
  ...Object.values(serverMcpTransports),
];
