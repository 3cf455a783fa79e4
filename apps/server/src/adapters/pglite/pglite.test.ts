import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { users } from '../../database/schema/index.ts';
import { beginOpening, type EmbeddedDatabase, openPglite, type PgliteOptions } from './open.ts';
import { startEngineThread } from './threaded-engine.ts';

// Making a database takes seconds on a busy machine, and more when each write is synced.
vi.setConfig({ testTimeout: 60_000 });

const folders: string[] = [];
const open: EmbeddedDatabase[] = [];

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-pglite-'));
  folders.push(folder);
  return folder;
}

async function openFresh(options: PgliteOptions = {}): Promise<EmbeddedDatabase> {
  const database = await openPglite(options);
  open.push(database);
  return database;
}

afterEach(async () => {
  for (const database of open.splice(0)) await database.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const countUsers = async (database: EmbeddedDatabase) =>
  (await database.sql.query<{ count: number }>({ text: 'SELECT count(*)::int AS count FROM users' })).rows[0]
    ?.count;

const person = (email: string) => ({ email, password_hash: 'x', name: 'x' });

describe.each([
  ['in this thread', { thread: false }],
  ['in a thread of its own', { thread: true }],
  ['in a thread of its own, log synced', { thread: true, sync_log: true }],
])('the embedded database %s', (_, options) => {
  test('keeps what was committed, and closes cleanly', async () => {
    const folder = join(newFolder(), 'database');
    const first = await openPglite({ folder, ...options });
    await first.migrate();
    await first.db.insert(users).values(person('a@example.com'));
    await first.close();
    const second = await openFresh({ folder, ...options });
    await second.migrate();
    expect(await countUsers(second)).toBe(1);
  });

  test('rolls a failed transaction back and keeps working after any error', async () => {
    const database = await openFresh({ folder: join(newFolder(), 'database'), ...options });
    await database.migrate();
    const failed = database.db.transaction(async (tx) => {
      await tx.insert(users).values(person('a@example.com'));
      await tx.insert(users).values(person('a@example.com'));
    });
    await expect(failed).rejects.toMatchObject({ cause: { code: '23505', constraint: expect.any(String) } });
    await expect(
      database.sql.query({ name: 'bad', text: 'SELECT 1 / $1::int', values: [0] }),
    ).rejects.toMatchObject({
      code: '22012',
    });
    expect(await countUsers(database)).toBe(0);
  });
});

test('statements wait while the database is made in a thread that was started before, and migrated', async () => {
  const folder = join(newFolder(), 'database');
  const { database } = beginOpening({ folder, thread: startEngineThread() });
  open.push(database);
  const migrated = database.migrate();
  expect(await countUsers(database)).toBe(0);
  await migrated;
});

test('a thread ends when its database cannot be made, and opens no other one', async () => {
  const parent = join(newFolder(), 'file');
  writeFileSync(parent, '');
  const thread = startEngineThread();
  await expect(thread.open({ folder: join(parent, 'database') })).rejects.toThrow('EEXIST');
  await expect(thread.open({ folder: join(newFolder(), 'database') })).rejects.toThrow('already');
  // Of a thread that still ran, the exit code.
  expect(await thread.terminate()).toBeUndefined();
});

test('a database that cannot be opened says so to all who wait for it', async () => {
  const folder = join(newFolder(), 'database');
  mkdirSync(folder);
  writeFileSync(join(folder, 'PG_VERSION'), '3');
  const { database, opened } = beginOpening({ folder });
  await expect(database.migrate()).rejects.toThrow('the embedded database has ended');
  await expect(opened).rejects.toThrow('the embedded database has ended');
});

describe('the single connection of the embedded database', () => {
  let database: EmbeddedDatabase;
  beforeAll(async () => {
    database = await openPglite({});
    await database.migrate();
  });
  beforeEach(() => database.sql.query({ text: 'TRUNCATE users CASCADE' }));
  afterAll(() => database.close());

  test('gives each transaction its turn and the statements in between theirs', async () => {
    const seen: string[] = [];
    const transactions = ['a', 'b', 'c'].map((name) =>
      database.db.transaction(async (tx) => {
        seen.push(`${name} begins`);
        await tx.insert(users).values(person(`${name}@example.com`));
        await new Promise((resolve) => setTimeout(resolve, 5));
        seen.push(`${name} ends`);
      }),
    );
    await Promise.all([...transactions, countUsers(database)]);
    expect(seen).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
    expect(await countUsers(database)).toBe(3);
  });

  test('a transaction that waits for the database outside of itself fails with the reason instead of hanging', async () => {
    const stuck = database.db.transaction(async (tx) => {
      await tx.insert(users).values(person('a@example.com'));
      await database.sql.query({ text: 'SELECT 1' });
    });
    await expect(stuck).rejects.toThrow('pass the transaction on');
    const nested = database.db.transaction(() =>
      database.db.transaction(async (tx) => tx.execute(sql`SELECT 1`)),
    );
    await expect(nested).rejects.toThrow('pass the transaction on');
    expect(await countUsers(database)).toBe(0);
  });

  test('work that a transaction only starts gets its turn afterwards', async () => {
    let later: Promise<unknown> = Promise.resolve();
    await database.db.transaction(async (tx) => {
      later = countUsers(database);
      await tx.insert(users).values(person('a@example.com'));
    });
    expect(await later).toBe(1);
  });

  test('delivers notifications after commit', async () => {
    const seen: string[] = [];
    const end = await database.listen('hints', (payload) => seen.push(payload));
    await database.sql.query({ text: `SELECT pg_notify('hints', 'one')` });
    expect(seen).toEqual(['one']);
    await end();
    await database.sql.query({ text: `SELECT pg_notify('hints', 'two')` });
    expect(seen).toEqual(['one']);
  });

  // The day this fails the engine has learned it, and the limit of PostgreSQL servers belongs here too (docs/durability.md).
  test('cannot interrupt a statement that takes too long', async () => {
    const { rows } = await database.sql.transaction(async (tx) => {
      await tx.query({ text: "SET LOCAL statement_timeout = '20ms'" });
      return tx.query<{ limit: string; count: number }>({
        text: `SELECT current_setting('statement_timeout') AS limit, count(*)::int AS count
          FROM generate_series(1, 300000)`,
      });
    });
    expect(rows).toEqual([{ limit: '20ms', count: 300_000 }]);
  });
});

test('large values move to a thread and back', async () => {
  const database = await openFresh({ folder: join(newFolder(), 'database'), thread: true });
  const text = 'ü'.repeat(3_000_000);
  const { rows } = await database.sql.query<{ text: string }>({
    text: 'SELECT $1::text AS text',
    values: [text],
  });
  expect(rows[0]?.text === text).toBe(true);
});
