/** Part of a list that is ordered by name. */
export interface Page<Item> {
  readonly items: Item[];
  /** Name after which the next page begins; absent on the last one. */
  readonly next: string | undefined;
}

export interface PageRange {
  /** Name after which the page begins. */
  readonly after?: string | undefined;
  /** Absent: the whole list. */
  readonly limit?: number;
}

/** Entries by name, those after `after` first. */
export function pageByName<Item>(
  named: ReadonlyMap<string, Item>,
  { after, limit }: PageRange,
): Page<readonly [name: string, item: Item]> {
  const all = [...named].sort(([one], [other]) => (one < other ? -1 : 1));
  const rest = after === undefined ? all : all.filter(([name]) => name > after);
  const items = limit === undefined ? rest : rest.slice(0, limit);
  return { items, next: items.length < rest.length ? items.at(-1)?.[0] : undefined };
}
