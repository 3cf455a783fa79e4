import { type KeyboardEvent, type RefObject, useState } from 'react';
import type { JsonPath } from '../../lib/json/json-path.ts';
import type { JsonRows } from './use-json-rows.ts';

interface TreeKeysOptions {
  readonly scroller: RefObject<HTMLElement | null>;
  readonly scrollTo: (index: number) => void;
  readonly onPick: ((path: JsonPath) => void) | undefined;
}

/** The keyboard of a tree: arrows walk, open and close; Enter picks. One row at a time is in the tab order. */
export function useTreeKeys({ rows, open, flip }: JsonRows, { scroller, scrollTo, onPick }: TreeKeysOptions) {
  const [focused, setFocused] = useState(0);
  const focusRow = (index: number) => {
    const next = Math.max(0, Math.min(rows.length - 1, index));
    setFocused(next);
    scrollTo(next);
    requestAnimationFrame(() =>
      scroller.current?.querySelector<HTMLElement>(`[data-index="${next}"]`)?.focus(),
    );
  };
  return {
    /** Place of the row in the tab order. */
    at: Math.min(focused, rows.length - 1),
    setFocused,
    onKeyDown(event: KeyboardEvent) {
      const row = rows[focused];
      // Keys with a modifier are shortcuts of what is around the tree.
      if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
      const parent = rows.slice(0, focused).findLastIndex((other) => other.level < row.level);
      const moves: Record<string, () => void> = {
        ArrowDown: () => focusRow(focused + 1),
        ArrowUp: () => focusRow(focused - 1),
        Home: () => focusRow(0),
        End: () => focusRow(rows.length - 1),
        ArrowRight: () => (row.expanded ? focusRow(focused + 1) : open(row)),
        ArrowLeft: () => (row.expanded ? flip(row) : focusRow(parent)),
        Enter: () => (onPick && !row.more ? onPick(row.path) : open(row)),
        ' ': () => open(row),
      };
      const move = moves[event.key];
      if (!move) return;
      event.preventDefault();
      event.stopPropagation();
      move();
    },
  };
}
