import { catalog } from '@millrace/nodes/catalog';
import { describe, expect, it } from 'vitest';
import { createProjection } from './flow-elements.ts';

/** The number that React Flow adds to the place of a selected node (`SELECTED_NODE_Z`). */
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

describe('what has not changed', () => {
  const step = (id: string, y = 0) => ({ id, type: 'set', position: { x: 0, y }, data: { label: id } });
  const nodes = [step('a'), step('b')];
  const edges = [{ id: 'e', source: 'a', target: 'b' }];
  const none = new Set<string>();

  it('keeps the lists of a document of which nothing changed', () => {
    const projection = createProjection(catalog, () => '');
    const drawn = projection.nodes({ nodes, edges }, none, new Map());
    const lines = projection.edges({ nodes, edges }, none);
    expect(projection.nodes({ nodes: [...nodes], edges: [...edges] }, none, new Map())).toBe(drawn);
    expect(projection.edges({ nodes: [...nodes], edges: [...edges] }, none)).toBe(lines);
  });

  it('keeps the connections, and all nodes but the one that moved', () => {
    const projection = createProjection(catalog, () => '');
    const before = projection.nodes({ nodes, edges }, none, new Map());
    const lines = projection.edges({ nodes, edges }, none);
    const moved = { nodes: [step('a', 10), ...nodes.slice(1)], edges };
    const after = projection.nodes(moved, none, new Map());
    expect(after).not.toBe(before);
    expect(after[0]?.position).toEqual({ x: 0, y: 10 });
    expect(after[1]).toBe(before[1]);
    expect(projection.edges(moved, none)).toBe(lines);
  });

  it('draws a connection again when it is chosen, or a node at its end has another label', () => {
    const projection = createProjection(catalog, (source, target) => `${source} to ${target}`);
    projection.edges({ nodes, edges }, none);
    expect(projection.edges({ nodes, edges }, new Set(['e']))[0]?.selected).toBe(true);
    const renamed = nodes.map((node) => ({ ...node, data: { label: node.id === 'a' ? 'first' : 'b' } }));
    expect(projection.edges({ nodes: renamed, edges }, none)[0]?.ariaLabel).toBe('first to b');
    expect(projection.edges({ nodes, edges: [] }, none)).toEqual([]);
  });
});
