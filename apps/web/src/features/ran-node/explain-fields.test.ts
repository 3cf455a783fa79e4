import { type JsonObject, previewScope, type WorkflowNode } from '@millrace/engine';
import { catalog } from '@millrace/nodes/catalog';
import { describe, expect, it } from 'vitest';
import { explainFields } from './explain-fields.ts';
import { withSuggestion } from './suggestion.ts';

const { scope } = previewScope({
  node_results: [{ node_id: 'o', label: 'order', output: { customer: { name: 'Ada' }, total: 4 } }],
  input_labels: ['order'],
  values: {},
  now: () => 0,
  uuid: () => 'x',
  random: () => 0,
  timezone: 'UTC',
});
const known = { scope, names: ['order', 'input'] };
const node = (type: string, data: JsonObject): WorkflowNode => ({
  id: 'n',
  type,
  position: { x: 0, y: 0 },
  data,
});

describe('the expressions of a failed node', () => {
  it('come with the value of each part', () => {
    const [field] = explainFields(catalog, node('condition', { condition: '$order.total * 2 > 5' }), known);
    expect(field?.parts.find((part) => part.text === '$order.total * 2')?.value).toBe(8);
  });

  it('start with those in which something is missing', () => {
    const mappings = [
      { key: 'fine', value: '$order.total' },
      { key: 'broken', value: '$order.customer.nme' },
    ];
    const fields = explainFields(catalog, node('set', { mappings }), known);
    expect(fields.map((field) => field.title)).toEqual(['Fields: broken', 'Fields: fine']);
    expect(fields[0]?.place).toEqual({ name: 'mappings', row: 1 });
  });

  it('can take the suggested name', () => {
    const text = 'Hi $order.customer.nme!';
    const [field] = explainFields(catalog, node('output', { message: text }), known);
    const [missing] = field?.missing ?? [];
    expect(missing && withSuggestion(text, missing)).toBe('Hi $order.customer.name!');
  });
});
