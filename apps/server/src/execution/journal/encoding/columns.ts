/**
 * Rows on their way into one statement: a column is one text, its values joined by a character that JSON text never
 * holds, and split again by the database. Neither side has to escape anything, which made the statement a third faster
 * than arrays or a JSON parameter.
 */
const SEPARATOR = '\u001f';
const NULL = '\u001e';

// oxlint-disable-next-line no-control-regex -- these are the characters that must not get in
const UNSAFE = /[\u0000\u001e\u001f]/g;

export type Cell = string | number | null;

/** Text that is not JSON, without the characters that a column cannot hold. */
export function plainText(text: string): string {
  return UNSAFE.test(text) ? text.replace(UNSAFE, '') : text;
}

/** One parameter per column of the rows; an empty one where no row has a value, for `unnest` fills up with nulls. */
export function columnsOf(rows: readonly (readonly Cell[])[], width: number): string[] {
  const columns: string[] = [];
  for (let column = 0; column < width; column++) {
    let text = '';
    let is_empty = true;
    for (let row = 0; row < rows.length; row++) {
      const cell = rows[row]?.[column] ?? null;
      if (row > 0) text += SEPARATOR;
      text += cell ?? NULL;
      if (cell !== null) is_empty = false;
    }
    columns.push(is_empty ? '' : text);
  }
  return columns;
}

/** A table of typed columns as SQL sees it. */
export interface ColumnTable {
  readonly names: readonly string[];
  readonly types: readonly string[];
}

/** `unnest(...)` over the parameters of a table, aliased to its column names. `''` arrives as null in a single row. */
export function unnestSql(table: ColumnTable, alias: string, firstParameter: number): string {
  const arrays = table.types.map(
    (type, index) => `string_to_array($${firstParameter + index}, E'\\x1f', E'\\x1e')::${type}[]`,
  );
  return `unnest(${arrays.join(', ')}) AS ${alias}(${table.names.join(', ')})`;
}
