import type { Files } from './files.ts';
import { contractLists } from './lists/contracts.ts';
import { nodeLists } from './lists/nodes.ts';
import { placeLists } from './lists/places.ts';
import { serverLists } from './lists/server.ts';
import { textHooks } from './lists/texts.ts';

/**
 * The lists of what folders contain. They are made from the text of the files alone: loading the product would load its old
 * lists, which may name files that are gone.
 */
export const generatedLists = (root: string): Files =>
  new Map([
    ...nodeLists(root),
    ...contractLists(root),
    ...serverLists(root),
    ...placeLists(root),
    ...textHooks(root),
  ]);
