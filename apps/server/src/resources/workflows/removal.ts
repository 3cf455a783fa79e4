import { type AuditSource, recordAudit } from '../../database/audit.ts';
import type { Db } from '../../database/database.ts';
import { publishEvent, workflowEvent } from '../../database/platform-events.ts';
import { openRunIds } from '../../execution/store/pinned-graphs.ts';
import type { Needs } from '../../services.ts';
import type { WorkflowRow } from './access.ts';
import * as queries from './queries.ts';
import { announceChange } from './save.ts';

interface Removal {
  readonly row: Pick<WorkflowRow, 'id' | 'name' | 'owner_id' | 'updated_at'>;
  /** For the audit log. */
  readonly details?: Record<string, unknown>;
}

/**
 * Removes a locked workflow with everything that hangs on it, the runs that one statement does not reach soon after, in the
 * transaction that decided it.
 *
 * @returns to be called when the transaction is committed: notifies the processes, and stops the runs that are under way
 */
export async function removeWorkflow(
  tx: Db,
  ctx: AuditSource & Needs<'broadcast'>,
  { row, details }: Removal,
): Promise<() => void> {
  const { id, name, owner_id } = row;
  const open = await openRunIds(tx, id);
  const tool_users = await queries.toolUsers(tx, id);
  await queries.deleteWorkflow(tx, id);
  await recordAudit(tx, ctx, {
    action: 'workflow.deleted',
    object_kind: 'workflow',
    object_id: id,
    object_name: name,
    owner_id,
    ...(details ? { details } : {}),
  });
  // Behind the last change, whose time may be ahead of the clock.
  const at = new Date(Math.max(ctx.now(), row.updated_at.getTime() + 1));
  await publishEvent(
    tx,
    workflowEvent('workflow.deleted', row, { ...(ctx.actor ? { actor: ctx.actor } : {}), at }),
  );
  return () => {
    announceChange(ctx, id, { tool_users });
    ctx.broadcast.publish('access_changed', `workflow:${id}`);
    for (const run_id of open) ctx.broadcast.publish('cancel', run_id);
  };
}
