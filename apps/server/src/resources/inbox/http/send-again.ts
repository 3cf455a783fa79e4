import type { ResponseOf, sendDeliveries } from '@millrace/contracts';
import type { JsonObject } from '@millrace/engine';
import { receivers } from '@millrace/nodes/runtime';
import { AppError, conflict, notFound } from '../../../core/app-error.ts';
import type { Needs, Services } from '../../../services.ts';
import { createReading, UnreadableSettings } from '../../../triggers/host/context.ts';
import { type HostedTrigger, triggerOfNode } from '../../../triggers/host/hosted-trigger.ts';
import { visibleWorkflowIds } from '../../workflows/access.ts';
import { type KeptDelivery, keptDelivery, noteSent } from '../refused.ts';

type Sent = ResponseOf<typeof sendDeliveries>;

function readingAt(services: Services, trigger: HostedTrigger) {
  const receiver = receivers.get(trigger.type);
  if (!receiver) throw conflict('The trigger is of a type that is not known here');
  try {
    return createReading({ services }, trigger, receiver);
  } catch (error) {
    if (!(error instanceof UnreadableSettings)) throw error;
    throw conflict(`The settings of the trigger cannot be read: ${error.message}`);
  }
}

/** Fires the trigger with what was delivered then. Its cause is that of the delivery: both together start one run. */
async function fireAgain(services: Services, ctx: Needs<'sql'>, kept: KeptDelivery): Promise<string> {
  const { workflow_id, node_id, cause, input } = kept;
  if (input === null) throw conflict('The content of this delivery is not kept');
  const content = services.run_secrets.open(input);
  if (content === undefined) throw conflict('The content cannot be decrypted with the keys of the service');
  const trigger = await triggerOfNode(ctx.sql, workflow_id, node_id);
  if (!trigger) throw conflict('The trigger is not part of the published version any more');
  const outcome = await readingAt(services, trigger).fire({
    causes: [cause],
    // Only the inbox makes such a text, and its signature was checked.
    input: JSON.parse(content) as JsonObject,
    by_hand: true,
  });
  if (outcome.kind === 'refused') throw outcome.refuse();
  if (outcome.kind === 'lost')
    throw conflict('The trigger is paused or off; resume it, or switch its node and workflow on');
  return outcome.run_id;
}

/** Sends refused deliveries again, one after the other. */
export async function sendAgain(
  services: Services,
  ctx: Needs<'db' | 'sql' | 'actor'>,
  delivery_ids: readonly string[],
): Promise<Sent> {
  const workflow_ids = await visibleWorkflowIds(ctx);
  const not_sent: Sent['not_sent'] = [];
  let sent = 0;
  for (const delivery_id of new Set(delivery_ids)) {
    try {
      const kept = await keptDelivery(ctx.sql, workflow_ids, delivery_id);
      if (!kept) throw notFound('Delivery');
      await noteSent(ctx.sql, delivery_id, await fireAgain(services, ctx, kept));
      sent += 1;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      not_sent.push({ delivery_id, message: error.message });
    }
  }
  return { sent, not_sent };
}
