import { sql } from 'drizzle-orm';
import type { Db } from './database.ts';
import { queryRows } from './query-rows.ts';
import type { SqlClient } from './sql-client.ts';

const PLACES = /\$(\d+)/;

/** Plain statements on the connection of a query builder, so that they can be a part of its transaction. */
export function sqlWithin(db: Db): SqlClient {
  return {
    async query<Row>({ text, values = [] }: Parameters<SqlClient['query']>[0]) {
      const parts = text.split(PLACES);
      const chunks = parts.map((part, at) =>
        at % 2 === 0 ? sql.raw(part) : sql`${sql.param(values[Number(part) - 1])}`,
      );
      const rows = await queryRows<Row>(db, sql.join(chunks));
      return { rows, row_count: rows.length };
    },
  };
}
