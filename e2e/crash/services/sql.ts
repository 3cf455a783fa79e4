import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { openPglite } from '../../../apps/server/src/adapters/pglite/open.ts';

/** A database as the harness reads it, whichever kind it is. */
export interface Sql {
  query<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>;
  /** Keeps what the statement locks for a while. Absent for a database of one process. */
  readonly lock?: (text: string, values: unknown[], ms: number) => Promise<void>;
  close(): Promise<void>;
}

const ANSWER_WITHIN_MS = 10_000;

/** Connections of the harness itself to a server that may go away at any time. */
export function connect(url: string, answer_within_ms = ANSWER_WITHIN_MS): Sql {
  const pool = new pg.Pool({
    connectionString: url,
    max: 12,
    connectionTimeoutMillis: 3_000,
    query_timeout: answer_within_ms,
  });
  pool.on('error', () => undefined);
  return {
    query: async <Row extends object>(text: string, values?: unknown[]) =>
      (await pool.query<Row>(text, values)).rows,
    async lock(text, values, ms) {
      const client = await pool.connect();
      try {
        await client.query('BEGIN');
        await client.query(text, values);
        await sleep(ms);
        await client.query('COMMIT');
      } finally {
        client.release();
      }
    },
    close: () => pool.end(),
  };
}

/** The embedded database of a folder that no process has open now. */
export async function openFolder(folder: string): Promise<Sql> {
  const database = await openPglite({ folder });
  return {
    query: async <Row extends object>(text: string, values: unknown[] = []) =>
      (await database.sql.query<Row>({ text, values })).rows,
    close: () => database.close(),
  };
}
