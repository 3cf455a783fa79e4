/** A workflow that shows most of what a canvas can: branches, a note, expressions, inputs with defaults. */
export const ORDERS = {
  name: 'Order intake',
  description: 'Takes an order, prices it and answers',
  nodes: [
    {
      id: 'in',
      type: 'textInput',
      position: { x: 0, y: 120 },
      data: {
        label: 'order',
        inputFields: [
          { key: 'customer', defaultValue: 'Ada' },
          { key: 'amount', defaultValue: '40' },
        ],
      },
    },
    {
      id: 'set',
      type: 'set',
      position: { x: 280, y: 120 },
      data: {
        label: 'priced',
        mappings: [
          { key: 'customer', value: '$order.body.customer' },
          { key: 'total', value: '$int($order.body.amount) * 1.2' },
        ],
      },
    },
    {
      id: 'if',
      type: 'condition',
      position: { x: 560, y: 120 },
      data: { label: 'isLarge', condition: '$priced.total > 100' },
    },
    {
      id: 'big',
      type: 'set',
      position: { x: 860, y: 20 },
      data: { label: 'review', mappings: [{ key: 'note', value: 'needs review' }] },
    },
    {
      id: 'small',
      type: 'output',
      position: { x: 860, y: 200 },
      data: { label: 'answer', message: 'Thanks $priced.customer, that is $priced.total' },
    },
    {
      id: 'note',
      type: 'sticky',
      position: { x: 0, y: 260 },
      data: { label: 'note', note: '## Orders\n\nPrices **include** VAT.\n\n- checked by Ada' },
    },
  ],
  edges: [
    { id: 'e1', source: 'in', target: 'set' },
    { id: 'e2', source: 'set', target: 'if' },
    { id: 'e3', source: 'if', target: 'big', sourceHandle: 'true' },
    { id: 'e4', source: 'if', target: 'small', sourceHandle: 'false' },
  ],
};
