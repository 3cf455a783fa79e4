import { and, asc, desc, eq, gt, inArray, ne, type SQL } from 'drizzle-orm';
import type { Db } from '../../database/database.ts';
import {
  credentials,
  mcpServers,
  mcpServerWorkflows,
  portalSessions,
  runDeletions,
  skillReferences,
  teamWorkflowTools,
  users,
  workflowDrafts,
  workflowReferences,
  workflowShares,
  workflows,
  workflowVersions,
} from '../../database/schema/index.ts';
import { credentialShareable, visibleIds, workflowShareable } from '../shares/shareable.ts';
import { skillLinks } from '../skills/in-graph.ts';
import type { WorkflowRow } from './access.ts';
import { type NamedIds, workflowLinks } from './graph/foreign-references.ts';
import type { Draft, Graph } from './record.ts';

export type VersionRow = typeof workflowVersions.$inferSelect;
/** The graphs of the visible workflows, for the list of what can be started. */
export async function graphsOfVersions(db: Db, version_ids: readonly string[]): Promise<Map<string, Graph>> {
  if (version_ids.length === 0) return new Map();
  const rows = await db
    .select({ id: workflowVersions.id, nodes: workflowVersions.nodes, edges: workflowVersions.edges })
    .from(workflowVersions)
    .where(inArray(workflowVersions.id, [...version_ids]));
  return new Map(rows.map((row) => [row.id, { nodes: row.nodes, edges: row.edges } as Graph]));
}

/** People whose MCP clients have the workflow as a tool, by their own switch or at a server of theirs. */
export async function toolUsers(db: Db, workflow_id: string): Promise<string[]> {
  const owner = db
    .select({ user_id: workflows.owner_id })
    .from(workflows)
    .where(and(eq(workflows.id, workflow_id), workflows.mcp_enabled));
  const shared = db
    .select({ user_id: workflowShares.user_id })
    .from(workflowShares)
    .where(and(eq(workflowShares.workflow_id, workflow_id), workflowShares.mcp_enabled));
  const team = db
    .select({ user_id: teamWorkflowTools.user_id })
    .from(teamWorkflowTools)
    .where(eq(teamWorkflowTools.workflow_id, workflow_id));
  const linked = db
    .select({ user_id: mcpServers.user_id })
    .from(mcpServers)
    .innerJoin(mcpServerWorkflows, eq(mcpServerWorkflows.server_id, mcpServers.id))
    .where(eq(mcpServerWorkflows.workflow_id, workflow_id));
  return (await owner.union(shared).union(team).union(linked)).map(({ user_id }) => user_id);
}

/** The graph of a version that is known to exist. */
export async function graphOfVersion(db: Db, version_id: string): Promise<Graph> {
  const graph = (await graphsOfVersions(db, [version_id])).get(version_id);
  if (!graph) throw new Error(`version ${version_id} has vanished`);
  return graph;
}

export async function findDraft(db: Db, draft_id: string): Promise<Draft | undefined> {
  const [row] = await db.select().from(workflowDrafts).where(eq(workflowDrafts.id, draft_id));
  return row && { graph: { nodes: row.nodes, edges: row.edges } as Graph, saved_by_id: row.saved_by_id };
}

export async function graphsOfDrafts(db: Db, draft_ids: readonly string[]): Promise<Map<string, Graph>> {
  if (draft_ids.length === 0) return new Map();
  const rows = await db
    .select({ id: workflowDrafts.id, nodes: workflowDrafts.nodes, edges: workflowDrafts.edges })
    .from(workflowDrafts)
    .where(inArray(workflowDrafts.id, [...draft_ids]));
  return new Map(rows.map((row) => [row.id, { nodes: row.nodes, edges: row.edges } as Graph]));
}

export const insertDraft = (db: Db, row: typeof workflowDrafts.$inferInsert) =>
  db.insert(workflowDrafts).values(row);

/** A draft that is not current any more goes, unless a run started with it. */
export const dropDraft = (db: Db, draft_id: string) =>
  db.delete(workflowDrafts).where(and(eq(workflowDrafts.id, draft_id), eq(workflowDrafts.was_run, false)));

/** Makes simultaneous writers of one workflow wait for each other. */
export const lockWorkflow = (db: Db, id: string) =>
  db.select({ id: workflows.id }).from(workflows).where(eq(workflows.id, id)).for('update');

export const insertWorkflow = (db: Db, row: typeof workflows.$inferInsert) =>
  db.insert(workflows).values(row);

export const updateWorkflow = (db: Db, id: string, change: Partial<WorkflowRow>) =>
  db.update(workflows).set(change).where(eq(workflows.id, id));

export const deleteWorkflow = (db: Db, id: string) => db.delete(workflows).where(eq(workflows.id, id));

export const queryDeletions = (db: Db, owner_id: string) =>
  db
    .select({
      workflow_id: runDeletions.workflow_id,
      workflow_name: runDeletions.workflow_name,
      requested_at: runDeletions.requested_at,
      runs_deleted: runDeletions.runs_deleted,
      runs_total: runDeletions.runs_total,
    })
    .from(runDeletions)
    .where(eq(runDeletions.owner_id, owner_id))
    .orderBy(runDeletions.requested_at);

export const insertVersion = (db: Db, row: typeof workflowVersions.$inferInsert) =>
  db.insert(workflowVersions).values(row);

