import type { DataImport, DataRow } from '@millrace/contracts';
import Papa from 'papaparse';
import { expect, test } from 'vitest';
import { useTestApp } from '../../../testing/index.ts';
import { requireWritable } from '../access.ts';
import { importCsv } from './csv.ts';

const app = await useTestApp({ env: { FILE_MAX_SIZE_MB: '1' } });
const user = await app.user();

const COLUMNS = [
  { name: 'Name', required: true },
  { name: 'Age', type: 'number' },
  { name: 'Tags', type: 'json' },
];
let counter = 0;
async function table(): Promise<string> {
  const body = { name: `table ${++counter}`, columns: COLUMNS };
  return `/api/data-tables/${(await user.call('POST', '/api/data-tables', body)).json<{ id: string }>().id}`;
}

async function send(url: string, content: string | Uint8Array<ArrayBuffer>, mapping?: object) {
  const form = new FormData();
  if (mapping) form.set('mapping', JSON.stringify(mapping));
  form.set('file', new Blob([content], { type: 'text/csv' }), 'people.csv');
  const request = new Request('http://localhost', { method: 'POST', body: form });
  const type = request.headers.get('content-type') ?? '';
  return user.call('POST', url, Buffer.from(await request.arrayBuffer()), { 'content-type': type });
}

const fetchData = async (url: string) =>
  (await user.call('GET', `${url}/rows?sort=created_at`)).json<DataRow[]>().map(({ data }) => data);

test('quotes, line breaks, delimiters and a byte order mark; headers match in any case', async () => {
  const url = await table();
  const csv =
    '\uFEFFname; AGE ;unknown;tags\r\n"Ada; ""the"" first\nof all";36;x;"[1, ""a""]"\r\nGrace;;y;\r\n\r\n';
  expect((await send(`${url}/import-csv`, csv)).json()).toEqual({ imported: 2, errors: [], total: 2 });
  expect(await fetchData(url)).toEqual([
    { Name: 'Ada; "the" first\nof all', Age: 36, Tags: [1, 'a'] },
    { Name: 'Grace', Age: null, Tags: null },
  ]);
});

test('the preview says which header leads to which column', async () => {
  const url = await table();
  const lines = ['Full name,age,Tags', ...Array.from({ length: 9 }, (_, at) => `P${at},${at},`)];
  const answer = await send(`${url}/preview-csv`, lines.join('\n'));
  expect(answer.json()).toEqual({
    delimiter: ',',
    headers: [
      { header: 'Full name', column: null },
      { header: 'age', column: 'Age' },
      { header: 'Tags', column: 'Tags' },
    ],
    rows: Array.from({ length: 5 }, (_, at) => [`P${at}`, `${at}`, '']),
  });
});

test('a mapping decides for each header; the rest is left out', async () => {
  const url = await table();
  const mapping = { 'Full name': 'Name', age: null };
  expect((await send(`${url}/import-csv`, 'Full name,age\nAda,36\n', mapping)).json()).toMatchObject({
    imported: 1,
  });
  expect(await fetchData(url)).toEqual([{ Name: 'Ada', Age: null, Tags: null }]);
  expect((await send(`${url}/import-csv`, 'a\nb', { a: 'Missing' })).statusCode).toBe(422);
  expect((await send(`${url}/import-csv`, 'a,b\n1,2', { a: 'Name', b: 'Name' })).statusCode).toBe(422);
});

test('rows that do not fit are named and the others imported, across many batches', async () => {
  const url = await table();
  const lines = Array.from({ length: 2_500 }, (_, at) => (at === 2_100 ? ',x' : `P${at},${at}`));
  const answer = await send(`${url}/import-csv`, ['Name,Age', ...lines].join('\n'));
  expect(answer.json<DataImport>()).toEqual({
    imported: 2_499,
    total: 2_500,
    errors: [{ row: 2_101, errors: ['Name: is required', 'Age: is not a number'] }],
  });
  expect((await user.call('GET', url)).json()).toMatchObject({ row_count: 2_499 });
});

const importContext = async (url: string) => {
  const { db } = app.services.database;
  const actor = { user_id: user.id, email: user.email, name: 'Owner', is_admin: false };
  const ctx = { db, now: () => app.clock.now, actor, request_id: 'r', client_ip: '127.0.0.1' };
  return { ctx, ...(await requireWritable(ctx, url.split('/').at(-1) ?? '')) };
};

test('a quotation mark that is never closed is an error long before the end of a large file', async () => {
  const { ctx, table: row } = await importContext(await table());
  const long = 'y'.repeat(64 * 1024);
  let read = 0;
  async function* bytes() {
    yield Buffer.from(`Name,Age\n${`${long},1\n`.repeat(100)}Ada,36\n"Grace`);
    for (; read < 1_000; read++) yield Buffer.from(`${long},2\n`);
  }
  const input = { bytes: bytes(), max_bytes: 1024 ** 3, mapping: undefined, formulas_escaped: true };
  const problem = await importCsv(ctx, row, input).catch((error: unknown) => error);
  expect(JSON.stringify(problem)).toContain(
    'has a line of more than 4 MB; a closing quotation mark may be missing',
  );
  // Lines that have ended do not count, also where they are larger together and come as one part.
  expect(read).toBeGreaterThan(30);
  expect(read).toBeLessThan(100);
});

