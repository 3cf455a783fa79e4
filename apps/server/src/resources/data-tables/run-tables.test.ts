import type { DataTables } from '@millrace/nodes/runtime';
import { describe, expect, test } from 'vitest';
import { type TestUser, useTestApp } from '../../testing/index.ts';
import { createRunTables, purgeWrites } from './run-tables.ts';

const app = await useTestApp();
const owner = await app.user('Owner');
const friend = await app.user('Friend');

let counter = 0;
async function table(): Promise<string> {
  const columns = [
    { name: 'name', required: true },
    { name: 'n', type: 'number', unique: true },
  ];
  const body = { name: `table ${++counter}`, columns };
  return (await owner.call('POST', '/api/data-tables', body)).json<{ id: string }>().id;
}
const fetchRows = async (id: string) =>
  (await owner.call('GET', `/api/data-tables/${id}/rows?sort=n`)).json<{ id: string; data: object }[]>();
const createTables = (user: TestUser): DataTables =>
  createRunTables({ database: app.services.database, now: () => app.clock.now }).of(user.id);

/** Runs a workflow of one node and answers its output, or its error. */
async function run(data: object, user = owner, input: object = {}) {
  const nodes = [
    { id: 'in', type: 'textInput', position: { x: 0, y: 0 }, data: { label: 'in' } },
    { id: 'rows', type: 'dataTable', position: { x: 1, y: 0 }, data: { label: 'rows', ...data } },
  ];
  const body = { name: `w ${++counter}`, nodes, edges: [{ id: 'e', source: 'in', target: 'rows' }] };
  const made = await user.call('POST', '/api/workflows', body);
  expect(made.statusCode, made.body).toBe(201);
  const { id } = made.json<{ id: string }>();
  const headers = { 'content-type': 'application/json' };
  const answer = await user.call('POST', `/api/workflows/${id}/execute`, input, headers);
  const { status, outputs } = answer.json<{ status: string; outputs: Record<string, unknown> }>();
  return { status, output: outputs['rows'] as Record<string, unknown>, body: answer.body };
}

describe('the node in a run', () => {
  test('every operation, one after the other', async () => {
    const dataTableId = await table();
    const node = (dataTableOperation: string, more: object = {}, input: object = {}) =>
      run({ dataTableId, dataTableOperation, ...more }, owner, input);
    const inserted = await node(
      'insert',
      { dataTableData: '{"name": "$input.body.name", "n": "7"}' },
      { name: 'A "1"' },
    );
    expect(inserted.output).toMatchObject({
      success: true,
      operation: 'insert',
      row: { data: { name: 'A "1"', n: 7 } },
    });
    const id = inserted.output['id'];
    const row = inserted.output['row'];
    expect((await node('getById', { dataTableRowId: id })).output).toMatchObject({ row, found: true });
    expect((await node('getById', { dataTableRowId: 'no id' })).output).toMatchObject({
      row: null,
      found: false,
    });
    const upsert = { dataTableFilter: '{"n": 8}', dataTableData: '{"name": "B"}' };
    expect((await node('upsert', upsert)).output).toMatchObject({
      operation: 'insert',
      row: { data: { n: 8 } },
    });
    expect((await node('upsert', upsert)).output).toMatchObject({ operation: 'update' });
    expect((await node('count', { dataTableFilter: '{"n": {"$gte": 7}}' })).output).toMatchObject({
      count: 2,
    });
    expect((await node('getAll', { dataTableSort: '-n', dataTableLimit: '1' })).output).toMatchObject({
      rows: [{ data: { name: 'B', n: 8 } }],
      count: 1,
    });
    const changed = await node('update', { dataTableRowId: id, dataTableData: { n: 9 } });
    expect(changed.output).toMatchObject({ id, row: { data: { name: 'A "1"', n: 9 } } });
    expect((await node('find', { dataTableFilter: '{"n": 9}' })).output).toMatchObject({
      rows: [{ id }],
      count: 1,
    });
    expect((await node('remove', { dataTableRowId: id })).output).toMatchObject({ operation: 'remove', id });
    expect(await fetchRows(dataTableId)).toHaveLength(1);
  });

  test.each([
    [{ dataTableOperation: 'remove', dataTableRowId: 'x' }, 'Row not found'],
    [{ dataTableOperation: 'insert', dataTableData: '{"n": "x"}' }, 'n: is not a number'],
    [{ dataTableOperation: 'find', dataTableFilter: '{"other": 1}' }, 'no column of this table'],
    [{ dataTableOperation: 'find', dataTableSort: 'other' }, 'no column of this table'],
    [{ dataTableOperation: 'find', dataTableId: 'x' }, 'Data table not found'],
  ])('%j fails the node with what is wrong', async (data, message) => {
    const { status, body } = await run({ dataTableId: await table(), ...data });
    expect(status).toBe('error');
    expect(body).toContain(message);
  });

  test('a run has the rights of its user', async () => {
    const dataTableId = await table();
    const insert = { dataTableId, dataTableOperation: 'insert', dataTableData: { name: 'x' } };
    expect((await run(insert, friend)).body).toContain('Data table not found');
    const shares = `/api/data-tables/${dataTableId}/shares`;
    await owner.call('POST', shares, { email: friend.email });
    expect((await run({ dataTableId, dataTableOperation: 'count' }, friend)).output).toMatchObject({
      count: 0,
    });
    expect((await run(insert, friend)).body).toContain('for reading only');
    await owner.call('POST', shares, { email: friend.email, permission: 'write' });
    expect((await run(insert, friend)).status).toBe('success');
  });

  test('credential values are hidden in what is stored', async () => {
    const dataTableId = await table();
    const config = { bearer_token: 'tok-very-secret' };
    await owner.call('POST', '/api/credentials', { name: 'Api', type: 'bearer', config });
    await run({ dataTableId, dataTableOperation: 'insert', dataTableData: '{"name": "$credentials.Api"}' });
    const [row] = await fetchRows(dataTableId);
    expect(JSON.stringify(row?.data)).not.toContain('tok-very-secret');
  });
});

