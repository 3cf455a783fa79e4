import { join } from 'node:path';
import type { Logger } from 'pino';
import { lockFolder } from './adapters/pglite/folder-lock.ts';
import { openPglite } from './adapters/pglite/open.ts';
import { openPostgres } from './adapters/postgres/open.ts';
import type { Config } from './config.ts';
import type { Database } from './database/database.ts';

async function open(config: Config, log: Logger): Promise<Database> {
  if (config.DATABASE_URL) return openPostgres({ url: config.DATABASE_URL, log });
  const unlock = lockFolder(config.DATA_DIR);
  const database = await openPglite({
    folder: join(config.DATA_DIR, 'database'),
    sync_log: config.EMBEDDED_LOG_SYNC,
    log,
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
 * Chooses the database by the settings and brings its schema up to date. Apart from `compose.ts`, so that a process which
 * starts can begin with it while it is still reading the rest of its program.
 */
export async function openDatabase(config: Config, log: Logger): Promise<Database> {
  const database = await open(config, log);
  await database.migrate();
  return database;
}
