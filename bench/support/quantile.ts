/** The value below which the given share of the values lies: 0.5 is the median, the higher one of two in the middle, 1 the largest. */
export const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((one, two) => one - two)[Math.min(values.length - 1, Math.floor(values.length * share))] ??
  0;

export const median = (values: readonly number[]): number => quantile(values, 0.5);
