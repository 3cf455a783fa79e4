import type { WorkflowPins } from '@millrace/contracts';
import { and, desc, eq, inArray } from 'drizzle-orm';
import { workflowPins } from '../../database/schema/index.ts';
import type { Needs } from '../../services.ts';
import { visibleIds, workflowShareable } from '../shares/shareable.ts';
import { requireWorkflow } from '../workflows/access.ts';

/** A pin outlives a share that ends, and shows again when there is a new one. */
export async function listPins({ db, actor }: Needs<'db' | 'actor'>): Promise<WorkflowPins> {
  const { user_id } = actor;
  const rows = await db
    .select({ workflow_id: workflowPins.workflow_id })
    .from(workflowPins)
    .where(
      and(
        eq(workflowPins.user_id, user_id),
        inArray(workflowPins.workflow_id, visibleIds(workflowShareable, user_id)),
      ),
    )
    .orderBy(desc(workflowPins.created_at), workflowPins.workflow_id);
  return { workflow_ids: rows.map(({ workflow_id }) => workflow_id) };
}

export async function pinWorkflow(
  ctx: Needs<'db' | 'actor' | 'now'>,
  workflow_id: string,
): Promise<WorkflowPins> {
  await requireWorkflow(ctx, workflow_id, 'read');
  const { user_id } = ctx.actor;
  await ctx.db
    .insert(workflowPins)
    .values({ user_id, workflow_id, created_at: new Date(ctx.now()) })
    .onConflictDoNothing();
  return listPins(ctx);
}

export async function unpinWorkflow(ctx: Needs<'db' | 'actor'>, workflow_id: string): Promise<WorkflowPins> {
  await requireWorkflow(ctx, workflow_id, 'read');
  const { user_id } = ctx.actor;
  await ctx.db
    .delete(workflowPins)
    .where(and(eq(workflowPins.user_id, user_id), eq(workflowPins.workflow_id, workflow_id)));
  return listPins(ctx);
}
