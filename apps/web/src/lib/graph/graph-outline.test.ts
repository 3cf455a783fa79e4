import { describe, expect, it } from 'vitest';
import { buildOutline } from './graph-outline.ts';

const node = (id: string, x: number, y: number, type = 'set') => ({
  id,
  type,
  position: { x, y },
  data: { label: `L${id}` },
});

describe('buildOutline', () => {
  it('moves the graph to the corner and measures it', () => {
    const outline = buildOutline({ nodes: [node('a', 1000, 500), node('b', 1300, 600)], edges: [] });
    expect(outline.boxes.map(({ x, y }) => [x, y])).toEqual([
      [20, 20],
      [320, 120],
    ]);
    expect([outline.width, outline.height]).toEqual([520, 200]);
  });

  it('draws edges between drawn nodes only and leaves notes out', () => {
    const outline = buildOutline({
      nodes: [node('a', 0, 0), node('b', 300, 0), node('n', -900, 0, 'sticky')],
      edges: [
        { id: 'e', source: 'a', target: 'b' },
        { id: 'f', source: 'a', target: 'gone' },
      ],
    });
    expect(outline.lines.map((line) => line.id)).toEqual(['e']);
    expect(outline.boxes).toHaveLength(2);
  });
});
