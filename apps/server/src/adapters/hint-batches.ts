import type { Broadcast, BroadcastChannel } from '../ports/coordination/broadcast.ts';
import { createMemoryBroadcast } from './memory/broadcast.ts';

/** A message between processes: hints of one process, several at once. */
interface HintMessage {
  readonly from: string;
  readonly hints: readonly (readonly [channel: BroadcastChannel, payload: string])[];
}

export interface HintBatchOptions {
  /** Names this process; its own messages are not delivered twice. */
  readonly sender: string;
  /** Least time between two messages. */
  readonly pause_ms: number;
  /** Largest message in bytes. */
  readonly max_bytes: number;
  /** Sends to all processes; a failure loses the hints of the message, which is allowed. */
  readonly send: (message: string) => Promise<void>;
}

/** The local half of a broadcast between processes. */
export interface HintBatches extends Pick<Broadcast, 'publish' | 'subscribe'> {
  /** Takes a message from another process; its own and foreign text are ignored. */
  deliver(message: string): void;
  /** Sends what is left. */
  flush(): Promise<void>;
}

/** More hints than this are dropped, the oldest first: processes that miss one detect the change by polling. */
const MAX_WAITING = 10_000;
const ENVELOPE_BYTES = 100;

/**
 * Hints are delivered within the process at once and sent to the others in batches; of equal hints that wait, one is sent.
 */
export function createHintBatches({ sender, pause_ms, max_bytes, send }: HintBatchOptions): HintBatches {
  const local = createMemoryBroadcast();
  const waiting = new Map<string, readonly [BroadcastChannel, string]>();
  let timer: NodeJS.Timeout | undefined;
  let lastSentAt = 0;
  let underWay: Promise<void> = Promise.resolve();

  function nextMessage(): string {
    const hints: HintMessage['hints'][number][] = [];
    let bytes = ENVELOPE_BYTES;
    for (const [key, hint] of waiting) {
      const size = Buffer.byteLength(JSON.stringify(hint)) + 1;
      if (hints.length > 0 && bytes + size > max_bytes) break;
      waiting.delete(key);
      if (bytes + size > max_bytes) continue;
      bytes += size;
      hints.push(hint);
    }
    return JSON.stringify({ from: sender, hints } satisfies HintMessage);
  }

  function sendNext(): void {
    timer = undefined;
    lastSentAt = performance.now();
    underWay = send(nextMessage())
      .catch(() => undefined)
      .finally(schedule);
  }

  function schedule(): void {
    if (timer !== undefined || waiting.size === 0) return;
    timer = setTimeout(sendNext, Math.max(0, lastSentAt + pause_ms - performance.now()));
    timer.unref();
  }

  return {
    publish(channel, payload) {
      local.publish(channel, payload);
      const key = `${channel} ${payload}`;
      waiting.delete(key);
      waiting.set(key, [channel, payload]);
      const [oldest] = waiting.keys();
      if (waiting.size > MAX_WAITING && oldest !== undefined) waiting.delete(oldest);
      schedule();
    },
    subscribe: local.subscribe,
    deliver(text) {
      const message = parseMessage(text);
      if (!message || message.from === sender) return;
      for (const [channel, payload] of message.hints) local.publish(channel, payload);
    },
    async flush() {
      clearTimeout(timer);
      timer = undefined;
      await underWay;
      if (waiting.size > 0) await send(nextMessage()).catch(() => undefined);
    },
  };
}

function parseMessage(text: string): HintMessage | undefined {
  try {
    const message = JSON.parse(text) as HintMessage;
    return Array.isArray(message.hints) ? message : undefined;
  } catch {
    return undefined;
  }
}
