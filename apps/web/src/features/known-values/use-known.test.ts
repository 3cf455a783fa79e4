import type { WorkflowDocument, WorkflowNode } from '@millrace/engine';
import { catalog } from '@millrace/nodes/catalog';
import { expect, test } from 'vitest';
import { knownOnce } from './use-known.ts';

const OPTIONS = {
  ambient: { global: {}, credentials: {}, workflow_name: '', time_zone: 'UTC' },
  catalog,
};
const RUN = { nodes: new Map() };
const DOCUMENT: WorkflowDocument = {
  nodes: [
    { id: 'a', type: 'textInput', position: { x: 0, y: 0 }, data: { label: 'a', pinnedData: { v: 1 } } },
    { id: 'b', type: 'output', position: { x: 0, y: 0 }, data: { label: 'b', message: '' } },
  ],
  edges: [{ id: 'ab', source: 'a', target: 'b' }],
};

const know = (document: WorkflowDocument, id = 'b') => knownOnce({ document }, RUN, id, OPTIONS);

const withData = (id: string, data: WorkflowNode['data']): WorkflowDocument => ({
  ...DOCUMENT,
  nodes: DOCUMENT.nodes.map((node) => (node.id === id ? { ...node, data: { ...node.data, ...data } } : node)),
});

test('text that is typed into a node changes nothing of what it sees', () => {
  const known = know(DOCUMENT);
  expect(known.values['a']).toEqual({ v: 1 });
  expect(know(withData('b', { message: '$a.v' }))).toBe(known);
});

test.each<[string, WorkflowDocument, string]>([
  ['data of a node before it', withData('a', { pinnedData: { v: 2 } }), 'b'],
  ['its inputs', withData('b', { inputFields: [{ key: 'x' }] }), 'b'],
  ['a connection', { ...DOCUMENT, edges: [] }, 'b'],
  ['a node', { ...DOCUMENT, nodes: DOCUMENT.nodes.slice(1) }, 'b'],
  ['the node that is looked at', DOCUMENT, 'a'],
])('%s counts at once', (_, changed, id) => {
  const known = know(DOCUMENT);
  expect(know(changed, id)).not.toBe(known);
});
