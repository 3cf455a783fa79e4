import { faultPoint } from '../../core/fault-point.ts';
import { JournalUnavailable } from '../model/errors.ts';
import type { IntentRecord } from '../model/step.ts';
import { effectKey } from '../store/load.ts';
import type { Journal } from './journal.ts';
import type { Lane } from './lane/lane.ts';
import { intentOperation } from './make-operation.ts';
import type { OpenRuns } from './open-runs.ts';
import { Waiter } from './waiter.ts';

/** Notices that a run gives before it changes the outside world, and when it did not after all. */
export type EffectIntents = Pick<Journal, 'intend' | 'withdraw'>;

export function createEffectIntents(runs: OpenRuns, lane: Lane): EffectIntents {
  async function intend(run_id: string, intent: IntentRecord): Promise<{ earlier?: IntentRecord }> {
    const run = runs.require(run_id);
    run.begin = undefined;
    const key = effectKey(intent);
    const waiter = new Waiter();
    const operation = intentOperation({ run_id, claim: run.attempt }, intent, waiter);
    lane.push(operation, true);
    try {
      await waiter.durable;
    } catch (error) {
      // The caller will not send. The intent may still be stored, for what was handed in stays in line.
      if (!operation.taken) operation.absorbed = true;
      else if (error instanceof JournalUnavailable) withdraw(run_id, intent);
      throw error;
    }
    run.pending_effects.add(key);
    faultPoint('after_intent');
    const earlier = run.unknown_effects.get(key);
    return earlier ? { earlier } : {};
  }

  function withdraw(run_id: string, intent: IntentRecord): void {
    const run = runs.find(run_id);
    if (!run) return;
    run.pending_effects.delete(effectKey(intent));
    lane.push(intentOperation({ run_id, claim: run.attempt }, intent), true);
  }

  return { intend, withdraw };
}
