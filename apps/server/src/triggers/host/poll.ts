import type { PollReceiver } from '@millrace/nodes/runtime';
import type { HostContext, Reading } from './context.ts';
import { fireWithRoom } from './fire-with-room.ts';
import { noteChange, tellChange } from './health/trigger-health.ts';
import type { Room } from './room.ts';

type AnyPoll = PollReceiver<Readonly<Record<string, unknown>>>;

/** Longest pause after failures in a row; a source that is away is asked less often, but never given up. */
const LONGEST_PAUSE_MS = 15 * 60_000;
const LEAST_INTERVAL_MS = 1_000;

function computeInterval({ receiver, call, trigger }: Reading<AnyPoll>, failed: boolean): number {
  const interval = Math.max(LEAST_INTERVAL_MS, receiver.interval_ms(call));
  if (!failed) return interval;
  return Math.max(interval, Math.min(LONGEST_PAUSE_MS, interval * 2 ** Math.min(trigger.failures, 10)));
}

/** Asks the source once and hands over what is new. Each event's cursor is stored with its run, the last one at the end. */
export async function runPoll(
  ctx: HostContext,
  reading: Reading<AnyPoll>,
  { signal, room }: { signal: AbortSignal; room: Room },
): Promise<void> {
  const { services } = ctx;
  const { trigger, receiver, call } = reading;
  const { now, log } = services;
  const dueAfter = (failed: boolean) => now() + computeInterval(reading, failed);
  let problem: string | undefined;
  try {
    const cursor = await receiver.poll({
      ...call,
      cursor: trigger.cursor,
      signal,
      async fire({ cause, ...event }) {
        const tellFull = () => void tellChange(ctx, trigger, { state: 'waiting' });
        const fired = await fireWithRoom(
          reading,
          { room, signal, onFull: tellFull },
          { causes: [cause], ...event },
        );
        problem ??= fired.problem;
        return fired;
      },
    });
    await noteChange(ctx, trigger, {
      cursor,
      next_due_ms: dueAfter(false),
      armed: true,
      state: problem === undefined ? 'armed' : 'failing',
      error: problem ?? null,
    });
  } catch (error) {
    if (signal.aborted) return;
    log.warn(
      { err: error, trigger_id: trigger.id, workflow_id: trigger.workflow_id },
      'a source could not be read',
    );
    const next_due_ms = dueAfter(true);
    await noteChange(ctx, trigger, { next_due_ms, state: 'failing', error: reading.describeError(error) });
  }
}
