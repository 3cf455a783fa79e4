import type { DataTable } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { useTestApp } from '../../testing/index.ts';

const app = await useTestApp();
const owner = await app.user('Owner');
const friend = await app.user('Friend');
const stranger = await app.user('Stranger');

const URL = '/api/data-tables';
let counter = 0;
async function create(columns: object[] = [], user = owner): Promise<DataTable> {
  const answer = await user.call('POST', URL, { name: `table ${++counter}`, columns });
  expect(answer.statusCode, answer.body).toBe(201);
  return answer.json<DataTable>();
}
const add = (id: string, data: object, user = owner) => user.call('POST', `${URL}/${id}/rows`, { data });
const change = (id: string, body: object, user = owner) => user.call('PUT', `${URL}/${id}`, body);
const fetchRows = async (id: string) =>
  (await owner.call('GET', `${URL}/${id}/rows?sort=created_at`))
    .json<{ data: Record<string, unknown> }[]>()
    .map(({ data }) => data);

describe('tables', () => {
  test('201: columns in their order with defaults of what was left out', async () => {
    const table = await create([
      { name: 'b', type: 'number', order: 2, defaultValue: '5' },
      { name: 'a', required: true, order: 1 },
    ]);
    expect(table).toMatchObject({
      description: null,
      row_count: 0,
      owner_id: owner.id,
      permission: 'write',
      is_shared: false,
      columns: [
        { name: 'a', type: 'string', required: true, unique: false, defaultValue: null, order: 0 },
        { name: 'b', type: 'number', required: false, unique: false, defaultValue: 5, order: 1 },
      ],
    });
    expect((await owner.call('GET', `${URL}/${table.id}`)).json()).toEqual(table);
  });

  test.each([
    ['a type that does not exist', [{ name: 'a', type: 'money' }], ['body', 'columns', 0, 'type']],
    ['two columns of one name', [{ name: 'a' }, { name: 'a' }], ['body', 'columns', 1, 'name']],
    ['a reserved word', [{ name: '__proto__' }], ['body', 'columns', 0, 'name']],
    ['an empty name', [{ name: ' ' }], ['body', 'columns', 0, 'name']],
    [
      'a default of another type',
      [{ name: 'a', type: 'date', defaultValue: 'soon' }],
      ['body', 'columns', 0, 'defaultValue'],
    ],
    [
      'a default of a unique column',
      [{ name: 'a', unique: true, defaultValue: 'x' }],
      ['body', 'columns', 0, 'defaultValue'],
    ],
    ['too many columns', Array.from({ length: 101 }, (_, at) => ({ name: `c${at}` })), ['body', 'columns']],
  ])('422: %s', async (_, columns, loc) => {
    const answer = await owner.call('POST', URL, { name: `table ${++counter}`, columns });
    expect(answer.statusCode).toBe(422);
    expect(answer.json<{ detail: { loc: unknown }[] }>().detail[0]?.loc).toEqual(loc);
  });

  test('409: a name that the owner has, on creation and on renaming', async () => {
    const { name } = await create();
    expect((await owner.call('POST', URL, { name })).statusCode).toBe(409);
    expect((await change((await create()).id, { name })).statusCode).toBe(409);
    expect((await friend.call('POST', URL, { name })).statusCode).toBe(201);
  });

  test('the list has counts and not the columns', async () => {
    const user = await app.user('Lister');
    const { id } = await create([{ name: 'a' }, { name: 'b' }], user);
    await add(id, { a: 'x' }, user);
    const [table, ...others] = (await user.call('GET', URL)).json<object[]>();
    expect(others).toEqual([]);
    expect(table).toMatchObject({ id, column_count: 2, row_count: 1, permission: 'write' });
    expect(table).not.toHaveProperty('columns');
  });

  test('204: a table goes with its rows and their unique values', async () => {
    const { id } = await create([{ name: 'a', unique: true }]);
    await add(id, { a: 'x' });
    expect((await owner.call('DELETE', `${URL}/${id}`)).statusCode).toBe(204);
    expect((await owner.call('GET', `${URL}/${id}`)).statusCode).toBe(404);
    const { rows } = await app.services.database.sql.query<{ n: number }>({
      text: `SELECT ((SELECT count(*) FROM data_table_rows WHERE table_id = $1)
        + (SELECT count(*) FROM data_table_keys WHERE table_id = $1))::int AS n`,
      values: [id],
    });
    expect(rows).toEqual([{ n: 0 }]);
  });
});

