import type { WorkflowNode } from '@millrace/engine';
import { catalog } from '@millrace/nodes/catalog';
import { expect, it } from 'vitest';
import { sourceHandle } from '../../../features/document/edit.ts';
import { addNodeAfter } from './add-node.ts';

const createNode = (id: string, type: string, data = {}): WorkflowNode => ({
  id,
  type,
  position: { x: 0, y: 0 },
  data: { ...catalog.get(type)?.initial, label: id, ...data },
});

const definition = catalog.get('set');

it.each<{ name: string; type: string; taken: string[]; handle: string | undefined; expected: string }>([
  { name: 'a condition without branches', type: 'condition', taken: [], handle: undefined, expected: 'true' },
  {
    name: 'a condition whose first branch is taken',
    type: 'condition',
    taken: ['true'],
    handle: undefined,
    expected: 'false',
  },
  {
    name: 'a condition whose branches are both taken',
    type: 'condition',
    taken: ['true', 'false'],
    handle: undefined,
    expected: 'true',
  },
  { name: 'a loop that has its body', type: 'loop', taken: ['loop'], handle: undefined, expected: 'done' },
  {
    name: 'a node that leads on, and not its error',
    type: 'http',
    taken: ['output'],
    handle: undefined,
    expected: 'output',
  },
  { name: 'the output that was chosen', type: 'condition', taken: [], handle: 'false', expected: 'false' },
])('adds a node behind $name', ({ type, taken, handle, expected }) => {
  if (!definition) throw new Error('No such type');
  const before = createNode('before', type, { onErrorEnabled: true });
  const document = {
    nodes: [before, ...taken.map((output) => createNode(`at_${output}`, 'set'))],
    edges: taken.map((output) => ({
      id: output,
      source: 'before',
      target: `at_${output}`,
      sourceHandle: output,
      targetHandle: 'input',
    })),
  };
  const result = addNodeAfter(catalog, document, { after: 'before', handle, definition });
  const added =
    'document' in result ? result.document.edges.find(({ target }) => target === result.id) : undefined;
  expect(added && sourceHandle(added)).toBe(expected);
});
