import type { DataImport, DataRow } from '@millrace/contracts';
import { beforeAll, describe, expect, test } from 'vitest';
import { useTestApp } from '../../../testing/index.ts';

const app = await useTestApp();
const user = await app.user();

const NO_ROW = '00000000-0000-4000-8000-000000000000';
const encodeCursor = (...places: string[]) => Buffer.from(JSON.stringify(places)).toString('base64url');

let counter = 0;
async function table(columns: object[]): Promise<string> {
  const answer = await user.call('POST', '/api/data-tables', { name: `table ${++counter}`, columns });
  expect(answer.statusCode, answer.body).toBe(201);
  return `/api/data-tables/${answer.json<{ id: string }>().id}`;
}
const insert = (url: string, data: object) => user.call('POST', `${url}/rows`, { data });
const fetchRowCount = async (url: string) =>
  (await user.call('GET', url)).json<{ row_count: number }>().row_count;

const CITIES = [
  { name: 'city', unique: true },
  { name: 'people', type: 'number' },
  { name: 'coast', type: 'boolean' },
  { name: 'founded', type: 'date' },
  { name: 'more', type: 'json' },
];
const ROWS = [
  {
    city: 'Kiel',
    people: 247_000,
    coast: true,
    founded: '1233-01-01',
    more: { river: 'Schwentine', bridges: 9 },
  },
  { city: 'Ulm', people: 126_000, coast: false },
  { city: 'Rostock', people: 209_000, coast: true, founded: '1218-06-24', more: [1, 'ÖL'] },
  { city: 'Bonn', people: 9_000, coast: false, founded: '0011-01-01T12:00:00+01:00' },
  { city: 'Atlantis' },
];
async function cities(): Promise<string> {
  const url = await table(CITIES);
  const answer = await user.call(
    'POST',
    `${url}/rows/bulk`,
    ROWS.map((data) => ({ data })),
  );
  expect(answer.json()).toEqual({ imported: 5, errors: [], total: 5 });
  return url;
}

describe('one row', () => {
  test('201: cells of every type come back as they went in', async () => {
    const url = await table(CITIES);
    const answer = await insert(url, { ...ROWS[0], people: '247000' });
    expect(answer.statusCode, answer.body).toBe(201);
    const row = answer.json<DataRow>();
    expect(row).toMatchObject({ data: ROWS[0], created_by: user.id, updated_by: user.id });
    expect(JSON.stringify(row.data['more'])).toBe('{"river":"Schwentine","bridges":9}');
    expect((await user.call('GET', `${url}/rows/${row.id}`)).json()).toEqual(row);
    expect(await fetchRowCount(url)).toBe(1);
  });

  test.each([
    ['number', 'many', 'is not a number'],
    ['number', '9007199254740993', 'has more digits than a number can keep; use a text instead'],
    ['number', { a: 1 }, 'is not a number'],
    ['boolean', 'perhaps', 'is neither true nor false'],
    ['date', '2026-02-30', 'is not a date'],
    ['date', '31.01.2026', 'is not a date'],
    ['date', '2026-01-01T25:00:00Z', 'no time of day'],
    ['date', '0000-12-31', 'in the years 0001 to 9999'],
    ['date', '9999-12-31T23:30:00-01:00', 'in the years 0001 to 9999'],
    ['string', 'a\0b', 'NUL'],
    ['string', 'x'.repeat(100_001), 'longer than 100000'],
  ])('422: a %s column refuses %j and names the column', async (type, value, message) => {
    const answer = await insert(await table([{ name: 'a', type }]), { a: value });
    expect(answer.statusCode).toBe(422);
    const [problem] = answer.json<{ detail: { loc: unknown[]; msg: string }[] }>().detail;
    if (type !== 'string' || !message.includes('NUL')) expect(problem?.loc).toEqual(['body', 'data', 'a']);
    expect(answer.body).toContain(message);
  });

  test('422: every problem of a row at once', async () => {
    const url = await table([
      { name: 'a', required: true },
      { name: 'n', type: 'number' },
    ]);
    const { detail } = (await insert(url, { n: 'x', other: 1 })).json<{ detail: { loc: unknown[] }[] }>();
    expect(detail.map(({ loc }) => loc.at(-1))).toEqual(['a', 'n', 'other']);
  });

  test('a change merges; null empties a cell, but not a required one', async () => {
    const url = await table([
      { name: 'a', required: true },
      { name: 'b', defaultValue: 'usual' },
    ]);
    const { id, data } = (await insert(url, { a: 'x' })).json<DataRow>();
    expect(data).toEqual({ a: 'x', b: 'usual' });
    const changed = await user.call('PUT', `${url}/rows/${id}`, { data: { b: null } });
    expect(changed.json<DataRow>().data).toEqual({ a: 'x', b: null });
    expect((await user.call('PUT', `${url}/rows/${id}`, { data: { a: null } })).statusCode).toBe(422);
    expect((await user.call('DELETE', `${url}/rows/${id}`)).statusCode).toBe(204);
    expect((await user.call('DELETE', `${url}/rows/${id}`)).statusCode).toBe(404);
    expect((await user.call('PUT', `${url}/rows/${id}`, { data: { a: 'y' } })).statusCode).toBe(404);
    expect(await fetchRowCount(url)).toBe(0);
  });

  test('a row of one table is none of another', async () => {
    const [one, other] = [await table([{ name: 'a' }]), await table([{ name: 'a' }])];
    const { id } = (await insert(one, { a: 'x' })).json<DataRow>();
    expect((await user.call('GET', `${other}/rows/${id}`)).statusCode).toBe(404);
    expect((await user.call('DELETE', `${other}/rows/${id}`)).statusCode).toBe(404);
  });
});

