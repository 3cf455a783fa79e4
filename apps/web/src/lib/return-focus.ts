let isReturning = false;

/** Gives the focus back to what had it before an overlay opened. */
export function returnFocus(element: HTMLElement | SVGElement): void {
  isReturning = true;
  try {
    element.focus({ preventScroll: true });
  } finally {
    isReturning = false;
  }
}

/** A tooltip that opened then would take the next Escape from the overlay below. */
export const isFocusReturning = (): boolean => isReturning;
