import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { pino } from 'pino';
import { describe } from 'vitest';
import { openPostgres } from '../../../adapters/postgres/open.ts';
import type { Database } from '../../../database/database.ts';
import { migrationsHash, openTestDatabase } from '../../../testing/test-database.ts';
import { cloneTemplate } from './template-database.ts';

/** A server on which tests may create databases of their own. */
export const TEST_SERVER = process.env['TEST_DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres';

export const silent = pino({ level: 'silent' });

async function onServer<T>(work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: TEST_SERVER, connectionTimeoutMillis: 2_000 });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const reachable = await onServer(() => Promise.resolve(true)).catch(() => false);

export interface PostgresForTest {
  readonly database: Database;
  readonly url: string;
}

interface EmptyDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

function urlFor(name: string): string {
  const url = new URL(TEST_SERVER);
  url.pathname = `/${name}`;
  return url.href;
}

async function createDatabase(
  create: (client: Client, name: string) => Promise<unknown>,
): Promise<EmptyDatabase> {
  const name = `millrace_test_${randomBytes(6).toString('hex')}`;
  await onServer((client) => create(client, name));
  const drop = async () => {
    await onServer((client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`));
  };
  return { url: urlFor(name), drop };
}

/** A database of its own on the test server, without any table. */
export const openEmptyPostgresForTest = (): Promise<EmptyDatabase> =>
  createDatabase((client, name) => client.query(`CREATE DATABASE ${name}`));

async function migrateDatabase(name: string): Promise<void> {
  const database = openPostgres({ url: urlFor(name), log: silent });
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

const EMBEDDED: DatabaseKind = { name: 'embedded', open: openTestDatabase };
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
  describe.skipIf(!reachable && may_skip)(`${subject} (PostgreSQL)`, () => {
    suite();
  });
}
