import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NodeDefinition } from '@millrace/engine';
import { catalog } from '../../packages/nodes/src/catalog.ts';
import { renderNodeGuide, toFolderName } from '../../packages/nodes/src/guide.ts';

const TITLES: Readonly<Record<NodeDefinition['family'], string>> = {
  trigger: 'Triggers',
  flow: 'Flow',
  data: 'Data',
  ai: 'AI',
  integration: 'Integrations',
  network: 'Network',
  output: 'Outputs',
  note: 'Notes',
};

/** One page per family of nodes: what their definitions declare and what their guides tell. */
export function nodeGuides(root: string): [family: string, text: string][] {
  return Object.entries(TITLES).map(([family, title]) => {
    const definitions = catalog.all.filter((definition) => definition.family === family);
    const links = definitions.map((each) => `- [${each.title}](#${toAnchor(each.title)})`);
    const guides = definitions.map((each) => demoteHeadings(renderGuide(root, each)));
    return [family, `${[`# ${title}`, links.join('\n'), ...guides].join('\n\n')}\n`];
  });
}

function renderGuide(root: string, definition: NodeDefinition): string {
  const guide = join(root, 'packages/nodes/src', toFolderName(definition.type), 'guide.md');
  return renderNodeGuide(definition, existsSync(guide) ? readFileSync(guide, 'utf8') : '');
}

/** As GitHub makes the anchor of a heading. */
const toAnchor = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-');

/** A `#` line inside a fenced block is not a heading. */
function demoteHeadings(page: string): string {
  let is_fenced = false;
  return page
    .trimEnd()
    .split('\n')
    .map((line) => {
      if (line.startsWith('```')) is_fenced = !is_fenced;
      return !is_fenced && line.startsWith('#') ? `#${line}` : line;
    })
    .join('\n');
}
