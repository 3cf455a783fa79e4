import type { ImportReport } from '@millrace/contracts';
import { recordAudit } from '../../database/audit.ts';
import type { Needs } from '../../services.ts';
import { requireWorkflow } from '../workflows/access.ts';
import * as queries from './queries.ts';

export async function readImportReport(
  ctx: Needs<'db' | 'actor'>,
  workflow_id: string,
): Promise<{ report: ImportReport | null }> {
  const { row } = await requireWorkflow(ctx, workflow_id, 'read');
  return { report: await queries.selectImportReport(ctx.db, row.id) };
}

/** For people who may edit the workflow. Without a report nothing changes. */
export async function dismissImportReport(
  ctx: Needs<'db' | 'actor' | 'now' | 'request_id' | 'client_ip'>,
  workflow_id: string,
): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const { row } = await requireWorkflow({ ...ctx, db: tx }, workflow_id, 'edit');
    if (!(await queries.deleteImportReport(tx, row.id))) return;
    await recordAudit(tx, ctx, {
      action: 'workflow.updated',
      object_kind: 'workflow',
      object_id: row.id,
      object_name: row.name,
      owner_id: row.owner_id,
      details: { fields: ['import_report'] },
    });
  });
}
