import { gives, type SmokeCases } from '../smoke-case.ts';

const people = [
  { email: 'a@example.com', n: 1 },
  { email: 'a@example.com', n: 2 },
];

/** Nodes that work on the values of the run alone. */
export const dataCases: SmokeCases = {
  set: gives(
    'set',
    {
      data: { mappings: [{ key: 'name', value: '$input.first + " " + $input.last' }] },
      body: { first: 'Ada', last: 'Lovelace' },
    },
    { name: 'Ada Lovelace' },
  ),
  variable: gives(
    'variable',
    { data: { variableName: 'limit', variableValue: '10', variableType: 'number' } },
    { name: 'limit', value: 10, type: 'number' },
  ),
  sort: gives(
    'sort',
    { data: { items: '$input.items', sortBy: '-total' }, body: { items: [{ total: 3 }, { total: 12 }] } },
    { items: [{ total: 12 }, { total: 3 }], count: 2 },
  ),
  limit: gives(
    'limit',
    { data: { items: '$input.items', maxItems: 2, keep: 'last' }, body: { items: [1, 2, 3] } },
    { items: [2, 3], count: 2, total: 3 },
  ),
  deduplicate: gives(
    'deduplicate',
    { data: { items: '$input.items', compareBy: 'email' }, body: { items: people } },
    { items: [{ email: 'a@example.com', n: 1 }], count: 1, removed: 1 },
  ),
  aggregate: gives(
    'aggregate',
    {
      data: { items: '$input.items', groupBy: 'country', aggregates: [{ key: 'total', value: 'sum total' }] },
      body: {
        items: [
          { country: 'DE', total: 3 },
          { country: 'DE', total: 4 },
        ],
      },
    },
    { groups: [{ country: 'DE', total: 7 }], count: 1 },
  ),
  join: gives(
    'join',
    {
      data: { items: '$input.orders', others: '$input.customers', joinBy: 'customer', otherKey: 'id' },
      body: { orders: [{ customer: 7, total: 3 }], customers: [{ id: 7, name: 'Ada' }] },
    },
    { items: [{ id: 7, name: 'Ada', customer: 7, total: 3 }], count: 1 },
  ),
  split: gives(
    'split',
    {
      data: { operation: 'field', items: '$input.orders', splitField: 'lines' },
      body: { orders: [{ id: 1, lines: ['a', 'b'] }] },
    },
    {
      items: [
        { id: 1, lines: 'a' },
        { id: 1, lines: 'b' },
      ],
      count: 2,
    },
  ),
  compare: gives(
    'compare',
    {
      data: { items: '$input.shop', others: '$input.stock', compareBy: 'id' },
      body: { shop: [{ id: 1, n: 5 }], stock: [{ id: 1, n: 4 }] },
    },
    {
      only_first: [],
      only_other: [],
      same: [],
      different: [{ first: { id: 1, n: 5 }, other: { id: 1, n: 4 }, fields: ['n'] }],
      is_same: false,
    },
  ),
  htmlExtract: gives(
    'htmlExtract',
    {
      data: { html: '$input.html', selectors: '[{"name": "title", "selector": "h1"}]' },
      body: { html: '<h1>Größe</h1>' },
    },
    { extracted: { title: [{ text: 'Größe' }] } },
  ),
  crypto: gives(
    'crypto',
    { data: { operation: 'hash', value: 'abc' } },
    { value: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad' },
  ),
  date: gives(
    'date',
    {
      data: {
        operation: 'add',
        value: '2026-03-28T08:30:00',
        amount: 1,
        unit: 'days',
        timeZone: 'Europe/Berlin',
      },
    },
    { value: '2026-03-29T08:30:00+02:00', unix: 1_774_765_800 },
  ),
  converter: gives(
    'converter',
    {
      data: { conversion: 'csvToJson', source: '$input.text', delimiter: ';' },
      body: { text: 'name;age\nAda;36' },
    },
    { result: [{ name: 'Ada', age: '36' }], conversion: 'csvToJson' },
  ),
  chartOutput: gives(
    'chartOutput',
    {
      data: { chartType: 'pie', labelField: 'status', valueField: 'count' },
      body: { data: [{ status: 'open', count: 3 }] },
    },
    { type: 'pie', labels: ['open'], series: [{ name: 'count', data: [3] }] },
  ),
  consoleLog: gives(
    'consoleLog',
    { data: { logMessage: 'order $input.id' }, body: { id: 12 } },
    { id: 12, logMessage: 'order 12' },
  ),
};
