import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { openPglite } from '../../adapters/pglite/open.ts';
import { sqlOver } from '../../adapters/postgres/pool-database.ts';
import {
  connectToEmptyPostgres,
  describeOnPostgres,
  openEmptyPostgresForTest,
  type SqlConnection,
} from '../../execution/journal/testing/databases.ts';
import type { SqlClient } from '../sql-client.ts';
import { readCatalog } from '../testing/read-catalog.ts';
import {
  CONSOLIDATED_FILE,
  formatConsolidated,
  migrationsWithin,
  parseConsolidated,
  readConsolidated,
} from './consolidated-schema.ts';
import { type MigrateOptions, migrate } from './migrate.ts';
import { migrationsFolder, parseMigration, readMigrations } from './migration-files.ts';

// Making a database by all migrations takes seconds on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

function keepLines() {
  const lines: unknown[] = [];
  const keep = (fields: object | string, text = '') =>
    void lines.push(typeof fields === 'string' ? { text: fields } : { ...fields, text });
  return { lines, log: { info: keep, warn: keep } };
}

const difference = (lines: readonly string[] = [], others: readonly string[] = []) =>
  lines.filter((line) => !others.includes(line));

const OURS = readMigrations();

function describeBothWays(open: () => Promise<SqlConnection>): void {
  let database: SqlConnection;
  beforeAll(async () => {
    database = await open();
  });
  beforeEach(() =>
    database.sql.query({
      text: 'DROP SCHEMA IF EXISTS drizzle CASCADE; DROP SCHEMA public CASCADE; CREATE SCHEMA public',
    }),
  );
  afterAll(() => database.close());

  const migrateWith = async (options: Partial<MigrateOptions> = {}) => {
    const { lines, log } = keepLines();
    await migrate(database.sql, { log, ...options });
    return lines;
  };

  test('makes what the migrations make one after another, and says so in one line', async () => {
    expect(await migrateWith({ replay: true })).toEqual([
      expect.objectContaining({ migrations: OURS.length, text: 'the database is up to date' }),
    ]);
    const replayed = await readCatalog(database.sql);
    await database.sql.query({
      text: 'DROP SCHEMA drizzle CASCADE; DROP SCHEMA public CASCADE; CREATE SCHEMA public',
    });
    expect(await migrateWith()).toEqual([
      expect.objectContaining({ migrations: OURS.length, text: 'made the tables of a new database' }),
    ]);
    const made = await readCatalog(database.sql);
    for (const [part, lines] of Object.entries(replayed)) {
      expect(lines.length, part).toBeGreaterThan(0);
      const [missing, extra] = [difference(lines, made[part]), difference(made[part], lines)];
      expect({ missing, extra }, part).toEqual({ missing: [], extra: [] });
    }
    expect(await migrateWith()).toEqual([]);
  });

  test('is followed by migrations that are newer', async () => {
    const newer = parseMigration('90_newer', 4_000_000_000_000, 'CREATE TABLE newer (a int)');
    expect(await migrateWith({ migrations: [...OURS, newer] })).toMatchObject([
      { migrations: OURS.length, text: 'made the tables of a new database' },
      { migrations: 1, text: 'the database is up to date' },
    ]);
  });

  test('leaves nothing behind when it fails, and is made by the next start', async () => {
    const failing: SqlClient = {
      query: (statement) =>
        statement.text.includes('INSERT INTO drizzle')
          ? Promise.reject(new Error('the connection is lost'))
          : database.sql.query(statement),
    };
    await expect(migrate(failing, { log: keepLines().log })).rejects.toThrow('the connection is lost');
    const { rows } = await database.sql.query({
      text: "SELECT 1 FROM pg_class WHERE relnamespace = 'public'::regnamespace",
    });
    expect(rows).toEqual([]);
    expect(await migrateWith()).toMatchObject([{ migrations: OURS.length }]);
  });

  test('is not used for a program whose migrations it does not stand for', async () => {
    const [first, ...rest] = OURS;
    if (first === undefined) throw new Error('there are no migrations');
    const lines = await migrateWith({ migrations: [{ ...first, hash: 'of another text' }, ...rest] });
    expect(lines).toMatchObject([{ migrations: OURS.length, text: 'the database is up to date' }]);
  });

  test('is not used for a database in which someone keeps tables', async () => {
    await database.sql.query({ text: 'CREATE TABLE theirs (a int)' });
    expect(await migrateWith()).toMatchObject([
      { migrations: OURS.length, text: 'the database is up to date' },
    ]);
  });

  test.each([
    ['columns', "ALTER TABLE users ALTER name SET DEFAULT 'x'"],
    ['constraints', 'ALTER TABLE users ADD CHECK (true)'],
    ['indexes', 'CREATE INDEX ON users (name)'],
    ['relations', 'ALTER TABLE response_cache SET LOGGED'],
    ['triggers', 'ALTER TABLE workflows DISABLE TRIGGER count_change'],
    ['functions', 'ALTER FUNCTION count_change() SECURITY DEFINER'],
    ['comments', "COMMENT ON TABLE runs IS 'other'"],
    ['rows', 'UPDATE change_clock SET count = count + 1'],
    ['migrations', "UPDATE drizzle.__drizzle_migrations SET hash = '' WHERE id = 1"],
  ])('is compared by its %s', async (part, text) => {
    await migrateWith();
    const before = await readCatalog(database.sql);
    await database.sql.query({ text });
    expect(difference((await readCatalog(database.sql))[part], before[part])).not.toEqual([]);
  });
}

describe('the consolidated schema (embedded)', () => describeBothWays(() => openPglite({})));

describeOnPostgres('the consolidated schema', () => {
  describeBothWays(connectToEmptyPostgres);

  test('is made by one of the processes that start together', async () => {
    const { url, drop } = await openEmptyPostgresForTest();
    const start = async () => {
      const client = new Client({ connectionString: url });
      await client.connect();
      const { lines, log } = keepLines();
      await migrate(sqlOver(client), { log, retry_ms: 10 });
      await client.end();
      return JSON.stringify(lines);
    };
    const logs = await Promise.all([start(), start(), start()]);
    expect(logs.filter((lines) => lines.includes('made the tables of a new database'))).toHaveLength(1);
    expect(logs.join('')).not.toContain('migrating the database');
    await drop();
  });
});

describe('the file of the consolidated schema', () => {
  const text = readFileSync(join(migrationsFolder(), CONSOLIDATED_FILE), 'utf8');

  test('is read as it was written', () => {
    const { statements, migrations } = parseConsolidated(text);
    expect(formatConsolidated(OURS.slice(0, migrations), statements)).toBe(text);
  });

  test('stands for no migration that was changed since', () => {
    const schema = readConsolidated() ?? parseConsolidated('');
    expect(migrationsWithin(schema, OURS)).toEqual(OURS);
    const [first, ...rest] = OURS;
    const changed = parseMigration(first?.name ?? '', first?.made_at_ms ?? 0, 'CREATE TABLE other (a int)');
    expect(migrationsWithin(schema, [changed, ...rest])).toBeUndefined();
    expect(migrationsWithin(schema, rest)).toBeUndefined();
  });
});
