import { pipeline, Readable } from 'node:stream';
import type { DataCsvPreview, DataImport } from '@millrace/contracts';
import { MEGABYTE } from '@millrace/engine/units';
import { AppError, invalidField } from '../../../core/app-error.ts';
import { decoderFor } from '../../../core/decoder.ts';
import { limited } from '../../../core/limited.ts';
import { fromText } from '../../global-variables/coerce.ts';
import { requireVisible } from '../access.ts';
import { storedColumns } from '../columns.ts';
import type { DataTableRow } from '../queries.ts';
import type { StoredColumn } from './cells.ts';
import { toData } from './cells.ts';
import { type NotedWriter, writingNoted } from './noted.ts';
import { rowsAfter } from './queries.ts';
import type { RowReader } from './read.ts';
import { insertMany, MOST_ERRORS, type OpenTable, type RowInput, writing } from './write.ts';

type Bytes = AsyncIterable<Uint8Array>;

async function* decoded(bytes: Bytes): AsyncGenerator<string> {
  let decoder: ReturnType<typeof decoderFor> | undefined;
  for await (const chunk of bytes) {
    decoder ??= decoderFor(chunk);
    yield decoder.decode(chunk, { stream: true });
  }
  yield decoder?.decode() ?? '';
}

/**
 * Texts that a spreadsheet would calculate. Those that have an apostrophe before it already get another one, so that reading
 * gives back every text. https://owasp.org/www-community/attacks/CSV_Injection
 */
const FORMULA = /^'*[=+\-@\t\r]/;
const ESCAPED_FORMULA = /^'+[=+\-@\t\r]/;

const withoutEscape = (text: string): string => (ESCAPED_FORMULA.test(text) ? text.slice(1) : text);

/** Of one line, in characters. The parser reads a line from its beginning with each part of the file that belongs to it. */
const LONGEST_LINE = 4 * MEGABYTE;
/** Characters that the parser is given at once: of a larger part, lines that have ended would count as unfinished. */
const PIECE = 64 * 1024;

function* cutPieces(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += PIECE) yield text.slice(at, at + PIECE);
}

async function* pieces(bytes: Bytes): AsyncGenerator<string> {
  for await (const part of decoded(bytes)) yield* cutPieces(part);
}

/** Lines of a CSV file as texts, with the delimiter that its beginning suggests; one line at a time is in memory. */
async function* parseLines(bytes: Bytes): AsyncGenerator<string[]> {
  const { default: Papa } = await import('papaparse');
  let unfinished = 0;
  async function* bounded(): AsyncGenerator<string> {
    for await (const part of pieces(bytes)) {
      unfinished += part.length;
      if (unfinished > LONGEST_LINE)
        throw invalidField(
          ['body', 'file'],
          `has a line of more than ${LONGEST_LINE / MEGABYTE} MB; a closing quotation mark may be missing`,
        );
      yield part;
    }
  }
  // Called for each field of a line that is complete.
  const transform = (text: string): string => {
    unfinished = 0;
    return text;
  };
  const parser = Papa.parse(Papa.NODE_STREAM_INPUT, { skipEmptyLines: 'greedy', transform });
  // Errors of the upload reach the loop below through the parser, which the pipeline destroys with them. Parts that were read
  // ahead would count as unfinished.
  pipeline(Readable.from(bounded(), { highWaterMark: 1 }), parser, () => undefined);
  yield* parser as AsyncIterable<string[]>;
}

const plain = (text: string): string => text.trim().toLowerCase();

const columnFor = (header: string, columns: readonly StoredColumn[]): StoredColumn | undefined =>
  columns.find(({ name }) => name === header) ?? columns.find(({ name }) => plain(name) === plain(header));

const PREVIEW_ROWS = 5;
export const PREVIEW_BYTES = MEGABYTE;

export async function previewCsv(table: DataTableRow, bytes: Bytes): Promise<DataCsvPreview> {
  const parts: string[] = [];
  for await (const part of decoded(limited(bytes, PREVIEW_BYTES))) parts.push(part);
  const { default: Papa } = await import('papaparse');
  const { data, meta } = Papa.parse<string[]>(parts.join(''), {
    skipEmptyLines: 'greedy',
    preview: PREVIEW_ROWS + 1,
  });
  const [headers, ...rows] = data.map((line) => line.map(withoutEscape));
  if (!headers) throw invalidField(['body', 'file'], 'is empty; its first line names the columns');
  const columns = storedColumns(table.columns);
  const named = headers.map((header) => ({ header, column: columnFor(header, columns)?.name ?? null }));
  return { delimiter: meta.delimiter, headers: named, rows };
}

