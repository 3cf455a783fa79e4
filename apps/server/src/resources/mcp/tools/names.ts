/** What every client takes: names are letters, digits and `_`, and not long. */
const LONGEST = 60;

function baseName(text: string, otherwise: string): string {
  const name = text
    .toLowerCase()
    .replace(/[\s-]/g, '_')
    .replace(/[^a-z0-9_]/g, '')
    .slice(0, LONGEST);
  return /[a-z0-9]/.test(name) ? name : otherwise;
}

/**
 * Names for clients: of tools from the names of workflows (§2.1), of prompts from those of templates. Of two that come to the
 * same name the earlier one in the list keeps it and the later one gets a number, so that a new workflow never takes the name
 * of another one's tool.
 *
 * @param otherwise for names without letters or digits
 */
export function uniqueNames<Named extends { readonly name: string }>(
  given: readonly Named[],
  otherwise = 'workflow',
): Map<string, Named> {
  const names = new Map<string, Named>();
  for (const item of given) {
    const base = baseName(item.name, otherwise);
    let name = base;
    for (let number = 2; names.has(name); number += 1) name = `${base}_${number}`;
    names.set(name, item);
  }
  return names;
}
