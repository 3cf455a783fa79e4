import { newId } from '../../core/ids.ts';
import type { Broadcast } from '../../ports/coordination/broadcast.ts';
import { createHintBatches } from '../hint-batches.ts';
import { createBreaker } from './breaker.ts';
import { closeRedis, connectRedis, type RedisOptions } from './connection.ts';

export interface RedisBroadcastOptions extends RedisOptions {
  /** Put before the channel, so that several installations can share a server. */
  readonly prefix?: string;
}

/** Hints of one turn of the event loop share a message. */
const PAUSE_MS = 1;
const MAX_BYTES = 256 * 1024;

/** Broadcast over Redis pub/sub. While Redis is away hints stay within the process and others find out by themselves. */
export async function createRedisBroadcast({
  prefix = 'millrace:',
  ...options
}: RedisBroadcastOptions): Promise<Broadcast> {
  const publisher = connectRedis(options);
  const subscriber = connectRedis(options);
  const breaker = createBreaker();
  const channel = `${prefix}hints`;
  const batches = createHintBatches({
    sender: newId(),
    pause_ms: PAUSE_MS,
    max_bytes: MAX_BYTES,
    send: async (message) => {
      await breaker.run(() => publisher.publish(channel, message));
    },
  });
  const listening = new Promise<void>((resolve) => {
    subscriber.once('ready', () => {
      // The driver subscribes again by itself whenever it has connected again.
      subscriber.subscribe(channel, batches.deliver).then(resolve, () => resolve());
    });
    subscriber.once('error', () => resolve());
  });
  await listening;
  return {
    publish: batches.publish,
    subscribe: batches.subscribe,
    async close() {
      await batches.flush();
      closeRedis(publisher);
      closeRedis(subscriber);
    },
  };
}
