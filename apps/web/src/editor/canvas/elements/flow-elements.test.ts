import { catalog } from '@millrace/nodes/catalog';
import { expect, it } from 'vitest';
import { createProjection } from './flow-elements.ts';

/** What React Flow adds to the place of a selected node (`SELECTED_NODE_Z`). */
const ELEVATION = 1_000;

it.each([false, true])('draws a note behind the nodes, selected: %s', (selected) => {
  const nodes = ['sticky', 'set'].map((type) => ({
    id: type,
    type,
    position: { x: 0, y: 0 },
    data: { label: type },
  }));
  const drawn = createProjection(catalog, () => '').nodes(
    { nodes, edges: [] },
    new Set(selected ? ['sticky'] : []),
    new Map(),
  );
  const [note, node] = drawn.map(
    ({ zIndex = 0, selected: isSelected }) => zIndex + (isSelected ? ELEVATION : 0),
  );
  expect(note).toBeLessThan(node ?? 0);
});
