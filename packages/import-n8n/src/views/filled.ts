import type { Step } from '../kinds/kind.ts';
import type { View } from './places.ts';

/** Behind the label of a node with the list that is never empty. */
export const FILLED = 'OrEmptyItem';
const KEY = 'items';

/** Hands on one empty item where the list has none. */
export const fillStep = (list: string): Step => ({
  suffix: FILLED,
  type: 'set',
  data: { mappings: [{ key: KEY, value: `$len(${list}) > 0 ? ${list} : [dict()]` }] },
});

export const viewOfFilled = ({ renamed, made }: View): View => ({
  ...(renamed && { renamed }),
  ...(made && { made }),
  step: FILLED,
  first: `.${KEY}[0]`,
  list: `.${KEY}`,
  hasItems: true,
});
