import { isBlockedKey, isJsonObject, type Json, type JsonObject, printValue } from '@millrace/engine';
import { MEGABYTE } from '@millrace/engine/units';
import { refusedParam } from '../kit/refused-param.ts';
import { nameColumns } from './csv.ts';

/** Largest workbook, and the most that it may hold when it is unpacked: small archives can hold a lot. */
export const MOST_BYTES = 50 * MEGABYTE;
const MOST_UNPACKED = 200 * MEGABYTE;
const MOST_CELLS = 2_000_000;
/** Cells of the area that a sheet covers: the library keeps a place for each, also where nothing is. */
const MOST_REACH = 10 * MOST_CELLS;
/** Limits of the format. https://support.microsoft.com/office/excel-specifications-and-limits */
const MOST_ROWS = 1_048_576;
const MOST_COLUMNS = 16_384;
const MOST_CHARACTERS = 32_767;
const SHEET_NAME = /^[^\\/?*[\]:]{1,31}$/;

type Read = string | number | boolean | Date | null;

/** Refuses archives by the sizes that they declare before anything is unpacked, and sheets that reach too far before they are read. */
async function requireModest(bytes: Uint8Array, name: string): Promise<void> {
  const { unzipSync } = await import('fflate');
  let unpacked = 0;
  const open = (isTaken: (path: string) => boolean): Record<string, Uint8Array> => {
    try {
      return unzipSync(bytes, {
        filter: ({ name: path, originalSize }) => {
          unpacked += originalSize;
          return isTaken(path);
        },
      });
    } catch {
      throw refusedParam(name, 'is no XLSX workbook');
    }
  };
  open(() => false);
  if (unpacked > MOST_UNPACKED)
    throw refusedParam(name, `holds more than ${MOST_UNPACKED / MEGABYTE} MB when it is unpacked`);
  // The library finds the sheets by their relations, under any name.
  const parts = Object.entries(open(() => true)).map(([path, part]) => ({
    path,
    text: Buffer.from(part.buffer, part.byteOffset, part.length).toString('latin1'),
  }));
  if (parts.reduce((sum, { text }) => sum + countCells(text), 0) > MOST_REACH)
    throw refusedParam(
      name,
      `has a sheet that reaches to more than ${MOST_REACH} cells; delete the rows and columns behind the data, or use CSV`,
    );
  // A sheet that is named several times would be read as often.
  const { text: book = '' } = parts.find(({ path }) => path === 'xl/workbook.xml') ?? {};
  if (book.split(/<(?:[\w.-]+:)?sheet\s/).length > parts.length)
    throw refusedParam(name, 'names the same sheet several times');
}

/** Places of rows and cells in a sheet, such as `12` and `B12`. Other attributes that look alike only make the area larger. */
const PLACE = /\br\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

/** Cells of the area from the first one to the last row and the last column; infinite for places that no sheet has. */
function countCells(text: string): number {
  let [rows, columns] = [0, 0];
  for (const [, double, single] of text.matchAll(PLACE)) {
    const place = double ?? single ?? '';
    // Digits that are written as references.
    if (place.includes('&#')) return Infinity;
    const [, letters = '', digits = ''] = /^(\D*)(.*)$/.exec(place) ?? [];
    const row = Number(digits);
    if (digits === '' || Number.isNaN(row)) continue;
    rows = Math.max(rows, row);
    columns = Math.max(columns, parseColumn(letters));
  }
  return rows > MOST_ROWS || columns > MOST_COLUMNS ? Infinity : rows * Math.max(columns, 1);
}

const parseColumn = (letters: string): number =>
  Array.from(letters).reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);

/** Dates have no time zone in a workbook; they are read as UTC, without a time at midnight. */
const plainCell = (value: Read): Json => {
  if (!(value instanceof Date)) return value;
  const text = Number.isNaN(value.getTime()) ? null : value.toISOString();
  return text?.endsWith('T00:00:00.000Z') === true ? text.slice(0, 10) : text;
};

export interface ReadSheet {
  readonly name: string;
  readonly rows: Json[];
}

/** Rows of each sheet: objects by the names in the first row, or lists of cells. Empty rows are left out. */
export async function fromXlsx(
  bytes: Uint8Array,
  { hasHeader, sheet, field }: { hasHeader: boolean; sheet: string; field: string },
): Promise<ReadSheet[]> {
  await requireModest(bytes, field);
  const { default: readXlsxFile } = await import('read-excel-file/universal');
  let sheets: { sheet: string; data: Read[][] }[];
  try {
    const copy = new Uint8Array(bytes);
    sheets = (await readXlsxFile(copy.buffer)) as { sheet: string; data: Read[][] }[];
  } catch {
    throw refusedParam(field, 'is no XLSX workbook that can be read');
  }
  const chosen = sheet === '' ? sheets : sheets.filter((each) => each.sheet === sheet);
  if (chosen.length === 0) {
    const names = sheets.map((each) => each.sheet).join(', ');
    throw refusedParam(
      'converterSheet',
      `"${sheet.slice(0, 60)}" is no sheet of the workbook; it has ${names}`,
    );
  }
  const cells = chosen.reduce((sum, { data }) => sum + data.length * (data[0]?.length ?? 0), 0);
  if (cells > MOST_CELLS)
    throw refusedParam(field, `has more than ${MOST_CELLS} cells; choose one sheet, or use CSV`);
  return chosen.map(({ sheet: name, data }) => ({ name, rows: toRows(data, hasHeader) }));
}

