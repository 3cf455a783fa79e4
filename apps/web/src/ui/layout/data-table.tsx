import { clsx } from 'clsx';
import { ArrowDown, ArrowUp } from 'lucide-react';
import type { ReactNode } from 'react';

export interface Column<Row> {
  id: string;
  header: string;
  /** Grid track: `minmax(160px, 2fr)`, `120px`. */
  width: string;
  /** Also given all rows, for cells whose controls act on several. */
  cell: (row: Row, rows: readonly Row[]) => ReactNode;
  /** Shown in the place of the header's text. */
  headerCell?: (rows: readonly Row[]) => ReactNode;
  align?: 'end';
  /** Not shown below 768 px. */
  wide?: boolean;
  /** Keeps the header for screen readers only, for columns of icons and buttons. */
  hideHeader?: boolean;
  sortable?: boolean;
}

export interface Sort {
  by: string;
  order: 'asc' | 'desc';
}

/** The grid tracks of the columns, once for wide and once for narrow screens. */
export function tracks<Row>(columns: readonly Column<Row>[]): { wide: string; narrow: string } {
  return {
    wide: columns.map((column) => column.width).join(' '),
    narrow: columns
      .filter((column) => !column.wide)
      .map((column) => column.width)
      .join(' '),
  };
}

export function cellClass<Row>(column: Column<Row>): string {
  return clsx(
    'flex min-w-0 items-center gap-2 px-[var(--cell-padding)]',
    column.align === 'end' && 'tabular justify-end',
    column.wide && 'max-md:hidden',
  );
}

interface HeaderProps<Row> {
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  sort?: Sort;
  onSort?: (sort: Sort) => void;
}

export function HeaderCells<Row>({ columns, rows, sort, onSort }: HeaderProps<Row>) {
  return columns.map((column) => {
    const sorted = sort?.by === column.id ? sort.order : undefined;
    const text = column.hideHeader ? <span className="sr-only">{column.header}</span> : column.header;
    const label = column.headerCell?.(rows) ?? text;
    return (
      <div
        key={column.id}
        role="columnheader"
        aria-sort={sorted === undefined ? undefined : sorted === 'asc' ? 'ascending' : 'descending'}
        className={clsx(cellClass(column), 'h-8 text-sm font-medium text-faint')}
      >
        {column.sortable && onSort ? (
          <button
            type="button"
            className="-mx-1 inline-flex items-center gap-1 rounded-s px-1 hover:text-text"
            onClick={() => onSort({ by: column.id, order: sorted === 'asc' ? 'desc' : 'asc' })}
          >
            {label}
            {sorted === 'asc' ? <ArrowUp className="size-3.5" aria-hidden /> : null}
            {sorted === 'desc' ? <ArrowDown className="size-3.5" aria-hidden /> : null}
          </button>
        ) : (
          label
        )}
      </div>
    );
  });
}

interface DataTableProps<Row> extends HeaderProps<Row> {
  label: string;
  rowKey: (row: Row) => string;
  /** Opens a row; the whole row answers a click, its first cell should hold the link or button for the keyboard. */
  onOpen?: (row: Row) => void;
  className?: string;
}

/** A table of at most some hundred rows. For more use `VirtualTable`. */
export function DataTable<Row>({
  label,
  columns,
  rows,
  rowKey,
  onOpen,
  sort,
  onSort,
  className,
}: DataTableProps<Row>) {
  const { wide, narrow } = tracks(columns);
  return (
    <div
      role="table"
      aria-label={label}
      className={clsx('min-w-0', className)}
      style={{ '--wide': wide, '--narrow': narrow } as React.CSSProperties}
    >
      <div role="rowgroup">
        <div
          role="row"
          className="grid grid-cols-(--narrow) border-b border-line bg-canvas px-1.5 sm:px-2.5 md:grid-cols-(--wide)"
        >
          <HeaderCells
            columns={columns}
            rows={rows}
            {...(sort ? { sort } : {})}
            {...(onSort ? { onSort } : {})}
          />
        </div>
      </div>
      <div role="rowgroup">
        {rows.map((row) => (
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the first cell holds the keyboard's way in
          <div
            key={rowKey(row)}
            role="row"
            className={clsx(
              'grid min-h-[var(--row-height)] grid-cols-(--narrow) border-b border-line px-1.5 sm:px-2.5 md:grid-cols-(--wide)',
              onOpen && 'cursor-pointer hover:bg-hover',
            )}
            onClick={(event) => {
              if (onOpen && !isInteractive(event.target, event.currentTarget)) onOpen(row);
            }}
          >
            {columns.map((column) => (
              <div key={column.id} role="cell" className={cellClass(column)}>
                {column.cell(row, rows)}
              </div>
            ))}
          </div>
        ))}
      </div>
    </div>
  );
}

/** Whether a click landed on a control inside the row, or in something that floats above it. */
export function isInteractive(target: EventTarget, row: Element): boolean {
  if (!(target instanceof Element) || !row.contains(target)) return true;
  const control = target.closest('a, button, input, label, [role="checkbox"], [role="menuitem"]');
  return control !== null && row.contains(control);
}
