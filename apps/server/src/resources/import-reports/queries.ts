import { and, eq, isNotNull } from 'drizzle-orm';
import type { Db } from '../../database/database.ts';
import { type StoredImportReport, workflows } from '../../database/schema/index.ts';

export async function selectImportReport(db: Db, workflow_id: string): Promise<StoredImportReport | null> {
  const [row] = await db
    .select({ report: workflows.import_report })
    .from(workflows)
    .where(eq(workflows.id, workflow_id));
  return row?.report ?? null;
}

/** Whether there was one. `updated_at` stays, so that an open editor can still save. */
export async function deleteImportReport(db: Db, workflow_id: string): Promise<boolean> {
  const rows = await db
    .update(workflows)
    .set({ import_report: null })
    .where(and(eq(workflows.id, workflow_id), isNotNull(workflows.import_report)))
    .returning({ id: workflows.id });
  return rows.length > 0;
}
