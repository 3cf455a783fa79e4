import { z } from 'zod';
import { idParams, uuid } from './common.ts';
import { endpoint } from './endpoint.ts';

const tag = 'MCP';
/** A call carries the arguments of one tool, or a few JSON-RPC messages. */
const MOST_BYTES = 4 * 1024 * 1024;

const inputField = z.object({ key: z.string(), defaultValue: z.unknown().optional() });

/** A workflow as its person offers it to MCP clients, or could. */
export const mcpWorkflow = z
  .object({
    id: uuid,
    name: z.string(),
    description: z.string().nullable(),
    /** The person's own switch: of the workflow for its owner, of the share for everyone else. */
    mcp_enabled: z.boolean(),
    /** Name of the tool; null while it is off. */
    tool_name: z.string().nullable(),
    input_fields: z.array(inputField),
  })
  .meta({ id: 'McpWorkflow' });
export type McpWorkflow = z.infer<typeof mcpWorkflow>;

export const mcpConfig = z
  .object({
    /** Always null: a key is shown once, when it is made. */
    mcp_api_key: z.null(),
    mcp_api_key_set: z.boolean(),
    /** Address for clients that speak streamable HTTP. */
    mcp_url: z.string(),
    /** Address of the older transport with server-sent events. */
    mcp_endpoint_url: z.string(),
    workflows: z.array(mcpWorkflow),
  })
  .meta({ id: 'McpConfig' });
export type McpConfig = z.infer<typeof mcpConfig>;

/** What a client sees of a tool. */
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
    /** What the nodes of the workflow may do to the outside world. */
    annotations: z.object({
      readOnlyHint: z.boolean(),
      destructiveHint: z.boolean(),
      idempotentHint: z.boolean(),
      openWorldHint: z.boolean(),
    }),
  })
  .meta({ id: 'McpTool' });
export type McpTool = z.infer<typeof mcpTool>;

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

export const regenerateMcpKey = endpoint({
  id: 'regenerateMcpKey',
  method: 'POST',
  path: '/api/mcp/regenerate-key',
  tag,
  summary: 'Create a new key, shown only once; the former one stops working',
  auth: 'session',
  response: z.object({ mcp_api_key: z.string() }).meta({ id: 'McpKey' }),
});

export const switchMcpWorkflow = endpoint({
  id: 'switchMcpWorkflow',
  method: 'PATCH',
  path: '/api/mcp/workflows/{id}',
  tag,
  summary: 'Offer a workflow as a tool, or stop; each user decides for their own clients',
  auth: 'session',
  params: idParams,
  body: z.object({ mcp_enabled: z.boolean() }),
  response: mcpWorkflow,
  errors: ['not_found'],
});

/** Where an MCP server is: a stored credential, or an address as a node or an export holds it. */
const mcpConnection = z.looseObject({
  credential_id: uuid.nullish(),
  transport: z.string().max(50).default('streamable_http'),
  url: z.string().max(4_096).default(''),
  headers: z.union([z.record(z.string(), z.string().max(65_536)), z.string().max(65_536)]).default({}),
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

const errors = ['bad_request', 'unauthenticated', 'forbidden'] as const;

export const listMcpTools = endpoint({
  id: 'listMcpTools',
  method: 'GET',
  path: '/api/mcp/tools',
  tag,
  summary: 'Tools of the owner of the key (§5.6), sorted by name',
  auth: 'own',
  kind: 'raw',
  response: z.object({ tools: z.array(mcpTool) }).meta({ id: 'McpTools' }),
  errors,
});

/** The bodies below are read by their handlers, once these know the caller. */
const call = <const Id extends string>(id: Id, path: string, summary: string) =>
  endpoint({
    id,
    method: 'POST',
    path: `/api/mcp${path}`,
    tag,
    summary,
    auth: 'own',
    kind: 'raw',
    body_limit: MOST_BYTES,
    errors: [...errors, 'too_large'],
  });

export const callMcpTool = call(
  'callMcpTool',
  '/tools/call',
  'Calls a tool by `{name, arguments}`; a failed run and an unknown tool answer 200 with `isError`',
);
export const sendMcpMessage = call(
  'sendMcpMessage',
  '/message',
  'A JSON-RPC message; with the session of an open event stream the answer goes there, and 202 is returned',
);
export const sendMcpSse = call(
  'sendMcpSse',
  '/sse',
  'A JSON-RPC message, answered here; clients that accept event streams are answered as at `/api/mcp`',
);
export const sendMcp = call(
  'sendMcp',
  '',
  'Streamable HTTP of the Model Context Protocol, all its versions; the answer is JSON or an event stream',
);

export const openMcpSse = endpoint({
  id: 'openMcpSse',
  method: 'GET',
  path: '/api/mcp/sse',
  tag,
  summary: 'Event stream whose first event names the address for messages, with a token for one hour (§5.6)',
  auth: 'own',
  kind: 'stream',
  errors: [...errors, 'rate_limited'],
});

export const mcpEndpoints = [
  readMcpConfig,
  regenerateMcpKey,
  switchMcpWorkflow,
  fetchMcpTools,
  listMcpTools,
  callMcpTool,
  sendMcpMessage,
  sendMcpSse,
  sendMcp,
  openMcpSse,
];
