import { receivers } from '@millrace/nodes/runtime';
import { AppError, notFound } from '../../../core/app-error.ts';
import { newId } from '../../../core/ids.ts';
import type { Needs, Services } from '../../../services.ts';
import { type FireServices, fire } from '../../../triggers/fire.ts';
import { triggerOfNode } from '../../../triggers/host/hosted-trigger.ts';
import { requireWorkflow } from '../../workflows/access.ts';

/** Fires a schedule beside its due times, on the published version. */
export async function runNow(
  services: FireServices & Pick<Services, 'config'>,
  ctx: Needs<'db' | 'sql' | 'actor' | 'now'>,
  { workflow_id, node_id }: { readonly workflow_id: string; readonly node_id: string },
): Promise<{ run_id: string }> {
  await requireWorkflow(ctx, workflow_id, 'edit');
  const trigger = await triggerOfNode(ctx.sql, workflow_id, node_id);
  if (!trigger) throw notFound('Trigger');
  const receiver = receivers.get(trigger.type);
  if (receiver?.kind !== 'clock')
    throw new AppError('invalid_input', 'Only a schedule can be run now; other triggers need an event');
  const { input } = receiver.event(
    {
      params: receiver.definition.params.parse(trigger.settings),
      node_id,
      time_zone: services.config.TIMEZONE,
    },
    ctx.now(),
  );
  const outcome = await fire(
    services,
    { trigger, receiver },
    { causes: [`by hand ${newId()}`], input, by_hand: true },
  );
  if (outcome.kind === 'refused') throw outcome.refuse();
  if (outcome.kind === 'lost')
    throw new AppError(
      'conflict',
      'The schedule is paused or off; resume it, or switch its node and workflow on',
    );
  return { run_id: outcome.run_id };
}
