import { isBlockedKey } from '../json.ts';
import type { Catalog, NodeDefinition } from './define-node.ts';

/** Looks types up by name, then by alias. Throws when two definitions claim the same name, which is a programming error. */
export function createCatalog(definitions: readonly NodeDefinition[]): Catalog {
  const byName = new Map<string, NodeDefinition>();
  for (const definition of definitions) {
    for (const name of [definition.type, ...definition.aliases]) {
      if (byName.has(name) || isBlockedKey(name))
        throw new Error(`Node type "${name}" is declared twice or reserved`);
      byName.set(name, definition);
    }
  }
  return { all: [...definitions], get: (type) => byName.get(type) };
}
