import { isJsonObject, type Json, type JsonObject, readTextAt } from '@millrace/engine';
import type { z } from 'zod';
import { type ChoiceContext, type ChoiceRequest, implement, type NodeCall } from '../implement.ts';
import { buildConnection, callJson, path } from '../kit/integration/call-json.ts';
import { choicesFrom } from '../kit/integration/choices.ts';
import { driveChoices } from '../kit/integration/drive-choices.ts';
import { atService, connectGoogle, type Google, googleId } from '../kit/integration/google.ts';
import { readCount, requiredText } from '../kit/integration/object-input.ts';
import { listIn } from '../kit/integration/paging.ts';
import { refusedParam } from '../kit/refused-param.ts';
import { partlyDone } from '../kit/runs/partly-done.ts';
import { parsedJson } from '../kit/text/parsed-json.ts';
import { namesIn } from '../kit/values/list/items.ts';
import {
  type Cell,
  cellRows,
  headerNames,
  inSheet,
  matchRows,
  requireRange,
  toRows,
  withoutFirstRow,
} from './cells.ts';
import { googleSheetsCredential } from './credential.ts';
import { googleSheets } from './definition.ts';

type Params = z.output<typeof googleSheets.params>;
type Operation = Params['gsOperation'];
type Call = NodeCall<Params>;

/** https://developers.google.com/workspace/sheets/api/reference/rest */
interface Sheets {
  readonly params: Params;
  readonly node: Call;
  readonly call: Google['call'];
}

const TITLE = 'Google Sheets';
/** The widest and longest that Google allows. */
const LAST_COLUMN = 'ZZZ';
const MOST_ROWS = 10_000_000;
const DRIVE = 'https://www.googleapis.com';
/** The fields that `sheetsIn` reads. */
const SHEET_FIELDS = 'sheets.properties(title,sheetId,index,gridProperties.rowCount)';
const MIME = 'application/vnd.google-apps.spreadsheet';

export const runGoogleSheets = implement(
  googleSheets,
  async (node: Call) => {
    const { call } = await connectGoogle(node, { title: TITLE, credential: googleSheetsCredential });
    const output = await OPERATIONS[node.params.gsOperation]({ params: node.params, node, call });
    return { output: { ...output, success: true } };
  },
  {
    choices: { spreadsheets, sheets },
    connections: {
      /** Google Sheets lists nothing itself; what the sign-in may do is shown by the names of the spreadsheets. */
      google_sheets: async (context) => {
        await spreadsheets(context, { params: {}, search: '', cursor: null });
      },
    },
  },
);

const OPERATIONS: Readonly<Record<Operation, (sheets: Sheets) => Promise<JsonObject>>> = {
  async readRange({ params, call }) {
    const start = rowNumber(params, 'gsStartRow');
    const count = readCount(params, 'gsMaxRows', { most: MOST_ROWS, usual: MOST_ROWS });
    const hasHeader = params.gsHasHeader;
    const last = start + count - 1 + (hasHeader ? 1 : 0);
    const cells = `A${start}:${LAST_COLUMN}${count === MOST_ROWS ? '' : last}`;
    const values = await read({ params, call }, cells);
    const rows = toRows(values, { start, hasHeader });
    return { rows, total: rows.length };
  },
  async appendRows(sheets) {
    const { params, call } = sheets;
    const values = await readValues(sheets);
    if (values.length === 0) return { updatedRange: '', updatedRows: 0 };
    if (params.gsAppendPlacement === 'prepend') return prepend(sheets, values);
    const { body } = await call({
      method: 'POST',
      path: `${rangePath(params)}:append`,
      query: { valueInputOption: 'USER_ENTERED', insertDataOption: 'INSERT_ROWS' },
      body: { majorDimension: 'ROWS', values: values.map((row) => row.map((cell) => cell ?? '')) },
      effect: 'unsafe',
    });
    return updated(isJsonObject(body) ? body['updates'] : undefined);
  },
  async updateRange(sheets) {
    const values = await readValues(sheets);
    if (values.length === 0) return { updatedRange: '', updatedCells: 0 };
    const body = await write(sheets, rowNumber(sheets.params, 'gsUpdateRow'), values);
    return { updatedRange: readTextAt(body, 'updatedRange'), updatedCells: numberIn(body, 'updatedCells') };
  },
  upsertRows,
  async clearRange({ params, call }) {
    const given = requireRange('gsRange', params.gsRange);
    const range = params.gsKeepHeader ? withoutFirstRow(given) : given;
    if (range === undefined) return { clearedRange: '' };
    const { body } = await call({
      method: 'POST',
      path: `${rangePath(params, range)}:clear`,
      body: {},
      effect: 'idempotent',
    });
    return { clearedRange: readTextAt(body, 'clearedRange') };
  },
  async getSheetInfo({ params, call }) {
    const { body } = await call({
      path: spreadsheetPath(params),
      query: { fields: SHEET_FIELDS },
      effect: 'read',
    });
    return { sheets: sheetsIn(body).map(({ title, sheetId, index }) => ({ title, sheetId, index })) };
  },
};

