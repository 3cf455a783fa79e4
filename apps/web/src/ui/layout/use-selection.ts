import { useCallback, useState } from 'react';

export interface Selection {
  /** In the order in which they were selected. */
  selected: ReadonlySet<string>;
  onSelect: (ids: readonly string[], on: boolean) => void;
}

/** The rows that are selected in a list, by id. */
export function useSelection(): Selection & { clear: () => void } {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const onSelect = useCallback((ids: readonly string[], on: boolean) => {
    setSelected((before) => {
      const next = new Set(before);
      for (const id of ids) next.delete(id);
      if (on) for (const id of ids) next.add(id);
      return next;
    });
  }, []);
  return { selected, onSelect, clear: useCallback(() => setSelected(new Set()), []) };
}
