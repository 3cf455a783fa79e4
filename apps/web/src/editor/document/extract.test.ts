import type { WorkflowDocument } from '@millrace/engine';
import { catalog } from '@millrace/nodes/catalog';
import { describe, expect, it } from 'vitest';
import { type Extraction, extract } from './extract.ts';

const at = { x: 0, y: 0 };
const set = (label: string, value: string) => ({
  id: label,
  type: 'set',
  position: at,
  data: { label, mappings: [{ key: 'v', value }] },
});

const chain: WorkflowDocument = {
  nodes: [
    {
      id: 'order',
      type: 'textInput',
      position: at,
      data: { label: 'order', inputFields: [{ key: 'amount' }] },
    },
    set('net', '$order.body.amount'),
    set('gross', '$input.v + $order.body.tip'),
    set('answer', '$input.v + $net.v'),
  ],
  edges: [
    { id: 'a', source: 'order', target: 'net' },
    { id: 'b', source: 'net', target: 'gross' },
    { id: 'c', source: 'gross', target: 'answer' },
  ],
};

function extracted(ids: string[]): Extraction {
  const result = extract(catalog, chain, { ids: new Set(ids), label: 'pricing' });
  if ('problem' in result) throw new Error(result.problem);
  return result;
}

const getValue = (document: WorkflowDocument, id: string) =>
  (document.nodes.find((node) => node.id === id)?.data['mappings'] as { value: string }[] | undefined)?.[0]
    ?.value;

describe('extracting nodes into a workflow', () => {
  it('gives it what the nodes read from outside', () => {
    const { inputs, workflow } = extracted(['net', 'gross']);
    expect(inputs).toEqual(['order']);
    expect(getValue(workflow, 'net')).toBe('$start.body.order.body.amount');
    expect(getValue(workflow, 'gross')).toBe('$input.v + $start.body.order.body.tip');
  });

  it('hands back what nodes outside read', () => {
    const { outputs, replace } = extracted(['net', 'gross']);
    const { document } = replace('w1');
    expect(outputs).toEqual(['gross', 'net']);
    expect(getValue(document, 'answer')).toBe(
      '$pricing.outputs.result.gross.v + $pricing.outputs.result.net.v',
    );
  });

  it('puts one node in the place of the chosen ones', () => {
    const { document, id } = extracted(['net', 'gross']).replace('w1');
    expect(document.edges.map(({ source, target }) => [source, target])).toEqual([
      ['order', id],
      [id, 'answer'],
    ]);
    expect(document.nodes.find((node) => node.id === id)?.data['executeWorkflowId']).toBe('w1');
  });

  it('reads the input of a first node from what stood before it', () => {
    expect(getValue(extracted(['gross']).workflow, 'gross')).toBe(
      '$start.body.net.v + $start.body.order.body.tip',
    );
  });

  it('refuses a start node', () => {
    expect(extract(catalog, chain, { ids: new Set(['order']), label: 'x' })).toEqual({ problem: 'start' });
  });

  it('refuses nodes that a path leaves and enters again', () => {
    expect(extract(catalog, chain, { ids: new Set(['net', 'answer']), label: 'x' })).toEqual({
      problem: 'circle',
    });
  });
});