/** Repeating it finds the rows that it added, by the same columns. */
async function upsertRows(sheets: Sheets): Promise<JsonObject> {
  const { params, node, call } = sheets;
  const by = namesIn(requiredText(params, 'gsMatchBy'));
  const rows = evaluatedValues(node, params.gsValues);
  if (rows.length === 0) return { updatedRows: 0, addedRows: 0 };
  const [header = [], ...stored] = await read({ params, call }, `A1:${LAST_COLUMN}`);
  const names = headerNames(header, header.length);
  const given = await cellRows(rows, () => Promise.resolve(names));
  const { changed, added } = matchRows({ names, by, stored, given });
  if (changed.length > 0) {
    await call({
      method: 'POST',
      path: `${spreadsheetPath(params)}/values:batchUpdate`,
      body: {
        valueInputOption: 'USER_ENTERED',
        data: changed.map(({ row, cells }) => ({
          range: inSheet(requiredText(params, 'gsSheetName'), `A${row}`),
          majorDimension: 'ROWS',
          values: [cells],
        })),
      },
      effect: 'idempotent',
    });
  }
  if (added.length === 0 || !params.gsAddMissing) return { updatedRows: changed.length, addedRows: 0 };
  const values = added.map((row) => row.map((cell) => cell ?? ''));
  // Below the header and the stored rows.
  const first = stored.length + 2;
  await makeRows(sheets, first + values.length - 1)
    .then(() => write(sheets, first, values))
    .catch(partlyDone(`${changed.length} rows were changed`));
  return { updatedRows: changed.length, addedRows: added.length };
}

/** Google refuses values behind the last row of a sheet. A repetition finds the rows; at worst some of them stay empty. */
async function makeRows({ params, call }: Sheets, count: number): Promise<void> {
  const { sheetId, rowCount } = await fetchSheet({ params, call });
  if (rowCount >= count) return;
  const more = { sheetId, dimension: 'ROWS', length: count - rowCount };
  await call({
    method: 'POST',
    path: `${spreadsheetPath(params)}:batchUpdate`,
    body: { requests: [{ appendDimension: more }] },
    effect: 'idempotent',
  });
}

/** The sheet that the node names. */
async function fetchSheet({ params, call }: Pick<Sheets, 'params' | 'call'>): Promise<SheetProperties> {
  const { body } = await call({
    path: spreadsheetPath(params),
    query: { fields: SHEET_FIELDS },
    effect: 'read',
  });
  const name = requiredText(params, 'gsSheetName');
  const sheet = sheetsIn(body).find(({ title }) => title === name);
  if (!sheet) throw refusedParam('gsSheetName', `the spreadsheet has no sheet "${name.slice(0, 60)}"`);
  return sheet;
}

/** Puts rows above the others, below the header if there is one. */
async function prepend(sheets: Sheets, values: Cell[][]): Promise<JsonObject> {
  const { params, call } = sheets;
  const first = params.gsHasHeader ? 1 : 0;
  const { sheetId } = await fetchSheet({ params, call });
  const range = {
    sheetId,
    dimension: 'ROWS',
    startIndex: first,
    endIndex: first + values.length,
  };
  await call({
    method: 'POST',
    path: `${spreadsheetPath(params)}:batchUpdate`,
    body: { requests: [{ insertDimension: { range, inheritFromBefore: false } }] },
    effect: 'unsafe',
  });
  const empty = partlyDone(`${values.length} empty rows were inserted at row ${first + 1}`);
  return updated(await write(sheets, first + 1, values).catch(empty));
}

async function write({ params, call }: Sheets, row: number, values: Cell[][]): Promise<Json> {
  const { body } = await call({
    method: 'PUT',
    path: rangePath(params, `A${row}`),
    query: { valueInputOption: 'USER_ENTERED' },
    body: { majorDimension: 'ROWS', values },
    effect: 'idempotent',
  });
  return body;
}

async function read({ params, call }: Pick<Sheets, 'params' | 'call'>, cells: string): Promise<Json[][]> {
  const { body } = await call({
    path: rangePath(params, cells),
    query: {
      majorDimension: 'ROWS',
      valueRenderOption: 'UNFORMATTED_VALUE',
      dateTimeRenderOption: 'FORMATTED_STRING',
    },
    effect: 'read',
  });
  // An empty range has no values at all.
  const values = isJsonObject(body) ? (body['values'] ?? []) : [];
  return (Array.isArray(values) ? values : []).map((row) => (Array.isArray(row) ? row : []));
}

