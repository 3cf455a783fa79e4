import { Client } from 'pg';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { openPglite } from '../../adapters/pglite/open.ts';
import { openPostgres } from '../../adapters/postgres/open.ts';
import { sqlOver } from '../../adapters/postgres/pool-database.ts';
import {
  describeOnPostgres,
  openEmptyPostgresForTest,
  silent,
} from '../../execution/journal/testing/databases.ts';
import { openTestDatabase } from '../../testing/test-database.ts';
import type { Database } from '../database.ts';
import type { SqlClient } from '../sql-client.ts';
import { DatabaseTooNew, migrate } from './migrate.ts';
import { type Migration, parseMigration, readMigrations } from './migration-files.ts';

// Making a database takes seconds on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

type Line = Record<string, unknown> & { text: string };

function createLog() {
  const lines: Line[] = [];
  const keep = (fields: object | string, text = '') =>
    void lines.push(typeof fields === 'string' ? { text: fields } : { ...fields, text });
  return { lines, log: { info: keep, warn: keep } };
}

const OURS = readMigrations();
const extra = (text: string, number = 1): Migration =>
  parseMigration(`9${number}_extra`, 4_000_000_000_000 + number, text);

const has = async (sql: SqlClient, table: string): Promise<boolean> => {
  const { rows } = await sql.query<{ there: boolean }>({
    text: 'SELECT to_regclass($1) IS NOT NULL AS there',
    values: [table],
  });
  return rows[0]?.there ?? false;
};

describe('migrations', () => {
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });
  const keep = (database: Database): SqlClient => {
    closing.push(() => database.close());
    return database.sql;
  };
  const openMigrated = async () => keep(await openTestDatabase());

  test('each is applied once, in its turn, and the log counts them', async () => {
    const sql = keep(await openPglite({}));
    const { lines, log } = createLog();
    await migrate(sql, { log, replay: true });
    const times = OURS.map(({ made_at_ms }) => made_at_ms);
    const { rows } = await sql.query<{ at: number }>({
      text: 'SELECT created_at::float8 AS at FROM drizzle.__drizzle_migrations ORDER BY id',
    });
    expect(rows.map(({ at }) => at)).toEqual(times);
    expect(lines).toEqual([
      { text: 'the database is up to date', migrations: OURS.length, elapsed_ms: expect.any(Number) },
    ]);
    lines.length = 0;
    await migrate(sql, { log });
    expect(lines).toEqual([]);
  });

  test('a failed one leaves nothing of itself and all of those before it', async () => {
    const sql = await openMigrated();
    const good = extra('CREATE TABLE good (a int)', 1);
    const bad = extra('CREATE TABLE half (a int)--> statement-breakpoint\nSELECT 1/0', 2);
    const { log } = createLog();
    await expect(migrate(sql, { log, migrations: [...OURS, good, bad] })).rejects.toThrow('division by zero');
    expect([await has(sql, 'good'), await has(sql, 'half')]).toEqual([true, false]);
    const mended = extra('CREATE TABLE half (a int)', 2);
    await migrate(sql, { log, migrations: [...OURS, good, mended] });
    expect(await has(sql, 'half')).toBe(true);
  });

  test('one that was made on another branch before the last one is still applied', async () => {
    const sql = await openMigrated();
    const { log } = createLog();
    const [older, newer] = [extra('CREATE TABLE older (a int)', 1), extra('CREATE TABLE newer (a int)', 2)];
    await migrate(sql, { log, migrations: [...OURS, newer] });
    await migrate(sql, { log, migrations: [...OURS, older, newer] });
    expect(await has(sql, 'older')).toBe(true);
  });

  test('a process of the version before starts beside a later one, and says so', async () => {
    const sql = await openMigrated();
    await migrate(sql, { log: createLog().log, migrations: [...OURS, extra('CREATE TABLE later (a int)')] });
    const { lines, log } = createLog();
    await migrate(sql, { log });
    expect(lines).toEqual([
      { newer: 1, text: 'the database has migrations of a later version; this process runs alongside it' },
    ]);
  });

  test('a process that uses what was taken away since refuses to start', async () => {
    const sql = await openMigrated();
    const expand = extra('CREATE TABLE replacement (a int)', 1);
    const contract = extra(`-- contract of ${expand.name}\nDROP TABLE audit_entries`, 2);
    const { log } = createLog();
    await migrate(sql, { log, migrations: [...OURS, expand, contract] });
    await expect(migrate(sql, { log })).rejects.toThrow(DatabaseTooNew);
    await migrate(sql, { log, migrations: [...OURS, expand] });
  });

  test('one that was changed after it had been applied is told', async () => {
    const sql = await openMigrated();
    const { lines, log } = createLog();
    await migrate(sql, { log, migrations: [...OURS, extra('CREATE TABLE one (a int)')] });
    lines.length = 0;
    await migrate(sql, { log, migrations: [...OURS, extra('CREATE TABLE two (a int)')] });
    expect(lines).toMatchObject([{ migration: '91_extra' }]);
    expect(await has(sql, 'two')).toBe(false);
  });

  test('an index can be made without a transaction, so that nothing waits for it', async () => {
    const sql = await openMigrated();
    const online = extra('-- online\nCREATE INDEX CONCURRENTLY IF NOT EXISTS runs_extra ON runs (status)');
    await migrate(sql, { log: createLog().log, migrations: [...OURS, online] });
    expect(await has(sql, 'runs_extra')).toBe(true);
  });

  test('an index whose making was interrupted is made anew', async () => {
    const sql = await openMigrated();
    const table = extra(
      'CREATE TABLE doubled (a int)--> statement-breakpoint\nINSERT INTO doubled VALUES (1), (1)',
    );
    const online = extra(
      '-- online\nCREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "doubled_once" ON "doubled" ("a")',
      2,
    );
    const { log } = createLog();
    const again = () => migrate(sql, { log, migrations: [...OURS, table, online] });
    await expect(again()).rejects.toThrow('could not create unique index');
    const isValid = async () =>
      (
        await sql.query<{ indisvalid: boolean }>({
          text: "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('doubled_once')",
        })
      ).rows[0]?.indisvalid;
    expect(await isValid()).toBe(false);
    await sql.query({ text: 'DELETE FROM doubled WHERE ctid = (SELECT min(ctid) FROM doubled)' });
    await again();
    expect(await isValid()).toBe(true);
  });
});

