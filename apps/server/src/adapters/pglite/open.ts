import { escapeIdentifier, type Notification } from 'pg';
import type { Logger } from 'pino';
import type { Database } from '../../database/database.ts';
import { migrate } from '../../database/migrate.ts';
import type { Lease } from '../../ports/lease.ts';
import { sqlOver, transactionalOver } from '../postgres/pool-database.ts';
import { type EngineOptions, openEngine } from './engine.ts';
import { createExclusivePool } from './exclusive-pool.ts';
import { openThreadedEngine } from './threaded-engine.ts';
import { keepTidy } from './upkeep.ts';

export interface PgliteOptions extends EngineOptions {
  /**
   * Whether the engine gets a thread of its own. Absent: if it has a folder, for measured so requests wait less and nothing
   * else waits for the database (`bench/embedded-placement.bench.ts`); a database in memory is for tests and stays here.
   */
  readonly thread?: boolean;
  /** Receives the progress of migrations. */
  readonly log?: Pick<Logger, 'info' | 'warn'>;
}

export interface EmbeddedDatabase extends Database {
  dump(): Promise<Blob>;
}

const SILENT = { info: () => undefined, warn: () => undefined };

/** No other process can open the folder, so the lease is valid as long as the process runs. */
function ownLease(): Lease {
  return { isSafe: () => true, onLost: () => undefined, stop: () => Promise.resolve() };
}

/** Opens the embedded database. The caller holds the lock of its folder. */
export async function openPglite({ thread, log, ...options }: PgliteOptions): Promise<EmbeddedDatabase> {
  const hasThread = thread ?? (options.folder !== undefined && !options.load);
  const threaded = hasThread ? await openThreadedEngine(options) : undefined;
  const engine = threaded ?? (await openEngine(options));
  const { pool, db } = createExclusivePool(engine);
  const sql = transactionalOver(pool);
  const stopTidying = keepTidy(sql);
  return {
    kind: 'embedded',
    db,
    sql,
    journal: transactionalOver(pool),
    async listen(channel, receive) {
      const client = await pool.connect();
      const onNotification = (message: Notification) => {
        if (message.channel === channel) receive(message.payload ?? '');
      };
      client.on('notification', onNotification);
      await client.query(`LISTEN ${escapeIdentifier(channel)}`);
      client.release();
      return async () => {
        client.off('notification', onNotification);
        await sql.query({ text: `UNLISTEN ${escapeIdentifier(channel)}` });
      };
    },
    keepLease({ stuck_ms }) {
      if (stuck_ms !== undefined) threaded?.guard(stuck_ms);
      return Promise.resolve(ownLease());
    },
    async migrate() {
      const client = await pool.connect();
      try {
        await migrate(sqlOver(client), { log: log ?? SILENT });
      } finally {
        client.release();
      }
    },
    dump: () => engine.dump(),
    async close() {
      await stopTidying();
      await pool.end();
      await engine.close();
    },
  };
}
