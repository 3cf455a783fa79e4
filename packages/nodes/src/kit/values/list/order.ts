import type { Json } from '@millrace/engine';
import { toCanonicalKey } from './items.ts';

/** Numbers inside texts count as numbers, so that `row 9` comes before `row 10`. */
const TEXTS = new Intl.Collator('en', { numeric: true });

const RANKS: Readonly<Record<string, number>> = { number: 0, string: 1, boolean: 2, object: 3 };

/** Order of two values that are there: numbers, then texts, then true and false, then lists and objects. */
function compareValues(one: Json, other: Json): number {
  const rank = (RANKS[typeof one] ?? 4) - (RANKS[typeof other] ?? 4);
  if (rank !== 0) return rank;
  if (typeof one === 'string' && typeof other === 'string') return TEXTS.compare(one, other);
  if (typeof one === 'object' || typeof other === 'object')
    return TEXTS.compare(toCanonicalKey(one), toCanonicalKey(other));
  return Number(one) - Number(other);
}

/** Order of two values in a direction; what is missing comes last in both. */
export function compare(one: Json, other: Json, direction: 1 | -1 = 1): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  return direction * compareValues(one, other);
}
