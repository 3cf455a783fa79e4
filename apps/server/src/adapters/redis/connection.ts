import type { Logger } from 'pino';
import { createClient, type RedisClientType } from 'redis';

/** Plain commands and scripts; the type of a client without modules. */
export type RedisClient = RedisClientType;

export interface RedisOptions {
  readonly url: string;
  readonly log: Logger;
}

const CONNECT_MS = 1_000;
const LONGEST_PAUSE_MS = 2_000;

/**
 * Connects in the background and again whenever the connection is lost. Commands fail at once while there is none: what
 * Redis holds may be lost, so no caller waits for it.
 */
export function connectRedis({ url, log }: RedisOptions): RedisClient {
  const client: RedisClient = createClient({
    url,
    disableOfflineQueue: true,
    socket: {
      connectTimeout: CONNECT_MS,
      reconnectStrategy: (retries) => Math.min(LONGEST_PAUSE_MS, 50 * 2 ** Math.min(retries, 6)),
    },
  });
  let isDown = false;
  client.on('error', (error: unknown) => {
    if (!isDown) log.warn({ err: error }, 'Redis cannot be reached; continuing without it');
    isDown = true;
  });
  client.on('ready', () => {
    if (isDown) log.info('Redis is back');
    isDown = false;
  });
  client.connect().catch(() => undefined);
  return client;
}

/** Ends the connection, regardless of its state. */
export function closeRedis(client: RedisClient): void {
  if (client.isOpen) client.destroy();
}
