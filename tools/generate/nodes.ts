import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { catalog } from '../../packages/nodes/src/catalog.ts';
import { renderNodeGuide, toFolderName } from '../../packages/nodes/src/guide.ts';

/** One page per node type: what its definition declares and what its guide tells. */
export function nodeGuides(root: string): [name: string, text: string][] {
  return catalog.all.map((definition) => {
    const folder = toFolderName(definition.type);
    const guide = join(root, 'packages/nodes/src', folder, 'guide.md');
    return [folder, renderNodeGuide(definition, existsSync(guide) ? readFileSync(guide, 'utf8') : '')];
  });
}
