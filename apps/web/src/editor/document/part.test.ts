import { TOOL_INPUT, type WorkflowDocument } from '@millrace/engine';
import { catalog } from '@millrace/nodes/catalog';
import { describe, expect, it } from 'vitest';
import { actingBefore, actingInPart, isInMainFlow } from './part.ts';

const node = (id: string, type: string, data = {}) => ({
  id,
  type,
  position: { x: 0, y: 0 },
  data: { label: id, ...data },
});
const CALL = { curl: 'curl -X POST https://example.com' };

const document: WorkflowDocument = {
  nodes: [
    node('start', 'textInput'),
    node('call', 'http', CALL),
    node('shape', 'set'),
    node('after', 'http', CALL),
    node('beside', 'http', CALL),
  ],
  edges: [
    { id: 'a', source: 'start', target: 'call' },
    { id: 'b', source: 'call', target: 'shape' },
    { id: 'c', source: 'shape', target: 'after' },
    { id: 'd', source: 'start', target: 'beside' },
  ],
};

/** `each` calls `item` for every round and then `done`; `item` leads back into it. */
const loop: WorkflowDocument = {
  nodes: [
    node('start', 'textInput'),
    node('each', 'loop'),
    node('before', 'http', CALL),
    node('item', 'http', CALL),
    node('done', 'http', CALL),
  ],
  edges: [
    { id: 'a', source: 'start', target: 'each' },
    { id: 'b', source: 'each', sourceHandle: 'loop', target: 'before' },
    { id: 'c', source: 'before', target: 'item' },
    { id: 'd', source: 'item', target: 'each', targetHandle: 'loop' },
    { id: 'e', source: 'each', sourceHandle: 'done', target: 'done' },
  ],
};

describe('nodes that act when a workflow runs up to a node', () => {
  it.each([
    ['shape', document, ['call']],
    ['after', document, ['call', 'after']],
    ['beside', document, ['beside']],
    ['start', document, []],
    ['done', loop, ['before', 'item', 'done']],
    // Another round may be the first that gets to it.
    ['before', loop, ['before', 'item']],
  ] as const)('%s', (id, of, expected) => {
    expect(actingBefore(catalog, of, id).map((one) => one.id)).toEqual(expected);
  });
});

it('names the tools of the agents before a node', () => {
  const nodes = [node('start', 'textInput'), node('ask', 'agent'), node('tool', 'http', CALL)];
  const edges = [
    { id: 'a', source: 'start', target: 'ask' },
    { id: 'b', source: 'tool', target: 'ask', targetHandle: TOOL_INPUT },
  ];
  const acting = actingBefore(catalog, { nodes, edges }, 'ask').map((one) => one.id);
  expect(acting).toContain('tool');
});

describe('nodes that act when a part of a workflow runs', () => {
  it('names those, too, that an earlier run has left out', () => {
    const part = { ids: ['shape'], mode: 'from', done: (id: string) => id !== 'beside' } as const;
    expect(actingInPart(catalog, document, part).map((one) => one.id)).toEqual(['after', 'beside']);
  });

  it.each([
    ['only', ['call'], ['call']],
    ['only', ['shape'], []],
    ['from', ['shape'], ['after']],
    ['resume', ['call'], ['call', 'after']],
    ['resume', ['after', 'beside'], ['after', 'beside']],
  ] as const)('%s %j: %j', (mode, ids, expected) => {
    expect(actingInPart(catalog, document, { ids, mode, done: () => true }).map((one) => one.id)).toEqual(
      expected,
    );
  });

  it.each([
    ['only', ['item'], ['item']],
    ['from', ['item'], ['before', 'item', 'done']],
    ['resume', ['done'], ['done']],
  ] as const)('in a loop, %s %j: %j', (mode, ids, expected) => {
    expect(actingInPart(catalog, loop, { ids, mode, done: () => true }).map((one) => one.id)).toEqual(
      expected,
    );
  });
});

it('tools of an agent, nodes behind an error handler and notes are in no part of a run', () => {
  const { nodes, edges } = document;
  const drawn: WorkflowDocument = {
    nodes: [
      ...nodes,
      node('agent', 'agent'),
      node('tool', 'http', CALL),
      node('caught', 'errorHandler'),
      node('tell', 'http', CALL),
      node('note', 'sticky'),
    ],
    edges: [
      ...edges,
      { id: 'e', source: 'start', target: 'agent' },
      { id: 'f', source: 'tool', target: 'agent', targetHandle: TOOL_INPUT },
      { id: 'g', source: 'caught', target: 'tell' },
    ],
  };
  const inFlow = drawn.nodes.filter(({ id }) => isInMainFlow(catalog, drawn, id)).map(({ id }) => id);
  expect(inFlow).toEqual(['start', 'call', 'shape', 'after', 'beside', 'agent']);
});