describe('changes of columns', () => {
  test('a renamed column keeps its cells, a removed one loses them', async () => {
    const { id, columns } = await create([{ name: 'a' }, { name: 'b' }]);
    await add(id, { a: 'x', b: 'y' });
    const renamed = await change(id, { columns: [{ ...columns[0], name: 'first' }] });
    expect(renamed.json<DataTable>().columns).toEqual([{ ...columns[0], name: 'first' }]);
    expect(await fetchRows(id)).toEqual([{ first: 'x' }]);
    await change(id, { columns: [{ name: 'first' }, { name: 'b' }] });
    expect(await fetchRows(id)).toEqual([{ first: 'x', b: null }]);
  });

  test('another type converts the cells, and is refused where one cannot be', async () => {
    const { id } = await create([{ name: 'a' }]);
    await add(id, { a: '12' });
    expect((await change(id, { columns: [{ name: 'a', type: 'number' }] })).statusCode).toBe(200);
    expect(await fetchRows(id)).toEqual([{ a: 12 }]);
    await change(id, { columns: [{ name: 'a', type: 'string' }] });
    await add(id, { a: 'many' });
    const refused = await change(id, { columns: [{ name: 'a', type: 'number' }] });
    expect(refused.statusCode).toBe(422);
    expect(refused.body).toMatch(/Column \\"a\\": row .* holds a value that is not a number/);
    expect(await fetchRows(id)).toEqual([{ a: '12' }, { a: 'many' }]);
  });

  test('a column becomes required with a default for rows without a value', async () => {
    const { id } = await create([{ name: 'a' }]);
    await add(id, { a: 'x' });
    const column = { name: 'b', type: 'json', required: true };
    expect((await change(id, { columns: [{ name: 'a' }, column] })).statusCode).toBe(422);
    await change(id, { columns: [{ name: 'a' }, { ...column, defaultValue: { z: 1, a: 2 } }] });
    expect(JSON.stringify(await fetchRows(id))).toBe('[{"a":"x","b":{"z":1,"a":2}}]');
  });

  test('a column becomes unique when no value is there twice, and stops being so', async () => {
    const { id } = await create([{ name: 'a' }]);
    const row = (await add(id, { a: 'x' })).json<{ id: string }>();
    await add(id, { a: 'x' });
    expect((await change(id, { columns: [{ name: 'a', unique: true }] })).statusCode).toBe(409);
    await owner.call('DELETE', `${URL}/${id}/rows/${row.id}`);
    expect((await change(id, { columns: [{ name: 'a', unique: true }] })).statusCode).toBe(200);
    expect((await add(id, { a: 'x' })).statusCode).toBe(409);
    await change(id, { columns: [{ name: 'a' }] });
    expect((await add(id, { a: 'x' })).statusCode).toBe(201);
  });
});

describe('sharing', () => {
  test('a reader reads; the same share again makes them a writer, who still is no owner', async () => {
    const { id } = await create([{ name: 'a' }]);
    const shares = `${URL}/${id}/shares`;
    const share = await owner.call('POST', shares, { email: friend.email });
    expect(share.json()).toMatchObject({ user_id: friend.id, permission: 'read' });
    expect((await friend.call('GET', `${URL}/${id}`)).json()).toMatchObject({
      permission: 'read',
      is_shared: true,
      shared_by: owner.email,
    });
    expect((await friend.call('GET', `${URL}/${id}/export-csv`)).statusCode).toBe(200);
    expect((await add(id, { a: 'x' }, friend)).statusCode).toBe(403);
    expect((await friend.call('DELETE', `${URL}/${id}/rows`)).statusCode).toBe(403);

    const again = await owner.call('POST', shares, { email: friend.email, permission: 'write' });
    expect(again.json()).toEqual({ ...share.json<object>(), permission: 'write' });
    expect((await owner.call('GET', shares)).json()).toEqual([again.json()]);
    expect((await add(id, { a: 'x' }, friend)).json()).toMatchObject({ created_by: friend.id });
    expect((await change(id, { name: 'mine now' }, friend)).statusCode).toBe(403);
    expect((await friend.call('DELETE', `${URL}/${id}`)).statusCode).toBe(403);
    expect((await add(id, {}, stranger)).statusCode).toBe(404);

    expect((await owner.call('DELETE', `${shares}/${friend.id}`)).statusCode).toBe(204);
    expect((await friend.call('GET', `${URL}/${id}/rows`)).statusCode).toBe(404);
  });

  test('the widest of several ways counts', async () => {
    const { id } = await create([{ name: 'a' }]);
    const team_id = (await owner.call('POST', '/api/teams', { name: 'T' })).json<{ id: string }>().id;
    await owner.call('POST', `/api/teams/${team_id}/members`, { email: friend.email });
    await owner.call('POST', `${URL}/${id}/shares`, { email: friend.email, permission: 'read' });
    const shared = await owner.call('POST', `${URL}/${id}/team-shares`, { team_id, permission: 'write' });
    expect(shared.json()).toMatchObject({ team_id, team_name: 'T', permission: 'write' });
    expect((await friend.call('GET', URL)).json()).toContainEqual(
      expect.objectContaining({ id, permission: 'write', shared_by_team: null }),
    );
    expect((await add(id, { a: 'x' }, friend)).statusCode).toBe(201);
    await owner.call('POST', `${URL}/${id}/team-shares`, { team_id });
    expect((await add(id, { a: 'x' }, friend)).statusCode).toBe(403);
  });

  test('404: says whether the person is unknown or what is shared is gone', async () => {
    const { id } = await create();
    const unknown = await owner.call('POST', `${URL}/${id}/shares`, { email: 'unknown@example.com' });
    expect(unknown.statusCode).toBe(404);
    expect(unknown.json()).toMatchObject({ field: 'email' });
    await owner.call('DELETE', `${URL}/${id}`);
    const gone = await owner.call('POST', `${URL}/${id}/shares`, { email: 'unknown@example.com' });
    expect(gone.statusCode).toBe(404);
    expect(gone.json()).not.toHaveProperty('field');
  });

  test('422: a permission that does not exist', async () => {
    const { id } = await create();
    const body = { email: friend.email, permission: 'admin' };
    expect((await owner.call('POST', `${URL}/${id}/shares`, body)).statusCode).toBe(422);
  });
});
