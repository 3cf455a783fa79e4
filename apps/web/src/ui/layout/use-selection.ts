import { useCallback, useState } from 'react';

export interface Selection {
  selected: ReadonlySet<string>;
  onSelect: (id: string, on: boolean) => void;
}

/** The rows that are ticked in a list, by id. */
export function useSelection(): Selection & { clear: () => void } {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const onSelect = useCallback((id: string, on: boolean) => {
    setSelected((before) => {
      const next = new Set(before);
      if (on) next.add(id);
      else next.delete(id);
      return next;
    });
  }, []);
  return { selected, onSelect, clear: useCallback(() => setSelected(new Set()), []) };
}
