import type { SqlClient } from '../../database/sql-client.ts';

/** A table whose rows are work that is due at a time, and that one process at a time holds a claim of. Conditions name its columns. */
export interface ClaimTable {
  readonly name: string;
  /** Column with the time when a process looks at a row next; while one does, when another one takes over. */
  readonly due_at: string;
  /** Holds for rows that are not over. */
  readonly is_open: string;
  /** Holds for open rows that have something to do once they are due. */
  readonly is_ready: string;
  /** Assignments that a claim makes, too. */
  readonly sets?: string;
}

/** A row for one process alone. Each claim of a row has an id of its own, so that who was taken over changes nothing more. */
export interface Claim {
  readonly id: string;
  readonly claim_id: string;
}

/** How long a process that does not renew its claim counts as alive. */
const LEASE = `now() + interval '30 seconds'`;

const selectDue = ({ name, due_at, is_ready }: ClaimTable, columns: string) =>
  `SELECT ${columns} FROM ${name} WHERE ${is_ready} AND ${due_at} <= now()`;
const isHeld = ({ is_open }: ClaimTable) => `id = $1 AND claim_id = $2 AND ${is_open}`;

/** The tables that have due rows, by one statement. */
export async function findDue<Kind extends { readonly table: ClaimTable }>(
  sql: SqlClient,
  kinds: readonly Kind[],
): Promise<Kind[]> {
  const columns = kinds.map(({ table }) => `EXISTS (${selectDue(table, '1')}) AS ${table.name}`);
  const { rows } = await sql.query<Record<string, boolean>>({ text: `SELECT ${columns.join(', ')}` });
  return kinds.filter(({ table }) => rows[0]?.[table.name]);
}

/** The row that is due for longest; undefined when none is. */
export async function claimNext(sql: SqlClient, table: ClaimTable): Promise<Claim | undefined> {
  const { name, due_at, sets } = table;
  const { rows } = await sql.query<Claim>({
    name: `claim_${name}`,
    text: `UPDATE ${name} SET ${due_at} = ${LEASE}, claim_id = gen_random_uuid()${sets ? `, ${sets}` : ''}
      WHERE id = (${selectDue(table, 'id')} ORDER BY ${due_at}, id LIMIT 1 FOR UPDATE SKIP LOCKED)
      RETURNING id, claim_id`,
  });
  return rows[0];
}

/** @returns false when the row is over, is gone, or was taken over */
export async function renewClaim(
  sql: SqlClient,
  table: ClaimTable,
  { id, claim_id }: Claim,
): Promise<boolean> {
  const { rows } = await sql.query({
    text: `UPDATE ${table.name} SET ${table.due_at} = ${LEASE} WHERE ${isHeld(table)} RETURNING id`,
    values: [id, claim_id],
  });
  return rows.length > 0;
}

/** When a row is due again, for any process; what happens to its count of failures, where it has one. */
export interface Rest {
  readonly seconds: number;
  readonly failures?: 'reset' | 'raise';
}

const FAILURES = { reset: '0', raise: 'failures + 1' };

/** @returns failures in a row, when they were counted and the claim was still held */
export async function restClaimed(
  sql: SqlClient,
  table: ClaimTable,
  { id, claim_id }: Claim,
  { seconds, failures }: Rest,
): Promise<number | undefined> {
  const count = failures ? `, failures = ${FAILURES[failures]}` : '';
  const { rows } = await sql.query<{ failures?: number }>({
    text: `UPDATE ${table.name} SET ${table.due_at} = now() + make_interval(secs => $3::float8)${count}
      WHERE ${isHeld(table)} RETURNING ${failures ? 'failures' : 'id'}`,
    values: [id, claim_id, seconds],
  });
  return rows[0]?.failures;
}
