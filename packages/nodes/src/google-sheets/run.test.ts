import type { Json, JsonObject } from '@millrace/engine';
import { expect, test } from 'vitest';
import { implementations } from '../runtime.ts';
import { routedEgress } from '../testing/routed-egress.ts';
import { runNode } from '../testing/run-node.ts';
import { type SeenRequest, type ServerAnswer, serveJson } from '../testing/servers/json-server.ts';
import { columnName, headerNames, requireRange, withoutFirstRow } from './cells.ts';

const ID = '1aB_cD-eFgHiJkLmNoP';
const BOOK = `/v4/spreadsheets/${ID}`;
const refusal = (status: number, message: string, more: object = {}): ServerAnswer => ({
  status,
  body: { error: { code: status, message, ...more } },
});

/** Strict about what https://developers.google.com/workspace/sheets/api/reference/rest describes. */
function sheetsApi({ method, path, headers, query, body }: SeenRequest): ServerAnswer {
  if (headers['authorization'] !== 'Bearer canary-token') return refusal(401, 'Invalid Credentials');
  const range = decodeURIComponent(path.slice(`${BOOK}/values/`.length));
  const { values } = (body ?? {}) as { values?: unknown[][] };
  if (method === 'GET' && path === BOOK) {
    return {
      body: {
        sheets: [
          { properties: { title: "Q1 'net'", sheetId: 0, index: 0, gridProperties: { rowCount: 1000 } } },
          { properties: { title: 'Sheet1', sheetId: 77, index: 1, gridProperties: { rowCount: 1000 } } },
        ],
      },
    };
  }
  if (method === 'POST' && path === `${BOOK}:batchUpdate`)
    return { body: { spreadsheetId: ID, replies: [{}] } };
  if (method === 'POST' && path === `${BOOK}/values:batchUpdate`) {
    const { valueInputOption, data } = body as { valueInputOption: string; data: unknown[] };
    return valueInputOption === 'USER_ENTERED' && Array.isArray(data)
      ? { body: { totalUpdatedRows: data.length } }
      : refusal(400, 'data');
  }
  if (!path.startsWith(`${BOOK}/values/`)) return refusal(404, 'Requested entity was not found.');
  if (method === 'GET') {
    if (query['valueRenderOption'] !== 'UNFORMATTED_VALUE') return refusal(400, 'valueRenderOption');
    if (range.includes('A1:ZZZ1')) return { body: { range, values: [['Name', 'Total']] } };
    if (range.startsWith("'Empty'")) return { body: { range, majorDimension: 'ROWS' } };
    return {
      body: {
        range,
        values: [
          ['Name', 'Total', ''],
          ['Zoë', 12.5],
          ['Ada', 9007199254740991, 'x'],
        ],
      },
    };
  }
  if (method === 'POST' && range.endsWith(':clear'))
    return { body: { clearedRange: range.replace(':clear', '') } };
  if (query['valueInputOption'] !== 'USER_ENTERED' || !Array.isArray(values))
    return refusal(400, 'valueInputOption');
  const done = { updatedRange: range, updatedRows: values.length, updatedCells: values.flat().length };
  if (method === 'POST' && range.endsWith(':append')) {
    return { body: { updates: { ...done, updatedRange: "'Sheet1'!A4:B4" } } };
  }
  return method === 'PUT' ? { body: done } : refusal(405, 'method');
}

interface Setting {
  readonly inputs?: Record<string, Json>;
  readonly token?: string;
  readonly api?: (request: SeenRequest) => ServerAnswer;
}

async function run(data: JsonObject, { inputs = {}, token = 'canary-token', api = sheetsApi }: Setting = {}) {
  const server = await serveJson(api);
  const credential = (access_token: string) => (id: string) =>
    Promise.resolve({ id, name: 'g', type: 'google_sheets', values: { access_token } });
  const result = await runNode(
    'googleSheets',
    { credentialId: 'c', gsSpreadsheetId: ID, ...data },
    {
      inputs,
      services: {
        http: routedEgress({ 'sheets.googleapis.com': server.url }),
        credential: credential(token),
        renewedCredential: credential('canary-token'),
      },
    },
  );
  return { result, seen: server.seen };
}