describe('unique columns', () => {
  test('of two inserts at once one gets 409', async () => {
    const url = await table([{ name: 'mail', unique: true }]);
    const answers = await Promise.all(Array.from({ length: 6 }, () => insert(url, { mail: 'a@b.c' })));
    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([201, 409, 409, 409, 409, 409]);
    expect(answers.find(({ statusCode }) => statusCode === 409)?.json()).toMatchObject({
      detail: { message: 'Duplicate value for unique column "mail"', column: 'mail' },
    });
    expect(await fetchRowCount(url)).toBe(1);
  });

  test('changes free the former value and respect the others; empty cells are no duplicates', async () => {
    const url = await table([{ name: 'n', type: 'number', unique: true }]);
    const first = (await insert(url, { n: 1 })).json<DataRow>();
    await insert(url, { n: 2 });
    await insert(url, {});
    expect((await insert(url, {})).statusCode).toBe(201);
    expect((await user.call('PUT', `${url}/rows/${first.id}`, { data: { n: 2 } })).statusCode).toBe(409);
    expect((await user.call('PUT', `${url}/rows/${first.id}`, { data: { n: 1 } })).statusCode).toBe(200);
    expect((await user.call('PUT', `${url}/rows/${first.id}`, { data: { n: 3 } })).statusCode).toBe(200);
    expect((await insert(url, { n: 1 })).statusCode).toBe(201);
  });
});

