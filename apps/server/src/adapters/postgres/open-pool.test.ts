// cspell:ignore terminat
import { sql } from 'drizzle-orm';
import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  describeOnPostgres,
  openPostgresForTest,
  type PostgresForTest,
  silent,
} from '../../execution/journal/testing/databases.ts';
import { openPool } from './open-pool.ts';
import { dbOver } from './pool-database.ts';

describeOnPostgres('a pool whose connections break', () => {
  let postgres: PostgresForTest;
  let pool: Pool;
  beforeAll(async () => {
    postgres = await openPostgresForTest();
    pool = openPool({ connectionString: postgres.url, max: 2 }, silent);
  });
  afterAll(async () => {
    await pool.end();
    await postgres.database.close();
  });

  /** Ends every connection of the pool, and not the one that asks for it. */
  const cut = () =>
    postgres.database.sql.query({
      text: `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    });

  /** Waits until so many statements sleep in the database. */
  const asleep = (count: number) =>
    expect
      .poll(async () => {
        const text = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`;
        return (await postgres.database.sql.query({ text })).rows.length;
      })
      .toBe(count);

  test('repeats a read that was under way', async () => {
    const reads = [1, 2].map((n) => pool.query(`SELECT ${n} AS n FROM pg_sleep(2)`));
    await asleep(2);
    await cut();
    expect((await Promise.all(reads)).map(({ rows }) => rows[0].n)).toEqual([1, 2]);
  });

  test('does not repeat a write', async () => {
    await pool.query('CREATE TABLE notes (text text)');
    const write = pool.query(`INSERT INTO notes SELECT 'a' FROM pg_sleep(20)`);
    const refused = expect(write).rejects.toThrow(/terminat|Connection|query/i);
    await asleep(1);
    await cut();
    await refused;
    expect((await pool.query('SELECT * FROM notes')).rows).toEqual([]);
  });

  test('fails a transaction, and nothing else: the process and the pool keep working', async () => {
    const db = dbOver(pool);
    const transaction = db.transaction(async (tx) => {
      await tx.execute(sql`SELECT 1`);
      await cut();
      // No statement is in progress; the error comes on its own.
      await new Promise((resolve) => setTimeout(resolve, 200));
      await tx.execute(sql`SELECT 2`);
    });
    await expect(transaction).rejects.toThrow(/terminat|Connection|query/i);
    expect((await pool.query('SELECT 3 AS n')).rows).toEqual([{ n: 3 }]);
  });
});
