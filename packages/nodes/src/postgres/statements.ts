import type { Json } from '@millrace/engine';
import type { Client } from 'pg';
import { plain } from '../kit/database/plain.ts';
import { getErrorCode } from '../kit/database/reach.ts';
import type { Statement } from '../kit/database/sql.ts';

export interface Answer {
  readonly rows: Json[];
  /** How many rows the statement changed; absent when it only reads. */
  readonly affected?: number | undefined;
  /** Whether there were more rows than the limit. */
  readonly truncated?: boolean;
}

const FETCHED_AT_ONCE = 1_000;

/** All or nothing; the server ends a statement that takes too long, and refuses changes in a transaction that only reads. */
export async function inTransaction<T>(
  client: Client,
  { isReadOnly, timeout_ms }: { isReadOnly: boolean; timeout_ms: number },
  work: () => Promise<T>,
): Promise<T> {
  await client.query(isReadOnly ? 'BEGIN READ ONLY' : 'BEGIN');
  try {
    await client.query("SELECT set_config('statement_timeout', $1, true)", [String(timeout_ms)]);
    const result = await work();
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

const CHANGES = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

export async function send(client: Client, { text, values }: Statement): Promise<Answer> {
  // Statements without values may be several; the driver answers with a list then, of which the last counts.
  const answered: unknown = await client.query(text, values.length === 0 ? undefined : [...values]);
  const result = (Array.isArray(answered) ? answered.at(-1) : answered) as {
    rows: unknown[];
    rowCount: number | null;
    command: string;
  };
  return {
    rows: result.rows.map(plain),
    ...(CHANGES.has(result.command) ? { affected: result.rowCount ?? 0 } : {}),
  };
}

/** The server's codes for a statement that no cursor can be opened for, or that is wrong. */
const NO_CURSOR = new Set(['42601', '0A000', '42P11', '25006']);

/**
 * Runs a query. Rows of one that selects are fetched through a cursor, so that no more than the limit leaves the server;
 * every other statement is sent as it is.
 */
export async function readByCursor(client: Client, statement: Statement, limit: number): Promise<Answer> {
  const { text, values } = statement;
  if (!/^\s*(select|with|values|table)\b/i.test(text)) return limited(await send(client, statement), limit);
  await client.query('SAVEPOINT before_query');
  try {
    await client.query(
      `DECLARE millrace_rows NO SCROLL CURSOR FOR ${text}`,
      values.length === 0 ? undefined : [...values],
    );
  } catch (error) {
    if (!NO_CURSOR.has(getErrorCode(error) ?? '')) throw error;
    await client.query('ROLLBACK TO SAVEPOINT before_query');
    return limited(await send(client, statement), limit);
  }
  const rows: Json[] = [];
  while (rows.length <= limit) {
    const wanted = Math.min(FETCHED_AT_ONCE, limit + 1 - rows.length);
    const fetched = await client.query<Record<string, unknown>>(`FETCH ${wanted} FROM millrace_rows`);
    for (const row of fetched.rows) rows.push(plain(row));
    if (fetched.rows.length < wanted) break;
  }
  await client.query('CLOSE millrace_rows');
  return limited({ rows }, limit);
}

const limited = ({ rows, ...rest }: Answer, limit: number): Answer => ({
  ...rest,
  rows: rows.slice(0, limit),
  truncated: rows.length > limit,
});
