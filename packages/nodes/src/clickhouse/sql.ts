import type { Json, JsonObject } from '@millrace/engine';

/** A statement and the values of its parameters, as the HTTP interface takes them. */
export interface Statement {
  readonly sql: string;
  readonly params: Readonly<Record<string, string>>;
}

/** https://clickhouse.com/docs/sql-reference/syntax#identifiers */
export const identifier = (name: string): string => `\`${name.replace(/[\\`]/g, (char) => `\\${char}`)}\``;

/** `table`, or `database.table`. */
export const tableName = (name: string): string => name.split('.').map(identifier).join('.');

/** Values of parameters are written in the escaped form of tab-separated text. */
const escaped = (text: string): string =>
  text.replace(
    /[\\\t\n\r]/g,
    (char) => ({ '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' })[char] ?? char,
  );

interface Typed {
  readonly type: string;
  readonly text: string;
}

function scalar(value: Exclude<Json, null>): Typed {
  switch (typeof value) {
    case 'boolean':
      return { type: 'Bool', text: String(value) };
    case 'number':
      return { type: Number.isSafeInteger(value) ? 'Int64' : 'Float64', text: String(value) };
    case 'string':
      return { type: 'String', text: value };
    default:
      return { type: 'String', text: JSON.stringify(value) };
  }
}

/** In a list, text is in single quotes. */
const inList = ({ type, text }: Typed): string =>
  type === 'String' ? `'${escaped(text).replace(/'/g, "\\'")}'` : text;

/** A list of one type; lists of several, or with null, are lists of text. */
function list(values: readonly Json[]): Typed {
  const typed = values.map((value) => scalar(value ?? ''));
  const types = new Set(typed.map(({ type }) => type));
  const [only] = types;
  const isNumeric = [...types].every((type) => type === 'Int64' || type === 'Float64');
  const type =
    types.size === 1 && only !== undefined ? only : isNumeric && types.size > 0 ? 'Float64' : 'String';
  const texts = typed.map(({ text }) => inList({ type, text }));
  return { type: `Array(${type})`, text: `[${texts.join(',')}]` };
}

/** Types of the columns of a table by name; a column that is not there is bound by the type of its value. */
export type ColumnTypes = ReadonlyMap<string, string>;

export interface Binder {
  readonly params: Readonly<Record<string, string>>;
  /** The placeholder of a value of the column in the statement. */
  bind(column: string, value: Json): string;
}

const plainType = (type: string): string => type.replace(/^LowCardinality\((.*)\)$/s, '$1');

/** Collects values as parameters, so that no value ever becomes part of a statement. */
export function binder(types: ColumnTypes): Binder {
  const params: Record<string, string> = {};
  const add = (type: string, text: string): string => {
    const name = `p${Object.keys(params).length}`;
    params[name] = text;
    return `{${name}:${type}}`;
  };
  const bind = (column: string, value: Json): string => {
    if (value === null) return 'NULL';
    if (Array.isArray(value)) {
      const { type, text } = list(value);
      return add(types.get(column) ?? type, text);
    }
    const { type, text } = scalar(value);
    return add(plainType(types.get(column) ?? type), escaped(text));
  };
  return { params, bind };
}

/** Equality by column, joined by AND; null and lists mean what they say. Empty for no filter. */
export function buildWhere(filter: JsonObject, { bind }: Binder): string {
  const conditions = Object.entries(filter).map(([column, value]) => {
    if (value === null) return `isNull(${identifier(column)})`;
    if (!Array.isArray(value)) return `${identifier(column)} = ${bind(column, value)}`;
    const values = value.map((one) => bind(column, one));
    return values.length === 0 ? '0' : `${identifier(column)} IN (${values.join(', ')})`;
  });
  return conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
}

/** Parameters of a query that a person wrote: `{name:Type}` has the type, so only the text is needed. */
export function queryParams(values: JsonObject): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      if (value === null) return [name, '\\N'];
      if (Array.isArray(value)) return [name, list(value).text];
      return [name, escaped(scalar(value).text)];
    }),
  );
}
