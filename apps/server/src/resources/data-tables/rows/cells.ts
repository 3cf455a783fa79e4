import { DATA_TABLE_LIMITS, type DataColumnType } from '@millrace/contracts';
import { CoercionError, coerce, fromText } from '../../global-variables/coerce.ts';

export interface StoredColumn {
  readonly id: string;
  /** Under which the cells of the column are stored: unlike its name it never changes, and no other table has it. */
  readonly key: string;
  readonly name: string;
  readonly type: DataColumnType;
  readonly required: boolean;
  readonly default: unknown;
  readonly unique: boolean;
}

/** The value is none of the column's type; `message` completes "value ...". */
export class CellError extends Error {}

const DATE = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)\s*(Z|[+-]\d{2}:?\d{2})?)?$/i;
const LONE_SURROGATE = /\p{Surrogate}/gu;

/**
 * ISO 8601: a day stays a day; a time is stored in UTC, so that stored dates sort as they follow each other. A time without
 * a zone is taken as UTC.
 */
function toDate(value: unknown): string {
  const [, day, time, zone = 'Z'] = (typeof value === 'string' && DATE.exec(value.trim())) || [];
  const midnight = day === undefined ? Number.NaN : Date.parse(`${day}T00:00:00Z`);
  // 30 February would count as 1 March.
  if (day === undefined || Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== day) {
    throw new CellError('is not a date such as 2026-01-31 or 2026-01-31T09:30:00Z');
  }
  const offset = /^[+-]\d{4}$/.test(zone) ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone.toUpperCase();
  const at = time === undefined ? new Date(midnight) : new Date(`${day}T${time}${offset}`);
  if (Number.isNaN(at.getTime())) throw new CellError('has no time of day that exists');
  // Other years have another length as text, and PostgreSQL knows no year 0.
  const year = at.getUTCFullYear();
  if (year < 1 || year > 9999) throw new CellError('is not in the years 0001 to 9999 (UTC)');
  return time === undefined ? day : at.toISOString();
}

function toText(value: unknown): string {
  const text = coerce(value, 'string') as string;
  if (text.includes('\0')) throw new CellError('holds a NUL character');
  return text.replace(LONE_SURROGATE, '\uFFFD');
}

function typed(value: unknown, type: DataColumnType): unknown {
  switch (type) {
    case 'string':
      return toText(value);
    case 'number':
    case 'boolean':
      return coerce(value, type);
    case 'date':
      return toDate(value);
    case 'json':
      return typeof value === 'string' && /^\s*[[{]/.test(value) ? fromText(value) : value;
    default:
      return type satisfies never;
  }
}

/** The value as the column's type has it; null for none. Throws `CellError`. */
export function toCell(value: unknown, type: DataColumnType): unknown {
  if (value === null || value === undefined) return null;
  if (type !== 'string' && typeof value === 'string' && value.trim() === '') return null;
  try {
    const cell = typed(value, type);
    const size = typeof cell === 'string' ? cell.length : JSON.stringify(cell).length;
    if (size <= DATA_TABLE_LIMITS.cell_characters) return cell;
  } catch (error) {
    if (error instanceof CoercionError) throw new CellError(error.message);
    throw error;
  }
  throw new CellError(`is longer than ${DATA_TABLE_LIMITS.cell_characters} characters`);
}

/** As `jsonb` keeps it unchanged: JSON cells are text there, for it would sort their keys. */
export const stored = (cell: unknown, type: DataColumnType): unknown =>
  type === 'json' ? JSON.stringify(cell) : cell;

export function fromStored(cell: unknown, type: DataColumnType): unknown {
  if (cell === undefined || cell === null) return null;
  return type === 'json' && typeof cell === 'string' ? (JSON.parse(cell) as unknown) : cell;
}

/** Cells of a row by the key of their column; none where a cell is empty. */
export type Cells = Record<string, unknown>;

export interface CellProblem {
  readonly column: string;
  readonly message: string;
}

/** A row as callers see it: every column by its name. */
export function toData(columns: readonly StoredColumn[], cells: Cells): Record<string, unknown> {
  return Object.fromEntries(columns.map(({ name, key, type }) => [name, fromStored(cells[key], type)]));
}

/**
 * Cells out of values by column name, with everything that is wrong with them.
 *
 * @param former cells of the row that is changed; absent for a new one, which gets the defaults
 */
export function toCells(
  columns: readonly StoredColumn[],
  data: Readonly<Record<string, unknown>>,
  former?: Cells,
): { cells: Cells; problems: CellProblem[] } {
  const problems: CellProblem[] = [];
  const cells: Cells = {};
  for (const column of columns) {
    const { name, key, type, required } = column;
    const given = Object.hasOwn(data, name) ? data[name] : undefined;
    if (given === undefined && former) {
      if (former[key] !== undefined) cells[key] = former[key];
      continue;
    }
    try {
      const cell = toCell(given, type) ?? (former ? null : (column.default ?? null));
      if (cell !== null) cells[key] = stored(cell, type);
      else if (required) problems.push({ column: name, message: 'is required' });
    } catch (error) {
      if (!(error instanceof CellError)) throw error;
      problems.push({ column: name, message: error.message });
    }
  }
  const names = new Set(columns.map(({ name }) => name));
  for (const name of Object.keys(data)) {
    if (!names.has(name)) problems.push({ column: name, message: 'is no column of this table' });
  }
  if (problems.length === 0 && JSON.stringify(cells).length > DATA_TABLE_LIMITS.row_characters) {
    problems.push({
      column: '',
      message: `the row is longer than ${DATA_TABLE_LIMITS.row_characters} characters`,
    });
  }
  return { cells, problems };
}
