import type { Trigger } from '@millrace/contracts';
import { notFound } from '../../core/app-error.ts';
import { recordAudit } from '../../database/audit.ts';
import type { Needs } from '../../services.ts';
import { lockedState } from '../workflows/state.ts';
import { replaceTriggers } from './publish.ts';
import * as queries from './queries.ts';
import { triggerRecord } from './service.ts';

interface Pause {
  readonly node_id: string;
  readonly is_paused: boolean;
}

/** Pauses or resumes a trigger of the published version (§5.8: editing is open to collaborators). */
export function setPaused(
  ctx: Needs<'db' | 'actor' | 'now'>,
  workflow_id: string,
  { node_id, is_paused }: Pause,
): Promise<Trigger> {
  return ctx.db.transaction(async (tx) => {
    const { visible, graph } = await lockedState({ ...ctx, db: tx }, workflow_id, 'edit');
    const node = { workflow_id, node_id };
    const before = await queries.triggerOfNode(tx, node);
    if (!before) throw notFound('Trigger');
    const at = new Date(ctx.now());
    await queries.writePause(tx, node, is_paused ? at : null);
    const { version_id, active, name, owner_id } = visible.row;
    await replaceTriggers(tx, { workflow_id, version_id, graph, active, at });
    const after = await queries.triggerOfNode(tx, node);
    if (!after) throw notFound('Trigger');
    if (is_paused !== (before.trigger.paused_at !== null))
      await recordAudit(tx, ctx, {
        action: is_paused ? 'workflow.trigger_paused' : 'workflow.trigger_resumed',
        object_kind: 'workflow',
        object_id: workflow_id,
        object_name: name,
        owner_id,
        details: { node_id },
      });
    return triggerRecord(after, ctx.now());
  });
}
