import { Client } from 'pg';
import { pino } from 'pino';
import { describe } from 'vitest';
import { openPostgres } from '../../../adapters/postgres/open.ts';
import { sqlOver } from '../../../adapters/postgres/pool-database.ts';
import type { Database } from '../../../database/database.ts';
import type { SqlClient } from '../../../database/sql-client.ts';
import { migrationsHash, openEmbeddedForTest } from '../../../testing/embedded-database.ts';
import {
  isPostgresReachable,
  nameTestDatabase,
  onTestServer,
  urlOfTestDatabase,
} from '../../../testing/test-server.ts';
import { cloneTemplate } from './template-database.ts';

export const silent = pino({ level: 'silent' });

export interface PostgresForTest {
  readonly database: Database;
  readonly url: string;
}

interface EmptyDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

async function createDatabase(
  create: (client: Client, name: string) => Promise<unknown>,
): Promise<EmptyDatabase> {
  const name = nameTestDatabase();
  await onTestServer(async (client) => {
    await create(client, name);
    // The server itself is not crashed by tests, so that nothing waits for its disk.
    await client.query(`ALTER DATABASE ${name} SET synchronous_commit = off`);
  });
  const drop = async () => {
    await onTestServer((client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`));
  };
  return { url: urlOfTestDatabase(name), drop };
}

/** A database of its own on the test server, without any table. */
export const openEmptyPostgresForTest = (): Promise<EmptyDatabase> =>
  createDatabase((client, name) => client.query(`CREATE DATABASE ${name}`));

export interface SqlConnection {
  readonly sql: SqlClient;
  close(): Promise<void>;
}

/** One connection to an empty database of its own on the test server, as migrations have it. Closing it drops the database. */
export async function connectToEmptyPostgres(): Promise<SqlConnection> {
  const { url, drop } = await openEmptyPostgresForTest();
  const client = new Client({ connectionString: url });
  await client.connect();
  const close = async () => {
    await client.end();
    await drop();
  };
  return { sql: sqlOver(client), close };
}

async function migrateDatabase(name: string): Promise<void> {
  const database = openPostgres({ url: urlOfTestDatabase(name), log: silent });
  try {
    await database.migrate();
  } finally {
    await database.close();
  }
}

/** A migrated database of its own on the test server, cloned from a template that is made once; closing it drops it. */
export async function openPostgresForTest(): Promise<PostgresForTest> {
  const { url, drop } = await createDatabase((client, name) =>
    cloneTemplate(client, { name, hash: migrationsHash(), fill: migrateDatabase }),
  );
  const database = openPostgres({ url, log: silent, max_connections: 6 });
  const close = async () => {
    await database.close();
    await drop();
  };
  return { url, database: { ...database, close } };
}

export interface DatabaseKind {
  readonly name: string;
  open(): Promise<Database>;
}

const EMBEDDED: DatabaseKind = { name: 'embedded', open: openEmbeddedForTest };
const POSTGRES: DatabaseKind = {
  name: 'PostgreSQL',
  open: async () => (await openPostgresForTest()).database,
};

/** Runs the suite on the embedded database and on a server; skips the latter by name where there is none, but not in CI. */
export function describeOnBoth(subject: string, suite: (kind: DatabaseKind) => void): void {
  describe(`${subject} (embedded)`, () => {
    suite(EMBEDDED);
  });
  describeOnPostgres(subject, () => suite(POSTGRES));
}

/** A suite that needs a server. */
export function describeOnPostgres(subject: string, suite: () => void): void {
  const may_skip = process.env['CI'] !== 'true';
  describe.skipIf(!isPostgresReachable && may_skip)(`${subject} (PostgreSQL)`, () => {
    suite();
  });
}
