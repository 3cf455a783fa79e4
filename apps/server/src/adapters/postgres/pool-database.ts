import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import type { Pool, PoolClient } from 'pg';
import type { Db } from '../../database/database.ts';
import { finishSchema } from '../../database/finish-schema.ts';
import { MIGRATION_LOCK, migrationsFolder } from '../../database/migrate.ts';
import * as schema from '../../database/schema/index.ts';
import type { SqlClient, Statement } from '../../database/sql-client.ts';

export const dbOver = (pool: Pool): Db => drizzle(pool, { schema });

/** Plain statements on a pool or on one connection of it. */
export function sqlOver(connection: Pool | PoolClient): SqlClient {
  return {
    async query<Row>(statement: Statement) {
      const result = await connection.query(statement);
      return { rows: result.rows as Row[], row_count: result.rowCount ?? 0 };
    },
  };
}

/** Brings the schema up to date; processes that start together do it one after another. */
export async function migrateOver(pool: Pool): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await migrate(drizzle(client), { migrationsFolder: migrationsFolder() });
    await finishSchema(sqlOver(client));
  } finally {
    await client.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => undefined);
    client.release();
  }
}
