import type { DataColumn, DataRow, DataTable } from '@millrace/contracts';
import { useVirtualizer } from '@tanstack/react-virtual';
import { clsx } from 'clsx';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useChangeCell } from '../../data/data-tables.ts';
import { useIsPhone } from '../../lib/use-media.ts';
import { Checkbox } from '../../ui/forms/toggles.tsx';
import { toast } from '../../ui/overlays/toast.ts';
import { cellText, valueOf } from './cell-text.ts';
import { GridCell } from './grid-cell.tsx';
import { useDataTablesTexts } from './texts/use-data-tables-texts.ts';
import { useGridKeys } from './use-grid-keys.ts';

interface RowGridProps {
  table: DataTable;
  /** Those that are loaded. */
  rows: readonly DataRow[];
  total: number;
  sort: string;
  onSort: (sort: string) => void;
  selected: ReadonlySet<string>;
  onSelect: (selected: ReadonlySet<string>) => void;
  /** Called when the last loaded row comes into view. */
  onEnd: () => void;
}

const MARK_PX = 44;
const CELL_PX = 160;

/** Ascending, descending, and back to newest first. */
function nextSort(name: string, sort: string): string {
  if (sort === name) return `-${name}`;
  return sort === `-${name}` ? '' : name;
}

function SortHeader({
  column,
  sort,
  onSort,
}: { column: DataColumn } & Pick<RowGridProps, 'sort' | 'onSort'>) {
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
function useCommit({ table }: Pick<RowGridProps, 'table'>) {
  const t = useDataTablesTexts();
  const { mutate } = useChangeCell(table.id);
  return (row: DataRow, column: DataColumn, text: string) => {
    if (text === cellText(row.data[column.name])) return;
    const value = valueOf(column, text);
    if (value === undefined) {
      toast.failed(t('not_json', { column: column.name }));
      return;
    }
    mutate(
      { row, data: { [column.name]: value } },
      { onError: (error) => toast.failed(error.message, { detail: problemOf(error) }) },
    );
  };
}

/** The sentence about the cell, where the server names it. */
function problemOf(error: Error): string {
  const { body } = error as { body?: { detail?: unknown } };
  const [first] = Array.isArray(body?.detail) ? (body.detail as { msg?: string }[]) : [];
  return first?.msg ?? '';
}

/** Rows of any number: only those in view exist, and further ones are loaded as they come near. */
export function RowGrid(props: RowGridProps) {
  const { table, rows, total, sort, onSort, selected, onSelect, onEnd } = props;
  const t = useDataTablesTexts();
  const phone = useIsPhone();
  const { columns } = table;
  const mayWrite = table.permission === 'write';
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => (phone ? 44 : 34),
    overscan: 12,
    scrollPaddingStart: 34,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? -1;
  useEffect(() => {
    if (last >= rows.length - 50) onEnd();
  }, [last, onEnd, rows.length]);

  const commit = useCommit(props);
  const keys = useGridKeys({
    scroller,
    rows: rows.length,
    columns: columns.length,
    mayWrite,
    scrollTo: (index) => virtual.scrollToIndex(index),
    textAt: ({ row, column }) => cellText(rows[row]?.data[columns[column]?.name ?? '']),
    commit: ({ row, column }, text) => {
      const [data, of] = [rows[row], columns[column]];
      if (data && of) commit(data, of, text);
    },
  });
  const grid = {
    gridTemplateColumns: `${mayWrite ? `${MARK_PX}px ` : ''}repeat(${columns.length}, minmax(${CELL_PX}px, 1fr))`,
    minWidth: (mayWrite ? MARK_PX : 0) + columns.length * CELL_PX,
  };
  const toggle = (id: string, on: boolean) =>
    onSelect(new Set(on ? [...selected, id] : [...selected].filter((other) => other !== id)));
  const all = rows.length > 0 && rows.every(({ id }) => selected.has(id));
  return (
    // oxlint-disable-next-line jsx-a11y/interactive-supports-focus -- the cells inside take the focus
    <div
      ref={scroller}
      role="grid"
      aria-label={t('rows_of', { name: table.name })}
      aria-rowcount={total + 1}
      aria-colcount={columns.length + (mayWrite ? 1 : 0)}
      className="min-h-0 grow overflow-auto"
      onKeyDown={keys.onKeyDown}
    >
      <div
        role="rowgroup"
        className="sticky top-0 z-10 border-b border-line bg-canvas"
        style={{ minWidth: grid.minWidth }}
      >
        <div role="row" aria-rowindex={1} className="grid" style={grid}>
          {mayWrite ? (
            <div role="columnheader" className="flex h-8 items-center justify-center">
              <Checkbox
                hideLabel
                label={t('select_loaded')}
                checked={all || (selected.size > 0 && 'indeterminate')}
                onChange={(on) => onSelect(new Set(on ? rows.map(({ id }) => id) : []))}
              />
            </div>
          ) : null}
          {columns.map((column) => (
            <SortHeader key={column.id} column={column} sort={sort} onSort={onSort} />
          ))}
        </div>
      </div>
      <div
        role="rowgroup"
        className="relative"
        style={{ height: virtual.getTotalSize(), minWidth: grid.minWidth }}
      >
        {items.map((item) => {
          const row = rows[item.index];
          if (row === undefined) return null;
          return (
            <div
              key={row.id}
              role="row"
              aria-rowindex={item.index + 2}
              aria-selected={mayWrite ? selected.has(row.id) : undefined}
              className={clsx(
                'absolute inset-x-0 grid border-b border-line',
                selected.has(row.id) ? 'bg-accent-tint' : 'hover:bg-hover',
              )}
              style={{ ...grid, height: item.size, transform: `translateY(${item.start}px)` }}
            >
              {mayWrite ? (
                <div role="gridcell" className="flex items-center justify-center">
                  <Checkbox
                    hideLabel
                    label={t('select_row', { number: item.index + 1 })}
                    checked={selected.has(row.id)}
                    onChange={(on) => toggle(row.id, on)}
                  />
                </div>
              ) : null}
              {columns.map((column, at) => (
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
        })}
      </div>
    </div>
  );
}
