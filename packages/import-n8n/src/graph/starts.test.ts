import type { JsonObject } from '@millrace/engine';
import { describe, expect, it } from 'vitest';
import { base, convert } from '../testing/converted.ts';

const lead = (...to: string[]) => ({ main: [to.map((node) => ({ node, type: 'main', index: 0 }))] });
const fields = (name: string, value: string) => ({
  name,
  type: base('set'),
  typeVersion: 3.4,
  parameters: { assignments: { assignments: [{ name: 'color', value, type: 'string' }] } },
});

/** A start by hand with test data, and another start, that lead to one node. */
function started(type: string, rest: JsonObject = {}) {
  const converted = convert({
    nodes: [
      { name: 'ByHand', type: base('manualTrigger') },
      fields('Example', 'blue'),
      { name: 'Called', type, ...rest },
      fields('Paint', '={{ $json.color }}'),
    ],
    connections: { ByHand: lead('Example'), Example: lead('Paint'), Called: lead('Paint') },
  });
  const off = ['ByHand', 'Example', 'Called', 'Paint'].filter(
    (label) => converted.node(label)?.data['active'] === false,
  );
  return { ...converted, off };
}

// Every start takes the input of a caller (graph: roots), so that the test data would come before it.
describe('a start by hand', () => {
  it.each([base('executeWorkflowTrigger'), base('formTrigger'), '@n8n/n8n-nodes-langchain.chatTrigger'])(
    'is off, with the nodes that only it leads to, beside %s',
    (type) => {
      const { off, lines } = started(type);
      expect(off).toEqual(['ByHand', 'Example']);
      expect(lines('ByHand')).toEqual([
        'It was switched off, because here it would run whenever the workflow is called, and so were the nodes that only it leads to: "Example"',
      ]);
      expect(lines('Example').filter((line) => line.includes('switched off'))).toEqual([]);
    },
  );

  it('stays on beside a trigger that starts without it, and beside one that is off', () => {
    expect(started(base('scheduleTrigger')).off).toEqual([]);
    expect(started(base('executeWorkflowTrigger'), { disabled: true }).off).toEqual(['Called']);
  });

  it('takes the loop around a node that only it leads to with it', () => {
    const { document } = convert({
      nodes: [
        { name: 'ByHand', type: base('manualTrigger') },
        { name: 'Rows', type: base('postgres'), parameters: { operation: 'select', table: 't' } },
        { name: 'Send', type: base('telegram'), parameters: { chatId: '1', text: '={{ $json.x }}' } },
        { name: 'Called', type: base('executeWorkflowTrigger') },
        fields('Paint', '={{ $json.color }}'),
      ],
      connections: { ByHand: lead('Rows'), Rows: lead('Send'), Called: lead('Paint') },
    });
    const on = document.nodes.filter(({ data }) => data['active'] !== false).map(({ data }) => data['label']);
    expect(on).toEqual(['Called', 'Paint']);
  });
});

it('says of several starts that callers have that all of them run', () => {
  const { lines } = convert({
    nodes: [
      { name: 'Chat', type: '@n8n/n8n-nodes-langchain.chatTrigger' },
      { name: 'Called', type: base('executeWorkflowTrigger') },
      fields('Paint', '={{ $json.color }}'),
    ],
    connections: { Chat: lead('Paint'), Called: lead('Paint') },
  });
  expect(lines('Chat')).toContain(
    'n8n runs the start that is called; here "Called" runs with it, with the same input',
  );
});