describe('reading', () => {
  let url: string;
  beforeAll(async () => {
    url = await cities();
  });
  const names = (rows: DataRow[]) => rows.map(({ data }) => data['city']);
  const query = async (body: object) => {
    const answer = await user.call('POST', `${url}/rows/query`, body);
    expect(answer.statusCode, answer.body).toBe(200);
    return answer.json<{ rows: DataRow[]; next_cursor: string | null; total: number | null }>();
  };

  test('newest first, with limit and offset', async () => {
    const all = (await user.call('GET', `${url}/rows`)).json<DataRow[]>();
    expect(names(all)).toEqual(['Atlantis', 'Bonn', 'Rostock', 'Ulm', 'Kiel']);
    const some = (await user.call('GET', `${url}/rows?limit=2&offset=1`)).json<DataRow[]>();
    expect(names(some)).toEqual(['Bonn', 'Rostock']);
  });

  test.each([
    [{ city: 'Ulm' }, ['Ulm']],
    [{ people: 126_000 }, ['Ulm']],
    [{ people: '126000' }, ['Ulm']],
    [{ coast: true }, ['Kiel', 'Rostock']],
    [{ people: { $gt: 126_000 } }, ['Kiel', 'Rostock']],
    [{ people: { $gte: 9_000, $lt: 200_000 } }, ['Bonn', 'Ulm']],
    [{ people: { $lte: 9_000 } }, ['Bonn']],
    [{ city: { $ne: 'Ulm' }, coast: false }, ['Bonn']],
    [{ coast: { $ne: true } }, ['Atlantis', 'Bonn', 'Ulm']],
    [{ founded: null }, ['Atlantis', 'Ulm']],
    [{ founded: { $ne: null } }, ['Bonn', 'Kiel', 'Rostock']],
    [{ founded: { $lt: '1230-01-01' } }, ['Bonn', 'Rostock']],
    [{ city: { $contains: 'O' } }, ['Bonn', 'Rostock']],
    [{ city: { $contains: '%' } }, []],
    [{ more: { $contains: 'öl' } }, ['Rostock']],
    [{ city: { $in: ['Ulm', 'Bonn', 'Paris'] } }, ['Bonn', 'Ulm']],
    [{ city: { $in: [] } }, []],
    [{ more: [1, 'ÖL'] }, ['Rostock']],
    [{ people: 'unheard of' }, []],
    [{ created_at: { $gt: '2000-01-01' }, city: 'Kiel' }, ['Kiel']],
    [{ created_at: { $lt: '2000-01-01' } }, []],
    [{}, ['Atlantis', 'Bonn', 'Kiel', 'Rostock', 'Ulm']],
  ])('%j finds %j', async (filter, expected) => {
    const { rows, total } = await query({ filter, sort: 'city' });
    expect(names(rows)).toEqual(expected);
    expect(total).toBe(expected.length);
    const listed = await user.call(
      'GET',
      `${url}/rows?sort=city&filter=${encodeURIComponent(JSON.stringify(filter))}`,
    );
    expect(names(listed.json())).toEqual(expected);
  });

  test.each([
    ['people', ['Bonn', 'Ulm', 'Rostock', 'Kiel', 'Atlantis']],
    ['-people', ['Kiel', 'Rostock', 'Ulm', 'Bonn', 'Atlantis']],
    ['coast,-people', ['Ulm', 'Bonn', 'Kiel', 'Rostock', 'Atlantis']],
    ['-coast,city', ['Kiel', 'Rostock', 'Bonn', 'Ulm', 'Atlantis']],
    ['founded', ['Bonn', 'Rostock', 'Kiel', 'Ulm', 'Atlantis']],
    ['created_at', ['Kiel', 'Ulm', 'Rostock', 'Bonn', 'Atlantis']],
    ['', ['Atlantis', 'Bonn', 'Rostock', 'Ulm', 'Kiel']],
  ])('sorted by %j, page by page, every row is there once', async (sort, expected) => {
    const seen: unknown[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await query({ sort, limit: 2, ...(cursor ? { cursor } : {}) });
      expect(page.total).toBe(cursor ? null : 5);
      seen.push(...names(page.rows));
      cursor = page.next_cursor;
    }
    expect(seen.toSorted()).toEqual([...expected].toSorted());
    expect(seen.slice(0, 3)).toEqual(expected.slice(0, 3));
  });

  test.each([
    [{ filter: { other: 1 } }, 'which is no column'],
    [{ filter: { people: { $near: 1 } } }, 'knows no operator'],
    [{ filter: { people: { $gt: 'x' } } }, 'is not a number'],
    [{ filter: { city: { $in: 'Ulm' } } }, 'takes a list'],
    [{ filter: { id: 'x' } }, 'no id'],
    [{ sort: 'other' }, 'which is no column'],
    [{ cursor: 'rubbish' }, 'cursor'],
    [{ sort: 'city', cursor: encodeCursor('x') }, 'cursor'],
    [{ cursor: encodeCursor('-'.repeat(36)) }, 'cursor'],
    [{ sort: 'people', cursor: encodeCursor('many', NO_ROW) }, 'cursor'],
    [{ sort: 'coast', cursor: encodeCursor('perhaps', NO_ROW) }, 'cursor'],
    [{ sort: 'updated_at', cursor: encodeCursor('yesterday', NO_ROW) }, 'cursor'],
    [{ sort: 'table_id', cursor: encodeCursor('x', NO_ROW) }, 'cursor'],
    [{ filter: { created_at: { $gt: '0000-01-01' } } }, 'in the years 0001 to 9999'],
    [{ limit: 1_001 }, '1000'],
  ])('422: %j', async (body, message) => {
    const answer = await user.call('POST', `${url}/rows/query`, body);
    expect(answer.statusCode).toBe(422);
    expect(answer.body).toContain(message);
  });

  test('422: a filter with more values than a statement should have', async () => {
    const values = Array.from({ length: 600 }, (_, at) => at);
    const filter = { city: { $in: values }, people: { $in: values.slice(0, 400) } };
    expect((await query({ filter })).rows).toEqual([]);
    const more = { ...filter, coast: true };
    const answer = await user.call('POST', `${url}/rows/query`, { filter: more });
    expect(answer.statusCode).toBe(422);
    expect(answer.body).toContain('compares more than 1000 values');
  });

  test('422: a cursor whose column has another type since', async () => {
    const own = await table([{ name: 'a' }]);
    for (const a of ['x', 'y']) await insert(own, { a });
    const ask = (cursor?: string) => user.call('POST', `${own}/rows/query`, { sort: 'a', limit: 1, cursor });
    const { next_cursor } = (await ask()).json<{ next_cursor: string }>();
    expect((await ask(next_cursor)).json()).toMatchObject({ rows: [{ data: { a: 'y' } }] });
    await user.call('DELETE', `${own}/rows`);
    await user.call('PUT', own, { columns: [{ name: 'a', type: 'number' }] });
    const answer = await ask(next_cursor);
    expect(answer.statusCode, answer.body).toBe(422);
    expect(answer.body).toContain('cursor');
  });

  test('422: a filter in the address that is no JSON', async () => {
    expect((await user.call('GET', `${url}/rows?filter=city%3DUlm`)).statusCode).toBe(422);
  });
});

