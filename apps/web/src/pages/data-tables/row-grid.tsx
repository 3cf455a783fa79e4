import type { DataColumn, DataRow, DataTable } from '@millrace/contracts';
import { useVirtualizer, type VirtualItem } from '@tanstack/react-virtual';
import { clsx } from 'clsx';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useChangeCell } from '../../data/data-tables.ts';
import { useIsPhone } from '../../lib/use-media.ts';
import { Checkbox } from '../../ui/forms/toggles.tsx';
import { toast } from '../../ui/overlays/toast.ts';
import { cellText, parseCell } from './cell-text.ts';
import { GridCell } from './grid-cell.tsx';
import { useDataTablesTexts } from './texts/use-data-tables-texts.ts';
import { type GridKeys, useGridKeys } from './use-grid-keys.ts';
import type { TableRows } from './use-table-rows.ts';

interface RowGridProps {
  table: DataTable;
  rows: TableRows;
}

const MARK_PX = 44;
const CELL_PX = 160;

/** Ascending, descending, and back to newest first. */
function nextSort(name: string, sort: string): string {
  if (sort === name) return `-${name}`;
  return sort === `-${name}` ? '' : name;
}

function SortHeader({ column, rows: { sort, onSort } }: { column: DataColumn; rows: TableRows }) {
  const { name } = column;
  const order = sort === name ? 'ascending' : sort === `-${name}` ? 'descending' : undefined;
  // A comma separates columns of an order, so a name with one cannot be sorted by.
  const canSort = !name.includes(',') && !name.startsWith('-') && name.trim() === name;
  return (
    <div
      role="columnheader"
      aria-sort={order}
      className="flex h-8 min-w-0 items-center px-2 text-sm font-medium text-soft"
    >
      {canSort ? (
        <button
          type="button"
          className="inline-flex min-w-0 items-center gap-1 rounded-s hover:text-text"
          onClick={() => onSort(nextSort(name, sort))}
        >
          <span className="truncate">{name}</span>
          {order === 'ascending' ? <ArrowUp className="size-3.5 shrink-0" aria-hidden /> : null}
          {order === 'descending' ? <ArrowDown className="size-3.5 shrink-0" aria-hidden /> : null}
        </button>
      ) : (
        <span className="truncate">{name}</span>
      )}
    </div>
  );
}

/** Sends what was typed into a cell; the grid shows it at once. */
function useCommit(table: DataTable) {
  const t = useDataTablesTexts();
  const { mutate } = useChangeCell(table.id);
  return (row: DataRow, column: DataColumn, text: string) => {
    if (text === cellText(row.data[column.name])) return;
    const value = parseCell(column, text);
    if (value === undefined) {
      toast.failed(t('not_json', { column: column.name }));
      return;
    }
    mutate(
      { row, data: { [column.name]: value } },
      { onError: (error) => toast.failed(error.message, { detail: readProblem(error) }) },
    );
  };
}

/** The sentence about the cell, where the server names it. */
function readProblem(error: Error): string {
  const { body } = error as { body?: { detail?: unknown } };
  const [first] = Array.isArray(body?.detail) ? (body.detail as { msg?: string }[]) : [];
  return first?.msg ?? '';
}

/** Only the rows in view exist, and further ones are loaded as they come near. */
function useVirtualRows({ loaded, onEnd }: TableRows) {
  const phone = useIsPhone();
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: loaded.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => (phone ? 44 : 34),
    overscan: 12,
    scrollPaddingStart: 34,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? -1;
  useEffect(() => {
    if (last >= loaded.length - 50) onEnd();
  }, [last, onEnd, loaded.length]);
  return {
    scroller,
    items,
    height: virtual.getTotalSize(),
    scrollTo: (index: number) => virtual.scrollToIndex(index),
  };
}

/** One mark, where rows can be selected, and the columns of the table. */
function buildTracks({ columns, permission }: DataTable) {
  const mark = permission === 'write' ? MARK_PX : 0;
  return {
    gridTemplateColumns: `${mark > 0 ? `${mark}px ` : ''}repeat(${columns.length}, minmax(${CELL_PX}px, 1fr))`,
    minWidth: mark + columns.length * CELL_PX,
  };
}

