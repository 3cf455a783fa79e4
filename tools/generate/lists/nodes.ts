import { PALETTE_ORDER } from '../../../packages/nodes/src/palette-order.ts';
import { type Declaring, inFolders, inOrder, listModule } from './read.ts';

const NODES = 'packages/nodes/src';

const DEFINITION = /^export const (\w+) = defineNode\(/gm;
const IMPLEMENTATION = /^export const (\w+) = implement\(/gm;
const RECEIVER = /^export const (\w+) = receive\(/gm;

const readFamily = ({ text }: Declaring): string | undefined => /^ {2}family: '(\w+)'/m.exec(text)?.[1];
const findType = ({ text }: Declaring): string => /^ {2}type: '(\w+)'/m.exec(text)?.[1] ?? '';

/** Definitions in the order of the palette. Throws when the order names a type that is gone. */
function inPaletteOrder(definitions: readonly Declaring[]): Declaring[] {
  const all = inOrder(definitions, PALETTE_ORDER, findType, `node type (${NODES}/palette-order.ts)`);
  const ordered = all.slice(0, PALETTE_ORDER.length);
  for (const definition of all.slice(PALETTE_ORDER.length)) {
    const last = ordered.findLastIndex((each) => readFamily(each) === readFamily(definition));
    ordered.splice(last < 0 ? ordered.length : last + 1, 0, definition);
  }
  return ordered;
}

/** Definitions for every reader; implementations and receivers, in the same order, for the server. */
export function nodeLists(root: string): [path: string, text: string][] {
  const definitions = inFolders(root, NODES, 'definition.ts', DEFINITION);
  const implementations = inFolders(root, NODES, 'run.ts', IMPLEMENTATION);
  const receivers = inFolders(root, NODES, 'receive.ts', RECEIVER);
  const places = inPaletteOrder(definitions).map(({ place }) => place);
  const items = (declared: readonly Declaring[]) =>
    places.flatMap((place) => declared.find((each) => each.place === place)?.name ?? []);
  const list = (head: string, declared: readonly Declaring[]) => [
    '',
    `export const ${head} = [`,
    ...items(declared).map((name) => `  ${name},`),
    '];',
  ];
  const imports = (declared: readonly Declaring[], file: string) =>
    declared.map(({ name, place }) => `import { ${name} } from './${place}/${file}';`);
  return [
    [
      `${NODES}/definitions.generated.ts`,
      listModule(
        "import type { NodeDefinition } from '@millrace/engine';",
        ...imports(definitions, 'definition.ts'),
        ...list('definitions: readonly NodeDefinition[]', definitions),
      ),
    ],
    [
      `${NODES}/implementations.generated.ts`,
      listModule(
        "import type { NodeImplementation } from './implement.ts';",
        "import type { TriggerReceiver } from './receive.ts';",
        ...imports(implementations, 'run.ts'),
        ...imports(receivers, 'receive.ts'),
        ...list('allImplementations: readonly NodeImplementation[]', implementations),
        ...list('allReceivers: readonly TriggerReceiver[]', receivers),
      ),
    ],
  ];
}
