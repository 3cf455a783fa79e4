import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react';

export interface Place {
  readonly row: number;
  readonly column: number;
}

interface GridKeysOptions {
  scroller: RefObject<HTMLDivElement | null>;
  rows: number;
  columns: number;
  mayWrite: boolean;
  scrollTo: (row: number) => void;
  textAt: (place: Place) => string;
  commit: (place: Place, text: string) => void;
}

export type GridKeys = ReturnType<typeof useGridKeys>;

const PAGE_ROWS = 20;

/** Where a key leads from a cell; undefined for keys that do not move. */
function moved({ row, column }: Place, key: string, { rows, columns }: { rows: number; columns: number }) {
  const within = (value: number, count: number) => Math.max(0, Math.min(count - 1, value));
  switch (key) {
    case 'ArrowDown':
      return { row: within(row + 1, rows), column };
    case 'ArrowUp':
      return { row: within(row - 1, rows), column };
    case 'ArrowRight':
      return { row, column: within(column + 1, columns) };
    case 'ArrowLeft':
      return { row, column: within(column - 1, columns) };
    case 'PageDown':
      return { row: within(row + PAGE_ROWS, rows), column };
    case 'PageUp':
      return { row: within(row - PAGE_ROWS, rows), column };
    case 'Home':
      return { row, column: 0 };
    case 'End':
      return { row, column: columns - 1 };
    default:
      return undefined;
  }
}

/**
 * The keyboard of a grid, as in spreadsheets: arrows walk, Enter or typing edits, Enter and Tab keep what was typed and go on,
 * Escape discards it, Delete empties the cell. One cell at a time is in the tab order.
 */
export function useGridKeys(options: GridKeysOptions) {
  const { scroller, rows, columns, mayWrite, scrollTo, textAt, commit } = options;
  const [at, setAt] = useState<Place>({ row: 0, column: 0 });
  const [draft, setDraft] = useState<string>();
  const wantsFocus = useRef(false);

  useEffect(() => {
    if (!wantsFocus.current || draft !== undefined) return;
    const cell = scroller.current?.querySelector<HTMLElement>(`[data-cell="${at.row}-${at.column}"]`);
    if (!cell) return;
    wantsFocus.current = false;
    cell.focus({ preventScroll: true });
    cell.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  });

  const go = (place: Place) => {
    wantsFocus.current = true;
    setDraft(undefined);
    setAt(place);
    scrollTo(place.row);
  };
  const edit = (place: Place, text: string) => {
    if (!mayWrite) return;
    setAt(place);
    setDraft(text);
  };
  const keep = (next: Place) => {
    if (draft !== undefined) commit(at, draft);
    go(next);
  };
  /** The cell to the right or left, across the ends of rows; undefined where the grid ends. */
  const beside = (step: 1 | -1): Place | undefined => {
    const index = at.row * columns + at.column + step;
    if (index < 0 || index >= rows * columns) return undefined;
    return { row: Math.floor(index / columns), column: index % columns };
  };

  const inEditor = (event: KeyboardEvent) => {
    if (event.key === 'Escape') go(at);
    else if (event.key === 'Enter' && !event.nativeEvent.isComposing)
      keep(moved(at, event.shiftKey ? 'ArrowUp' : 'ArrowDown', { rows, columns }) ?? at);
    else if (event.key === 'Tab') keep(beside(event.shiftKey ? -1 : 1) ?? at);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const inGrid = (event: KeyboardEvent) => {
    const next = moved(at, event.key, { rows, columns });
    const isText = event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (next) go(next);
    else if (event.key === 'Enter' || event.key === 'F2') edit(at, textAt(at));
    else if (mayWrite && (event.key === 'Delete' || event.key === 'Backspace')) commit(at, '');
    else if (mayWrite && isText) edit(at, event.key);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return {
    at,
    draft,
    setDraft,
    go,
    edit: (place: Place) => edit(place, textAt(place)),
    /** The focus has left the editor, as by a click elsewhere. */
    leave: () => {
      if (draft !== undefined) commit(at, draft);
      setDraft(undefined);
    },
    onKeyDown: (event: KeyboardEvent) => {
      if (draft !== undefined) return inEditor(event);
      const isCell = event.target instanceof HTMLElement && event.target.dataset['cell'] !== undefined;
      return isCell ? inGrid(event) : undefined;
    },
  };
}