describe('many rows', () => {
  test('those that are right are added, the others are reported', async () => {
    const url = await table([
      { name: 'a', unique: true, required: true },
      { name: 'n', type: 'number' },
    ]);
    await insert(url, { a: 'taken' });
    const body = [{ a: 'one' }, { n: 1 }, { a: 'two', n: 'x' }, { a: 'taken' }, { a: 'one' }, { a: 'three' }];
    const answer = await user.call(
      'POST',
      `${url}/rows/bulk`,
      body.map((data) => ({ data })),
    );
    expect(answer.json()).toEqual({
      imported: 2,
      total: 6,
      errors: [
        { row: 2, errors: ['a: is required'] },
        { row: 3, errors: ['n: is not a number'] },
        { row: 4, errors: ['Duplicate value for unique column "a"'] },
        { row: 5, errors: ['Duplicate value for unique column "a"'] },
      ],
    });
    expect(await fetchRowCount(url)).toBe(3);
  });

  test('deleted rows come back to their place by their ids', async () => {
    const url = await cities();
    const rows = (await user.call('GET', `${url}/rows`)).json<DataRow[]>();
    const gone = rows.slice(1, 3);
    const ids = gone.map(({ id }) => id);
    const deletion = await user.call('POST', `${url}/rows/bulk-delete`, { ids: [...ids, ...ids] });
    expect(deletion.statusCode).toBe(204);
    expect(await fetchRowCount(url)).toBe(3);
    const back = gone.map(({ id, data }) => ({ id, data }));
    expect((await user.call('POST', `${url}/rows/bulk`, back)).json()).toMatchObject({ imported: 2 });
    const after = (await user.call('GET', `${url}/rows`)).json<DataRow[]>();
    expect(after.map(({ id, data }) => [id, data])).toEqual(rows.map(({ id, data }) => [id, data]));
    expect((await user.call('POST', `${url}/rows/bulk`, back)).json<DataImport>().errors).toHaveLength(2);
  });

  test('changes are all made or none', async () => {
    const url = await cities();
    const rows = (await user.call('GET', `${url}/rows?sort=city`)).json<DataRow[]>();
    const update = (...data: object[]) =>
      user.call('POST', `${url}/rows/bulk-update`, {
        updates: data.map((each, at) => ({ id: rows[at]?.id, data: each })),
      });
    const refused = await update({ people: 1 }, { people: 'x' });
    expect(refused.json<{ detail: { loc: unknown }[] }>().detail[0]?.loc).toEqual([
      'body',
      'updates',
      1,
      'data',
      'people',
    ]);
    expect((await update({ city: 'Köln' }, { city: 'Köln' })).statusCode).toBe(409);
    const first = await user.call('GET', `${url}/rows/${rows[0]?.id}`);
    expect(first.json<DataRow>().data).toEqual(rows[0]?.data);
    // Two rows can exchange their unique values.
    expect((await update({ city: 'Bonn' }, { city: 'Atlantis' })).json()).toEqual({ updated: 2 });
  });

  test('upsert changes what the filter finds, else it adds the filter and the data', async () => {
    const url = await cities();
    const upsert = (filter: object, data: object) =>
      user.call('POST', `${url}/rows/upsert`, { filter, data });
    expect((await upsert({ city: 'Ulm' }, { people: 5 })).json()).toMatchObject({
      operation: 'update',
      row: { data: { city: 'Ulm', people: 5, coast: false } },
    });
    expect((await upsert({ city: 'Mainz', people: { $gt: 1 } }, { coast: false })).json()).toMatchObject({
      operation: 'insert',
      row: { data: { city: 'Mainz', people: null, coast: false } },
    });
    expect((await upsert({}, { people: 1 })).statusCode).toBe(422);
    const answers = await Promise.all([1, 2, 3, 4].map((people) => upsert({ city: 'Trier' }, { people })));
    const operations = answers.map((answer) => answer.json<{ operation: string }>().operation);
    expect(operations.toSorted()).toEqual(['insert', 'update', 'update', 'update']);
  });

  test('clear deletes all rows and frees their values', async () => {
    const url = await cities();
    expect((await user.call('DELETE', `${url}/rows`)).statusCode).toBe(204);
    expect(await fetchRowCount(url)).toBe(0);
    expect((await insert(url, { city: 'Ulm' })).statusCode).toBe(201);
  });

  test('422: more rows than a request may have', async () => {
    const url = await table([{ name: 'a' }]);
    const rows = Array.from({ length: 10_001 }, () => ({ data: {} }));
    expect((await user.call('POST', `${url}/rows/bulk`, rows)).statusCode).toBe(422);
  });
});
