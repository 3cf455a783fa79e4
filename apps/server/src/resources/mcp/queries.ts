import { and, asc, eq, gt, inArray, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../database/database.ts';
import {
  mcpKeys,
  teamWorkflowTools,
  workflowShares,
  workflows,
  workflowVersions,
} from '../../database/schema/index.ts';
import { visibleIds, workflowShareable } from '../shares/shareable.ts';

/** The person's own switch: the owner's on the workflow, others' on their share, or beside the share of their team. */
const isTool = (user_id: string): SQL<boolean> => sql<boolean>`(CASE
  WHEN ${workflows.owner_id} = ${user_id} THEN ${workflows.mcp_enabled}
  WHEN ${workflowShares.id} IS NOT NULL THEN ${workflowShares.mcp_enabled}
  ELSE ${teamWorkflowTools.workflow_id} IS NOT NULL END)`;

const named = (user_id: string) => ({
  id: workflows.id,
  name: workflows.name,
  description: workflows.description,
  mcp_enabled: isTool(user_id),
});

/** The oldest first: names of tools are given in this order. */
const inOrder = [asc(workflows.created_at), asc(workflows.id)] as const;

const visible = (user_id: string, condition?: SQL) =>
  and(inArray(workflows.id, visibleIds(workflowShareable, user_id)), condition);

const ownShare = (user_id: string) =>
  and(eq(workflowShares.workflow_id, workflows.id), eq(workflowShares.user_id, user_id));
const ownTeamSwitch = (user_id: string) =>
  and(eq(teamWorkflowTools.workflow_id, workflows.id), eq(teamWorkflowTools.user_id, user_id));

/** Names of the workflows that are tools of the person; those that were never published are not. No graph is read. */
export const namesOfTools = (db: Db, user_id: string) =>
  db
    .select(named(user_id))
    .from(workflows)
    .innerJoin(
      workflowVersions,
      and(eq(workflowVersions.id, workflows.version_id), gt(workflowVersions.version_number, 0)),
    )
    .leftJoin(workflowShares, ownShare(user_id))
    .leftJoin(teamWorkflowTools, ownTeamSwitch(user_id))
    .where(visible(user_id, sql`${isTool(user_id)}`))
    .orderBy(...inOrder);

/** Visible workflows with their graphs. */
export const workflowsWithGraphs = (db: Db, user_id: string, condition?: SQL) =>
  db
    .select({ ...named(user_id), nodes: workflowVersions.nodes, edges: workflowVersions.edges })
    .from(workflows)
    .innerJoin(workflowVersions, eq(workflowVersions.id, workflows.version_id))
    .leftJoin(workflowShares, ownShare(user_id))
    .leftJoin(teamWorkflowTools, ownTeamSwitch(user_id))
    .where(visible(user_id, condition))
    .orderBy(...inOrder);

export type WorkflowWithGraph = Awaited<ReturnType<typeof workflowsWithGraphs>>[number];

export const byIds = (ids: readonly string[]): SQL => inArray(workflows.id, [...ids]);

export const switchOwn = (db: Db, id: string, mcp_enabled: boolean) =>
  db.update(workflows).set({ mcp_enabled }).where(eq(workflows.id, id));

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

/** Replaces the key of the person; the id is new, too. */
export const replaceKey = (db: Db, row: typeof mcpKeys.$inferInsert) =>
  db
    .insert(mcpKeys)
    .values(row)
    .onConflictDoUpdate({
      target: mcpKeys.user_id,
      set: { id: row.id, key_hash: row.key_hash, created_at: row.created_at },
    });

export async function hasKey(db: Db, user_id: string): Promise<boolean> {
  const rows = await db.select({ id: mcpKeys.id }).from(mcpKeys).where(eq(mcpKeys.user_id, user_id));
  return rows.length > 0;
}

export interface KeyOwner {
  readonly key_id: string;
  readonly user_id: string;
}

const keyOwner = { key_id: mcpKeys.id, user_id: mcpKeys.user_id };

export async function keyByHash(db: Db, key_hash: string): Promise<KeyOwner | undefined> {
  const [row] = await db.select(keyOwner).from(mcpKeys).where(eq(mcpKeys.key_hash, key_hash));
  return row;
}

export async function keyById(db: Db, id: string): Promise<KeyOwner | undefined> {
  const [row] = await db.select(keyOwner).from(mcpKeys).where(eq(mcpKeys.id, id));
  return row;
}
