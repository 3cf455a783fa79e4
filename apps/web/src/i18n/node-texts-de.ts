/** German texts of node and credential types by their English text; each folder of nodes has a file of its own. */
const FILES = import.meta.glob<Readonly<Record<string, string>>>('../../../../packages/nodes/src/*/de.json', {
  eager: true,
  import: 'default',
});

const german: ReadonlyMap<string, string> = new Map(Object.values(FILES).flatMap(Object.entries));

export const toGerman = (text: string): string => german.get(text) ?? text;