test('an import that breaks off keeps the rows before it, and the audit log names it', async () => {
  const url = await table();
  const id = url.split('/').at(-1) ?? '';
  const rowCount = async () => (await user.call('GET', url)).json<{ row_count: number }>().row_count;
  async function* bytes() {
    const lines = Array.from({ length: 1_200 }, (_, at) => `Person ${at},${at}`);
    yield Buffer.from(['Name,Age', ...lines, ''].join('\n'));
    while ((await rowCount()) === 0);
    throw new Error('cut off');
  }
  const { ctx, table: row } = await importContext(url);
  const input = { bytes: bytes(), max_bytes: 1024 * 1024, mapping: undefined, formulas_escaped: true };
  await expect(importCsv(ctx, row, input)).rejects.toThrow('cut off');
  expect(await rowCount()).toBe(1_000);
  const audit = await user.call('GET', `/api/audit?action=data_table.rows_imported&object_id=${id}`);
  expect(audit.json<{ items: object[] }>().items).toHaveLength(1);
});

test('text of older spreadsheets is read too', async () => {
  const url = await table();
  await send(
    `${url}/import-csv`,
    new Uint8Array([...Buffer.from('Name\nM'), 0xfc, ...Buffer.from('ller\n')]),
  );
  expect(await fetchData(url)).toEqual([{ Name: 'Müller', Age: null, Tags: null }]);
});

test('an export is read back as it was', async () => {
  const url = await table();
  const rows = [
    { Name: 'Ünal, "quoted"\nline', Age: -1.5, Tags: { b: 1, a: [true] } },
    { Name: '=1+1', Age: null, Tags: null },
  ];
  await user.call(
    'POST',
    `${url}/rows/bulk`,
    rows.map((data) => ({ data })),
  );
  const answer = await user.call('GET', `${url}/export-csv`);
  expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8');
  expect(answer.headers['content-disposition']).toMatch(/^attachment; filename="table \d+\.csv"/);
  expect(answer.body.split('\r\n')[0]).toBe('Name,Age,Tags');
  const copy = await table();
  expect((await send(`${copy}/import-csv`, answer.body)).json()).toMatchObject({ imported: 2, errors: [] });
  expect(await fetchData(copy)).toEqual(rows);
});

const FORMULAS = ['=1+1', '+1', '-1+1', '@SUM(1)', '\t=1', "'=1", "''=1", "'quoted'", '-'];

test('texts that a spreadsheet would run as formulas are escaped in an export and restored by an import', async () => {
  const url = await table();
  const rows = FORMULAS.map((Name) => ({ Name, Age: -5, Tags: null }));
  await user.call(
    'POST',
    `${url}/rows/bulk`,
    rows.map((data) => ({ data })),
  );
  const escaped = (await user.call('GET', `${url}/export-csv`)).body;
  const { data } = Papa.parse<string[]>(escaped.trim());
  const names = data.slice(1).map(([name]) => name);
  expect(names.filter((name) => /^[=+\-@\t\r]/.test(name ?? ''))).toEqual([]);
  expect(names).toContain("'=1+1");
  expect(names).toContain("'quoted'");
  // Numbers are values, not formulas.
  expect(data[1]?.[1]).toBe('-5');
  const copy = await table();
  await send(`${copy}/import-csv`, escaped);
  expect(await fetchData(copy)).toEqual(rows);
});

test('escape_formulas=false exports texts unchanged, and formulas_escaped=false imports them unchanged', async () => {
  const url = await table();
  const rows = FORMULAS.map((Name) => ({ Name, Age: null, Tags: null }));
  await user.call(
    'POST',
    `${url}/rows/bulk`,
    rows.map((data) => ({ data })),
  );
  const plain = (await user.call('GET', `${url}/export-csv?escape_formulas=false`)).body;
  expect(
    Papa.parse<string[]>(plain)
      .data.slice(1, -1)
      .map(([name]) => name),
  ).toEqual(FORMULAS);
  const copy = await table();
  await send(`${copy}/import-csv?formulas_escaped=false`, plain);
  expect(await fetchData(copy)).toEqual(rows);
});

test('refusals: an empty file, no matching header, too large, no form', async () => {
  const url = `${await table()}/import-csv`;
  expect((await send(url, '')).statusCode).toBe(400);
  const strange = await send(url, 'x,y\n1,2');
  expect(strange.statusCode).toBe(422);
  expect(strange.body).toContain('its columns are Name, Age, Tags');
  expect((await send(url, `Name\n${'x'.repeat(1024 * 1024)}`)).statusCode).toBe(413);
  expect((await user.call('POST', url, 'Name', { 'content-type': 'text/csv' })).statusCode).toBe(415);
});