const OBJECTS = [
  { rowIndex: 2, Name: 'Zoë', Total: 12.5, C: '' },
  { rowIndex: 3, Name: 'Ada', Total: 9007199254740991, C: 'x' },
];

test.each<[string, JsonObject, JsonObject, Partial<SeenRequest>]>([
  [
    'readRange',
    { gsSpreadsheetId: `https://docs.google.com/spreadsheets/d/${ID}/edit#gid=0` },
    { rows: OBJECTS, total: 2, success: true },
    { method: 'GET', path: `${BOOK}/values/'Sheet1'!A1%3AZZZ` },
  ],
  [
    'readRange',
    { gsHasHeader: false, gsStartRow: '5', gsMaxRows: '10', gsSheetName: "Q1 'net'" },
    {
      rows: [
        ['Name', 'Total', ''],
        ['Zoë', 12.5],
        ['Ada', 9007199254740991, 'x'],
      ],
      total: 3,
      success: true,
    },
    { path: `${BOOK}/values/'Q1%20''net'''!A5%3AZZZ14` },
  ],
  ['readRange', { gsSheetName: 'Empty' }, { rows: [], total: 0, success: true }, {}],
  [
    'appendRows',
    { gsValues: '[["$a.name", 3], ["b", null]]' },
    { updatedRange: "'Sheet1'!A4:B4", updatedRows: 2, success: true },
    {
      method: 'POST',
      query: { valueInputOption: 'USER_ENTERED', insertDataOption: 'INSERT_ROWS' },
      body: {
        majorDimension: 'ROWS',
        values: [
          ['A "quoted" name', 3],
          ['b', ''],
        ],
      },
    },
  ],
  [
    'appendRows',
    {
      gsValuesInputMode: 'selective',
      gsValuesSelectiveCols: '2',
      gsValues: '[["$a.name", "$a.n + 1", "cut"]]',
    },
    { updatedRange: "'Sheet1'!A4:B4", updatedRows: 1, success: true },
    { body: { majorDimension: 'ROWS', values: [['A "quoted" name', 8]] } },
  ],
  [
    'updateRange',
    { gsUpdateRow: '3', gsValues: '[{"rowIndex": 3, "Total": 5}]' },
    { updatedRange: "'Sheet1'!A3", updatedCells: 2, success: true },
    {
      method: 'PUT',
      path: `${BOOK}/values/'Sheet1'!A3`,
      body: { majorDimension: 'ROWS', values: [[null, 5]] },
    },
  ],
  [
    'clearRange',
    { gsKeepHeader: true },
    { clearedRange: "'Sheet1'!A2:Z100", success: true },
    { method: 'POST', path: `${BOOK}/values/'Sheet1'!A2%3AZ100:clear` },
  ],
  [
    'getSheetInfo',
    {},
    {
      sheets: [
        { title: "Q1 'net'", sheetId: 0, index: 0 },
        { title: 'Sheet1', sheetId: 77, index: 1 },
      ],
      success: true,
    },
    { method: 'GET', path: BOOK },
  ],
])('%s %o', async (gsOperation, data, output, request) => {
  const inputs = { a: { name: 'A "quoted" name', n: 7 } };
  const { result, seen } = await run({ gsOperation, ...data }, { inputs });
  expect(result).toEqual({ output });
  expect(seen.at(-1)).toMatchObject(request);
});

test('rows go above the others and below the header', async () => {
  const data = { gsOperation: 'appendRows', gsAppendPlacement: 'prepend', gsValues: '[["a"], ["b"]]' };
  const { result, seen } = await run(data);
  expect(result).toMatchObject({ output: { updatedRows: 2 } });
  expect(seen.map(({ body }) => body).slice(1)).toEqual([
    {
      requests: [
        {
          insertDimension: {
            range: { sheetId: 77, dimension: 'ROWS', startIndex: 1, endIndex: 3 },
            inheritFromBefore: false,
          },
        },
      ],
    },
    { majorDimension: 'ROWS', values: [['a'], ['b']] },
  ]);
});

