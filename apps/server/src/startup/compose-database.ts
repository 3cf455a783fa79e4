import { join } from 'node:path';
import type { Logger } from 'pino';
import { lockFolder } from '../adapters/pglite/folder-lock.ts';
import { beginOpening } from '../adapters/pglite/open.ts';
import type { EngineThread } from '../adapters/pglite/threaded-engine.ts';
import { openPostgres } from '../adapters/postgres/open.ts';
import type { Config } from '../config.ts';
import type { Database } from '../database/database.ts';

export type { EngineThread };

/** A database that can be handed on while it is being opened and migrated; `ready` fails when it cannot be. */
export interface OpeningDatabase {
  readonly database: Database;
  readonly ready: Promise<void>;
}

/** @param thread to be used when the database is embedded */
function open(config: Config, log: Logger, thread?: EngineThread): Database {
  if (config.DATABASE_URL) {
    void thread?.terminate();
    return openPostgres({ url: config.DATABASE_URL, log });
  }
  const unlock = lockFolder(config.DATA_DIR);
  const { database } = beginOpening({
    folder: join(config.DATA_DIR, 'database'),
    sync_log: config.EMBEDDED_LOG_SYNC,
    log,
    ...(thread ? { thread } : {}),
  });
  return {
    ...database,
    close: async () => {
      await database.close();
      unlock();
    },
  };
}

/**
 * Chooses the database by the settings and brings its schema up to date. Separate from `compose.ts`, so that a
 * starting process can begin with it while it loads the rest of the program.
 */
export function openDatabase(config: Config, log: Logger, thread?: EngineThread): OpeningDatabase {
  const database = open(config, log, thread);
  // Started before anyone else has the database: an embedded one has a single connection, so all other statements follow.
  const ready = database.migrate();
  // A failure is reported to the code that awaits it; until then it must not count as unhandled.
  ready.catch(() => undefined);
  return { database, ready };
}
