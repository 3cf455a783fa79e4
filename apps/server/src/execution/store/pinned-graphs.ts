import { and, eq, inArray, lt, ne, notExists, sql } from 'drizzle-orm';
import type { Db } from '../../database/database.ts';
import { runs, workflowDrafts, workflowVersions } from '../../database/schema/index.ts';
import type { SqlClient } from '../../database/sql-client.ts';
import { STATE } from './run-state.ts';

const isOpen = lt(runs.state, STATE.done);

/** Runs of a workflow that have not ended. */
export async function openRunIds(db: Db, workflow_id: string): Promise<string[]> {
  const rows = await db
    .select({ id: runs.id })
    .from(runs)
    .where(and(eq(runs.workflow_id, workflow_id), isOpen));
  return rows.map((row) => row.id);
}

export interface PinnedGraph {
  readonly workflow_id: string;
  readonly version_id: string;
  /** Null for a draft. */
  readonly version_number: number | null;
  /** JSON texts. */
  readonly nodes: string;
  readonly edges: string;
}

/** The graph that a run started with, whether it was published or a draft; undefined once that was deleted. */
export async function graphOfRun(sql: SqlClient, run_id: string): Promise<PinnedGraph | undefined> {
  const { rows } = await sql.query<PinnedGraph>({
    text: `SELECT r.workflow_id, v.id AS version_id, v.version_number, v.nodes, v.edges
        FROM runs r JOIN workflow_versions v ON v.id = r.version_id WHERE r.id = $1
      UNION ALL SELECT r.workflow_id, d.id, NULL, d.nodes, d.edges
        FROM runs r JOIN workflow_drafts d ON d.id = r.version_id WHERE r.id = $1`,
    values: [run_id],
  });
  return rows[0];
}

/** Deletes former versions that no unfinished run is pinned to; finished runs stay and lose the link. */
export async function deleteFormerVersions(db: Db, workflow_id: string, current_id: string): Promise<void> {
  const pinned = db
    .select({ one: sql`1` })
    .from(runs)
    .where(and(eq(runs.version_id, workflowVersions.id), isOpen));
  const doomed = await db
    .select({ id: workflowVersions.id })
    .from(workflowVersions)
    .where(
      and(
        eq(workflowVersions.workflow_id, workflow_id),
        ne(workflowVersions.id, current_id),
        notExists(pinned),
      ),
    );
  if (doomed.length === 0) return;
  const ids = doomed.map((row) => row.id);
  await db
    .update(runs)
    .set({ version_id: null })
    .where(and(eq(runs.workflow_id, workflow_id), inArray(runs.version_id, ids)));
  await db.delete(workflowVersions).where(inArray(workflowVersions.id, ids));
}

/** Deletes drafts that were run and are neither the current one nor that of an unfinished run. */
export async function deleteFormerDrafts(
  db: Db,
  workflow_id: string,
  current_id: string | null,
): Promise<void> {
  const pinned = db
    .select({ one: sql`1` })
    .from(runs)
    .where(and(eq(runs.workflow_id, workflow_id), eq(runs.version_id, workflowDrafts.id), isOpen));
  await db
    .delete(workflowDrafts)
    .where(
      and(
        eq(workflowDrafts.workflow_id, workflow_id),
        current_id === null ? undefined : ne(workflowDrafts.id, current_id),
        notExists(pinned),
      ),
    );
}
