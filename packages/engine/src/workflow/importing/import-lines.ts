import type { ImportWarning } from './import.ts';

export interface ImportLine extends ImportWarning {
  /** Of a problem of the graph: an error keeps its node from running. */
  readonly severity?: 'error' | 'warning';
}

/**
 * Lines that tell a person what to do or what they may like to know, but no lost behaviour, by the last part of the
 * place.
 */
const LESSER: Readonly<Record<string, number>> = {
  credentialId: 2,
  // Of a trigger, whose address senders have to be told.
  id: 2,
  label: 3,
  notes: 3,
  pinnedData: 3,
  sourceHandle: 3,
  timezone: 3,
};

/** Lines by what matters: what cannot run or is missing, what behaves otherwise, what has to be chosen, and names and notes. */
export function sortImportLines(lines: readonly ImportLine[]): ImportWarning[] {
  return lines
    .toSorted((one, two) => rankLine(one) - rankLine(two))
    .map(({ field, message }) => ({ field, message }));
}

function rankLine({ field, severity }: ImportLine): number {
  const [place = '', ...rest] = field.split('.');
  const last = rest.at(-1) ?? '';
  // A node that is kept, and entries and connections that are left out.
  const isLost = last === 'type' || ['connections', 'file'].includes(place);
  const isLostEdge = place === 'edges' && rest.length === 1 && severity === undefined;
  if (isLost || isLostEdge) return 0;
  const usual = severity === 'error' ? 0 : 1;
  return Object.hasOwn(LESSER, last) ? (LESSER[last] ?? usual) : usual;
}
