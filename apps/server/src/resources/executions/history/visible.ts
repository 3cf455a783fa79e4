import { inArray } from 'drizzle-orm';
import type { Needs } from '../../../core/context.ts';
import { workflows } from '../../../database/schema/index.ts';
import { visibleIds, workflowShareable } from '../../shares/shareable.ts';

/** Ids of the workflows that the person can see (§5.8). */
export async function visibleWorkflowIds({ db, actor }: Needs<'db' | 'actor'>): Promise<string[]> {
  const rows = await db
    .select({ id: workflows.id })
    .from(workflows)
    .where(inArray(workflows.id, visibleIds(workflowShareable, actor.user_id)));
  return rows.map((row) => row.id);
}
