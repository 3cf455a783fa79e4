import type { WorkflowDocument } from '@millrace/engine';
import { expect, test } from 'vitest';
import { labelProblem, nearestLabel } from './rename.ts';

const node = (id: string, label: string) => ({ id, type: 'set', position: { x: 0, y: 0 }, data: { label } });
const DOCUMENT: WorkflowDocument = { nodes: [node('a', 'order'), node('b', 'total')], edges: [] };

test.each([
  ['Order total', 'OrderTotal'],
  ['  two  words ', 'twoWords'],
  ['net-price (EUR)', 'netPriceEUR'],
  ['café crème', 'cafeCreme'],
  ['2nd', '_2nd'],
  ['total', 'total2'],
  ['order', 'order'],
])('the label closest to %j is %j', (typed, label) => {
  expect(nearestLabel(DOCUMENT, 'a', typed)).toBe(label);
  expect(labelProblem(DOCUMENT, 'a', label)).toBeUndefined();
});

test.each(['', '   ', '—', '✓'])('there is none for %j', (typed) => {
  expect(nearestLabel(DOCUMENT, 'a', typed)).toBeUndefined();
});
