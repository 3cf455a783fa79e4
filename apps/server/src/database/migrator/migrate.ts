import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { SqlClient } from '../sql-client.ts';
import { type ConsolidatedSchema, migrationsWithin, readConsolidated } from './consolidated-schema.ts';
import { installTriggers } from './install-triggers.ts';
import { type Migration, readMigrations } from './migration-files.ts';

/** A process of this version cannot work on this database, because a later version has taken away what it uses. */
export class DatabaseTooNew extends Error {
  constructor(needed: string) {
    super(
      `The database was changed by a later version of Millrace (it needs migration ${needed}). Start that version or a later one.`,
    );
    this.name = 'DatabaseTooNew';
  }
}

export interface MigrateOptions {
  readonly log: Pick<Logger, 'info' | 'warn'>;
  /** Those of this program unless a test says otherwise. */
  readonly migrations?: readonly Migration[];
  /** Makes an empty database by all migrations in turn, as the generator of the consolidated schema does. */
  readonly replay?: boolean;
  /** How often a migration that is under way says so. */
  readonly report_ms?: number;
  /** How long to wait before the lock is asked for again. */
  readonly retry_ms?: number;
  /** How long a statement may wait for a table that others use; everything on that table waits behind it. */
  readonly lock_timeout_ms?: number;
}

/** Any constant: every process that migrates takes the same advisory lock. */
const MIGRATION_LOCK = 460_022_114;
/** The table and its columns are those of the query builder's own migrator, which earlier versions used. */
const TABLE = 'drizzle.__drizzle_migrations';
const LOCK_NOT_AVAILABLE = '55P03';
const LOCK_ATTEMPTS = 40;
const CONTRACT_COMMENT = 'needs migration ';

type Settings = Required<Omit<MigrateOptions, 'migrations' | 'replay'>>;

/**
 * Brings the schema up to date: one process at a time. An empty database gets the consolidated schema in one transaction;
 * any other the migrations that it lacks, each in a transaction of its own, so that what was done stays done when a later
 * one fails. Migrations of later versions are left alone.
 *
 * @param sql one connection, without a time limit for statements
 * @throws DatabaseTooNew
 */
export async function migrate(sql: SqlClient, options: MigrateOptions): Promise<void> {
  const settings: Settings = { report_ms: 10_000, retry_ms: 250, lock_timeout_ms: 3_000, ...options };
  const migrations = options.migrations ?? readMigrations();
  await takeLock(sql, settings);
  try {
    const schema = options.replay ? undefined : readConsolidated();
    if (schema !== undefined && (await isEmpty(sql))) await makeAtOnce(sql, schema, migrations, settings);
    await applyPending(sql, migrations, settings);
    await installTriggers(sql);
  } finally {
    await sql
      .query({ text: 'SELECT pg_advisory_unlock($1)', values: [MIGRATION_LOCK] })
      .catch(() => undefined);
  }
}

/** Asked for again and again: to wait inside of a statement would hold up `CREATE INDEX CONCURRENTLY` for ever. */
async function takeLock(sql: SqlClient, { log, retry_ms, report_ms }: Settings): Promise<void> {
  let saidAt = Number.NEGATIVE_INFINITY;
  for (;;) {
    const { rows } = await sql.query<{ locked: boolean }>({
      text: 'SELECT pg_try_advisory_lock($1) AS locked',
      values: [MIGRATION_LOCK],
    });
    if (rows[0]?.locked) return;
    if (performance.now() - saidAt >= report_ms) {
      saidAt = performance.now();
      log.info('waiting for another process to migrate the database');
    }
    await sleep(retry_ms);
  }
}

/** Whether no migration is recorded and the schema has no tables of other programs. */
async function isEmpty(sql: SqlClient): Promise<boolean> {
  if ((await readApplied(sql)).size > 0) return false;
  const { rows } = await sql.query({
    text: "SELECT 1 FROM pg_class WHERE relnamespace = 'public'::regnamespace LIMIT 1",
  });
  return rows.length === 0;
}

async function makeAtOnce(
  sql: SqlClient,
  schema: ConsolidatedSchema,
  migrations: readonly Migration[],
  { log }: Settings,
): Promise<void> {
  const contained = migrationsWithin(schema, migrations);
  if (contained === undefined) return;
  const started = performance.now();
  await inTransaction(sql, async () => {
    await sql.query({ text: schema.statements });
    for (const migration of contained) await record(sql, migration);
  });
  const elapsed_ms = Math.round(performance.now() - started);
  log.info({ migrations: contained.length, elapsed_ms }, 'made the tables of a new database');
}

async function applyPending(
  sql: SqlClient,
  migrations: readonly Migration[],
  settings: Settings,
): Promise<void> {
  const applied = await readApplied(sql);
  const known = new Set(migrations.map(({ made_at_ms }) => made_at_ms));
  await checkContract(sql, migrations);
  const newer = [...applied.keys()].filter((made_at_ms) => !known.has(made_at_ms)).length;
  const { log } = settings;
  if (newer > 0)
    log.warn({ newer }, 'the database has migrations of a later version; this process runs alongside it');
  for (const { name, made_at_ms, hash } of migrations) {
    const stored = applied.get(made_at_ms);
    if (stored !== undefined && stored !== hash)
      log.warn(
        { migration: name },
        'this migration was changed after it had been applied; its change has no effect',
      );
  }
  const pending = migrations.filter(({ made_at_ms }) => !applied.has(made_at_ms));
  if (pending.length === 0) return;
  const started = performance.now();
  for (const [index, migration] of pending.entries()) {
    const progress = { migration: migration.name, number: index + 1, of: pending.length };
    await withProgress(progress, settings, () => apply(sql, migration, settings));
  }
  const elapsed_ms = Math.round(performance.now() - started);
  log.info({ migrations: pending.length, elapsed_ms }, 'the database is up to date');
}

