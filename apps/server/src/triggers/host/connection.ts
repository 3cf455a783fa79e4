import { setTimeout as pause } from 'node:timers/promises';
import type { ConnectionReceiver } from '@millrace/nodes/runtime';
import type { HostContext, Reading } from './context.ts';
import { fireWithRoom } from './fire-with-room.ts';
import { type TriggerChange, tellChange } from './health.ts';
import type { Room } from './room.ts';

type AnyConnection = ConnectionReceiver<Readonly<Record<string, unknown>>>;

const LONGEST_PAUSE_MS = 60_000;

/** Doubles with every failure; chance keeps connections that broke together from coming back together. */
function pauseAfter(failures: number, least_ms: number): number {
  const longest = Math.max(least_ms, Math.min(LONGEST_PAUSE_MS, least_ms * 2 ** Math.min(failures, 10)));
  return longest * (0.75 + Math.random() / 4);
}

/** @returns the sentence for the owner */
function leaveInInbox({ refusals, services }: HostContext, reading: Reading, reason: string): string {
  const { trigger, receiver } = reading;
  services.log.warn({ trigger_id: trigger.id, reason }, 'an event of a trigger was refused');
  const message = reading.masked(reason);
  void refusals.note({ trigger, source: receiver.source, reason: 'poison', message });
  return message;
}

/** Keeps one connection open until the signal aborts: connects again when it breaks, and keeps its state in the row. */
export async function keepConnection(
  ctx: HostContext,
  reading: Reading<AnyConnection>,
  { signal, room }: { signal: AbortSignal; room: Room },
): Promise<void> {
  const { trigger, receiver, call } = reading;
  let told = Promise.resolve();
  /** One after the other, so that the last state is the one that stays. */
  const note = (change: TriggerChange) => {
    told = told.then(() => tellChange(ctx, trigger, change));
    return told;
  };
  let { cursor, failures } = trigger;
  while (!signal.aborted) {
    await note({ state: 'connecting' });
    let [wasConnected, hasProblem] = [false, false];
    try {
      await receiver.connect({
        ...call,
        cursor,
        signal,
        connected() {
          wasConnected = true;
          failures = 0;
          void note({ state: 'connected', error: null });
        },
        most_waiting: ctx.services.config.TRIGGER_QUEUE_LIMIT,
        refused(reason) {
          hasProblem = true;
          void note({ error: leaveInInbox(ctx, reading, reason) });
        },
        async fire({ cause, ...event }, gone) {
          let isFull = false;
          const onFull = () => {
            if (!isFull) void note({ state: 'waiting' });
            isFull = true;
          };
          const forRoom = { room, signal: gone ?? signal, onFull };
          const outcome = await fireWithRoom(reading, forRoom, { causes: [cause], ...event });
          if (event.cursor !== undefined && outcome.kind !== 'lost') cursor = event.cursor;
          const { problem } = outcome;
          if (problem !== undefined) void note({ state: 'failing', error: problem });
          else if (wasConnected && (isFull || hasProblem)) void note({ state: 'connected', error: null });
          hasProblem = problem !== undefined;
          return outcome;
        },
      });
      if (!signal.aborted) await note({ state: 'connecting' });
    } catch (error) {
      if (signal.aborted) return;
      failures += 1;
      ctx.services.log.warn({ err: error, trigger_id: trigger.id }, 'the connection of a trigger broke');
      await note({ state: 'failing', error: reading.reasonOf(error) });
    }
    const least_ms = receiver.retry_ms(call);
    if (least_ms === null || signal.aborted) return;
    await pause(pauseAfter(failures, least_ms), undefined, { signal }).catch(() => undefined);
  }
}