/** The values to write. Cell by cell, each is evaluated by itself, so that its text may hold any sign. */
async function readValues({ params, node, call }: Sheets): Promise<Cell[][]> {
  const isSelective = params.gsValuesInputMode === 'selective';
  const stored = isSelective ? parsedValues(params.gsValues) : evaluatedValues(node, params.gsValues);
  const rows = isSelective
    ? selectedCells(params, stored).map((row) => row.map((cell) => evaluated(node, cell)))
    : stored;
  return cellRows(rows, async () => {
    const [header = []] = await read({ params, call }, `A1:${LAST_COLUMN}1`);
    return headerNames(header, header.length);
  });
}

function parsedValues(value: unknown): Json[] {
  const parsed = typeof value === 'string' ? jsonIn(value) : (value as Json | undefined);
  if (Array.isArray(parsed)) return parsed;
  throw refusedParam('gsValues', 'must be a JSON list of rows such as [["Ada", 36]]');
}

const jsonIn = (text: string): Json | undefined => (text.trim() === '' ? [] : parsedJson(text));

/** JSON whose texts may hold expressions, or one expression for all of it. */
function evaluatedValues(node: Call, value: unknown): Json[] {
  const parsed = typeof value === 'string' ? jsonIn(value) : (value as Json | undefined);
  if (parsed === undefined && typeof value === 'string') return parsedValues(node.evaluate(value, 'value'));
  return parsedValues(parsed).map((row) => {
    if (Array.isArray(row)) return row.map((cell) => evaluated(node, cell));
    if (!isJsonObject(row)) return evaluated(node, row);
    return Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, evaluated(node, cell)]));
  });
}

const evaluated = (node: Call, cell: Json): Json =>
  typeof cell === 'string' && cell.includes('$') ? node.evaluate(cell, 'value') : cell;

function selectedCells(params: Params, values: readonly Json[]): Json[][] {
  const rows = readCount(params, 'gsValuesSelectiveRows', { most: 1_000, usual: 1 });
  const columns = readCount(params, 'gsValuesSelectiveCols', { most: 1_000, usual: 3 });
  return Array.from({ length: rows }, (_row, at) => {
    const row = values[at];
    return Array.from({ length: columns }, (_column, index) =>
      Array.isArray(row) ? (row[index] ?? '') : '',
    );
  });
}

function rowNumber(params: Params, name: 'gsStartRow' | 'gsUpdateRow'): number {
  const row = readCount(params, name, { most: 1, usual: MOST_ROWS });
  const given = Number(params[name]);
  if (Number.isInteger(given) && given >= 1 && row >= 1) return given;
  throw refusedParam(name, 'must be the number of a row, 1 or more');
}

const spreadsheetPath = (params: Params): string =>
  path`/spreadsheets/${googleId(params, 'gsSpreadsheetId')}`;

const rangePath = (params: Params, cells?: string): string =>
  `${spreadsheetPath(params)}${path`/values/${inSheet(requiredText(params, 'gsSheetName'), cells)}`}`;

const numberIn = (body: Json | undefined, name: string): number => {
  const value = isJsonObject(body) ? body[name] : undefined;
  return typeof value === 'number' ? value : 0;
};

const updated = (body: Json | undefined): JsonObject => ({
  updatedRange: readTextAt(body, 'updatedRange'),
  updatedRows: numberIn(body, 'updatedRows'),
});

interface SheetProperties {
  readonly title: string;
  readonly sheetId: number;
  readonly index: number;
  readonly rowCount: number;
}

const sheetsIn = (body: Json): SheetProperties[] =>
  listIn(TITLE, body, 'sheets').map((sheet) => {
    const properties = isJsonObject(sheet) ? sheet['properties'] : undefined;
    return {
      title: readTextAt(properties, 'title'),
      sheetId: numberIn(properties, 'sheetId'),
      index: numberIn(properties, 'index'),
      rowCount: numberIn(isJsonObject(properties) ? properties['gridProperties'] : undefined, 'rowCount'),
    };
  });

/** Spreadsheets that the account sees, the latest first. */
function spreadsheets({ caller, config }: ChoiceContext, request: ChoiceRequest) {
  const connection = atService(buildConnection(TITLE, googleSheetsCredential, config), DRIVE);
  return driveChoices({ caller, connection }, { mime_type: MIME }, request);
}

async function sheets({ caller, config }: ChoiceContext, request: ChoiceRequest) {
  const connection = buildConnection(TITLE, googleSheetsCredential, config);
  const id = googleId(request.params, 'gsSpreadsheetId');
  const { body } = await callJson(caller, connection, {
    path: path`/spreadsheets/${id}`,
    query: { fields: SHEET_FIELDS },
    effect: 'read',
  });
  return choicesFrom(sheetsIn(body), request, ({ title }) => ({ value: title, label: title }));
}
