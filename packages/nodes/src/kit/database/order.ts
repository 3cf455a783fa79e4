import { namesIn } from '../values/list/items.ts';

/** A list of columns such as `name, -created` as an ORDER BY; empty for no order. */
export function orderBy(sort: string, identifier: (name: string) => string): string {
  const columns = namesIn(sort).filter((column) => column !== '-');
  if (columns.length === 0) return '';
  const parts = columns.map((column) =>
    column.startsWith('-') ? `${identifier(column.slice(1))} DESC` : `${identifier(column)} ASC`,
  );
  return ` ORDER BY ${parts.join(', ')}`;
}
