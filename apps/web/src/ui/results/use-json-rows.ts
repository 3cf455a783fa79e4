import { useMemo, useState } from 'react';
import { pathKey } from '../../lib/json/json-path.ts';
import {
  CHILD_LIMIT,
  isContainer,
  type JsonRow,
  jsonRows,
  searchJson,
  withWayTo,
} from '../../lib/json/json-rows.ts';

interface JsonRowsOptions {
  /** Containers above this level start open. */
  readonly openLevels: number;
  /** Opens the way to matches. */
  readonly search: string;
}

/** The visible lines of a value, which open, close and grow as a person asks. */
export function useJsonRows(value: unknown, { openLevels, search }: JsonRowsOptions) {
  const [flipped, setFlipped] = useState<ReadonlySet<string>>(new Set());
  const [shown, setShown] = useState<ReadonlyMap<string, number>>(new Map());
  const found = useMemo(() => searchJson(value, search), [value, search]);
  const rows = useMemo(() => {
    const expansion = { flipped, openLevels, shown };
    return jsonRows(value, { ...expansion, flipped: withWayTo(found, value, expansion) });
  }, [value, flipped, shown, openLevels, found]);
  const matches = useMemo(() => new Set(found.map(pathKey)), [found]);
  const flip = (row: JsonRow) =>
    setFlipped((before) => {
      const next = new Set(before);
      if (!next.delete(row.key)) next.add(row.key);
      return next;
    });
  const showMore = (row: JsonRow) =>
    setShown((before) => {
      const key = pathKey(row.path);
      return new Map(before).set(key, (before.get(key) ?? CHILD_LIMIT) + 10 * CHILD_LIMIT);
    });
  return {
    rows,
    /** Keys of the rows that the search has found. */
    matches,
    flip,
    /** Opens or closes a container; shows more children where the row stands for them. */
    open(row: JsonRow) {
      if (row.more) showMore(row);
      else if (isContainer(row.kind) && row.size > 0) flip(row);
    },
  };
}

export type JsonRows = ReturnType<typeof useJsonRows>;
