import type { Json } from '@millrace/engine';
import type { Connection, FieldPacket } from 'mysql2';
import { plain } from '../kit/database/plain.ts';
import { getErrorCode } from '../kit/database/reach.ts';
import type { Statement } from '../kit/database/sql.ts';

export interface Answer {
  readonly rows: Json[];
  /** How many rows the statement changed; absent when it only reads. */
  readonly affected?: number | undefined;
  /** The number that the server gave the first new row; absent when it gave none. */
  readonly insert_id?: Json | undefined;
  /** Whether there were more rows than the limit. */
  readonly truncated?: boolean;
}

/** All or nothing, for tables whose engine has transactions; the server refuses changes in one that only reads. */
export async function inTransaction<T>(
  connection: Connection,
  isReadOnly: boolean,
  work: () => Promise<T>,
): Promise<T> {
  const tell = (text: string) =>
    new Promise<void>((resolve, reject) =>
      connection.query(text, (error) => (error === null ? resolve() : reject(error))),
    );
  // Instants are read as UTC.
  await tell("SET SESSION time_zone = '+00:00'");
  await tell(`START TRANSACTION${isReadOnly ? ' READ ONLY' : ''}`);
  try {
    const result = await work();
    await tell('COMMIT');
    return result;
  } catch (error) {
    await tell('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/** Type codes of the protocol. */
const TIMESTAMP = 7;
/** Statements that the server does not prepare. */
const NOT_PREPARED = 'ER_UNSUPPORTED_PS';

/**
 * Sends a statement; its values travel apart from it. Rows over the limit are read and left out, since the rest of an answer
 * has to leave the connection before the next statement.
 */
export async function send(
  connection: Connection,
  { text, values }: Statement,
  limit = Number.POSITIVE_INFINITY,
): Promise<Answer> {
  try {
    return await collectRows(connection.execute({ sql: text, rowsAsArray: true }, [...values]), limit);
  } catch (error) {
    if (getErrorCode(error) !== NOT_PREPARED || values.length > 0) throw error;
    return collectRows(connection.query({ sql: text, rowsAsArray: true }), limit);
  }
}

type Query = ReturnType<Connection['query']>;

interface Outcome {
  readonly affectedRows: number;
  readonly insertId: number | string;
}

/** The driver emits `result` for both: rows are arrays, since column names such as `__proto__` break its objects. */
type Result = readonly unknown[] | Outcome;

const isRow = (result: Result): result is readonly unknown[] => Array.isArray(result);

function collectRows(query: Query, limit: number): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let rows: Json[] = [];
    let count = 0;
    let columns: readonly FieldPacket[] = [];
    let outcome: Outcome | undefined;
    query
      .on('fields', (fields: FieldPacket[] | undefined) => {
        // A procedure may answer with several results, of which the last with rows counts.
        if (fields === undefined) return;
        [rows, count] = [[], 0];
        columns = fields;
      })
      .on('result', (result: Result) => {
        if (!isRow(result)) {
          outcome = result;
          return;
        }
        if (++count <= limit) rows.push(toRow(result, columns));
      })
      .on('error', reject)
      .on('end', () => resolve({ rows, ...changes(outcome), truncated: count > limit }));
  });
}

function changes(outcome: Outcome | undefined): Pick<Answer, 'affected' | 'insert_id'> {
  if (outcome === undefined) return {};
  const { affectedRows, insertId } = outcome;
  return { affected: affectedRows, ...(insertId === 0 ? {} : { insert_id: insertId }) };
}

function toRow(cells: readonly unknown[], columns: readonly FieldPacket[]): Json {
  return Object.fromEntries(
    columns.map(({ name, columnType }, at) => {
      const value = plain(cells[at]);
      // The server writes no zone; the session's is UTC.
      const isInstant = columnType === TIMESTAMP && typeof value === 'string';
      return [name, isInstant ? `${value.replace(' ', 'T')}Z` : value];
    }),
  );
}
