import { catalog } from '@millrace/nodes/catalog';
import { describe, expect, it } from 'vitest';
import { findParents, flowOrder } from './flow-order.ts';

/** Nodes as `id@x,y`, edges as `a>b`, with `:handle` at the target. */
function graph(nodes: string, edges: string) {
  const words = (text: string) => text.split(' ').filter((word) => word !== '');
  return {
    nodes: words(nodes).map((word) => {
      const [id = '', at = ''] = word.split('@');
      const [x = 0, y = 0] = at.split(',').map(Number);
      return { id, type: id.startsWith('note') ? 'sticky' : 'set', position: { x, y }, data: { label: id } };
    }),
    edges: words(edges).map((word, index) => {
      const [source = '', to = ''] = word.split('>');
      const [target = '', targetHandle] = to.split(':');
      return { id: `e${index}`, source, target, ...(targetHandle ? { targetHandle } : {}) };
    }),
  };
}

describe('flowOrder', () => {
  it.each([
    ['a chain, however it is drawn', 'c@0,0 a@9,9 b@5,5', 'a>b b>c', 'a b c'],
    [
      'the upper branch first, and what joins them last',
      'a@0,0 low@1,9 up@1,0 end@2,5',
      'a>low a>up up>end low>end',
      'a up low end',
    ],
    ['a loop, without its way back', 'l@0,0 body@1,1 done@2,0', 'l>body l>done body>l:loop', 'l done body'],
    ['a ring without a start, from its lowest node', 'a@0,0 b@1,0', 'a>b b>a', 'b a'],
    ['loose nodes by their place, without notes', 'b@0,5 note@0,0 a@0,1', '', 'a b'],
    ['edges from nodes that are gone', 'a@0,0 b@0,1', 'gone>a a>gone', 'a b'],
  ])('%s', (_case, nodes, edges, expected) => {
    expect(flowOrder(catalog, graph(nodes, edges)).join(' ')).toBe(expected);
  });

  it('takes a chain of ten thousand nodes', () => {
    const nodes = Array.from({ length: 10_000 }, (_, at) => `n${at}@${at},0`).join(' ');
    const edges = Array.from({ length: 9_999 }, (_, at) => `n${at}>n${at + 1}`).join(' ');
    expect(flowOrder(catalog, graph(nodes, edges)).at(-1)).toBe('n9999');
  });
});

it('findParents names each node whose output comes in, once', () => {
  const document = graph('a@0,0 b@0,1 tool@0,2 c@1,0', 'a>c b>c a>c c>c:loop tool>c:tool-input');
  expect(findParents(document, 'c')).toEqual(['a', 'b']);
});
