import type { WorkflowDocument } from '@millrace/engine';
import { describe, expect, it } from 'vitest';
import { nodeInput } from './node-input.ts';

const node = (id: string, type = 'set') => ({ id, type, position: { x: 0, y: 0 }, data: { label: id } });
const edge = (source: string, target: string, targetHandle = 'input') => ({
  id: `${source}-${target}`,
  source,
  target,
  sourceHandle: 'output',
  targetHandle,
});
const DOCUMENT = {
  nodes: [
    node('start', 'textInput'),
    node('left'),
    node('right'),
    node('both', 'merge'),
    node('rounds', 'loop'),
    node('body'),
    node('tool'),
    node('answer', 'agent'),
  ],
  edges: [
    edge('start', 'left'),
    edge('start', 'right'),
    edge('left', 'both', 'input-0'),
    edge('right', 'both', 'input-1'),
    edge('both', 'rounds'),
    edge('rounds', 'body'),
    edge('body', 'rounds', 'loop'),
    edge('rounds', 'answer'),
    edge('tool', 'answer', 'tool-input'),
  ],
} as WorkflowDocument;

describe('nodeInput', () => {
  const values = { start: 1, left: 2, right: 3, both: 4, rounds: 5, body: 6 };
  it.each([
    ['start', [], 'of the run'],
    ['left', ['start'], 1],
    ['both', ['left', 'right'], { left: 2, right: 3 }],
    ['rounds', ['both'], 4],
    ['answer', ['rounds'], 5],
  ])('of %s comes from %j', (id, from, value) => {
    expect(nodeInput(DOCUMENT, id, { values, inputs: 'of the run' })).toEqual({ from, value });
  });

  it('leaves out nodes that gave nothing, where several lead to one', () => {
    expect(nodeInput(DOCUMENT, 'both', { values: { right: 3 }, inputs: null }).value).toEqual({ right: 3 });
  });
});
