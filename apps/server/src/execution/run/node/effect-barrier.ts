import { Fenced } from '../../model/errors.ts';
import type { IntentRecord } from '../../model/step.ts';
import type { Executor } from '../executor.ts';

/** A result that never comes: the run stops here and the node or step must not be recorded as anything. */
export const NEVER: Promise<never> = new Promise(() => undefined);

export interface PassedBarrier {
  /** The intent of a former process for the same effect: whether it happened is unknown. */
  readonly earlier?: IntentRecord;
  /** It must not happen twice, and may have happened. */
  readonly is_refused: boolean;
}

/**
 * Reading twice does no harm, but many reads are paid for: a process whose lease is in doubt makes no more of them, and no
 * read begins before the run and the outcomes of earlier reads are stored. So a crash repeats only what was under way, and
 * nothing is paid for a run that was not accepted.
 *
 * @throws Fenced when the lease is in doubt, and what the journal rejects with
 */
export async function passReadBarrier({ keeping, signal, steps }: Executor): Promise<void> {
  await steps.readsStored();
  if (signal.aborted) return NEVER;
  if (!keeping.ownership.leaseIsSafe()) throw new Fenced();
}

/**
 * The barrier before anything is sent: the intent is durable, the lease is looked at last. Where nothing is sent after all,
 * the intent is withdrawn, so that its outcome is known.
 *
 * @throws Fenced when the lease is in doubt, and what the journal rejects with
 */
export async function passBarrier(executor: Executor, intent: IntentRecord): Promise<PassedBarrier> {
  const { journal, ownership } = executor.keeping;
  const { earlier } = await journal.intend(executor.run_id, intent);
  // On every attempt, not only the first: an earlier attempt may have failed before it reached this effect.
  if (earlier && intent.effect === 'unsafe') return { earlier, is_refused: true };
  const is_stopped = executor.signal.aborted;
  if (!is_stopped && ownership.leaseIsSafe())
    return earlier ? { earlier, is_refused: false } : { is_refused: false };
  journal.withdraw(executor.run_id, intent);
  if (is_stopped) return NEVER;
  throw new Fenced();
}