function toRows(data: readonly Read[][], hasHeader: boolean): Json[] {
  const filled = data
    .map((row) => row.map(plainCell))
    .filter((row) => row.some((cell) => cell !== null && cell !== ''));
  if (!hasHeader) return filled;
  const [header = [], ...body] = filled;
  const names = nameColumns(
    header.map((cell) =>
      typeof cell === 'string' ? cell.trim() : cell === null ? '' : JSON.stringify(cell),
    ),
  );
  return body.map((row): JsonObject => Object.fromEntries(names.map((name, at) => [name, row[at] ?? null])));
}

interface Written {
  readonly value: string | number | boolean;
  readonly type: typeof String | typeof Number | typeof Boolean;
}

/** Programs read `_x0041_` in a text as the sign of that number, unless its first sign is written so itself. */
const LOOKS_ESCAPED = /_(?=x[0-9A-F]{4}_)/gi;

/** Numbers that a cell cannot hold exactly stay texts, and so do texts that look like formulas. */
function writtenCell(value: Json | undefined): Written | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'boolean') return { value, type: Boolean };
  if (typeof value === 'number') return { value, type: Number };
  const text = printValue(value);
  if (text.length > MOST_CHARACTERS)
    throw refusedParam(
      'source',
      `has a text of more than ${MOST_CHARACTERS} characters, which no cell can hold`,
    );
  return { value: text.replaceAll(LOOKS_ESCAPED, '_x005F_'), type: String };
}

interface Writing {
  readonly includeHeader: boolean;
  readonly columns: readonly string[];
  /** The name of the only sheet. */
  readonly sheet: string;
}

/** A workbook of a list, or of an object whose keys name its sheets. */
export async function toXlsx(value: Json, options: Writing): Promise<Uint8Array> {
  const sheets = isJsonObject(value) && Object.values(value).every(Array.isArray) ? value : undefined;
  const named: [string, Json][] =
    sheets === undefined || Object.keys(sheets).length === 0
      ? [[options.sheet || 'Sheet1', Array.isArray(value) ? value : [value]]]
      : Object.entries(sheets);
  const taken = new Set<string>();
  const written = named.map(([name, rows]) => {
    if (!SHEET_NAME.test(name))
      throw refusedParam(
        'converterSheet',
        `"${name.slice(0, 60)}" is no name of a sheet: at most 31 characters, none of \\ / ? * [ ] :`,
      );
    // Programs call a workbook damaged whose sheets differ by upper and lower case only.
    if (taken.has(name.toLowerCase()))
      throw refusedParam('source', `has two sheets "${name}", which differ by upper and lower case only`);
    taken.add(name.toLowerCase());
    return { sheet: name, data: buildCells(Array.isArray(rows) ? rows : [], options) };
  });
  const { default: writeXlsxFile } = await import('write-excel-file/universal');
  const blob = await writeXlsxFile(written as Parameters<typeof writeXlsxFile>[0]).toBlob();
  return new Uint8Array(await blob.arrayBuffer());
}

function buildCells(rows: readonly Json[], { includeHeader, columns }: Writing): (Written | null)[][] {
  const isObjects = rows.some(isJsonObject);
  const names = columns.length > 0 ? columns : collectKeys(rows);
  const body = rows.map((row) => {
    if (isJsonObject(row))
      return names.map((name) => writtenCell(Object.hasOwn(row, name) ? row[name] : null));
    return (Array.isArray(row) ? row : [row]).map(writtenCell);
  });
  const header = isObjects && includeHeader ? [names.map(writtenCell)] : [];
  const all = [...header, ...body];
  const width = all.reduce((most, row) => Math.max(most, row.length), 0);
  if (all.length > MOST_ROWS || width > MOST_COLUMNS || all.length * width > MOST_CELLS)
    throw refusedParam(
      'source',
      `has more than ${MOST_CELLS} cells, or more rows or columns than a sheet can have; use CSV`,
    );
  return all;
}

/** Names of all fields, in the order in which they first occur. */
function collectKeys(rows: readonly Json[]): string[] {
  const keys = rows.flatMap((row) => (isJsonObject(row) ? Object.keys(row) : []));
  return [...new Set(keys)].filter((key) => !isBlockedKey(key));
}