describeOnPostgres('migrations', () => {
  test('run without the time limit that statements of requests have', async () => {
    const { url, drop } = await openEmptyPostgresForTest();
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query(`CREATE TABLE seen (setting text);
      CREATE FUNCTION see() RETURNS event_trigger LANGUAGE plpgsql AS $$
      BEGIN INSERT INTO public.seen VALUES (current_setting('statement_timeout')); END $$;
      CREATE EVENT TRIGGER see ON ddl_command_start WHEN TAG IN ('ALTER TABLE') EXECUTE FUNCTION see();
      ALTER DATABASE ${new URL(url).pathname.slice(1)} SET statement_timeout = 5000`);
    const database = openPostgres({ url, log: silent });
    await database.migrate();
    const { rows } = await client.query<{ setting: string }>('SELECT DISTINCT setting FROM seen');
    expect(rows).toEqual([{ setting: '0' }]);
    await client.end();
    await database.close();
    await drop();
  });

  test('processes that start together do it one after another, and those that wait say so', async () => {
    const { url, drop } = await openEmptyPostgresForTest();
    const slow = extra('CREATE TABLE once (a int)--> statement-breakpoint\nSELECT pg_sleep(0.3)');
    const starter = async () => {
      const client = new Client({ connectionString: url });
      await client.connect();
      const { lines, log } = createLog();
      await migrate(sqlOver(client), { log, migrations: [...OURS, slow], retry_ms: 10, report_ms: 50 });
      await client.end();
      return lines.map(({ text }) => text);
    };
    const logs = await Promise.all([starter(), starter(), starter()]);
    const worked = logs.filter((lines) => lines.includes('the database is up to date'));
    expect(worked).toHaveLength(1);
    expect(worked[0]).toContain('this migration is still running');
    for (const lines of logs.filter((each) => each !== worked[0]))
      expect(lines).toContain('waiting for another process to migrate the database');
    await drop();
  });

  test('a table in use delays a migration and does not fail it, and what uses the table is not held up', async () => {
    const { url, drop } = await openEmptyPostgresForTest();
    const [user, migrator] = [new Client({ connectionString: url }), new Client({ connectionString: url })];
    await Promise.all([user.connect(), migrator.connect()]);
    const { lines, log } = createLog();
    const options = { retry_ms: 20, lock_timeout_ms: 50 };
    await migrate(sqlOver(migrator), { log, ...options });
    await user.query('BEGIN');
    await user.query('SELECT count(*) FROM runs');
    const alter = extra('ALTER TABLE runs ADD COLUMN extra text');
    const waiting = new Promise<void>((resolve) => {
      const info = (fields: object, text = '') => {
        log.info(fields, text);
        if (text === 'a table is in use; trying the migration again') resolve();
      };
      migrate(sqlOver(migrator), {
        log: { info, warn: log.warn },
        migrations: [...OURS, alter],
        ...options,
      }).then(
        () => lines.push({ text: 'all done' }),
        (error: Error) => lines.push({ text: error.message }),
      );
    });
    await waiting;
    await user.query('COMMIT');
    await expect.poll(() => lines.at(-1)?.text).toBe('all done');
    await Promise.all([user.end(), migrator.end()]);
    await drop();
  });
});
