import { z } from 'zod';

/** US dollars of list prices; null: no budget. */
export const budgetUsd = z.number().nullable();

const MOST_USD = 1_000_000;

/** A budget as it is changed, in US dollars. Null, 0 and less all mean "off"; absent leaves it as it is. */
export const budgetInput = z
  .number({ error: 'must be an amount in US dollars, such as 2.50' })
  .max(MOST_USD, `must be at most ${MOST_USD.toLocaleString('en-US')} US dollars`)
  .nullish()
  .transform((value) => (value === undefined ? undefined : value === null || value <= 0 ? null : value));
