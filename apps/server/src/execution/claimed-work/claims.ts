import type { SqlClient } from '../../database/sql-client.ts';

/** A table of work: each row is due at a time, and one process at a time has a claim on it. Conditions name its columns. */
export interface ClaimTable {
  readonly name: string;
  /** Column with the time of the next look; while a process holds the row, the time its claim ends. */
  readonly due_at: string;
  /** Holds for rows that are not over. */
  readonly is_open: string;
  /** Holds for open rows that have something to do once they are due; omit if all of them do. */
  readonly is_ready?: string;
  /** Assignments that a claim makes, too. */
  readonly sets?: string;
}

/** A row for one process alone. Each claim has a new id, so that a process that lost its row can change nothing. */
export interface Claim {
  readonly id: string;
  readonly claim_id: string;
}

/** How long a process that does not renew its claim counts as alive. */
export const LEASE_SECONDS = 30;

const selectDue = ({ name, due_at, is_open, is_ready = 'true' }: ClaimTable, columns: string) =>
  `SELECT ${columns} FROM ${name} WHERE ${is_open} AND ${due_at} <= now() AND ${is_ready}`;

/** The kinds that have due rows, found by one statement. */
export async function findDue<Kind extends { readonly table: ClaimTable }>(
  sql: SqlClient,
  kinds: readonly Kind[],
): Promise<Kind[]> {
  const columns = kinds.map(({ table }) => `EXISTS (${selectDue(table, '1')}) AS ${table.name}`);
  const { rows } = await sql.query<Record<string, boolean>>({
    name: `due_${kinds.map(({ table }) => table.name).join('_')}`,
    text: `SELECT ${columns.join(', ')}`,
  });
  return kinds.filter(({ table }) => rows[0]?.[table.name]);
}

/** The row that has been due longest; undefined when none is. */
export async function claimNext(sql: SqlClient, table: ClaimTable): Promise<Claim | undefined> {
  const { name, due_at, sets } = table;
  const { rows } = await sql.query<Claim>({
    name: `claim_${name}`,
    text: `UPDATE ${name} SET ${due_at} = now() + interval '${LEASE_SECONDS} seconds', claim_id = gen_random_uuid()
        ${sets ? `, ${sets}` : ''}
      WHERE id = (${selectDue(table, 'id')} ORDER BY ${due_at}, id LIMIT 1 FOR UPDATE SKIP LOCKED)
      RETURNING id, claim_id`,
  });
  return rows[0];
}

export interface Postponement {
  readonly seconds: number;
  /** The new count of failures in a row, for tables that have one. */
  readonly failures?: '0' | 'failures + 1';
}

/**
 * Says when any process may claim a row: later when its claim is renewed, soon when it is given back.
 *
 * @returns undefined when the row is over, is gone, or was taken over
 */
export async function postpone(
  sql: SqlClient,
  { name, due_at, is_open }: ClaimTable,
  { id, claim_id }: Claim,
  { seconds, failures }: Postponement,
): Promise<{ readonly failures?: number } | undefined> {
  const { rows } = await sql.query<{ failures?: number }>({
    text: `UPDATE ${name} SET ${due_at} = now() + make_interval(secs => $3::float8)${failures ? `, failures = ${failures}` : ''}
      WHERE id = $1 AND claim_id = $2 AND ${is_open} RETURNING ${failures ? 'failures' : 'id'}`,
    values: [id, claim_id, seconds],
  });
  return rows[0];
}
