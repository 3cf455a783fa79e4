import { expect, test } from 'vitest';
import type { DataTables } from '../services.ts';
import { runNode } from '../testing/run-node.ts';

const row = { id: 'row-1', data: { name: 'Ada' }, created_at: '2026-01-01T00:00:00.000Z' };

function fakeTables() {
  const calls: unknown[][] = [];
  const note =
    <T>(name: string, result: T) =>
    (...args: unknown[]) => {
      calls.push([name, ...args]);
      return Promise.resolve(result);
    };
  const dataTables: DataTables = {
    find: note('find', [row]),
    count: note('count', 7),
    read: async (table_id, row_id) => {
      calls.push(['read', table_id, row_id]);
      return row_id === row.id ? row : null;
    },
    write: async (table_id, change, key) => {
      calls.push(['write', table_id, change, key]);
      const operation = change.operation === 'upsert' ? 'insert' : change.operation;
      return { operation, id: row.id, row: operation === 'remove' ? null : row };
    },
  };
  return { calls, services: { dataTables } };
}

const inputs = { start: { name: 'Ada "the first"', n: 3 } };

test.each<[string, object, unknown[], object]>([
  [
    'find',
    {
      dataTableFilter: '{"name": "$input.name", "n": {"$gt": "$input.n"}}',
      dataTableLimit: 5,
      dataTableSort: '-n',
    },
    ['find', 't', { filter: { name: 'Ada "the first"', n: { $gt: 3 } }, sort: '-n', limit: 5 }],
    { operation: 'find', rows: [row], count: 1 },
  ],
  [
    'getAll',
    { dataTableFilter: '{"name": "x"}', dataTableLimit: '0', dataTableSort: '-' },
    ['find', 't', { filter: {}, sort: '-created_at', limit: 100_001 }],
    { operation: 'getAll', rows: [row], count: 1 },
  ],
  ['getAll', {}, ['find', 't', { filter: {}, sort: 'created_at', limit: 100_001 }], { count: 1 }],
  ['count', { dataTableFilter: '' }, ['count', 't', {}], { operation: 'count', count: 7 }],
  ['getById', { dataTableRowId: 'row-1' }, ['read', 't', 'row-1'], { row, found: true }],
  ['getById', { dataTableRowId: 'other' }, ['read', 't', 'other'], { row: null, found: false }],
  [
    'insert',
    { dataTableData: '{"name": "$input.name"}' },
    ['write', 't', { operation: 'insert', data: { name: 'Ada "the first"' } }, 'run-1:node-1:'],
    { operation: 'insert', row, id: 'row-1' },
  ],
  [
    'update',
    {
      dataTableRowId: 'row-1',
      dataTableInputMode: 'selective',
      dataTableFields: [{ key: 'n', value: '$input.n' }],
    },
    ['write', 't', { operation: 'update', row_id: 'row-1', data: { n: 3 } }, 'run-1:node-1:'],
    { operation: 'update', row, id: 'row-1' },
  ],
  [
    'remove',
    { dataTableRowId: 'row-1' },
    ['write', 't', { operation: 'remove', row_id: 'row-1' }, 'run-1:node-1:'],
    { operation: 'remove', id: 'row-1' },
  ],
  [
    'upsert',
    { dataTableFilter: '{"n": 3}', dataTableData: '{"name": "x"}' },
    ['write', 't', { operation: 'upsert', filter: { n: 3 }, data: { name: 'x' } }, 'run-1:node-1:'],
    { operation: 'insert', row, id: 'row-1' },
  ],
])('%s of %j', async (dataTableOperation, data, call, output) => {
  const { calls, services } = fakeTables();
  const result = await runNode(
    'dataTable',
    { dataTableId: 't', dataTableOperation, ...data },
    { inputs, services },
  );
  expect(calls).toEqual([call]);
  expect(result).toMatchObject({ output: { success: true, ...output } });
});

test.each([
  [{ dataTableId: '' }, 'dataTableId'],
  [{ dataTableFilter: '{broken' }, 'dataTableFilter'],
  [{ dataTableFilter: '[1]' }, 'dataTableFilter'],
  [{ dataTableLimit: 'many' }, 'dataTableLimit'],
  [{ dataTableOperation: 'update', dataTableRowId: ' ' }, 'dataTableRowId'],
  [{ dataTableOperation: 'insert', dataTableData: 'text' }, 'dataTableData'],
])('%j is refused by the name of its field, and nothing is asked', async (data, field) => {
  const { calls, services } = fakeTables();
  const result = await runNode(
    'dataTable',
    { dataTableId: 't', dataTableOperation: 'find', ...data },
    { services },
  );
  expect(result).toMatchObject({ failure: { kind: 'params', field, final: true } });
  expect(calls).toEqual([]);
});

test('more rows than a node can hold fail with the way out', async () => {
  const { services } = fakeTables();
  services.dataTables.find = () => Promise.resolve(Array.from({ length: 100_001 }, () => row));
  const result = await runNode('dataTable', { dataTableId: 't', dataTableOperation: 'getAll' }, { services });
  expect(result).toMatchObject({ failure: { field: 'dataTableLimit' } });
});
