import type { Json, JsonObject } from '@millrace/engine';
import { DAY_MS } from '@millrace/engine/units';
import type { EventKey, FireOutcome, TriggerReceiver } from '@millrace/nodes/runtime';
import { catchUp } from '../core/catch-up.ts';
import type { NoPlace } from '../execution/admission/no-place.ts';
import { queuedRun } from '../execution/run/start/queued-run.ts';
import type { Services } from '../services.ts';
import { recognise } from './event-key.ts';
import type { HostedTrigger } from './host/hosted-trigger.ts';
import { isHosted } from './host/shares.ts';

export type FireServices = Pick<Services, 'execution' | 'changes' | 'config' | 'now'>;

/** An event, and everything that is stored with it in the same statement. */
export interface Occurrence {
  readonly causes: readonly string[];
  readonly input: JsonObject;
  readonly cursor?: Json | undefined;
  readonly next_due_ms?: number | null | undefined;
  /** By a user and not by its host, so that it need not be hosted here. */
  readonly by_hand?: true;
}

interface FiredTrigger {
  readonly trigger: HostedTrigger;
  readonly receiver: TriggerReceiver;
  /** Set when events are also compared by a value of theirs. */
  readonly key?: EventKey | undefined;
}

/** The workflow has as many runs under way and waiting as it may; nothing is stored. */
interface Refused {
  readonly kind: 'refused';
  /** Leaves a row in history. @returns the error for a source that hears of it */
  refuse(): NoPlace;
}

/** The outcome of the event. */
export type Fired = (FireOutcome | Refused) & {
  /** Set when its key could not be computed, in words for the owner; the event started its run nevertheless. */
  readonly problem?: string | undefined;
};

/**
 * Starts one run for what happened, on the version that is published now. When it resolves, the run is durable and its
 * causes start no other one: only then may the source be acknowledged.
 */
export async function fire(
  services: FireServices,
  { trigger, receiver, key }: FiredTrigger,
  { causes, input, cursor, next_due_ms, by_hand }: Occurrence,
): Promise<Fired> {
  const { execution, now } = services;
  const { workflows, ownership } = execution;
  await catchUp(services);
  const workflow = await workflows.published(trigger.workflow_id);
  // Switched off or gone, and the host does not know yet.
  if (!workflow?.settings.active) return { kind: 'lost' };
  const at_ms = now();
  const kept = receiver.causes_kept_days;
  const known_until_ms = kept === null ? null : at_ms + kept * DAY_MS;
  const { cause: shared, problem } = key ? recognise(services, { receiver, key }, input) : {};
  const admitted = await execution.admit.internal({
    workflow,
    principal: { kind: 'trigger', node_id: trigger.node_id, source: receiver.source },
    input,
  });
  const run = queuedRun(admitted, { started_at_ms: at_ms });
  const result = await ownership.fire({
    run,
    trigger_id: trigger.id,
    epoch: isHosted(receiver.kind) && !by_hand ? trigger.epoch : undefined,
    causes: [...causes.map((name) => ({ name, known_until_ms })), ...(shared ? [shared] : [])],
    overlaps: shared !== undefined,
    cursor,
    next_due_at_ms: next_due_ms,
  });
  if (result.kind === 'refused')
    return { kind: 'refused', refuse: () => execution.refusePlace(admitted), problem };
  return result.kind === 'queued' ? { kind: 'queued', run_id: run.run_id, problem } : { ...result, problem };
}
