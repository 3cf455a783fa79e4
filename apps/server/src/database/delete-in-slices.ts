import type { SqlClient } from './sql-client.ts';

/** Rows of one statement, so that none of them takes long. */
const SLICE = 5_000;

/**
 * Deletes rows slice by slice, each in a statement of its own. Resolves to how many there were.
 *
 * @param text deletes at most as many rows as its last parameter says
 * @param values its other parameters
 */
export async function deleteInSlices(
  sql: SqlClient,
  text: string,
  values: readonly unknown[] = [],
): Promise<number> {
  let removed = 0;
  for (;;) {
    const { row_count } = await sql.query({ text, values: [...values, SLICE] });
    removed += row_count;
    if (row_count < SLICE) return removed;
  }
}
