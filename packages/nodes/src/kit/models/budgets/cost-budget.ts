import { optionalNumeric } from '../../values/numeric.ts';

/** The field `maxCostUsd` of a node that asks models (section 8.4). */
export const costBudget = (help: string) =>
  optionalNumeric('Cost budget (US dollars)', { min: 0.000_001, max: 1_000_000, group: 'Limits', help });
