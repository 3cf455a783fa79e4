import { useEffect, useRef } from 'react';
import { isTyping } from './typing.ts';

/** Those on the page that act on Escape, the one that came last at the end. */
const layers: object[] = [];

/** They take the key for themselves. */
const TAKES_ESCAPE = '[role="dialog"], [role="menu"], [role="alertdialog"], [role="listbox"]';

/**
 * Acts on Escape, unless the key closes a dialog, a menu or a list of choices, or leaves a field. Each press is for one of
 * those that act on it: the one that came last.
 */
export function useEscape(act: () => void): void {
  const latest = useRef(act);
  useEffect(() => {
    latest.current = act;
  }, [act]);
  useEffect(() => {
    const layer = {};
    layers.push(layer);
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || isTyping(event.target)) return;
      if (layers.at(-1) !== layer || document.querySelector(TAKES_ESCAPE) !== null) return;
      // React may remove this layer before the next listener is called, and then another one is the last.
      event.preventDefault();
      latest.current();
    };
    // Before what closes on the same key has left the page.
    window.addEventListener('keydown', onKeyDown, { capture: true });
    return () => {
      window.removeEventListener('keydown', onKeyDown, { capture: true });
      layers.splice(layers.indexOf(layer), 1);
    };
  }, []);
}
