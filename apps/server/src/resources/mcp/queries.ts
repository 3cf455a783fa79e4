import { and, asc, eq, gt, inArray, isNull, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../database/database.ts';
import {
  mcpServers,
  mcpServerWorkflows,
  mcpToolNames,
  teamWorkflowTools,
  workflowShares,
  workflows,
  workflowVersions,
} from '../../database/schema/index.ts';
import { visibleIds, workflowShareable } from '../shares/shareable.ts';
import { buildShareCondition } from '../workflows/access.ts';

/** The workflows that one MCP server of a person offers, as far as the person can see them. */
export interface Toolset {
  readonly user_id: string;
  /** Null is the default server, whose workflows are chosen by the person's own switch. */
  readonly server_id: string | null;
}

/** The person's own switch: the owner's on the workflow, others' on their share, or beside the share of their team. */
const isSwitchedOn = (user_id: string): SQL<boolean> => sql<boolean>`(CASE
  WHEN ${workflows.owner_id} = ${user_id} THEN ${workflows.mcp_enabled}
  WHEN ${workflowShares.id} IS NOT NULL THEN ${workflowShares.mcp_enabled}
  ELSE ${teamWorkflowTools.workflow_id} IS NOT NULL END)`;

const isTool = ({ user_id, server_id }: Toolset): SQL<boolean> =>
  server_id === null
    ? isSwitchedOn(user_id)
    : sql<boolean>`EXISTS (SELECT 1 FROM ${mcpServerWorkflows}
  WHERE ${mcpServerWorkflows.server_id} = ${server_id} AND ${mcpServerWorkflows.workflow_id} = ${workflows.id})`;

const named = (toolset: Toolset) => ({
  id: workflows.id,
  name: workflows.name,
  description: workflows.description,
  mcp_enabled: isTool(toolset),
});

/** The oldest first: names of tools are given in this order. */
const inOrder = [asc(workflows.created_at), asc(workflows.id)] as const;

const visible = (user_id: string, condition?: SQL) =>
  and(inArray(workflows.id, visibleIds(workflowShareable, user_id)), condition);

const ownTeamSwitch = (user_id: string) =>
  and(eq(teamWorkflowTools.workflow_id, workflows.id), eq(teamWorkflowTools.user_id, user_id));

const ofToolset = ({ user_id, server_id }: Toolset) =>
  and(
    eq(mcpToolNames.user_id, user_id),
    server_id === null ? isNull(mcpToolNames.server_id) : eq(mcpToolNames.server_id, server_id),
  );

/** The workflows that are tools, with their stored names; those that were never published are none. No graph is read. */
export const namesOfTools = (db: Db, toolset: Toolset, condition?: SQL) =>
  db
    .select({ ...named(toolset), tool_name: mcpToolNames.name })
    .from(workflows)
    .innerJoin(
      workflowVersions,
      and(eq(workflowVersions.id, workflows.version_id), gt(workflowVersions.version_number, 0)),
    )
    .leftJoin(workflowShares, buildShareCondition(toolset.user_id))
    .leftJoin(teamWorkflowTools, ownTeamSwitch(toolset.user_id))
    .leftJoin(mcpToolNames, and(eq(mcpToolNames.workflow_id, workflows.id), ofToolset(toolset)))
    .where(visible(toolset.user_id, and(isTool(toolset), condition)))
    .orderBy(...inOrder);

/** May include too many workflows, as text in a node can look like a type. */
export const matchNodeTypes = (types: readonly string[]): SQL =>
  sql`${workflowVersions.nodes} ~ ${`"type": ?"(${types.join('|')})"`}`;

export const byToolName = (name: string): SQL => eq(mcpToolNames.name, name);

export type ToolRow = Awaited<ReturnType<typeof namesOfTools>>[number];

/** Stored names of a server with the ids of their workflows, of tools that are switched off as well. */
export async function takenNames(db: Db, toolset: Toolset): Promise<Map<string, string>> {
  const { name, workflow_id } = mcpToolNames;
  const rows = await db.select({ name, workflow_id }).from(mcpToolNames).where(ofToolset(toolset));
  return new Map(rows.map((row) => [row.name, row.workflow_id]));
}

/** Leaves out workflows that are gone, names that are taken and workflows that have one. */
export async function insertToolNames(
  tx: Db,
  { user_id, server_id }: Toolset,
  names: ReadonlyMap<string, { readonly id: string }>,
): Promise<void> {
  const ids = Array.from(names.values(), ({ id }) => id);
  const held = await tx.select({ id: workflows.id }).from(workflows).where(byIds(ids)).for('key share');
  const known = new Set(held.map(({ id }) => id));
  const rows = Array.from(names, ([name, { id }]) => ({ user_id, server_id, workflow_id: id, name }));
  const kept = rows.filter(({ workflow_id }) => known.has(workflow_id));
  if (kept.length > 0) await tx.insert(mcpToolNames).values(kept).onConflictDoNothing();
}

export const deleteToolName = (db: Db, toolset: Toolset, workflow_id: string) =>
  db.delete(mcpToolNames).where(and(ofToolset(toolset), eq(mcpToolNames.workflow_id, workflow_id)));

/** Visible workflows with their graphs. */
export const workflowsWithGraphs = (db: Db, toolset: Toolset, condition?: SQL) =>
  db
    .select({ ...named(toolset), nodes: workflowVersions.nodes, edges: workflowVersions.edges })
    .from(workflows)
    .innerJoin(workflowVersions, eq(workflowVersions.id, workflows.version_id))
    .leftJoin(workflowShares, buildShareCondition(toolset.user_id))
    .leftJoin(teamWorkflowTools, ownTeamSwitch(toolset.user_id))
    .where(visible(toolset.user_id, condition))
    .orderBy(...inOrder);

export type WorkflowWithGraph = Awaited<ReturnType<typeof workflowsWithGraphs>>[number];

export const byIds = (ids: readonly string[]): SQL => inArray(workflows.id, [...ids]);

export const switchOwn = (db: Db, id: string, mcp_enabled: boolean) =>
  db.update(workflows).set({ mcp_enabled }).where(eq(workflows.id, id));

export async function switchLink(
  db: Db,
  link: typeof mcpServerWorkflows.$inferInsert,
  enabled: boolean,
): Promise<void> {
  if (enabled) {
    await db.insert(mcpServerWorkflows).values(link).onConflictDoNothing();
    return;
  }
  const { server_id, workflow_id } = mcpServerWorkflows;
  await db
    .delete(mcpServerWorkflows)
    .where(and(eq(server_id, link.server_id), eq(workflow_id, link.workflow_id)));
}

/** False when the workflow is not shared with the person directly. */
export async function switchShare(
  db: Db,
  { id, user_id }: { id: string; user_id: string },
  mcp_enabled: boolean,
): Promise<boolean> {
  const rows = await db
    .update(workflowShares)
    .set({ mcp_enabled })
    .where(and(eq(workflowShares.workflow_id, id), eq(workflowShares.user_id, user_id)))
    .returning({ id: workflowShares.id });
  return rows.length > 0;
}

export async function switchTeamTool(
  db: Db,
  { id, user_id }: { id: string; user_id: string },
  mcp_enabled: boolean,
): Promise<void> {
  if (mcp_enabled) {
    await db.insert(teamWorkflowTools).values({ workflow_id: id, user_id }).onConflictDoNothing();
    return;
  }
  await db
    .delete(teamWorkflowTools)
    .where(and(eq(teamWorkflowTools.workflow_id, id), eq(teamWorkflowTools.user_id, user_id)));
}

export type ServerRow = typeof mcpServers.$inferSelect;

const ownServer = ({ user_id, id }: { readonly user_id: string; readonly id: string }) =>
  and(eq(mcpServers.id, id), eq(mcpServers.user_id, user_id));

export async function serverById(
  db: Db,
  server: { readonly user_id: string; readonly id: string },
): Promise<ServerRow | undefined> {
  const [row] = await db.select().from(mcpServers).where(ownServer(server));
  return row;
}

/** Keeps a server from being changed or deleted until the transaction ends; false when it is none of the person's. */
export async function holdServer(
  db: Db,
  server: { readonly user_id: string; readonly id: string },
): Promise<boolean> {
  const rows = await db.select({ id: mcpServers.id }).from(mcpServers).where(ownServer(server)).for('update');
  return rows.length > 0;
}

export const listServers = (db: Db, user_id: string): Promise<ServerRow[]> =>
  db.select().from(mcpServers).where(eq(mcpServers.user_id, user_id)).orderBy(asc(mcpServers.name));

/** False when the person has one with that name. */
export async function insertServer(db: Db, row: typeof mcpServers.$inferInsert): Promise<boolean> {
  const rows = await db
    .insert(mcpServers)
    .values(row)
    .onConflictDoNothing({ target: [mcpServers.user_id, mcpServers.name] })
    .returning({ id: mcpServers.id });
  return rows.length > 0;
}

/** The name that it had; undefined when it is none of the person's. */
export async function deleteServer(
  db: Db,
  server: { readonly user_id: string; readonly id: string },
): Promise<string | undefined> {
  const [row] = await db.delete(mcpServers).where(ownServer(server)).returning({ name: mcpServers.name });
  return row?.name;
}
