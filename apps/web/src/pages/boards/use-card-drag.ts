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
/** Pixels from the edges of the board within which a drag scrolls it, and how far with each frame. */
const EDGE = 40;
const SCROLL = 12;

/** Pixels beside a column that still belong to it: the gap to the next one, or the edge of the board. */
const BESIDE = 12;

/** @returns whether the board has moved below the pointer */
function scrollAtEdge(x: number): boolean {
  const board = document.querySelector<HTMLElement>('[data-board]');
  if (!board) return false;
  const { left, right } = board.getBoundingClientRect();
  const before = board.scrollLeft;
  if (x < left + EDGE) board.scrollLeft -= SCROLL;
  else if (x > right - EDGE) board.scrollLeft += SCROLL;
  return board.scrollLeft !== before;
}

function placeAt(x: number, y: number, dragged: string): DropPlace | undefined {
  for (const column of document.querySelectorAll<HTMLElement>('[data-board-column]')) {
    const { left, right } = column.getBoundingClientRect();
    if (x < left - BESIDE || x >= right + BESIDE) continue;
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
    let frame = 0;
    const stop = () => {
      cancelAnimationFrame(frame);
      window.removeEventListener('pointermove', move);
      window.removeEventListener('pointerup', up);
      window.removeEventListener('pointercancel', stop);
      window.removeEventListener('keydown', cancel);
      end.current = undefined;
      setDrag(undefined);
    };
    const move = ({ clientX: x, clientY: y }: PointerEvent) => {
      if (!current && Math.hypot(x - from.x, y - from.y) < THRESHOLD) return;
      if (!current) frame = requestAnimationFrame(scroll);
      show(x, y);
    };
    const show = (x: number, y: number) => {
      current = { card, x, y, place: placeAt(x, y, card.id) };
      setDrag(current);
    };
    const scroll = () => {
      if (current && scrollAtEdge(current.x)) show(current.x, current.y);
      frame = requestAnimationFrame(scroll);
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
