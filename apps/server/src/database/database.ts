import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import type { Lease, LeaseTerms } from '../ports/coordination/lease.ts';
import type * as schema from './schema/index.ts';
import type { TransactionalSql } from './sql-client.ts';

/** The query builder; a transaction has the same type, so a function that takes a `Db` works inside both. */
export type Db = PgDatabase<PgQueryResultHKT, typeof schema>;

/** An open database, embedded or a server. */
export interface Database {
  readonly kind: 'embedded' | 'postgres';
  readonly db: Db;
  readonly sql: TransactionalSql;
  /** Connections of journal and ownership alone, so that slow reads never stand in their way. */
  readonly journal: TransactionalSql;
  /** Subscribes to a notification channel; the returned function ends it. */
  listen(channel: string, receive: (payload: string) => void): Promise<() => Promise<void>>;
  /** Renews the lease of a registered worker until it is stopped. Resolves after the first renewal. */
  keepLease(terms: LeaseTerms): Promise<Lease>;
  migrate(): Promise<void>;
  close(): Promise<void>;
}
