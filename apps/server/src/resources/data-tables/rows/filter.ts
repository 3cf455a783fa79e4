import type { DataColumnType } from '@millrace/contracts';
import { isJsonObject, type Json } from '@millrace/engine';
import { type SQL, sql } from 'drizzle-orm';
import { isUuid } from '../../../core/ids.ts';
import { dataTableRows as rows } from '../../../database/schema/index.ts';
import type { StoredColumn } from './cells.ts';
import { CellError, stored, toCell } from './cells.ts';

/** `message` completes "filter ..." or "sort ...". */
export class QueryError extends Error {}

/** A term that a filter or an order can name: a column of the table, or what every row has. */
export interface Term {
  readonly name: string;
  readonly type: DataColumnType | 'id';
  readonly value: SQL;
  /** Of a column; absent for what every row has. */
  readonly column?: StoredColumn;
}

const META: Readonly<Record<string, Pick<Term, 'type' | 'value'>>> = {
  id: { type: 'id', value: sql`${rows.id}` },
  table_id: { type: 'id', value: sql`${rows.table_id}` },
  created_by: { type: 'id', value: sql`${rows.created_by}` },
  updated_by: { type: 'id', value: sql`${rows.updated_by}` },
  created_at: { type: 'date', value: sql`${rows.created_at}` },
  updated_at: { type: 'date', value: sql`${rows.updated_at}` },
};

/** Keys are made of letters, digits, `-` and `_` (`columns.ts`). */
const text = (key: string): SQL => sql`(${rows.data} ->> ${sql.raw(`'${key}'`)})`;

function castValue({ key, type }: StoredColumn): SQL {
  switch (type) {
    case 'number':
      return sql`${text(key)}::float8`;
    case 'boolean':
      return sql`${text(key)}::boolean`;
    case 'date':
    case 'json':
      return sql`${text(key)} COLLATE "C"`;
    case 'string':
      return text(key);
    default:
      return type satisfies never;
  }
}

export function resolveTerm(columns: readonly StoredColumn[], name: string): Term {
  const column = columns.find((each) => each.name === name);
  if (column) return { name, type: column.type, value: castValue(column), column };
  const meta = Object.hasOwn(META, name) ? META[name] : undefined;
  if (meta) return { name, ...meta };
  throw new QueryError(`names "${name}", which is no column of this table`);
}

/** A value as a parameter of the type that the term has. Throws `QueryError`. */
export function operand({ name, type, column }: Term, value: unknown): SQL {
  if (type === 'id') {
    if (typeof value === 'string' && isUuid(value)) return sql`${value}::uuid`;
    throw new QueryError(`compares "${name}" with what is no id`);
  }
  try {
    const cell = toCell(value, type);
    if (!column) return sql`${cell}::timestamptz`;
    if (type === 'number') return sql`${cell}::float8`;
    return type === 'boolean' ? sql`${cell}::boolean` : sql`${stored(cell, type)}::text`;
  } catch (error) {
    if (error instanceof CellError)
      throw new QueryError(`compares "${name}" with a value that ${error.message}`);
    throw error;
  }
}

function equals(term: Term, value: Json): SQL {
  if (value === null) return sql`${term.value} IS NULL`;
  const { column, type } = term;
  // Half of the rows hold the same boolean: there the index only costs.
  if (!column || type === 'boolean' || type === 'id') return sql`${term.value} = ${operand(term, value)}`;
  try {
    const cell = toCell(value, type);
    if (cell === null) return sql`${term.value} IS NULL`;
    return sql`${rows.data} @> ${JSON.stringify({ [column.key]: stored(cell, type) })}::jsonb`;
  } catch (error) {
    // A value that no cell can have is in no row.
    if (error instanceof CellError) return sql`false`;
    throw error;
  }
}

/** Of one filter; each is a parameter, and a statement takes 65,535 of them (PostgreSQL, message Bind). */
const MOST_VALUES = 1_000;

/** The cell as people read it. Without the order of `valueOf`, which knows upper and lower case of ASCII letters only. */
const shown = ({ column, value }: Term): SQL => (column ? text(column.key) : sql`${value}::text`);

function compare(term: Term, operator: string, value: Json): SQL {
  switch (operator) {
    case '$eq':
      return equals(term, value);
    case '$ne':
      return value === null
        ? sql`${term.value} IS NOT NULL`
        : sql`${term.value} IS DISTINCT FROM ${operand(term, value)}`;
    case '$gt':
      return sql`${term.value} > ${operand(term, value)}`;
    case '$gte':
      return sql`${term.value} >= ${operand(term, value)}`;
    case '$lt':
      return sql`${term.value} < ${operand(term, value)}`;
    case '$lte':
      return sql`${term.value} <= ${operand(term, value)}`;
    case '$contains':
      if (typeof value !== 'string' && typeof value !== 'number')
        throw new QueryError('takes a text for "$contains"');
      return sql`strpos(lower(${shown(term)}), lower(${String(value)}::text)) > 0`;
    case '$in': {
      if (!Array.isArray(value)) throw new QueryError('takes a list of values for "$in"');
      const choices = value.map((choice) => sql`(${equals(term, choice)})`);
      return choices.length === 0 ? sql`false` : sql`(${sql.join(choices, sql` OR `)})`;
    }
    default:
      throw new QueryError(
        `knows no operator "${operator.slice(0, 40)}"; there are $eq, $ne, $gt, $gte, $lt, $lte, $contains, $in`,
      );
  }
}

const isOperators = (value: Json): value is { [key: string]: Json } =>
  isJsonObject(value) &&
  Object.keys(value).length > 0 &&
  Object.keys(value).every((key) => key.startsWith('$'));

const countValues = (operator: string, value: Json): number =>
  operator === '$in' && Array.isArray(value) ? value.length : 1;

/** The rows of a table for which all of the filter holds. Throws `QueryError`. */
export function buildCondition(
  columns: readonly StoredColumn[],
  filter: Readonly<Record<string, Json>>,
): SQL | undefined {
  const wanted = Object.entries(filter).flatMap(([name, value]) => {
    const term = resolveTerm(columns, name);
    const pairs: [string, Json][] = isOperators(value) ? Object.entries(value) : [['$eq', value]];
    return pairs.map(([operator, operand]) => ({ term, operator, operand }));
  });
  const values = wanted.reduce((sum, { operator, operand }) => sum + countValues(operator, operand), 0);
  if (values > MOST_VALUES) throw new QueryError(`compares more than ${MOST_VALUES} values`);
  const parts = wanted.map(({ term, operator, operand }) => sql`(${compare(term, operator, operand)})`);
  return parts.length === 0 ? undefined : sql.join(parts, sql` AND `);
}
