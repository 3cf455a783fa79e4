import { setTimeout as pause } from 'node:timers/promises';
import { type ConnectionReceiver, NothingStored } from '@millrace/nodes/runtime';
import { isConnectionLoss } from '../../database/connection-loss.ts';
import type { HostContext, Reading } from './context.ts';
import { fireWithRoom } from './fire-with-room.ts';
import { type TriggerChange, tellChange } from './health/trigger-health.ts';
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

/** @throws NothingStored while the database cannot be reached */
const fireOrSay = (...given: Parameters<typeof fireWithRoom>): ReturnType<typeof fireWithRoom> =>
  fireWithRoom(...given).catch((error: unknown) => {
    throw isConnectionLoss(error) ? new NothingStored(error) : error;
  });

/** A workflow with limits never holds more events than its running and waiting runs may be. */
async function mostWaiting({ services }: HostContext, workflow_id: string): Promise<number> {
  const most = services.config.TRIGGER_QUEUE_LIMIT;
  const settings = (await services.execution.workflows.published(workflow_id))?.settings;
  if (settings?.concurrency_limit === undefined) return most;
  return Math.max(1, Math.min(most, settings.concurrency_limit + (settings.queue_limit ?? 0)));
}

/** Sequential, so that the last state wins. */
function notesInTurn(ctx: HostContext, trigger: Reading['trigger']) {
  let told = Promise.resolve();
  return (change: TriggerChange): Promise<void> => {
    told = told.then(() => tellChange(ctx, trigger, change));
    return told;
  };
}

/** Keeps one connection open until the signal aborts: connects again when it breaks, and keeps its state in the row. */
export async function keepConnection(
  ctx: HostContext,
  reading: Reading<AnyConnection>,
  { signal, room }: { signal: AbortSignal; room: Room },
): Promise<void> {
  const { trigger, receiver, call } = reading;
  const note = notesInTurn(ctx, trigger);
  let { cursor, failures } = trigger;
  while (!signal.aborted) {
    await note({ state: 'connecting' });
    let [wasConnected, hasProblem, isKept] = [false, false, false];
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
        most_waiting: await mostWaiting(ctx, trigger.workflow_id),
        keepCursor(kept) {
          [cursor, isKept] = [kept, true];
        },
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
          const outcome = await fireOrSay(reading, forRoom, { causes: [cause], ...event });
          if (event.cursor !== undefined && outcome.kind !== 'lost') [cursor, isKept] = [event.cursor, false];
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
      await note({ state: 'failing', error: reading.describeError(error) });
    } finally {
      if (isKept) await note({ cursor });
    }
    const least_ms = receiver.retry_ms(call);
    if (least_ms === null || signal.aborted) return;
    await pause(pauseAfter(failures, least_ms), undefined, { signal }).catch(() => undefined);
  }
}
