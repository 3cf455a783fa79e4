import { setTimeout as pause } from 'node:timers/promises';
import { type Json, type JsonObject, NodeFailure } from '@millrace/engine';
import { SECOND_MS } from '@millrace/engine/units';
import type { HostServices, Reading, ReadingOf } from '../host/context.ts';
import { eventsAfter } from '../host/pending-events.ts';

/** The reports of a capture to the user who waits. */
export interface Capture {
  readonly signal: AbortSignal;
  /** Everything that happens from now on is received. */
  onReady(): void;
}

/** A source that is polled every few minutes is looked at more often while a user waits. */
const LONGEST_INTERVAL_MS = 5 * SECOND_MS;
const LOOK_MS = SECOND_MS;

/** The first look only arms: it remembers where the source ends now. */
async function polled({ receiver, call }: ReadingOf<'poll'>, { signal, onReady }: Capture) {
  const interval_ms = Math.min(receiver.interval_ms(call), LONGEST_INTERVAL_MS);
  let found: JsonObject | undefined;
  let cursor: Json = null;
  for (;;) {
    cursor = await receiver.poll({
      ...call,
      cursor,
      signal,
      async fire({ input }) {
        if (found) return { kind: 'lost' };
        found = input;
        return { kind: 'queued', run_id: '' };
      },
    });
    if (found) return found;
    onReady();
    await pause(interval_ms, undefined, { signal });
  }
}

/** Nothing is acknowledged, so that a queue keeps its message. */
async function connected({ receiver, call }: ReadingOf<'connection'>, { signal, onReady }: Capture) {
  let found: JsonObject | undefined;
  let reason: string | undefined;
  const done = new AbortController();
  await receiver
    .connect({
      ...call,
      cursor: null,
      signal: AbortSignal.any([signal, done.signal]),
      connected: onReady,
      most_waiting: 1,
      keepCursor: () => undefined,
      refused: (why) => (reason = why),
      async fire({ input }) {
        found ??= input;
        done.abort();
        return { kind: 'lost' };
      },
    })
    .catch((error: unknown) => {
      if (!found) throw error;
    });
  if (found) return found;
  signal.throwIfAborted();
  throw new NodeFailure({ kind: 'upstream', message: reason ?? 'The connection ended without an event' });
}

async function published(
  { database, now }: HostServices,
  { trigger, receiver, call }: ReadingOf<'event'>,
  { signal, onReady }: Capture,
) {
  const subscription = { since_ms: now(), names: receiver.names(call) };
  onReady();
  for (;;) {
    await pause(LOOK_MS, undefined, { signal });
    const events = await eventsAfter(database.sql, trigger, subscription);
    if (events.length > 0) return receiver.input(call, events);
  }
}

/**
 * Resolves to the input that a run of the node would receive for the next event of its source. Starts no run. Webhooks
 * and uploads are not read from here: their sources call an address.
 *
 * @throws NodeFailure when the source cannot be read; the signal's reason when the user leaves
 */
export async function captureEvent(
  services: HostServices,
  reading: Reading,
  capture: Capture,
): Promise<JsonObject> {
  const { receiver, call } = reading;
  switch (receiver.kind) {
    case 'poll':
      return polled({ ...reading, receiver }, capture);
    case 'connection':
      return connected({ ...reading, receiver }, capture);
    case 'event':
      return published(services, { ...reading, receiver }, capture);
    case 'clock': {
      const time_zone = services.config.TIMEZONE;
      return receiver.event({ ...call, time_zone }, services.now()).input;
    }
    case 'webhook':
    case 'upload':
      throw new Error(`events of the kind ${receiver.kind} arrive at an address`);
    default:
      return receiver satisfies never;
  }
}
