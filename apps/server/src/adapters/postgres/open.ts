import { Client, type Pool, type PoolConfig } from 'pg';
import type { Logger } from 'pino';
import type { Database } from '../../database/database.ts';
import { migrate } from '../../database/migrator/migrate.ts';
import { keepLease } from './lease-keeper.ts';
import { listen } from './listen.ts';
import { openPool } from './open-pool.ts';
import { dbOver, sqlOver, transactionalOver } from './pool-database.ts';

export interface PostgresOptions {
  url: string;
  log: Logger;
  max_connections?: number;
  /** Connections that journal and ownership have for themselves. */
  journal_connections?: number;
}

/**
 * Timeouts without which a lost network would hang a process for ever instead of failing it over. A server that can be reached
 * gives up first, so that a slow statement is told from a lost server.
 */
const FAULT_SETTINGS = {
  connectionTimeoutMillis: 3_000,
  statement_timeout: 10_000,
  query_timeout: 11_500,
  idle_in_transaction_session_timeout: 15_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
} as const;

/** Journal statements are short; one that takes longer has met a fault and is sent again, by halves. */
const JOURNAL_SETTINGS = {
  ...FAULT_SETTINGS,
  statement_timeout: 5_000,
  query_timeout: 6_500,
  // A process that freezes within a transaction keeps its runs from being taken over; it ends with the usual lease.
  idle_in_transaction_session_timeout: 5_000,
} as const;

/**
 * Journal statements reach rows by their keys. A plan is kept for as long as its connection; one that was made while the
 * tables were small would read them whole for ever after.
 */
export const KEYED_PLANS = ['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin'] as const;
const KEYED_OPTIONS = KEYED_PLANS.map((setting) => `-c ${setting}=off`).join(' ');

const JOURNAL_CONNECTIONS = 4;

/** Connects to a PostgreSQL server. */
export function openPostgres({
  url,
  log,
  max_connections = 16,
  journal_connections = JOURNAL_CONNECTIONS,
}: PostgresOptions): Database {
  const open = (settings: PoolConfig): Pool => openPool({ connectionString: url, ...settings }, log);
  const pool = open({ max: max_connections, ...FAULT_SETTINGS });
  const journalPool = open({ max: journal_connections, options: KEYED_OPTIONS, ...JOURNAL_SETTINGS });
  return {
    kind: 'postgres',
    db: dbOver(pool),
    sql: transactionalOver(pool),
    journal: transactionalOver(journalPool),
    listen: (channel, receive) => listen({ url, channel, receive, log }),
    keepLease: (terms) => keepLease({ url, ...terms }),
    migrate: () => migrateServer(url, log),
    close: async () => {
      await Promise.all([pool.end(), journalPool.end()]);
    },
  };
}

/** On a connection of its own: a migration of a large table takes longer than any statement of a request may. */
async function migrateServer(url: string, log: Logger): Promise<void> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: FAULT_SETTINGS.connectionTimeoutMillis,
    options: '-c statement_timeout=0 -c idle_in_transaction_session_timeout=0',
    application_name: 'millrace migrations',
    keepAlive: true,
  });
  // A connection that breaks fails the statement under way; without a listener it would also end the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await migrate(sqlOver(client), { log });
  } finally {
    await client.end();
  }
}