async function readApplied(sql: SqlClient): Promise<ReadonlyMap<number, string>> {
  const { rows: found } = await sql.query<{ there: boolean }>({
    text: `SELECT to_regclass('${TABLE}') IS NOT NULL AS there`,
  });
  if (!found[0]?.there) {
    await sql.query({ text: 'CREATE SCHEMA IF NOT EXISTS drizzle' });
    await sql.query({
      text: `CREATE TABLE ${TABLE} (id serial PRIMARY KEY, hash text NOT NULL, created_at bigint)`,
    });
  }
  const { rows } = await sql.query<{ hash: string; made_at_ms: number }>({
    text: `SELECT hash, created_at::float8 AS made_at_ms FROM ${TABLE}`,
  });
  return new Map(rows.map(({ hash, made_at_ms }) => [made_at_ms, hash]));
}

async function checkContract(sql: SqlClient, migrations: readonly Migration[]): Promise<void> {
  const { rows } = await sql.query<{ comment: string | null }>({
    text: `SELECT obj_description('${TABLE}'::regclass) AS comment`,
  });
  const needed = rows[0]?.comment?.replace(CONTRACT_COMMENT, '');
  if (needed && !migrations.some(({ name }) => name === needed)) throw new DatabaseTooNew(needed);
}

interface Progress {
  readonly migration: string;
  readonly number: number;
  readonly of: number;
}

async function withProgress(
  progress: Progress,
  { log, report_ms }: Settings,
  work: () => Promise<void>,
): Promise<void> {
  const started = performance.now();
  const report = () =>
    log.info(
      { ...progress, elapsed_ms: Math.round(performance.now() - started) },
      'this migration is still running',
    );
  const timer = setInterval(report, report_ms);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
}

async function apply(sql: SqlClient, migration: Migration, settings: Settings): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await sql.query({ text: `SET lock_timeout = ${settings.lock_timeout_ms}` });
      return await (migration.is_online ? applyOnline(sql, migration) : applyAtOnce(sql, migration));
    } catch (error) {
      if (!isLockTimeout(error) || attempt === LOCK_ATTEMPTS) throw error;
      settings.log.info(
        { migration: migration.name, attempt },
        'a table is in use; trying the migration again',
      );
      await sleep(settings.retry_ms);
    } finally {
      // A broken connection has been reported already.
      await sql.query({ text: 'RESET lock_timeout' }).catch(() => undefined);
    }
  }
}

const isLockTimeout = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === LOCK_NOT_AVAILABLE;

async function applyAtOnce(sql: SqlClient, migration: Migration): Promise<void> {
  await inTransaction(sql, async () => {
    for (const text of migration.statements) await sql.query({ text });
    await record(sql, migration);
  });
}

async function inTransaction(sql: SqlClient, work: () => Promise<void>): Promise<void> {
  await sql.query({ text: 'BEGIN' });
  try {
    await work();
    await sql.query({ text: 'COMMIT' });
  } catch (error) {
    await sql.query({ text: 'ROLLBACK' }).catch(() => undefined);
    throw error;
  }
}

async function applyOnline(sql: SqlClient, migration: Migration): Promise<void> {
  // It waits for every open transaction by design, which holds nothing up.
  await sql.query({ text: 'SET lock_timeout = 0' });
  for (const text of migration.statements) {
    await dropHalfMade(sql, text);
    await sql.query({ text });
  }
  await record(sql, migration);
}

const MADE_ONLINE = /\bCREATE (?:UNIQUE )?INDEX CONCURRENTLY IF NOT EXISTS "?(\w+)"?/i;

/** An index whose making was interrupted is there, is kept up to date, and is used by no query; `IF NOT EXISTS` would keep it so. */
async function dropHalfMade(sql: SqlClient, statement: string): Promise<void> {
  const index = MADE_ONLINE.exec(statement)?.[1];
  if (index === undefined) return;
  const { rows } = await sql.query({
    text: 'SELECT 1 FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid',
    values: [`"${index}"`],
  });
  if (rows.length > 0) await sql.query({ text: `DROP INDEX CONCURRENTLY "${index}"` });
}

async function record(sql: SqlClient, { hash, made_at_ms, contract_of }: Migration): Promise<void> {
  await sql.query({
    text: `INSERT INTO ${TABLE} (hash, created_at) VALUES ($1, $2)`,
    values: [hash, made_at_ms],
  });
  if (contract_of === undefined) return;
  if (!/^\w+$/.test(contract_of)) throw new Error(`"-- contract of ${contract_of}" names no migration`);
  await sql.query({ text: `COMMENT ON TABLE ${TABLE} IS '${CONTRACT_COMMENT}${contract_of}'` });
}
