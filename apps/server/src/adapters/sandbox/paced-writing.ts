import { once } from 'node:events';
import type { Duplex } from 'node:stream';

/** Writes to a stream that others write to as well; resolves when it takes more, or when it is closed. */
export function pacedWriting(stream: Duplex): (text: string) => Promise<void> {
  let draining: Promise<void> | undefined;
  return async (text) => {
    if (stream.destroyed || stream.write(text)) return;
    // Many may write at once, and each listener of its own would count.
    draining ??= untilDrained(stream).finally(() => (draining = undefined));
    await draining;
  };
}

async function untilDrained(stream: Duplex): Promise<void> {
  const left = new AbortController();
  const { signal } = left;
  await Promise.race([once(stream, 'drain', { signal }), once(stream, 'close', { signal })])
    .catch(() => undefined)
    .finally(() => left.abort());
}
