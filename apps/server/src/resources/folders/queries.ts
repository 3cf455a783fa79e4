import { and, asc, eq, inArray, isNull, or, sql } from 'drizzle-orm';
import type { Db } from '../../database/database.ts';
import {
  folders,
  teamWorkflowPlacements,
  workflowDrafts,
  workflowShares,
  workflows,
  workflowVersions,
} from '../../database/schema/index.ts';
import type { Graph } from '../workflows/record.ts';

export type FolderRow = typeof folders.$inferSelect;

const byName = [asc(sql`lower(${folders.name})`), asc(folders.id)] as const;

export const ownFolders = (db: Db, owner_id: string): Promise<FolderRow[]> =>
  db
    .select()
    .from(folders)
    .where(eq(folders.owner_id, owner_id))
    .orderBy(...byName);

/** Folders directly below one, or at the root. */
export const childFolders = (db: Db, owner_id: string, parent_id: string | null): Promise<FolderRow[]> =>
  db
    .select()
    .from(folders)
    .where(
      and(
        eq(folders.owner_id, owner_id),
        parent_id === null ? isNull(folders.parent_id) : eq(folders.parent_id, parent_id),
      ),
    )
    .orderBy(...byName);

export async function ownFolder(db: Db, owner_id: string, id: string): Promise<FolderRow | undefined> {
  const [row] = await db
    .select()
    .from(folders)
    .where(and(eq(folders.id, id), eq(folders.owner_id, owner_id)));
  return row;
}

const LOCK_CLASS = 460_022;

/** Changes of one person's tree wait for each other: two moves must not form a cycle together. */
export const lockTree = (db: Db, owner_id: string) =>
  db.execute(sql`SELECT pg_advisory_xact_lock(${LOCK_CLASS}, hashtext(${owner_id}))`);

export const insertFolder = (db: Db, row: typeof folders.$inferInsert) => db.insert(folders).values(row);

export const insertFolders = (db: Db, rows: (typeof folders.$inferInsert)[]) =>
  db.insert(folders).values(rows);

export const updateFolder = (db: Db, id: string, change: Partial<FolderRow>) =>
  db.update(folders).set(change).where(eq(folders.id, id));

export const deleteFolder = (db: Db, id: string) => db.delete(folders).where(eq(folders.id, id));

/** Takes the workflows of these folders out and schedules them for deletion. */
export const scheduleDeletion = (db: Db, folder_ids: readonly string[], now: Date) =>
  db
    .update(workflows)
    .set({ folder_id: null, scheduled_for_deletion: now, updated_at: now })
    .where(inArray(workflows.folder_id, [...folder_ids]))
    .returning({ id: workflows.id, name: workflows.name });

/** For `selectVisible`: what the viewer keeps in one of these folders, or in any folder when none are given. */
export function placedIn(user_id: string, folder_ids?: readonly string[]) {
  const columns = [workflows.folder_id, workflowShares.folder_id, teamWorkflowPlacements.folder_id] as const;
  const [own, shared, placed] = columns.map((column) =>
    folder_ids ? inArray(column, [...folder_ids]) : sql`${column} IS NOT NULL`,
  );
  return or(and(eq(workflows.owner_id, user_id), own), shared, placed);
}

export const setOwnFolder = (db: Db, workflow_id: string, folder_id: string | null) =>
  db.update(workflows).set({ folder_id }).where(eq(workflows.id, workflow_id));

interface Placement {
  readonly workflow_id: string;
  readonly user_id: string;
  readonly folder_id: string | null;
}

/** True when there is a direct share, which then holds the folder. */
export async function setShareFolder(
  db: Db,
  { workflow_id, user_id, folder_id }: Placement,
): Promise<boolean> {
  const rows = await db
    .update(workflowShares)
    .set({ folder_id })
    .where(and(eq(workflowShares.workflow_id, workflow_id), eq(workflowShares.user_id, user_id)))
    .returning({ id: workflowShares.id });
  return rows.length > 0;
}

export async function setTeamPlacement(
  db: Db,
  { workflow_id, user_id, folder_id }: Placement,
): Promise<void> {
  if (folder_id === null) {
    await db
      .delete(teamWorkflowPlacements)
      .where(
        and(eq(teamWorkflowPlacements.workflow_id, workflow_id), eq(teamWorkflowPlacements.user_id, user_id)),
      );
    return;
  }
  await db
    .insert(teamWorkflowPlacements)
    .values({ workflow_id, user_id, folder_id })
    .onConflictDoUpdate({
      target: [teamWorkflowPlacements.workflow_id, teamWorkflowPlacements.user_id],
      set: { folder_id },
    });
}

export const setScheduled = (
  db: Db,
  workflow_id: string,
  change: { scheduled_for_deletion: Date | null; folder_id?: null; updated_at: Date },
) => db.update(workflows).set(change).where(eq(workflows.id, workflow_id));

/** The stored graph of a version as it is exported. */
export async function graphOfVersion(db: Db, version_id: string): Promise<Graph | undefined> {
  const [row] = await db
    .select({ nodes: workflowVersions.nodes, edges: workflowVersions.edges })
    .from(workflowVersions)
    .where(eq(workflowVersions.id, version_id));
  return row && ({ nodes: row.nodes, edges: row.edges } as Graph);
}

/** The same of a draft. */
export async function graphOfDraft(db: Db, draft_id: string): Promise<Graph | undefined> {
  const [row] = await db
    .select({ nodes: workflowDrafts.nodes, edges: workflowDrafts.edges })
    .from(workflowDrafts)
    .where(eq(workflowDrafts.id, draft_id));
  return row && ({ nodes: row.nodes, edges: row.edges } as Graph);
}
