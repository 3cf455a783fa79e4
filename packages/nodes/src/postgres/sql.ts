import { isJsonObject, type Json, type JsonObject } from '@millrace/engine';
import { orderBy } from '../kit/database/order.ts';
import { refusedParam } from '../kit/refused-param.ts';

export interface Statement {
  readonly text: string;
  readonly values: readonly Json[];
}

/** https://www.postgresql.org/docs/current/sql-syntax-lexical.html#SQL-SYNTAX-IDENTIFIERS */
export function identifier(name: string): string {
  if (name === '' || name.includes('\0'))
    throw refusedParam('table', 'has an empty name of a column or table');
  return `"${name.replaceAll('"', '""')}"`;
}

/** The protocol counts parameters in 16 bits. */
const MOST_VALUES = 65_535;

const COMPARISONS: Readonly<Record<string, string>> = {
  eq: '=',
  neq: '<>',
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
  like: 'LIKE',
  ilike: 'ILIKE',
};

/** Collects values as parameters, so that no value ever becomes part of a statement. */
function binder() {
  const values: Json[] = [];
  const bind = (value: Json): string => `$${values.push(value)}`;
  return { values, bind };
}

function comparison(column: string, operator: string, bind: () => string): string {
  if (operator === 'in') return `${identifier(column)} = ANY(${bind()})`;
  const sign = COMPARISONS[operator];
  if (sign === undefined) throw refusedParam('where', `has the unknown operator "${operator}"`);
  return `${identifier(column)} ${sign} ${bind()}`;
}

/** Conditions joined by AND: a value means equality, a list any of its values, null a missing one. */
function whereOf(filter: JsonObject, bind: (value: Json) => string): string {
  const conditions = Object.entries(filter).flatMap(([column, value]) => {
    if (value === null) return [`${identifier(column)} IS NULL`];
    if (Array.isArray(value)) return [comparison(column, 'in', () => bind(value))];
    if (!isJsonObject(value)) return [comparison(column, 'eq', () => bind(value))];
    return Object.entries(value).map(([operator, one]) => {
      if (one === null && (operator === 'eq' || operator === 'neq'))
        return `${identifier(column)} IS ${operator === 'eq' ? '' : 'NOT '}NULL`;
      if (operator === 'in' && !Array.isArray(one))
        throw refusedParam('where', `${column}: "in" needs a list`);
      return comparison(column, operator, () => bind(one));
    });
  });
  return conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
}

export interface Selection {
  readonly where: JsonObject;
  readonly sort: string;
  readonly limit: number;
}

export function selectFrom(table: string, { where, sort, limit }: Selection): Statement {
  const { values, bind } = binder();
  const text = `SELECT * FROM ${table}${whereOf(where, bind)}${orderBy(sort, identifier)} LIMIT ${limit}`;
  return { text, values };
}

export function updateOf(table: string, data: JsonObject, where: JsonObject): Statement {
  const { values, bind } = binder();
  const set = Object.entries(data).map(([column, value]) => `${identifier(column)} = ${bind(value)}`);
  return { text: `UPDATE ${table} SET ${set.join(', ')}${whereOf(where, bind)} RETURNING *`, values };
}

export function deleteFrom(table: string, where: JsonObject): Statement {
  const { values, bind } = binder();
  return { text: `DELETE FROM ${table}${whereOf(where, bind)} RETURNING *`, values };
}

function insertOnce(
  table: string,
  rows: readonly JsonObject[],
  columns: readonly string[],
  end: string,
): Statement {
  const { values, bind } = binder();
  const lines = rows.map((row) => {
    const parts = columns.map((column) => (row[column] === undefined ? 'DEFAULT' : bind(row[column])));
    return `(${parts.join(', ')})`;
  });
  const names = columns.map(identifier).join(', ');
  return { text: `INSERT INTO ${table} (${names}) VALUES ${lines.join(', ')}${end} RETURNING *`, values };
}

/**
 * Statements that insert rows; a column that a row does not have gets its default.
 *
 * @param match columns of a unique index, by which rows that are there are updated; empty to insert only
 */
export function insertInto(
  table: string,
  rows: readonly JsonObject[],
  match: readonly string[],
): Statement[] {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const changed = columns.filter((column) => !match.includes(column));
  const set = changed.map((column) => `${identifier(column)} = EXCLUDED.${identifier(column)}`).join(', ');
  const action = changed.length === 0 ? 'NOTHING' : `UPDATE SET ${set}`;
  const end = match.length === 0 ? '' : ` ON CONFLICT (${match.map(identifier).join(', ')}) DO ${action}`;
  const at_once = Math.max(1, Math.floor(MOST_VALUES / Math.max(1, columns.length)));
  const statements: Statement[] = [];
  for (let start = 0; start < rows.length; start += at_once)
    statements.push(insertOnce(table, rows.slice(start, start + at_once), columns, end));
  return statements;
}