test('rows that were inserted and could not be filled are told', async () => {
  const data = { gsOperation: 'appendRows', gsAppendPlacement: 'prepend', gsValues: '[["a"], ["b"]]' };
  const api = (request: SeenRequest) =>
    request.method === 'PUT' ? refusal(400, 'The cell is protected') : sheetsApi(request);
  const { result } = await run(data, { api });
  expect(result).toMatchObject({
    failure: {
      message: expect.stringContaining('The cell is protected. 2 empty rows were inserted at row 2.'),
    },
  });
});

test.each<[string, JsonObject, string]>([
  ['an id that is none', { gsSpreadsheetId: 'https://example.org/x' }, 'gsSpreadsheetId'],
  ['a row of zero', { gsStartRow: '0' }, 'gsStartRow'],
  ['a range that is none', { gsOperation: 'clearRange', gsRange: 'Sheet1!A1' }, 'gsRange'],
  ['values that are no list', { gsOperation: 'appendRows', gsValues: '{"a": 1}' }, 'gsValues'],
  ['a column that the sheet lacks', { gsOperation: 'appendRows', gsValues: '[{"Nmae": 1}]' }, 'gsValues'],
])('%s is refused by field', async (_title, data, field) => {
  expect((await run(data)).result).toMatchObject({ failure: { kind: 'params', field } });
});

test('a token that Google refuses is renewed once', async () => {
  const { result, seen } = await run({ gsOperation: 'getSheetInfo' }, { token: 'old' });
  expect(result).toMatchObject({ output: { success: true } });
  expect(seen).toHaveLength(2);
});

test('a credential without a sign-in is refused before a request', async () => {
  const { result, seen } = await run({}, { token: '' });
  expect(result).toMatchObject({
    failure: { kind: 'credential', message: expect.stringContaining('signed in') },
  });
  expect(seen).toEqual([]);
});

test.each<[number, object, number]>([
  [429, { status: 'RESOURCE_EXHAUSTED' }, 2],
  [403, { errors: [{ reason: 'userRateLimitExceeded' }] }, 2],
  [403, { status: 'PERMISSION_DENIED' }, 1],
])('a %i with %o is sent %i times', async (status, more, times) => {
  let calls = 0;
  const api = (request: SeenRequest) =>
    calls++ === 0 ? refusal(status, 'Quota or rights', more) : sheetsApi(request);
  const { result, seen } = await run({ gsOperation: 'appendRows', gsValues: '[["a"]]' }, { api });
  expect(seen).toHaveLength(times);
  if (times === 1) {
    expect(result).toMatchObject({ failure: { message: expect.stringContaining('Quota or rights') } });
  }
});

test('spreadsheets are chosen from the drive, sheets from the spreadsheet', async () => {
  const drive = await serveJson(({ path, query }) =>
    path === '/drive/v3/files'
      ? {
          body: {
            files: [{ id: ID, name: query['q'], modifiedTime: '2026-01-02T03:04:05Z' }],
            nextPageToken: 'p2',
          },
        }
      : { status: 404 },
  );
  const sheets = await serveJson(sheetsApi);
  const http = routedEgress({ 'www.googleapis.com': drive.url, 'sheets.googleapis.com': sheets.url });
  const caller = {
    http,
    now: () => 0,
    sleepUntil: () => Promise.resolve(),
    signal: new AbortController().signal,
    max_wait_ms: 0,
    idempotency_key: '',
  };
  const context = { caller, config: { access_token: 'canary-token' } };
  const choices = implementations.get('googleSheets')?.choices;
  expect(await choices?.['spreadsheets']?.(context, { params: {}, search: "o'clock", cursor: null })).toEqual(
    {
      items: [
        {
          value: ID,
          label:
            "trashed = false and mimeType = 'application/vnd.google-apps.spreadsheet' and name contains 'o\\'clock'",
          hint: '2026-01-02',
        },
      ],
      next_cursor: 'p2',
    },
  );
  const asked = { params: { gsSpreadsheetId: ID }, search: '1', cursor: null };
  expect(await choices?.['sheets']?.(context, asked)).toMatchObject({
    items: [{ value: "Q1 'net'" }, { value: 'Sheet1' }],
  });
});

