type Focusable = HTMLElement | SVGElement;

const MOST_REMEMBERED = 30;
/** The elements that have had the focus, the last one at the end; null where a person has left everything. */
const focused: (Focusable | null)[] = [];
let isReturning = false;

function remember(entry: Focusable | null): void {
  focused.push(entry);
  if (focused.length > MOST_REMEMBERED) focused.shift();
}

document.addEventListener('focusin', ({ target }) => {
  if (target instanceof HTMLElement || target instanceof SVGElement) remember(target);
});
document.addEventListener('focusout', ({ target, relatedTarget }) => {
  if (relatedTarget !== null || !(target instanceof Element)) return;
  queueMicrotask(() => {
    // An element that was removed was not left by the person, and a window in the background keeps its focus.
    if (target.isConnected && document.activeElement === document.body) remember(null);
  });
});

/**
 * For what closes: gives the focus back to what had it before and is still there, such as the button of a menu whose entry
 * opened a dialog, or what opened the dialog before this one. Does nothing where something has the focus already.
 */
export function returnFocus(event: Event): void {
  event.preventDefault();
  if (document.activeElement !== null && document.activeElement !== document.body) return;
  const last = focused.findLast((entry) => entry === null || entry.isConnected);
  isReturning = true;
  try {
    last?.focus({ preventScroll: true });
  } finally {
    isReturning = false;
  }
}

/** A tooltip that opened then would take the next Escape from the overlay below. */
export const isFocusReturning = (): boolean => isReturning;
