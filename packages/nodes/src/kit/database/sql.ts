import { isJsonObject, type Json, type JsonObject } from '@millrace/engine';
import { refusedParam } from '../refused-param.ts';
import { orderBy } from './order.ts';

export interface Statement {
  readonly text: string;
  readonly values: readonly Json[];
}

/** The differences between databases. */
export interface Dialect {
  /** Encloses names, and is doubled inside of one. */
  readonly quote: string;
  /** How the statement names the value at a place, counted from 1. */
  placeholder(place: number): string;
  /** Condition that a column has one of the values. */
  within(column: string, values: readonly Json[], bind: (value: Json) => string): string;
  /** Operators beside those that every database has. */
  readonly comparisons: Readonly<Record<string, string>>;
  /** End of a statement that answers with the rows it changed; empty when there is none. */
  readonly returning: string;
  /** End of an insert that updates rows which are there. */
  onConflict(columns: readonly string[], match: readonly string[]): string;
}

/** A quoted identifier. */
export function quoteIdentifier({ quote }: Dialect, name: string): string {
  if (name === '' || name.includes('\0'))
    throw refusedParam('table', 'has an empty name of a column or table');
  return `${quote}${name.replaceAll(quote, quote + quote)}${quote}`;
}

/** The protocols count parameters in 16 bits. */
const MOST_VALUES = 65_535;

const COMPARISONS: Readonly<Record<string, string>> = {
  eq: '=',
  neq: '<>',
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
  like: 'LIKE',
};

/** Collects values as parameters, so that no value ever becomes part of a statement. */
function binder({ placeholder }: Dialect) {
  const values: Json[] = [];
  const bind = (value: Json): string => placeholder(values.push(value));
  return { values, bind };
}

type Bind = (value: Json) => string;

function comparison(
  dialect: Dialect,
  column: string,
  [operator, value]: readonly [string, Json],
  bind: Bind,
): string {
  const name = quoteIdentifier(dialect, column);
  if (operator === 'in') {
    if (!Array.isArray(value)) throw refusedParam('where', `${column}: "in" needs a list`);
    return dialect.within(name, value, bind);
  }
  const comparisons = { ...COMPARISONS, ...dialect.comparisons };
  const sign = Object.hasOwn(comparisons, operator) ? comparisons[operator] : undefined;
  if (sign === undefined) throw refusedParam('where', `has the unknown operator "${operator}"`);
  return `${name} ${sign} ${bind(value)}`;
}

/** Conditions joined by AND: a value means equality, a list any of its values, null a missing one. */
function buildWhere(dialect: Dialect, filter: JsonObject, bind: Bind): string {
  const conditions = Object.entries(filter).flatMap(([column, value]) => {
    if (value === null) return [`${quoteIdentifier(dialect, column)} IS NULL`];
    if (Array.isArray(value)) return [comparison(dialect, column, ['in', value], bind)];
    if (!isJsonObject(value)) return [comparison(dialect, column, ['eq', value], bind)];
    return Object.entries(value).map(([operator, one]) => {
      if (one === null && (operator === 'eq' || operator === 'neq'))
        return `${quoteIdentifier(dialect, column)} IS ${operator === 'eq' ? '' : 'NOT '}NULL`;
      return comparison(dialect, column, [operator, one], bind);
    });
  });
  return conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
}

interface Rows {
  readonly rows: readonly JsonObject[];
  readonly columns: readonly string[];
}

function insertOnce(dialect: Dialect, table: string, { rows, columns }: Rows): Statement {
  const { values, bind } = binder(dialect);
  const lines = rows.map((row) => {
    const parts = columns.map((column) => (row[column] === undefined ? 'DEFAULT' : bind(row[column])));
    return `(${parts.join(', ')})`;
  });
  const names = columns.map((column) => quoteIdentifier(dialect, column)).join(', ');
  return { text: `INSERT INTO ${table} (${names}) VALUES ${lines.join(', ')}`, values };
}

/** Statements of one kind of database. */
export function createStatements(dialect: Dialect) {
  const { returning } = dialect;
  const identifier = (name: string): string => quoteIdentifier(dialect, name);
  return {
    identifier,
    selectFrom(table: string, { where, sort, limit }: Selection): Statement {
      const { values, bind } = binder(dialect);
      const text = `SELECT * FROM ${table}${buildWhere(dialect, where, bind)}${orderBy(sort, identifier)} LIMIT ${limit}`;
      return { text, values };
    },
    updateTable(table: string, data: JsonObject, where: JsonObject): Statement {
      const { values, bind } = binder(dialect);
      const set = Object.entries(data).map(([column, value]) => `${identifier(column)} = ${bind(value)}`);
      return {
        text: `UPDATE ${table} SET ${set.join(', ')}${buildWhere(dialect, where, bind)}${returning}`,
        values,
      };
    },
    deleteFrom(table: string, where: JsonObject): Statement {
      const { values, bind } = binder(dialect);
      return { text: `DELETE FROM ${table}${buildWhere(dialect, where, bind)}${returning}`, values };
    },
    /**
     * Statements that insert rows; a column that a row does not have gets its default.
     *
     * @param match columns of a unique index, by which rows that are there are updated; undefined to insert only
     */
    insertInto(table: string, rows: readonly JsonObject[], match?: readonly string[]): Statement[] {
      const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
      const end =
        match === undefined ? '' : dialect.onConflict(columns.map(identifier), match.map(identifier));
      const at_once = Math.max(1, Math.floor(MOST_VALUES / Math.max(1, columns.length)));
      const statements: Statement[] = [];
      for (let start = 0; start < rows.length; start += at_once) {
        const { text, values } = insertOnce(dialect, table, {
          rows: rows.slice(start, start + at_once),
          columns,
        });
        statements.push({ text: `${text}${end}${returning}`, values });
      }
      return statements;
    },
  };
}

export interface Selection {
  readonly where: JsonObject;
  readonly sort: string;
  readonly limit: number;
}