export async function slugIsTaken(db: Db, slug: string, except_id?: string): Promise<boolean> {
  const rows = await db
    .select({ id: workflows.id })
    .from(workflows)
    .where(
      and(eq(workflows.portal_slug, slug), except_id === undefined ? undefined : ne(workflows.id, except_id)),
    );
  return rows.length > 0;
}

/** Sessions of a portal that is switched off do not come back with it. */
export const endPortalSessions = (db: Db, workflow_id: string) =>
  db.delete(portalSessions).where(eq(portalSessions.workflow_id, workflow_id));

const versionSummary = {
  id: workflowVersions.id,
  workflow_id: workflowVersions.workflow_id,
  version_number: workflowVersions.version_number,
  name: workflowVersions.name,
  description: workflowVersions.description,
  note: workflowVersions.note,
  override_reason: workflowVersions.override_reason,
  created_by_id: workflowVersions.created_by_id,
  created_by_name: users.name,
  created_at: workflowVersions.created_at,
};

/** Versions, the newest first, without the one that `except_id` names. */
export const listVersions = (
  db: Db,
  { workflow_id, except_id }: { workflow_id: string; except_id: string | undefined },
  { limit, offset }: { limit: number; offset: number },
) =>
  db
    .select(versionSummary)
    .from(workflowVersions)
    .leftJoin(users, eq(users.id, workflowVersions.created_by_id))
    .where(
      and(
        eq(workflowVersions.workflow_id, workflow_id),
        gt(workflowVersions.version_number, 0),
        except_id === undefined ? undefined : ne(workflowVersions.id, except_id),
      ),
    )
    .orderBy(desc(workflowVersions.version_number))
    .limit(limit)
    .offset(offset);

/** A version of that workflow, not of any other. */
export async function findVersion(
  db: Db,
  workflow_id: string,
  version_id: string,
): Promise<(VersionRow & { created_by_name: string | null }) | undefined> {
  const [row] = await db
    .select({ version: workflowVersions, created_by_name: users.name })
    .from(workflowVersions)
    .leftJoin(users, eq(users.id, workflowVersions.created_by_id))
    .where(and(eq(workflowVersions.workflow_id, workflow_id), eq(workflowVersions.id, version_id)));
  return row && { ...row.version, created_by_name: row.created_by_name };
}

/** Which of the credentials and workflows that a graph names the person may use. */
export async function usableIds(db: Db, user_id: string, named: NamedIds): Promise<Set<string>> {
  const mayUse = (
    ids: readonly string[],
    column: typeof credentials.id | typeof workflows.id,
    visible: SQL,
  ) => and(inArray(column, [...ids]), inArray(column, visible));
  const foundCredentials = await db
    .select({ id: credentials.id })
    .from(credentials)
    .where(mayUse(named.credentials, credentials.id, visibleIds(credentialShareable, user_id)));
  const foundWorkflows = await db
    .select({ id: workflows.id })
    .from(workflows)
    .where(mayUse(named.workflows, workflows.id, visibleIds(workflowShareable, user_id)));
  return new Set([...foundCredentials, ...foundWorkflows].map((row) => row.id));
}

/** Of a workflow that was made in the same transaction, and so has one version or one draft. */
export async function replaceNodes(db: Db, workflow_id: string, nodes: unknown): Promise<void> {
  await db
    .update(workflowVersions)
    .set({ nodes })
    .where(and(eq(workflowVersions.workflow_id, workflow_id), gt(workflowVersions.version_number, 0)));
  await db.update(workflowDrafts).set({ nodes }).where(eq(workflowDrafts.workflow_id, workflow_id));
}

/** Replaces what is kept of which nodes of the workflow call which others, and use which skills of the library. */
export async function replaceReferences(
  db: Db,
  workflow_id: string,
  graphs: readonly Graph[],
): Promise<void> {
  await db.delete(workflowReferences).where(eq(workflowReferences.workflow_id, workflow_id));
  const called = graphs.flatMap(workflowLinks).map((link) => ({ workflow_id, ...link }));
  if (called.length > 0) await db.insert(workflowReferences).values(called).onConflictDoNothing();
  await db.delete(skillReferences).where(eq(skillReferences.workflow_id, workflow_id));
  const used = graphs.flatMap(skillLinks).map((link) => ({ workflow_id, ...link }));
  if (used.length > 0) await db.insert(skillReferences).values(used).onConflictDoNothing();
}

/** Nodes of visible workflows that call the given one. */
export const referencesTo = (db: Db, user_id: string, target_id: string) =>
  db
    .select({ workflow_id: workflows.id, workflow_name: workflows.name, node_id: workflowReferences.node_id })
    .from(workflowReferences)
    .innerJoin(workflows, eq(workflows.id, workflowReferences.workflow_id))
    .where(
      and(
        eq(workflowReferences.target_id, target_id),
        inArray(workflows.id, visibleIds(workflowShareable, user_id)),
      ),
    )
    .orderBy(asc(workflows.name), asc(workflows.id), asc(workflowReferences.node_id));

/** A run is going to start with the draft, so that it stays when the workflow is saved again. */
export const keepDraftRow = (db: Db, id: string) =>
  db.update(workflowDrafts).set({ was_run: true }).where(eq(workflowDrafts.id, id));
