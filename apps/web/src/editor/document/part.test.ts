import type { Json, WorkflowDocument } from '@millrace/engine';
import { catalog } from '@millrace/nodes/catalog';
import { describe, expect, it } from 'vitest';
import { partOf } from './part.ts';

const node = (id: string, type: string, data = {}) => ({
  id,
  type,
  position: { x: 0, y: 0 },
  data: { label: id, ...data },
});

const document: WorkflowDocument = {
  nodes: [
    node('start', 'textInput'),
    node('check', 'condition', { condition: 'true' }),
    node('call', 'http', { curl: 'curl -X POST https://example.com' }),
    node('after', 'set'),
  ],
  edges: [
    { id: 'a', source: 'start', target: 'check' },
    { id: 'b', source: 'check', target: 'call', sourceHandle: 'true' },
    { id: 'c', source: 'call', target: 'after' },
  ],
};

const outputs = new Map<string, Json>([
  ['start', { text: 'x' }],
  ['check', { branch: 'true' }],
]);

describe('running a part of a workflow', () => {
  it('keeps the node and puts known outputs in place of what runs before it', () => {
    const part = partOf(catalog, document, { id: 'call', mode: 'only', outputs });
    expect(part?.document.nodes.map(({ id, type }) => [id, type])).toEqual([
      ['start', 'set'],
      ['check', 'set'],
      ['call', 'http'],
    ]);
    expect(part?.document.nodes[1]?.data['pinnedData']).toEqual({ branch: 'true' });
    expect(part?.document.edges[1]).toMatchObject({ source: 'check', target: 'call', sourceHandle: null });
  });

  it('names the nodes that may act on the world', () => {
    const part = partOf(catalog, document, { id: 'call', mode: 'only', outputs });
    expect(part?.acting.map(({ id }) => id)).toEqual(['call']);
    expect(partOf(catalog, document, { id: 'check', mode: 'only', outputs })?.acting).toEqual([]);
  });

  it('takes what follows along when it runs from a node on', () => {
    const part = partOf(catalog, document, { id: 'call', mode: 'from', outputs });
    expect(part?.document.nodes.map(({ id }) => id)).toEqual(['start', 'check', 'call', 'after']);
  });

  it('needs the outputs of the nodes before', () => {
    expect(partOf(catalog, document, { id: 'call', mode: 'only', outputs: new Map() })).toBeUndefined();
  });
});