test('names of columns, ranges and letters', () => {
  expect([0, 25, 26, 701, 702].map(columnName)).toEqual(['A', 'Z', 'AA', 'ZZ', 'AAA']);
  expect(headerNames(['a', '', 'a', 3], 5)).toEqual(['a', 'B', 'a_2', '3', 'E']);
  expect(['A1:Z100', 'A:C', '1:5', '1:1', 'B1', 'B4:C9'].map(withoutFirstRow)).toEqual([
    'A2:Z100',
    'A2:C',
    '2:5',
    undefined,
    undefined,
    'B4:C9',
  ]);
  expect(requireRange('gsRange', ' a1:b2 ')).toBe('A1:B2');
});

test('upsertRows changes the first row with the same cells, adds each other row once below the last one, and leaves cells that are not given', async () => {
  const { result, seen } = await run({
    gsOperation: 'upsertRows',
    gsMatchBy: 'Name',
    gsValues: JSON.stringify([{ Name: 'Ada', Total: 5 }, { Name: 'Bob' }, { Name: 'Bob', Total: 2 }]),
  });
  expect(result).toMatchObject({ output: { updatedRows: 1, addedRows: 1, success: true } });
  const writes = seen.filter(({ method }) => method !== 'GET');
  expect(writes.map(({ method, path, body }) => [method, decodeURIComponent(path), body])).toEqual([
    [
      'POST',
      `${BOOK}/values:batchUpdate`,
      {
        valueInputOption: 'USER_ENTERED',
        data: [{ range: "'Sheet1'!A3", majorDimension: 'ROWS', values: [['Ada', 5, null]] }],
      },
    ],
    ['PUT', `${BOOK}/values/'Sheet1'!A4`, { majorDimension: 'ROWS', values: [['Bob', 2, '']] }],
  ]);
});

test('upsertRows makes rows first where the sheet ends with its data', async () => {
  let rowCount = 3;
  const { result, seen } = await run(
    { gsOperation: 'upsertRows', gsMatchBy: 'Name', gsValues: '[{"Name": "Bob"}, {"Name": "Cy"}]' },
    {
      api: (request) => {
        const { method, path, body } = request;
        if (method === 'GET' && path === BOOK) {
          const properties = { title: 'Sheet1', sheetId: 77, index: 0, gridProperties: { rowCount } };
          return { body: { sheets: [{ properties }] } };
        }
        if (path === `${BOOK}:batchUpdate`) {
          const { requests } = body as { requests: [{ appendDimension: { length: number } }] };
          rowCount += requests[0].appendDimension.length;
        }
        const { values = [] } = (body ?? {}) as { values?: unknown[] };
        return method === 'PUT' && 4 + values.length - 1 > rowCount
          ? refusal(400, `Range (Sheet1!A4) exceeds grid limits. Max rows: ${rowCount}, max columns: 26`)
          : sheetsApi(request);
      },
    },
  );
  expect(result).toMatchObject({ output: { updatedRows: 0, addedRows: 2, success: true } });
  expect(seen.find(({ path }) => path === `${BOOK}:batchUpdate`)?.body).toEqual({
    requests: [{ appendDimension: { sheetId: 77, dimension: 'ROWS', length: 2 } }],
  });
});

test('upsertRows adds nothing when it may only change rows, and refuses a column that is not there and rows that cannot be told apart', async () => {
  const only = await run({
    gsOperation: 'upsertRows',
    gsMatchBy: 'Name',
    gsAddMissing: false,
    gsValues: '[{"Name": "Bob"}]',
  });
  expect(only.result).toMatchObject({ output: { updatedRows: 0, addedRows: 0 } });
  expect(only.seen.every(({ method }) => method === 'GET')).toBe(true);
  const blank = await run({
    gsOperation: 'upsertRows',
    gsMatchBy: 'Name',
    gsValues: '[{"Name": "Bob"}, {"Total": 1}, {"Name": "", "Total": 2}]',
  });
  expect(blank.result).toMatchObject({
    failure: { field: 'gsValues', message: expect.stringContaining('row 2 has no value for Name') as string },
  });
  expect(blank.seen.every(({ method }) => method === 'GET')).toBe(true);
  const wrong = await run({ gsOperation: 'upsertRows', gsMatchBy: 'Mail', gsValues: '[{"Name": "Bob"}]' });
  expect(wrong.result).toMatchObject({
    failure: { field: 'gsMatchBy', message: expect.stringContaining('no column "Mail"') as string },
  });
});
