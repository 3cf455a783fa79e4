import type { WorkflowNode } from '@millrace/engine';
import { catalog } from '@millrace/nodes/catalog';
import { expect, test } from 'vitest';
import { insertOnEdge } from './insert-on-edge.ts';
import { movedInput } from './moved-input.ts';
import { remove } from './remove.ts';

const createNode = (id: string, type: string, data = {}): WorkflowNode => ({
  id,
  type,
  position: { x: 0, y: 0 },
  data: { ...catalog.get(type)?.initial, label: id, ...data },
});

const DOCUMENT = {
  nodes: [
    createNode('start', 'textInput'),
    createNode('say', 'output', { message: '$input.amount is $start.amount' }),
  ],
  edges: [{ id: 'e', source: 'start', target: 'say' }],
};

const messageIn = (document: { nodes: readonly WorkflowNode[] }) =>
  document.nodes.find(({ id }) => id === 'say')?.data['message'];

test('inserting a node does not change what $input means behind it', () => {
  const definition = catalog.get('condition');
  if (!definition) throw new Error('No such type');
  const result = insertOnEdge(catalog, DOCUMENT, { edge_id: 'e', definition });
  expect('document' in result && messageIn(result.document)).toBe('$start.amount is $start.amount');
});

test('removing a node reports which node now reads another input', () => {
  const between = {
    nodes: [...DOCUMENT.nodes, createNode('step', 'set')],
    edges: [
      { id: 'a', source: 'start', target: 'step' },
      { id: 'b', source: 'step', target: 'say' },
    ],
  };
  const after = remove(catalog, between, { nodes: new Set(['step']) });
  expect(messageIn(after)).toBe('$input.amount is $start.amount');
  expect(movedInput(catalog, between, after)).toEqual({ label: 'say', reads: 'start' });
});

test('removing a node reports nothing when nothing behind it reads $input', () => {
  const between = {
    nodes: [
      createNode('start', 'textInput'),
      createNode('step', 'set'),
      createNode('say', 'output', { message: '$start.amount' }),
    ],
    edges: [
      { id: 'a', source: 'start', target: 'step' },
      { id: 'b', source: 'step', target: 'say' },
    ],
  };
  const after = remove(catalog, between, { nodes: new Set(['step']) });
  expect(movedInput(catalog, between, after)).toBeUndefined();
});
