import { Client, escapeIdentifier } from 'pg';
import type { Logger } from 'pino';

interface ListenOptions {
  readonly url: string;
  readonly channel: string;
  readonly receive: (payload: string) => void;
  readonly log: Logger;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

/**
 * Listens on a connection of its own and connects again when that is lost; what was notified meanwhile is not made up
 * for. Resolves when it listens, fails when the first connection does.
 */
export async function listen({ url, channel, receive, log }: ListenOptions): Promise<() => Promise<void>> {
  let client: Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let pause = FIRST_PAUSE_MS;
  let ended = false;

  const connect = async (): Promise<void> => {
    const fresh = new Client({
      connectionString: url,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      connectionTimeoutMillis: 3_000,
      query_timeout: 5_000,
    });
    fresh.on('error', () => undefined);
    fresh.on('notification', (message) => receive(message.payload ?? ''));
    try {
      await fresh.connect();
      await fresh.query(`LISTEN ${escapeIdentifier(channel)}`);
    } catch (error) {
      fresh.end().catch(() => undefined);
      throw error;
    }
    fresh.once('end', reconnectLater);
    client = fresh;
    pause = FIRST_PAUSE_MS;
    if (ended) await fresh.end();
  };

  const reconnectLater = (): void => {
    client = undefined;
    if (ended) return;
    timer = setTimeout(() => {
      connect().catch((error: unknown) => {
        log.warn({ err: error, channel }, 'listening for notifications failed; trying again');
        reconnectLater();
      });
    }, pause);
    timer.unref();
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
  };

  await connect();
  return async () => {
    ended = true;
    clearTimeout(timer);
    await client?.end();
  };
}
