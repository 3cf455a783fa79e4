import type { Files } from './files.ts';
import { contractLists } from './lists/contracts.ts';
import { nodeLists } from './lists/nodes.ts';
import { placeLists } from './lists/places.ts';
import { serverLists } from './lists/server.ts';
import { textHooks } from './lists/texts.ts';

/**
 * The lists of what lies in folders. They are made from the text of the files alone: whatever loads the product loads its
 * lists, which may name what is gone.
 */
export const generatedLists = (root: string): Files =>
  new Map([
    ...nodeLists(root),
    ...contractLists(root),
    ...serverLists(root),
    ...placeLists(root),
    ...textHooks(root),
  ]);