/** Rows of any number, with the keyboard of a spreadsheet. */
export function RowGrid({ table, rows }: RowGridProps) {
  const t = useDataTablesTexts();
  const { columns } = table;
  const { loaded } = rows;
  const mayWrite = table.permission === 'write';
  const { scroller, items, height, scrollTo } = useVirtualRows(rows);
  const commit = useCommit(table);
  const keys = useGridKeys({
    scroller,
    rows: loaded.length,
    columns: columns.length,
    mayWrite,
    scrollTo,
    textAt: ({ row, column }) => cellText(loaded[row]?.data[columns[column]?.name ?? '']),
    commit: ({ row, column }, text) => {
      const [data, of] = [loaded[row], columns[column]];
      if (data && of) commit(data, of, text);
    },
  });
  const { minWidth } = buildTracks(table);
  return (
    // oxlint-disable-next-line jsx-a11y/interactive-supports-focus -- the cells inside take the focus
    <div
      ref={scroller}
      role="grid"
      aria-label={t('rows_of', { name: table.name })}
      aria-rowcount={rows.total + 1}
      aria-colcount={columns.length + (mayWrite ? 1 : 0)}
      className="min-h-0 grow overflow-auto"
      onKeyDown={keys.onKeyDown}
    >
      <div role="rowgroup" className="sticky top-0 z-10 border-b border-line bg-canvas" style={{ minWidth }}>
        <HeaderRow table={table} rows={rows} />
      </div>
      <div role="rowgroup" className="relative" style={{ height, minWidth }}>
        {items.map((item) => {
          const row = loaded[item.index];
          if (row === undefined) return null;
          return <GridRow key={row.id} table={table} rows={rows} row={row} item={item} keys={keys} />;
        })}
      </div>
    </div>
  );
}

/** The names of the columns, and the mark of all rows that are loaded. */
function HeaderRow({ table, rows }: RowGridProps) {
  const t = useDataTablesTexts();
  const { loaded, selected, onSelect } = rows;
  const all = loaded.length > 0 && loaded.every(({ id }) => selected.has(id));
  return (
    <div role="row" aria-rowindex={1} className="grid" style={buildTracks(table)}>
      {table.permission === 'write' ? (
        <div role="columnheader" className="flex h-8 items-center justify-center">
          <Checkbox
            hideLabel
            label={t('select_loaded')}
            checked={all || (selected.size > 0 && 'indeterminate')}
            onChange={(on) => onSelect(new Set(on ? loaded.map(({ id }) => id) : []))}
          />
        </div>
      ) : null}
      {table.columns.map((column) => (
        <SortHeader key={column.id} column={column} rows={rows} />
      ))}
    </div>
  );
}

interface GridRowProps extends RowGridProps {
  row: DataRow;
  item: VirtualItem;
  keys: GridKeys;
}

function GridRow({ table, rows: { selected, onSelect }, row, item, keys }: GridRowProps) {
  const t = useDataTablesTexts();
  const mayWrite = table.permission === 'write';
  const isSelected = selected.has(row.id);
  const select = (on: boolean) =>
    onSelect(new Set(on ? [...selected, row.id] : [...selected].filter((other) => other !== row.id)));
  return (
    <div
      role="row"
      aria-rowindex={item.index + 2}
      aria-selected={mayWrite ? isSelected : undefined}
      className={clsx(
        'absolute inset-x-0 grid border-b border-line',
        isSelected ? 'bg-accent-tint' : 'hover:bg-hover',
      )}
      style={{ ...buildTracks(table), height: item.size, transform: `translateY(${item.start}px)` }}
    >
      {mayWrite ? (
        <div role="gridcell" className="flex items-center justify-center">
          <Checkbox
            hideLabel
            label={t('select_row', { number: item.index + 1 })}
            checked={isSelected}
            onChange={select}
          />
        </div>
      ) : null}
      {table.columns.map((column, at) => (
        <GridCell
          key={column.id}
          column={column}
          value={row.data[column.name]}
          place={{ row: item.index, column: at }}
          keys={keys}
        />
      ))}
    </div>
  );
}