describe('a repeated write', () => {
  test.each([
    ['insert', { operation: 'insert', data: { name: 'x', n: 1 } }],
    ['upsert', { operation: 'upsert', filter: { n: 1 }, data: { name: 'x' } }],
  ] as const)('%s finds what it wrote before, even if the row has changed since', async (_, change) => {
    const id = await table();
    const tables = createTables(owner);
    const first = await tables.write(id, change, `${id}:node:`);
    expect(first.operation).toBe('insert');
    await owner.call('PUT', `/api/data-tables/${id}/rows/${first.id}`, { data: { n: 2 } });
    expect(await tables.write(id, change, `${id}:node:`)).toEqual(first);
    expect(await fetchRows(id)).toMatchObject([{ id: first.id, data: { n: 2 } }]);
    expect((await tables.write(id, change, `${id}:node:1`)).id).not.toBe(first.id);
  });

  test('remove does not fail the second time', async () => {
    const id = await table();
    const tables = createTables(owner);
    const { id: row_id } = await tables.write(id, { operation: 'insert', data: { name: 'x' } }, `${id}:a`);
    const gone = await tables.write(id, { operation: 'remove', row_id }, `${id}:b`);
    expect(await tables.write(id, { operation: 'remove', row_id }, `${id}:b`)).toEqual(gone);
    await expect(tables.write(id, { operation: 'remove', row_id }, `${id}:c`)).rejects.toThrow(
      'Row not found',
    );
  });

  test('two processes with one key at once write one row', async () => {
    const id = await table();
    const change = { operation: 'insert', data: { name: 'x' } } as const;
    const written = await Promise.all([1, 2, 3].map(() => createTables(owner).write(id, change, `${id}:n`)));
    expect(new Set(written.map((each) => each.id)).size).toBe(1);
    expect(await fetchRows(id)).toHaveLength(1);
  });

  test('a refused write is not remembered; a remembered one is forgotten after a month', async () => {
    const id = await table();
    const tables = createTables(owner);
    await expect(tables.write(id, { operation: 'insert', data: {} }, `${id}:n`)).rejects.toThrow(
      'does not fit the columns',
    );
    await tables.write(id, { operation: 'insert', data: { name: 'x' } }, `${id}:n`);
    const { sql } = app.services.database;
    expect(await purgeWrites(sql, app.clock.now + 29 * 86_400_000)).toBe(0);
    // More than one statement removes.
    await sql.query({
      text: `INSERT INTO data_table_writes (key, table_id, result, created_at)
        SELECT 'many ' || n, $1::uuid, 'null', to_timestamp($2::float8 / 1000) FROM generate_series(1, 5001) n`,
      values: [id, app.clock.now],
    });
    expect(await purgeWrites(sql, app.clock.now + 31 * 86_400_000)).toBeGreaterThan(5_001);
    expect(await purgeWrites(sql, app.clock.now + 31 * 86_400_000)).toBe(0);
  });
});
