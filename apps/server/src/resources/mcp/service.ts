import type { McpConfig, McpWorkflow } from '@millrace/contracts';
import type { SQL } from 'drizzle-orm';
import { notFound } from '../../core/app-error.ts';
import { recordAudit } from '../../database/audit.ts';
import type { Db } from '../../database/database.ts';
import type { Needs } from '../../services.ts';
import { requireWorkflow } from '../workflows/access.ts';
import { graphInterface } from '../workflows/graph/graph-facts.ts';
import type { Graph } from '../workflows/record.ts';
import { mcpAddresses } from './address.ts';
import * as keys from './keys.ts';
import * as queries from './queries.ts';
import { describeTool } from './tools/describe.ts';
import { presentName, toolsByName } from './tools/tool-names.ts';

export type Writer = Needs<'db' | 'actor' | 'broadcast' | 'now'>;

/** The server that everyone has, and whose workflows are chosen by `mcp_enabled`. */
export const defaultToolset = ({ actor }: Needs<'actor'>): queries.Toolset => ({
  user_id: actor.user_id,
  server_id: null,
});

interface ToolName {
  readonly tool_name: string | null;
  /** Null when the tool has it. */
  readonly new_tool_name: string | null;
}

function record(row: queries.WorkflowWithGraph, names: ToolName): McpWorkflow {
  const { id, name, description, mcp_enabled, nodes, edges } = row;
  const graph = { nodes, edges } as Graph;
  return {
    id,
    name,
    description,
    mcp_enabled,
    ...names,
    input_fields: graphInterface(graph).input_fields,
    tool: describeTool({ name, description, graph }),
  };
}

/** Lists the workflows that the server offers, or could. */
export async function listWorkflows(
  db: Db,
  toolset: queries.Toolset,
  condition?: SQL,
): Promise<McpWorkflow[]> {
  const tools = await toolsByName(db, toolset);
  const names = new Map(Array.from(tools, ([name, { id }]) => [id, name]));
  const taken = await queries.takenNames(db, toolset);
  const rows = await queries.workflowsWithGraphs(db, toolset, condition);
  return rows.map((row) => {
    const tool_name = names.get(row.id) ?? null;
    const present = tool_name === null ? null : presentName(taken, row);
    return record(row, { tool_name, new_tool_name: present === tool_name ? null : present });
  });
}

/** @param base_url where clients reach the service, without a slash at the end */
export async function readConfig(ctx: Needs<'db' | 'actor'>, base_url: string): Promise<McpConfig> {
  return {
    mcp_api_key: null,
    mcp_api_key_set: await keys.hasKey(ctx.db, ctx.actor.user_id),
    ...mcpAddresses(base_url, null),
    workflows: await listWorkflows(ctx.db, defaultToolset(ctx)),
  };
}

/** Against a deletion at the same time. @throws AppError 404 */
async function holdServer(tx: Db, { user_id, server_id }: queries.Toolset): Promise<void> {
  if (server_id === null || (await queries.holdServer(tx, { user_id, id: server_id }))) return;
  throw notFound('MCP server');
}

/** Names the server in the audit log; entries without it are about the default one. */
const ofServer = ({ server_id }: queries.Toolset) => (server_id === null ? {} : { details: { server_id } });

/** Streams and session tokens that the former key opened end with it. */
export async function regenerateKey(ctx: Writer, toolset: queries.Toolset): Promise<{ mcp_api_key: string }> {
  const { secret, key_id, key_hash } = keys.newKey();
  await ctx.db.transaction(async (tx) => {
    await holdServer(tx, toolset);
    await keys.replaceKey(tx, toolset, { key_id, key_hash, created_at: new Date(ctx.now()) });
    const entry = { action: 'mcp_key.created', object_kind: 'mcp_key', object_id: key_id };
    await recordAudit(tx, ctx, { ...entry, ...ofServer(toolset) });
  });
  ctx.broadcast.publish('access_changed', `user:${toolset.user_id}`);
  return { mcp_api_key: secret };
}

interface ToolChange {
  /** Of the workflow. */
  readonly id: string;
  readonly enabled: boolean;
  /** The tool gets the name that follows from the present one of the workflow. */
  readonly use_new_name: boolean;
}

/**
 * Offers a workflow at a server, or stops. At the default one the owner's switch is on the workflow, that of others on their
 * share, so that each decides for their own clients.
 */
export async function switchWorkflow(
  ctx: Writer,
  toolset: queries.Toolset,
  { id, enabled, use_new_name }: ToolChange,
): Promise<McpWorkflow> {
  const { user_id, server_id } = toolset;
  const { row, role } = await requireWorkflow(ctx, id, 'read');
  const isOwners = server_id === null && role === 'owner';
  await ctx.db.transaction(async (tx) => {
    await holdServer(tx, toolset);
    if (server_id !== null) await queries.switchLink(tx, { server_id, workflow_id: row.id }, enabled);
    else if (isOwners) await queries.switchOwn(tx, row.id, enabled);
    else if (!(await queries.switchShare(tx, { id: row.id, user_id }, enabled)))
      await queries.switchTeamTool(tx, { id: row.id, user_id }, enabled);
    // The next listing stores another one.
    if (use_new_name) await queries.deleteToolName(tx, toolset, row.id);
    await recordAudit(tx, ctx, {
      action: enabled ? 'workflow.mcp_enabled' : 'workflow.mcp_disabled',
      object_kind: 'workflow',
      object_id: row.id,
      object_name: row.name,
      owner_id: row.owner_id,
      ...ofServer(toolset),
    });
  });
  if (isOwners) ctx.broadcast.publish('workflow_changed', row.id);
  ctx.broadcast.publish('mcp_tools_changed', user_id);
  const [found] = await listWorkflows(ctx.db, toolset, queries.byIds([row.id]));
  if (!found) throw notFound('Workflow');
  return found;
}
