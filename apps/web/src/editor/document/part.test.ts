import type { WorkflowDocument } from '@millrace/engine';
import { catalog } from '@millrace/nodes/catalog';
import { describe, expect, it } from 'vitest';
import { actingInPart } from './part.ts';

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

describe('nodes that act when a part of a workflow runs', () => {
  it.each([
    ['only', 'call', ['call']],
    ['only', 'shape', []],
    ['from', 'shape', ['after']],
    ['resume', 'call', ['call', 'after']],
  ] as const)('%s %s: %j', (mode, id, expected) => {
    expect(actingInPart(catalog, document, { id, mode }).map((one) => one.id)).toEqual(expected);
  });
});
