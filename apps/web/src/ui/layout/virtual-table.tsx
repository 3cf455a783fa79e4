import { useVirtualizer, type VirtualItem } from '@tanstack/react-virtual';
import { clsx } from 'clsx';
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import { type Column, cellClass, HeaderCells, isInteractive, type Sort, tracks } from './data-table.tsx';

interface VirtualTableProps<Row> {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  rowLabel?: (row: Row) => string;
  onOpen?: (row: Row) => void;
  /** Marks the row whose details are shown. */
  activeKey?: string | undefined;
  sort?: Sort;
  onSort?: (sort: Sort) => void;
  /** Called when the end comes into view. */
  onEnd?: () => void;
  footer?: ReactNode;
  /** Makes rows draggable: type and text of what a dragged one carries. */
  dragData?: (row: Row) => { type: string; text: string };
  /** Height of a row in pixels. */
  rowHeight?: number;
}

/** Moves the focus between rows: arrows, Home, End; Enter opens. */
function moveFocus(event: KeyboardEvent<HTMLElement>, count: number, scrollTo: (index: number) => void) {
  const row = event.target instanceof HTMLElement ? event.target.closest<HTMLElement>('[data-row]') : null;
  if (!row || row !== event.target) return;
  const index = Number(row.dataset['row']);
  const steps: Record<string, number> = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: count - 1 };
  const next = steps[event.key];
  if (next === undefined || next < 0 || next >= count) return;
  event.preventDefault();
  const body = event.currentTarget;
  scrollTo(next);
  requestAnimationFrame(() => body.querySelector<HTMLElement>(`[data-row="${next}"]`)?.focus());
}

/** The space bar ticks a row that has a checkbox; with Shift, all rows from the one ticked last. */
function tickRow(event: KeyboardEvent<HTMLElement>): void {
  const box = event.currentTarget.querySelector('[role="checkbox"]');
  if (box === null) return;
  event.preventDefault();
  box.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, shiftKey: event.shiftKey }));
}

const GRID = 'grid grid-cols-(--narrow) px-1.5 sm:px-2.5 md:grid-cols-(--wide)';

/** A table of any length: only the rows in view exist. The keyboard walks it row by row. */
export function VirtualTable<Row>(table: VirtualTableProps<Row>) {
  const { columns, rows, rowKey, onEnd, rowHeight = 34 } = table;
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    getItemKey: (index) => {
      const row = rows[index];
      return row === undefined ? index : rowKey(row);
    },
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? -1;
  useEffect(() => {
    if (onEnd && rows.length > 0 && last >= rows.length - 5) onEnd();
  }, [last, onEnd, rows.length]);

  const { wide, narrow } = tracks(columns);
  return (
    <div
      ref={scroller}
      role="table"
      aria-label={table.label}
      aria-rowcount={rows.length + 1}
      className="min-h-0 grow overflow-x-hidden overflow-y-auto"
      style={{ '--wide': wide, '--narrow': narrow } as React.CSSProperties}
    >
      <div role="rowgroup" className="sticky top-0 z-10 border-b border-line bg-canvas">
        <div role="row" aria-rowindex={1} className={GRID}>
          <HeaderCells
            columns={columns}
            rows={rows}
            {...(table.sort ? { sort: table.sort } : {})}
            {...(table.onSort ? { onSort: table.onSort } : {})}
          />
        </div>
      </div>
      {/* oxlint-disable-next-line jsx-a11y/interactive-supports-focus -- the rows inside take the focus */}
      <div
        role="rowgroup"
        className="relative"
        style={{ height: virtual.getTotalSize() }}
        onKeyDown={(event) => moveFocus(event, rows.length, (index) => virtual.scrollToIndex(index))}
      >
        {items.map((item) => {
          const row = rows[item.index];
          return row === undefined ? null : <TableRow key={item.key} table={table} row={row} item={item} />;
        })}
      </div>
      {table.footer}
    </div>
  );
}

interface TableRowProps<Row> {
  table: VirtualTableProps<Row>;
  row: Row;
  item: VirtualItem;
}

/** A row in view; it opens on a click beside its controls, and by Enter. */
function TableRow<Row>({ table, row, item }: TableRowProps<Row>) {
  const { columns, rowKey, rowLabel, onOpen, activeKey, dragData } = table;
  const active = activeKey !== undefined && rowKey(row) === activeKey;
  return (
    <div
      role="row"
      tabIndex={0}
      data-row={item.index}
      data-menu-owner={rowKey(row)}
      aria-rowindex={item.index + 2}
      aria-label={rowLabel?.(row)}
      aria-current={active || undefined}
      draggable={dragData !== undefined}
      onDragStart={(event) => {
        const data = dragData?.(row);
        if (data) event.dataTransfer.setData(data.type, data.text);
      }}
      className={clsx(
        GRID,
        'absolute inset-x-0 border-b border-line outline-offset-[-2px]',
        onOpen && 'cursor-pointer',
        active ? 'bg-accent-tint' : onOpen && 'hover:bg-hover',
      )}
      style={{ height: item.size, transform: `translateY(${item.start}px)` }}
      onClick={(event) => {
        if (onOpen && !isInteractive(event.target, event.currentTarget)) onOpen(row);
      }}
      onKeyDown={(event) => {
        if (event.target !== event.currentTarget) return;
        if (event.key === ' ') tickRow(event);
        if (!onOpen || event.key !== 'Enter') return;
        // The key would press the button that has the focus once the row is open.
        event.preventDefault();
        onOpen(row);
      }}
    >
      {columns.map((column) => (
        <div key={column.id} role="cell" className={cellClass(column)}>
          {column.cell(row, table.rows)}
        </div>
      ))}
    </div>
  );
}
