import type { Logger } from 'pino';
import { newId } from '../../core/ids.ts';
import type { Database } from '../../database/database.ts';
import type { Broadcast } from '../../ports/coordination/broadcast.ts';
import { createHintBatches } from '../hint-batches.ts';

const CHANNEL = 'millrace_hints';
/** A notification takes a lock on the whole database when it commits; so at most one per process and 10 ms. */
const PAUSE_MS = 10;
/** PostgreSQL refuses payloads of 8000 bytes and more. */
const MAX_BYTES = 7_900;

export interface NotifyBroadcastOptions {
  readonly database: Database;
  readonly log: Logger;
}

/** Broadcast over LISTEN and NOTIFY, for processes that share a database and no Redis. */
export async function createNotifyBroadcast({ database, log }: NotifyBroadcastOptions): Promise<Broadcast> {
  const batches = createHintBatches({
    sender: newId(),
    pause_ms: PAUSE_MS,
    max_bytes: MAX_BYTES,
    send: async (message) => {
      await database.sql.query({
        name: 'notify',
        text: 'SELECT pg_notify($1, $2)',
        values: [CHANNEL, message],
      });
    },
  });
  const stopListening = await database.listen(CHANNEL, batches.deliver);
  return {
    publish: batches.publish,
    subscribe: batches.subscribe,
    async close() {
      await batches.flush();
      await stopListening().catch((error: unknown) =>
        log.debug({ err: error }, 'listening ended with an error'),
      );
    },
  };
}
