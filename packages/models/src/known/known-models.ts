/** Facts about models by provider and by the beginning of the model's name. */
export type ByModel<T> = Readonly<Record<string, Readonly<Record<string, T>>>>;

/**
 * The suffix that the name of a version adds to the name of a known model: `-2024-08-06`, `-20250929`, `-latest`,
 * `-001`, `-0613`, `-0`. Other numbers name another model, of which other facts may hold.
 */
const VERSION = /^(-\d{4}-\d{2}-\d{2}|-\d{8}|-latest|-\d{3,4}|-0)?$/;

/** The known facts of a model; undefined for others, and for those of servers that give their models any name. */
export function findModelFacts<T>(
  facts: ByModel<T>,
  provider: string | undefined,
  model: string,
): T | undefined {
  const known = facts[provider ?? ''];
  if (!known) return undefined;
  let name = '';
  // The longest: the name of one model may begin with that of another.
  for (const one of Object.keys(known))
    if (one.length > name.length && model.startsWith(one) && VERSION.test(model.slice(one.length)))
      name = one;
  return known[name];
}
