import type { WorkflowSummary } from '@millrace/contracts';
import { recordAudit } from '../../database/audit.ts';
import { requireWorkflow } from '../workflows/access.ts';
import { workflowSummary } from '../workflows/record.ts';
import * as queries from './queries.ts';
import type { FolderWriter } from './service.ts';

/**
 * §3.3: schedules a workflow for deletion, which also takes it out of its folder, or restores it. Asking twice changes
 * nothing: the time of the first call stays.
 */
async function setScheduled(ctx: FolderWriter, id: string, scheduled: boolean): Promise<WorkflowSummary> {
  await ctx.db.transaction(async (tx) => {
    const { row } = await requireWorkflow({ ...ctx, db: tx }, id, 'own');
    if ((row.scheduled_for_deletion !== null) === scheduled) return;
    const updated_at = new Date(ctx.now());
    await queries.setScheduled(
      tx,
      id,
      scheduled
        ? { scheduled_for_deletion: updated_at, folder_id: null, updated_at }
        : { scheduled_for_deletion: null, updated_at },
    );
    await recordAudit(tx, ctx, {
      action: scheduled ? 'workflow.deletion_scheduled' : 'workflow.restored',
      object_kind: 'workflow',
      object_id: id,
      object_name: row.name,
    });
  });
  ctx.broadcast.publish('workflow_changed', id);
  return workflowSummary(await requireWorkflow(ctx, id, 'own'));
}

export const scheduleDeletion = (ctx: FolderWriter, id: string) => setScheduled(ctx, id, true);
export const cancelDeletion = (ctx: FolderWriter, id: string) => setScheduled(ctx, id, false);
