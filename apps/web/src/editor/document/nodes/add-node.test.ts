import type { WorkflowDocument, WorkflowNode } from '@millrace/engine';
import { catalog } from '@millrace/nodes/catalog';
import { expect, it } from 'vitest';
import { sourceHandle, targetHandle } from '../../../features/document/edit.ts';
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

/** The connections after nodes of these types are added, each behind the one before it, to a loop without body. */
function buildBody(...types: string[]): string[] {
  let document: WorkflowDocument = { nodes: [createNode('each', 'loop')], edges: [] };
  let after = 'each';
  for (const type of types) {
    const added = catalog.get(type);
    const handle = after === 'each' ? 'loop' : undefined;
    const result = added && addNodeAfter(catalog, document, { after, handle, definition: added });
    if (!(result && 'document' in result && result.id)) throw new Error('Not added');
    document = result.document;
    after = result.id;
  }
  return document.edges.map(
    (edge) => `${edge.source}.${sourceHandle(edge)} > ${edge.target}.${targetHandle(edge)}`,
  );
}

it('closes the body of a loop with its first node, and keeps it closed as nodes follow', () => {
  expect(buildBody('wait')).toEqual(['each.loop > wait.input', 'wait.output > each.loop']);
  expect(buildBody('wait', 'set')).toEqual([
    'each.loop > wait.input',
    'wait.output > set.input',
    'set.output > each.loop',
  ]);
});

it('does not guess which branch of a condition leads back to a loop', () => {
  expect(buildBody('condition')).toEqual(['each.loop > condition.input']);
});
