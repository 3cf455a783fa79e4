import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { openPglite } from '../../apps/server/src/adapters/pglite/open.ts';
import { openPostgres } from '../../apps/server/src/adapters/postgres/open.ts';
import type { Database } from '../../apps/server/src/database/database.ts';

export interface Scratch {
  readonly database: Database;
  close(): Promise<void>;
}

/** An embedded database in a folder of its own. */
export async function scratchEmbedded(options: { thread: boolean; sync_log?: boolean }): Promise<Scratch> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-bench-'));
  const database = await openPglite({ folder: join(folder, 'database'), ...options });
  await database.migrate();
  const close = async () => {
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { database, close };
}

const SERVER = process.env['TEST_DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres';

async function onServer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: SERVER, connectionTimeoutMillis: 2_000 });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}

/** A database of its own on the server of `TEST_DATABASE_URL`; undefined where none can be reached. */
export async function scratchPostgres(): Promise<Scratch | undefined> {
  const name = `millrace_bench_${randomBytes(5).toString('hex')}`;
  try {
    await onServer(`CREATE DATABASE ${name}`);
  } catch {
    return undefined;
  }
  const url = new URL(SERVER);
  url.pathname = `/${name}`;
  const database = openPostgres({ url: url.href, log: pino({ level: 'silent' }), journal_connections: 8 });
  await database.migrate();
  const close = async () => {
    await database.close();
    await onServer(`DROP DATABASE ${name} WITH (FORCE)`);
  };
  return { database, close };
}
