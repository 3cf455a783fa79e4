import { useEffect, useRef } from 'react';

/**
 * Puts the focus on a field of a dialog that opens over another one, once that one has let go of it: `autoFocus` comes too early
 * there.
 */
export function useFirstFocus() {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const frame = requestAnimationFrame(() => field.current?.focus());
    return () => cancelAnimationFrame(frame);
  }, []);
  return field;
}
