import { posix } from 'node:path';

/** Files in which everything of a kind has its line: a change of one line says nothing about what the others name. */
const LISTS = new Set([
  'packages/nodes/src/definitions.generated.ts',
  'packages/nodes/src/implementations.generated.ts',
  'packages/nodes/src/credentials.ts',
  'packages/contracts/src/index.ts',
  'packages/contracts/src/resources.generated.ts',
  'apps/server/src/resources/resources.generated.ts',
  'apps/server/src/database/schema/tables.generated.ts',
]);

export const isList = (path: string): boolean => LISTS.has(path);

const FROM = /^\s*(?:import|export)\b[^;]*\bfrom '[^']+';$/;
/** `parcels,`, `...parcelEndpoints,` */
const ITEM = /^\s*(?:\.{3})?\w+,$/;
const EMPTY = /^\s*$/;
const WORDS_OF_IMPORTS = new Set(['import', 'export', 'from', 'type', 'as']);

/** A list whose changed lines do nothing but name things. */
export const changesItemsOnly = (path: string, lines: readonly string[]): boolean =>
  isList(path) &&
  lines.length > 0 &&
  lines.every((line) => [FROM, ITEM, EMPTY].some((form) => form.test(line)));

export const readWords = (lines: readonly string[]): Set<string> =>
  new Set(lines.flatMap((line) => line.match(/\w+/g) ?? []).filter((word) => !WORDS_OF_IMPORTS.has(word)));

/** Paths from the root of the modules that some lines of a list name, by their path or by what is imported from them. */
export function namedModules(path: string, text: string, lines: readonly string[]): readonly string[] {
  const words = readWords(lines.filter((line) => ITEM.test(line)));
  const changed = lines.join('\n');
  const clauses = `${text}\n${changed}`.matchAll(/\b(?:import|export)\s+([^;]*?)\s+from\s+'(\.[^']+)'/g);
  return [...clauses].flatMap(([, names = '', specifier = '']) => {
    const isNamed =
      changed.includes(`'${specifier}'`) || [...readWords([names])].some((name) => words.has(name));
    return isNamed ? [posix.join(posix.dirname(path), specifier)] : [];
  });
}
