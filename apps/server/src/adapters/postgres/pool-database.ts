import { drizzle } from 'drizzle-orm/node-postgres';
import type { ClientBase, Pool } from 'pg';
import type { Db } from '../../database/database.ts';
import * as schema from '../../database/schema/index.ts';
import type { SqlClient, Statement, TransactionalSql } from '../../database/sql-client.ts';

export const dbOver = (pool: Pool): Db => drizzle(pool, { schema });

/** Plain statements on a pool or on one connection of it. */
export function sqlOver(connection: Pool | ClientBase): SqlClient {
  return {
    async query<Row>(statement: Statement) {
      const result = await connection.query(statement);
      return { rows: result.rows as Row[], row_count: result.rowCount ?? 0 };
    },
  };
}

/** The same with transactions, each on a connection of its own. */
export function transactionalOver(pool: Pool): TransactionalSql {
  return {
    ...sqlOver(pool),
    async transaction(work) {
      const client = await pool.connect();
      let broken: Error | undefined;
      try {
        await client.query('BEGIN');
        const result = await work(sqlOver(client));
        await client.query('COMMIT');
        return result;
      } catch (error) {
        await client.query('ROLLBACK').catch((failure: Error) => {
          broken = failure;
        });
        throw error;
      } finally {
        client.release(broken);
      }
    },
  };
}
