import { conflict, invalidField } from '../../core/app-error.ts';
import type { Db } from '../../database/database.ts';
import type { StoredColumn } from './rows/cells.ts';
import { CellError, type Cells, fromStored, stored, toCell } from './rows/cells.ts';
import type { RowRecord } from './rows/order.ts';
import { claimKeys, freeKeys, rowsAfter, updateRows } from './rows/queries.ts';

interface ColumnChange {
  readonly table_id: string;
  readonly former: readonly StoredColumn[];
  readonly columns: readonly StoredColumn[];
  readonly at: Date;
}

interface Plan {
  readonly removed: readonly StoredColumn[];
  readonly converted: readonly { readonly from: StoredColumn; readonly to: StoredColumn }[];
  /** Required now, and not before. */
  readonly filled: readonly StoredColumn[];
  readonly freed: readonly StoredColumn[];
  readonly claimed: readonly StoredColumn[];
}

function planChange({ former, columns }: ColumnChange): Plan {
  const before = new Map(former.map((column) => [column.id, column]));
  const after = new Map(columns.map((column) => [column.id, column]));
  const converted = columns.flatMap((to) => {
    const from = before.get(to.id);
    return from && from.type !== to.type ? [{ from, to }] : [];
  });
  const isConverted = new Set(converted.map(({ to }) => to.id));
  return {
    removed: former.filter(({ id }) => !after.has(id)),
    converted,
    filled: columns.filter(({ id, required }) => required && !before.get(id)?.required),
    freed: former.filter(({ id, unique }) => unique && (!after.get(id)?.unique || isConverted.has(id))),
    claimed: columns.filter(({ id, unique }) => unique && (!before.get(id)?.unique || isConverted.has(id))),
  };
}

function refusal(column: StoredColumn, columns: readonly StoredColumn[], message: string) {
  const at = columns.findIndex(({ id }) => id === column.id);
  return invalidField(['body', 'columns', at], `Column "${column.name}": ${message}`);
}

/** The cells that a row has then; undefined when they stay. */
function changed(row: RowRecord, plan: Plan, columns: readonly StoredColumn[]): Cells | undefined {
  const cells: Cells = { ...row.data };
  for (const { key } of plan.removed) delete cells[key];
  for (const { from, to } of plan.converted) {
    const value = fromStored(cells[to.key], from.type);
    try {
      const cell = toCell(value, to.type);
      if (cell === null) delete cells[to.key];
      else cells[to.key] = stored(cell, to.type);
    } catch (error) {
      if (!(error instanceof CellError)) throw error;
      throw refusal(to, columns, `row ${row.id} holds a value that ${error.message}`);
    }
  }
  for (const column of plan.filled) {
    if (cells[column.key] !== undefined) continue;
    if (column.default === null) {
      throw refusal(column, columns, 'there are rows without a value; give it a default or fill them first');
    }
    cells[column.key] = stored(column.default, column.type);
  }
  return JSON.stringify(cells) === JSON.stringify(row.data) ? undefined : cells;
}

/**
 * Brings the rows of a table in line with its next columns, in slices. `db` is a transaction that holds the table's lock.
 * Throws when a row has a value that its column does not take, or two rows the same one in a unique column.
 */
export async function changeColumns(db: Db, change: ColumnChange): Promise<void> {
  const { table_id, columns, at } = change;
  const plan = planChange(change);
  if (Object.values(plan).every((part) => part.length === 0)) return;
  for (let after_id: string | undefined; ; ) {
    const rows = await rowsAfter(db, { table_id, after_id });
    if (rows.length === 0) return;
    const next = rows.flatMap((row) => {
      const cells = changed(row, plan, columns);
      return cells ? [{ id: row.id, cells }] : [];
    });
    if (next.length > 0) await updateRows(db, { table_id, user_id: null, at }, next);
    const row_ids = rows.map(({ id }) => id);
    await freeKeys(db, table_id, { columns: plan.freed, row_ids });
    const [double] = await claimKeys(db, table_id, { columns: plan.claimed, row_ids });
    if (double) {
      const column = columns.find(({ id }) => id === double.column_id);
      throw conflict(`Column "${column?.name ?? ''}" cannot be unique: two rows have the same value`, {
        column: column?.name,
        row_id: double.row_id,
      });
    }
    after_id = row_ids.at(-1);
  }
}
