import type { SQL } from 'drizzle-orm';
import type { Db } from './database.ts';

/** Rows of a statement that the query builder cannot write; both drivers answer `{ rows }`, which its type hides. */
export async function queryRows<Row>(db: Db, statement: SQL): Promise<Row[]> {
  const result: unknown = await db.execute(statement);
  return (result as { rows: Row[] }).rows;
}
