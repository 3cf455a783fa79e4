import type { WorkflowDocument } from '@millrace/engine';
import { expect, test } from 'vitest';
import { move } from '../../features/document/arrange.ts';
import { isOnlyMoved } from './only-moved.ts';

const DOCUMENT: WorkflowDocument = {
  nodes: [
    { id: 'a', type: 'textInput', position: { x: 0, y: 0 }, data: { label: 'a' } },
    { id: 'b', type: 'output', position: { x: 9, y: 0 }, data: { label: 'b' } },
  ],
  edges: [{ id: 'e', source: 'a', target: 'b' }],
};
const [a, b] = DOCUMENT.nodes as [WorkflowDocument['nodes'][number], WorkflowDocument['nodes'][number]];

test('a move changes places only', () => {
  const moved = move(DOCUMENT, new Map([['b', { x: 40, y: 50 }]]));
  expect(moved).not.toBe(DOCUMENT);
  expect(isOnlyMoved(DOCUMENT, moved)).toBe(true);
});

test.each([
  ['other data', { ...DOCUMENT, nodes: [a, { ...b, data: { label: 'c' } }] }],
  ['another type', { ...DOCUMENT, nodes: [a, { ...b, type: 'set' }] }],
  ['another order', { ...DOCUMENT, nodes: [b, a] }],
  ['a node less', { ...DOCUMENT, nodes: [a] }],
  ['a node more', { ...DOCUMENT, nodes: [a, b, { ...b, id: 'c' }] }],
  ['other edges', { ...DOCUMENT, edges: [] }],
])('%s is more than a move', (_what, after) => {
  expect(isOnlyMoved(DOCUMENT, after)).toBe(false);
});
