import { isBlockedKey, isJsonObject, type Json, type JsonObject } from '@millrace/engine';
import { refusedParam } from '../kit/refused-param.ts';

/** Rows are padded to the widest one, so short text can produce many cells. */
const MOST_CELLS = 5_000_000;

const library = async () => (await import('papaparse')).default;

/** One character between values; the tab is also written as `\t`. */
export function parseDelimiter(text: string): string {
  const delimiter = text === '\\t' ? '\t' : text || ',';
  if (delimiter.length === 1 && !/["\r\n\uFEFF]/.test(delimiter)) return delimiter;
  throw refusedParam('delimiter', 'must be one character that is no quotation mark and no line break');
}

interface Reading {
  readonly delimiter: string;
  readonly hasHeader: boolean;
  readonly trimValues: boolean;
}

/** Objects by column, or lists of values when there is no header. */
export async function fromCsv(text: string, { delimiter, hasHeader, trimValues }: Reading): Promise<Json[]> {
  const { data, errors } = (await library()).parse<string[]>(text.replace(/^\uFEFF/, ''), {
    delimiter,
    skipEmptyLines: true,
  });
  const [broken] = errors;
  if (broken) {
    const line = broken.row === undefined ? '' : ` in row ${broken.row + 1}`;
    throw refusedParam('source', `is no CSV${line}: ${broken.message}`);
  }
  const rows = trimValues ? data.map((row) => row.map((value) => value.trim())) : data;
  if (!hasHeader) return rows;
  const [header = [], ...body] = rows;
  const width = body.reduce((most, row) => Math.max(most, row.length), header.length);
  if (width * body.length > MOST_CELLS)
    throw refusedParam(
      'source',
      `has more than ${MOST_CELLS} cells, because every row has as many columns as the widest`,
    );
  const names = nameColumns(Array.from({ length: width }, (_, at) => header[at] ?? ''));
  return body.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at] ?? ''])));
}

/** Names of columns: those without one by their number, and later ones of the same name with a suffix that no column has. */
export function nameColumns(header: readonly string[]): string[] {
  const taken = new Set<string>();
  const written = new Set(header);
  const suffixes = new Map<string, number>();
  return header.map((text, at) => {
    const plain = text === '' ? `column_${at + 1}` : text;
    let name = plain;
    // Where the last column of that name has ended: a thousand columns without a name would be counted a million times.
    let suffix = suffixes.get(plain) ?? 2;
    while (taken.has(name) || (name !== text && written.has(name)) || isBlockedKey(name)) {
      name = `${plain}_${suffix++}`;
    }
    suffixes.set(plain, suffix);
    taken.add(name);
    return name;
  });
}

interface Writing {
  readonly delimiter: string;
  readonly includeHeader: boolean;
  /** In this order; empty for all columns in the order in which they first occur. */
  readonly columns: readonly string[];
  readonly escapeFormulas: boolean;
}

/** Numbers stay numbers, so that the library does not mistake them for formulas. */
const cell = (value: Json | undefined): string | number | boolean => {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : value;
};

/** A row for each object, list or single value; one object is one row. */
export async function toCsv(
  value: Json,
  { delimiter, includeHeader, columns, escapeFormulas }: Writing,
): Promise<string> {
  const items = Array.isArray(value) ? value : [value];
  const objects = items.filter(isJsonObject);
  const isMixed = objects.length > 0 && objects.length !== items.length;
  if (isMixed || !(Array.isArray(value) || isJsonObject(value))) {
    throw refusedParam('source', 'must be a list of objects, or a list that holds no objects');
  }
  const { unparse } = await library();
  const options = { delimiter, newline: '\n', escapeFormulae: escapeFormulas };
  if (items.length > 0 && objects.length === 0) {
    const rows = items.map((row) => (Array.isArray(row) ? row : [row]));
    return unparse(
      rows.map((row) => row.map(cell)),
      options,
    );
  }
  const fields = columns.length > 0 ? [...columns] : collectColumns(objects);
  const data = objects.map((row) => fields.map((name) => cell(Object.hasOwn(row, name) ? row[name] : null)));
  return unparse({ fields, data }, { ...options, header: includeHeader });
}

const collectColumns = (rows: readonly JsonObject[]): string[] => [
  ...new Set(rows.flatMap((row) => Object.keys(row))),
];
