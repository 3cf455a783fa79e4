import { randomBytes } from 'node:crypto';
import type { DataColumn, DataColumnType } from '@millrace/contracts';
import { invalidField } from '../../core/app-error.ts';
import { newId } from '../../core/ids.ts';
import type { StoredColumn } from './rows/cells.ts';
import { CellError, toCell } from './rows/cells.ts';

export interface ColumnInput {
  readonly id?: string | null | undefined;
  readonly name: string;
  readonly type: DataColumnType;
  readonly required: boolean;
  readonly defaultValue?: unknown;
  readonly unique: boolean;
  readonly order?: number | null | undefined;
}

const newKey = (): string => randomBytes(6).toString('base64url');

/** Guarantee: only `buildColumns` writes the column of the database that this comes from. */
export const storedColumns = (stored: unknown): readonly StoredColumn[] => stored as StoredColumn[];

export const columnRecord = (column: StoredColumn, order: number): DataColumn => ({
  id: column.id,
  name: column.name,
  type: column.type,
  required: column.required,
  defaultValue: (column.default ?? null) as DataColumn['defaultValue'],
  unique: column.unique,
  order,
});

/** The default in the form that the type has. Throws a 422 that names the column. */
function convertDefault(input: ColumnInput, at: number): unknown {
  const loc = ['body', 'columns', at, 'defaultValue'];
  try {
    const value = toCell(input.defaultValue, input.type);
    if (value !== null && input.unique) throw invalidField(loc, 'cannot be given to a unique column');
    return value;
  } catch (error) {
    if (error instanceof CellError) throw invalidField(loc, `${error.message} (column "${input.name}")`);
    throw error;
  }
}

/**
 * The columns of a request in their order, each with the id and key of the former column that it stands for: the one of
 * its id, else the one of its name.
 */
export function buildColumns(
  inputs: readonly ColumnInput[],
  former: readonly StoredColumn[] = [],
): StoredColumn[] {
  const named = new Set<string>();
  const taken = new Set<string>();
  const ids = new Set(inputs.map(({ id }) => id));
  const columns = inputs.map((input, at) => {
    if (named.has(input.name))
      throw invalidField(['body', 'columns', at, 'name'], `"${input.name}" is there twice`);
    named.add(input.name);
    const byId = former.find((column) => column.id === input.id);
    const match = byId ?? former.find((column) => column.name === input.name && !ids.has(column.id));
    if (match && taken.has(match.id)) throw invalidField(['body', 'columns', at, 'id'], 'is there twice');
    if (match) taken.add(match.id);
    const { name, type, required, unique } = input;
    const place = { id: match?.id ?? newId(), key: match?.key ?? newKey() };
    const column: StoredColumn = {
      ...place,
      name,
      type,
      required,
      default: convertDefault(input, at),
      unique,
    };
    return { column, order: input.order ?? at };
  });
  return columns.toSorted((a, b) => a.order - b.order).map(({ column }) => column);
}
