import { escapeIdentifier, type Notification } from 'pg';
import type { Logger } from 'pino';
import type { Database } from '../../database/database.ts';
import { migrate } from '../../database/migrator/migrate.ts';
import type { Lease } from '../../ports/coordination/lease.ts';
import { sqlOver, transactionalOver } from '../postgres/pool-database.ts';
import type { Engine, EngineOptions } from './engine.ts';
import { createExclusivePool } from './exclusive-pool.ts';
import { createLateEngine } from './late-engine.ts';
import { type EngineThread, startEngineThread } from './threaded-engine.ts';
import { keepTidy } from './upkeep.ts';

export interface PgliteOptions extends EngineOptions {
  /**
   * Whether the engine gets a thread of its own. Absent: if it has a folder, for measured so requests wait less and nothing
   * else waits for the database (`bench/embedded-placement.bench.ts`); a database in memory is for tests and stays here.
   * A thread of `startEngineThread` is used where it is given.
   */
  readonly thread?: boolean | EngineThread;
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

/** Where the engine has a thread of its own, this one does not load it. */
async function openHere(options: EngineOptions): Promise<Engine> {
  const { openEngine } = await import('./engine.ts');
  return openEngine(options);
}

/** Opens the embedded database. The caller holds the lock of its folder. */
export async function openPglite(options: PgliteOptions): Promise<EmbeddedDatabase> {
  const { database, opened } = beginOpening(options);
  await opened;
  return database;
}

/** As `openPglite`, for a caller that has other things to do meanwhile: statements wait until it is `opened`. */
export function beginOpening({ thread, log, ...options }: PgliteOptions): {
  readonly database: EmbeddedDatabase;
  readonly opened: Promise<unknown>;
} {
  const wanted = thread ?? (options.folder !== undefined && !options.load);
  const given = typeof wanted === 'object' ? wanted : undefined;
  const threaded = wanted ? (given ?? startEngineThread()).open(options) : undefined;
  const opened = threaded ?? openHere(options);
  const engine = createLateEngine(opened);
  const { pool, db } = createExclusivePool(engine);
  const sql = transactionalOver(pool);
  const stopTidying = keepTidy(sql);
  const database: EmbeddedDatabase = {
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
    async keepLease({ stuck_ms }) {
      if (stuck_ms !== undefined) (await threaded)?.guard(stuck_ms);
      return ownLease();
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
  return { database, opened };
}
