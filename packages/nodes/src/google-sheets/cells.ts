import { isJsonObject, type Json, type JsonObject, printValue } from '@millrace/engine';
import { refusedParam } from '../kit/refused-param.ts';

/** Letters of a column, counted from zero: A to Z, then AA. */
export function columnName(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26));
  return index < 26 ? letter : columnName(Math.floor(index / 26) - 1) + letter;
}

/** A1 notation of cells of a sheet, whose name may hold any sign. https://developers.google.com/workspace/sheets/api/guides/concepts */
export const inSheet = (sheet: string, cells?: string): string => {
  const name = `'${sheet.replaceAll("'", "''")}'`;
  return cells === undefined ? name : `${name}!${cells}`;
};

const A1 = /^\$?([A-Za-z]{0,3})\$?(\d{0,8})(?::\$?([A-Za-z]{0,3})\$?(\d{0,8}))?$/;

/** The range without the first row of the sheet; undefined when nothing is left. */
export function withoutFirstRow(range: string): string | undefined {
  const [, from = '', first = '', to, last] = A1.exec(range) ?? [];
  if (first !== '' && first !== '1') return range;
  if (to === undefined) return first === '1' ? undefined : `${from}2:${from}`;
  if (last === '1') return undefined;
  return `${from}2:${to}${last ?? ''}`;
}

/** A range in A1 notation without a sheet, such as `A1:Z100`, `A:C`, `2:5` or `B2`. */
export function requireRange(name: string, text: string): string {
  const range = text.trim();
  if (range !== '' && A1.test(range)) return range.toUpperCase();
  throw refusedParam(name, `must be cells in A1 notation such as A1:Z100, not "${range.slice(0, 40)}"`);
}

/** Names of columns: a blank one takes its letters, a repeated one gets a number. */
export function headerNames(cells: readonly Json[], width: number): string[] {
  const names: string[] = [];
  const taken = new Set<string>();
  for (let at = 0; at < width; at++) {
    const cell = cells[at] ?? '';
    const base = typeof cell === 'string' ? cell.trim() : JSON.stringify(cell);
    const name = base === '' ? columnName(at) : base;
    let free = name;
    for (let n = 2; taken.has(free); n++) free = `${name}_${n}`;
    taken.add(free);
    names.push(free);
  }
  return names;
}

/** Rows as a sheet holds them; each keeps the number that `updateRange` takes. */
export function toRows(
  values: readonly (readonly Json[])[],
  { start, hasHeader }: { start: number; hasHeader: boolean },
): Json[] {
  if (!hasHeader) return values.map((row) => [...row]);
  const [header = [], ...rest] = values;
  const names = headerNames(header, Math.max(0, ...values.map((row) => row.length)));
  return rest.map(
    (row, index): JsonObject => ({
      rowIndex: start + 1 + index,
      ...Object.fromEntries(names.map((name, at) => [name, row[at] ?? ''])),
    }),
  );
}

export type Cell = string | number | boolean | null;

function toCell(value: Json): Cell {
  if (typeof value === 'object' && value !== null) return JSON.stringify(value);
  return value;
}

/** Cells to write: null leaves the cell as it is. Objects need the names of the header. */
export async function cellRows(
  rows: readonly Json[],
  header: () => Promise<readonly string[]>,
): Promise<Cell[][]> {
  // One row may be given without the list around it.
  const listed =
    rows.length > 0 && rows.every((row) => !Array.isArray(row) && !isJsonObject(row)) ? [[...rows]] : rows;
  const names = listed.some((row) => isJsonObject(row)) ? await header() : [];
  return listed.map((row, index) => {
    if (Array.isArray(row)) return row.map(toCell);
    if (isJsonObject(row)) return fromObject(row, names);
    throw refusedParam('gsValues', `row ${index + 1} must be a list of cells or an object`);
  });
}

function fromObject(row: JsonObject, names: readonly string[]): Cell[] {
  // Rows that were read have their number beside their cells.
  const unknown = Object.keys(row).find((name) => name !== 'rowIndex' && !names.includes(name));
  if (unknown !== undefined) {
    throw refusedParam('gsValues', `the first row of the sheet has no column "${unknown.slice(0, 60)}"`);
  }
  return names.map((name) => (Object.hasOwn(row, name) ? toCell(row[name] ?? null) : null));
}

interface Matched {
  /** Rows that are there, by their number in the sheet. */
  readonly changed: { readonly row: number; readonly cells: Cell[] }[];
  readonly added: Cell[][];
}

/** Says which of the given rows are in the sheet, by the cells of some columns. A row that is given twice is one. */
export function matchRows({
  names,
  by,
  stored,
  given,
}: {
  names: readonly string[];
  by: readonly string[];
  stored: readonly (readonly Json[])[];
  given: readonly Cell[][];
}): Matched {
  const columns = by.map((name) => {
    const column = names.indexOf(name);
    if (column < 0) {
      throw refusedParam('gsMatchBy', `the first row of the sheet has no column "${name.slice(0, 60)}"`);
    }
    return column;
  });
  const buildKey = (row: readonly Json[]): string =>
    JSON.stringify(columns.map((column) => printValue(row[column] ?? '')));
  const rowOf = new Map<string, number>();
  for (const [index, row] of stored.entries()) {
    const key = buildKey(row);
    // Below the header, which is row 1.
    if (!rowOf.has(key)) rowOf.set(key, index + 2);
  }
  const changed = new Map<number, Cell[]>();
  const added = new Map<string, Cell[]>();
  for (const [index, cells] of given.entries()) {
    // Rows without a value to find them by would all be the same row, and one of them would replace the others.
    if (columns.every((column) => (cells[column] ?? '') === ''))
      throw refusedParam(
        'gsValues',
        `row ${index + 1} has no value for ${by.join(', ')}, by which rows are found`,
      );
    const key = buildKey(cells);
    const row = rowOf.get(key);
    if (row === undefined) added.set(key, cells);
    else changed.set(row, cells);
  }
  return { changed: [...changed].map(([row, cells]) => ({ row, cells })), added: [...added.values()] };
}
