import { randomBytes } from 'node:crypto';
import type { McpConfig, McpWorkflow } from '@millrace/contracts';
import { notFound } from '../../core/app-error.ts';
import { newId } from '../../core/ids.ts';
import { tokenDigest } from '../../core/tokens.ts';
import { recordAudit } from '../../database/audit.ts';
import type { Db } from '../../database/database.ts';
import type { Needs } from '../../execution/context.ts';
import { requireWorkflow } from '../workflows/access.ts';
import { graphInterface } from '../workflows/graph/graph-facts.ts';
import type { Graph } from '../workflows/record.ts';
import * as queries from './queries.ts';
import { toolNames } from './tools/names.ts';

export const MCP_PATH = '/api/mcp';

async function namesById(db: Db, user_id: string): Promise<Map<string, string>> {
  const names = toolNames(await queries.namesOfTools(db, user_id));
  return new Map(Array.from(names, ([name, { id }]) => [id, name]));
}

function record(row: queries.WorkflowWithGraph, names: ReadonlyMap<string, string>): McpWorkflow {
  const { id, name, description, mcp_enabled, nodes, edges } = row;
  const { input_fields } = graphInterface({ nodes, edges } as Graph);
  return { id, name, description, mcp_enabled, tool_name: names.get(id) ?? null, input_fields };
}

/** @param base_url where clients reach the service, without a slash at the end */
export async function readConfig(ctx: Needs<'db' | 'actor'>, base_url: string): Promise<McpConfig> {
  const { user_id } = ctx.actor;
  const names = await namesById(ctx.db, user_id);
  const rows = await queries.workflowsWithGraphs(ctx.db, user_id);
  return {
    mcp_api_key: null,
    mcp_api_key_set: await queries.hasKey(ctx.db, user_id),
    mcp_url: `${base_url}${MCP_PATH}`,
    mcp_endpoint_url: `${base_url}${MCP_PATH}/sse`,
    workflows: rows.map((row) => record(row, names)),
  };
}

/** 32 random bytes in hex. Streams and session tokens that the former key opened end with it. */
export async function regenerateKey(
  ctx: Needs<'db' | 'actor' | 'broadcast' | 'now'>,
): Promise<{ mcp_api_key: string }> {
  const { user_id } = ctx.actor;
  const mcp_api_key = randomBytes(32).toString('hex');
  const row = { id: newId(), user_id, key_hash: tokenDigest(mcp_api_key), created_at: new Date(ctx.now()) };
  await ctx.db.transaction(async (tx) => {
    await queries.replaceKey(tx, row);
    await recordAudit(tx, ctx, { action: 'mcp_key.created', object_kind: 'mcp_key', object_id: row.id });
  });
  ctx.broadcast.publish('access_changed', `user:${user_id}`);
  return { mcp_api_key };
}

/** The owner's switch is on the workflow, that of others on their share, so that each decides for their own clients. */
export async function switchWorkflow(
  ctx: Needs<'db' | 'actor' | 'broadcast' | 'now'>,
  id: string,
  mcp_enabled: boolean,
): Promise<McpWorkflow> {
  const { user_id } = ctx.actor;
  const { row, role } = await requireWorkflow(ctx, id, 'read');
  await ctx.db.transaction(async (tx) => {
    if (role === 'owner') await queries.switchOwn(tx, row.id, mcp_enabled);
    else if (!(await queries.switchShare(tx, { id: row.id, user_id }, mcp_enabled)))
      await queries.switchTeamTool(tx, { id: row.id, user_id }, mcp_enabled);
    await recordAudit(tx, ctx, {
      action: mcp_enabled ? 'workflow.mcp_enabled' : 'workflow.mcp_disabled',
      object_kind: 'workflow',
      object_id: row.id,
      object_name: row.name,
      owner_id: row.owner_id,
    });
  });
  if (role === 'owner') ctx.broadcast.publish('workflow_changed', row.id);
  ctx.broadcast.publish('mcp_tools_changed', user_id);
  const [found] = await queries.workflowsWithGraphs(ctx.db, user_id, queries.byIds([row.id]));
  if (!found) throw notFound('Workflow');
  return record(found, await namesById(ctx.db, user_id));
}