/** `mapping` of an import: columns by header; null leaves the header out. */
export function parsedMapping(text: string | undefined): Record<string, string | null> | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  const refuse = () => invalidField(['body', 'mapping'], 'is no JSON object of headers and column names');
  try {
    const mapping: unknown = JSON.parse(text);
    const isMapping =
      typeof mapping === 'object' &&
      mapping !== null &&
      Object.values(mapping).every((name) => name === null || typeof name === 'string');
    if (isMapping) return Object.assign(Object.create(null), mapping) as Record<string, string | null>;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw refuse();
}

/** The column of each field of a line; undefined for fields that are left out. */
function matchColumns(
  headers: readonly string[],
  columns: readonly StoredColumn[],
  mapping: Record<string, string | null> | undefined,
): (StoredColumn | undefined)[] {
  const places = headers.map((header) => {
    if (!mapping) return columnFor(header, columns);
    const name = mapping[header];
    if (!name) return undefined;
    const column = columns.find((each) => each.name === name);
    if (!column) throw invalidField(['body', 'mapping', header], `"${name}" is no column of this table`);
    return column;
  });
  const named = places.filter((place) => place !== undefined);
  if (named.length === 0) {
    const names = columns.map(({ name }) => name).join(', ');
    throw invalidField(
      ['body', 'file'],
      `has no header that is a column of this table; its columns are ${names}`,
    );
  }
  const double = named.find((column, at) => named.indexOf(column) !== at);
  if (double) throw invalidField(['body', 'mapping'], `two headers lead to column "${double.name}"`);
  return places;
}

function dataOfLine(
  line: readonly string[],
  places: readonly (StoredColumn | undefined)[],
): Record<string, unknown> {
  const data: Record<string, unknown> = {};
  for (const [at, column] of places.entries()) {
    const text = line[at];
    if (!column || text === undefined || text === '') continue;
    data[column.name] = column.type === 'json' ? fromText(text) : text;
  }
  return data;
}

/** Rows that one transaction of an import adds. */
const BATCH = 1_000;

interface CsvImport {
  readonly bytes: Bytes;
  readonly max_bytes: number;
  readonly mapping: Record<string, string | null> | undefined;
  /** As `exportCsv` writes it. */
  readonly formulas_escaped: boolean;
}

/**
 * Adds the rows of a file, a thousand at a time: when it breaks off, those before it stay. The audit log names the import
 * with the first of them.
 */
export async function importCsv(
  ctx: NotedWriter,
  { id, columns }: DataTableRow,
  { bytes, max_bytes, mapping, formulas_escaped }: CsvImport,
): Promise<DataImport> {
  const result: DataImport = { imported: 0, errors: [], total: 0 };
  let places: (StoredColumn | undefined)[] | undefined;
  let batch: RowInput[] = [];
  const store = async () => {
    const inputs = batch;
    batch = [];
    if (inputs.length === 0) return;
    const add = (table: OpenTable) => insertMany(table, inputs);
    const isFirst = inputs[0]?.number === 1;
    const { imported, errors } = await (isFirst
      ? writingNoted(ctx, { id, action: 'rows_imported' }, add)
      : writing(ctx, id, add));
    result.imported += imported;
    result.errors.push(...errors.slice(0, MOST_ERRORS - result.errors.length));
  };
  for await (const written of parseLines(limited(bytes, max_bytes))) {
    const line = formulas_escaped ? written.map(withoutEscape) : written;
    if (!places) {
      places = matchColumns(line, storedColumns(columns), mapping);
      continue;
    }
    result.total += 1;
    batch.push({ number: result.total, data: dataOfLine(line, places) });
    if (batch.length === BATCH) await store();
  }
  if (!places) throw new AppError('bad_request', 'The file is empty; its first line names the columns');
  await store();
  return result;
}

/** A whole table as CSV text, part by part. What is refused is refused before the first part. */
export async function exportCsv(
  ctx: RowReader,
  id: string,
  { escape_formulas }: { readonly escape_formulas: boolean },
): Promise<{ name: string; parts: AsyncGenerator<string> }> {
  const { table } = await requireVisible(ctx, id);
  const columns = storedColumns(table.columns);
  const { default: Papa } = await import('papaparse');
  const fields = columns.map(({ name }) => name);
  const line = (data: Record<string, unknown>) =>
    fields.map((name) =>
      typeof data[name] === 'object' && data[name] !== null ? JSON.stringify(data[name]) : data[name],
    );
  const options = { escapeFormulae: escape_formulas ? FORMULA : false };
  async function* parts(): AsyncGenerator<string> {
    yield `${Papa.unparse([fields], options)}\r\n`;
    for (let after_id: string | undefined; ; ) {
      const rows = await rowsAfter(ctx.db, { table_id: id, after_id });
      if (rows.length === 0) return;
      yield `${Papa.unparse(
        rows.map((row) => line(toData(columns, row.data))),
        options,
      )}\r\n`;
      after_id = rows.at(-1)?.id;
    }
  }
  return { name: table.name, parts: parts() };
}
