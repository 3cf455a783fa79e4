/** Names that every client takes are letters, digits and `_`, and not long. */
const LONGEST = 60;

function baseName(text: string, otherwise: string): string {
  const name = text
    .toLowerCase()
    .replace(/[\s-]/g, '_')
    .replace(/[^a-z0-9_]/g, '')
    .slice(0, LONGEST);
  return /[a-z0-9]/.test(name) ? name : otherwise;
}

interface Rule {
  /** For names without letters or digits. */
  readonly otherwise?: string | undefined;
  readonly isTaken?: (name: string) => boolean;
}

/** A name for clients from that of a thing, with a number when it is taken. */
export function freeName(text: string, { otherwise = 'workflow', isTaken = () => false }: Rule): string {
  const base = baseName(text, otherwise);
  let name = base;
  for (let number = 2; isTaken(name); number += 1) name = `${base}_${number}`;
  return name;
}

/**
 * Names for clients: of tools from the names of workflows (§2.1), of prompts from those of templates. Of two that come to the
 * same name the earlier one in the list gets it and the later one gets a number.
 */
export function uniqueNames<Named extends { readonly name: string }>(
  given: readonly Named[],
  { otherwise, isTaken = () => false }: Rule = {},
): Map<string, Named> {
  const names = new Map<string, Named>();
  for (const item of given) {
    const rule = { otherwise, isTaken: (name: string) => names.has(name) || isTaken(name) };
    names.set(freeName(item.name, rule), item);
  }
  return names;
}
