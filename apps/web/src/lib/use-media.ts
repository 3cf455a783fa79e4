import { useSyncExternalStore } from 'react';

/** Whether a media query holds, kept up to date. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (changed) => {
      const list = matchMedia(query);
      list.addEventListener('change', changed);
      return () => list.removeEventListener('change', changed);
    },
    () => matchMedia(query).matches,
  );
}

/** Room for a list and its details side by side. */
export const useIsWide = () => useMedia('(min-width: 1100px)');
/** Too narrow for panels beside the canvas of an editor. */
export const useIsNarrow = () => useMedia('(max-width: 859px)');
export const useIsPhone = () => useMedia('(max-width: 767px)');
