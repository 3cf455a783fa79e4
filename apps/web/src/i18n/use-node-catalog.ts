import { type Catalog, translateCatalog } from '@millrace/engine';
import { catalog as inEnglish } from '@millrace/nodes/catalog';
import { useMemo } from 'react';
import { useNodeTexts } from './node-texts.ts';

/** The node types with the texts of the person's language. */
export function useNodeCatalog(): Catalog {
  const translate = useNodeTexts();
  return useMemo(() => (translate ? translateCatalog(inEnglish, translate) : inEnglish), [translate]);
}
