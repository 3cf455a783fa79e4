import type { BoardCard } from '@millrace/contracts';
import { type PointerEvent as ReactPointerEvent, useEffect, useRef, useState } from 'react';

/** Where a card would be dropped: before a card, or at the end of the column. */
export interface DropPlace {
  column_id: string;
  before_id: string | null;
}

export interface Drag {
  card: BoardCard;
  /** Of the pointer, in the window. */
  x: number;
  y: number;
  place: DropPlace | undefined;
}

/** Pixels that a pointer moves before a press becomes a drag. */
const THRESHOLD = 6;

function placeAt(x: number, y: number, dragged: string): DropPlace | undefined {
  for (const column of document.querySelectorAll<HTMLElement>('[data-board-column]')) {
    const { left, right } = column.getBoundingClientRect();
    if (x < left || x >= right) continue;
    const before = Array.from(column.querySelectorAll<HTMLElement>('[data-board-card]')).find((card) => {
      const { top, height } = card.getBoundingClientRect();
      return card.dataset['boardCard'] !== dragged && y < top + height / 2;
    });
    return {
      column_id: column.dataset['boardColumn'] ?? '',
      before_id: before?.dataset['boardCard'] ?? null,
    };
  }
  return undefined;
}

/** A drag that ends on the title where it began is no click on it. */
function ignoreClick(): void {
  const ignore = (event: MouseEvent) => {
    event.stopPropagation();
    event.preventDefault();
  };
  window.addEventListener('click', ignore, { capture: true });
  // The click of a released pointer comes at once or not at all.
  setTimeout(() => window.removeEventListener('click', ignore, { capture: true }));
}

/** Cards that follow the pointer, be it a mouse, a pen or a finger on the grip. */
export function useCardDrag(onDrop: (card: BoardCard, place: DropPlace) => void) {
  const [drag, setDrag] = useState<Drag>();
  const drop = useRef(onDrop);
  const end = useRef<() => void>(undefined);
  useEffect(() => {
    drop.current = onDrop;
  }, [onDrop]);
  useEffect(() => () => end.current?.(), []);

  const start = (event: ReactPointerEvent, card: BoardCard) => {
    if (event.button !== 0) return;
    const from = { x: event.clientX, y: event.clientY };
    let current: Drag | undefined;
    const stop = () => {
      window.removeEventListener('pointermove', move);
      window.removeEventListener('pointerup', up);
      window.removeEventListener('pointercancel', stop);
      window.removeEventListener('keydown', cancel);
      end.current = undefined;
      setDrag(undefined);
    };
    const move = ({ clientX: x, clientY: y }: PointerEvent) => {
      if (!current && Math.hypot(x - from.x, y - from.y) < THRESHOLD) return;
      current = { card, x, y, place: placeAt(x, y, card.id) };
      setDrag(current);
    };
    const up = () => {
      stop();
      if (!current) return;
      ignoreClick();
      if (current.place) drop.current(card, current.place);
    };
    const cancel = ({ key }: KeyboardEvent) => {
      if (key === 'Escape') stop();
    };
    end.current?.();
    end.current = stop;
    window.addEventListener('pointermove', move);
    window.addEventListener('pointerup', up);
    window.addEventListener('pointercancel', stop);
    window.addEventListener('keydown', cancel);
  };
  return { drag, start };
}
