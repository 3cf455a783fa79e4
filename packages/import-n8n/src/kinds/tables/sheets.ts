import { isJsonObject, type Json, type JsonObject, readText } from '@millrace/engine';
import { access } from '../../expression/value.ts';
import { Params } from '../../source/params.ts';
import { formatScalar, type SourceNode } from '../../source/source.ts';
import { PASSES_ON, type View } from '../../views/views.ts';
import { type Kind, NotConvertible, type Target, type ViewContext } from '../kind.ts';

/** The document and the sheet, by id, address or name. */
function readPlace(to: Target): JsonObject {
  const { params } = to;
  for (const key of ['resource', 'operation', 'authentication']) params.get(key);
  const document = params.text('documentId') || params.text('sheetId');
  return {
    gsSpreadsheetId: to.template(document, 'gsSpreadsheetId'),
    gsSheetName: to.template(params.text('sheetName'), 'gsSheetName'),
  };
}

/** Rows have their number, by another name. */
const NUMBER = { row_number: 'rowIndex' };

interface Lookup {
  readonly column: string;
  readonly value: Json;
}

const readLookups = ({ parameters }: SourceNode): Lookup[] =>
  new Params(parameters)
    .rows('filtersUI.values')
    .map((row) => ({ column: readText(row['lookupColumn']), value: row['lookupValue'] ?? '' }))
    .filter(({ column }) => column !== '');

/** Rows are compared as texts; the filter is a part of every expression that reads them. */
function buildFilter(node: SourceNode, code: ViewContext['code']): string | undefined {
  const lookups = readLookups(node);
  const tests = lookups.map(({ column, value }) => {
    const wanted = code(value);
    return wanted === undefined ? undefined : `concat(item${access(column)}) == concat(${wanted})`;
  });
  if (tests.includes(undefined)) return undefined;
  const isAny = new Params(node.parameters).text('combineFilters') === 'OR';
  const isFirst = new Params(node.parameters).flag('options.returnFirstMatch');
  const test = tests.join(isAny ? ' or ' : ' and ');
  return `${test === '' ? '' : `.filter(${JSON.stringify(test)})`}${isFirst ? '.take(1)' : ''}`;
}

const readRows: Kind = {
  view: (node, _, { code }): View => {
    const rows = `.rows${buildFilter(node, code) ?? ''}`;
    return { first: `${rows}[0]`, list: rows, renamed: NUMBER };
  },
  convert: (node, to) => {
    const { params } = to;
    for (const { value } of readLookups(node)) to.code(value);
    for (const key of ['filtersUI', 'combineFilters', 'options.returnFirstMatch', 'options.returnAllMatches'])
      params.get(key);
    if (readLookups(node).length > 0)
      to.say('It reads every row here; expressions after it look for those that fit', 'gsOperation');
    return { type: 'googleSheets', data: { gsOperation: 'readRange', ...readPlace(to) } };
  },
};

/** Every column that a sheet can have. */
const WHOLE_SHEET = 'A:ZZZ';

const clearCells: Kind = {
  convert: (_, to) => {
    const { params } = to;
    const how = params.text('clear', 'wholeSheet');
    if (how !== 'wholeSheet' && how !== 'specificRange') throw new NotConvertible(`it clears "${how}"`);
    const range = how === 'wholeSheet' ? WHOLE_SHEET : params.text('range');
    const gsRange = { gsRange: to.template(range, 'gsRange') };
    const gsKeepHeader = params.flag('keepFirstRow');
    return {
      type: 'googleSheets',
      data: { gsOperation: 'clearRange', ...readPlace(to), ...gsRange, gsKeepHeader },
    };
  },
};

const MAPPED = 'autoMapInputData';
const readMode = (params: Params): string =>
  params.text('columns.mappingMode') || params.text('dataMode', MAPPED);

/** Values by column, or undefined for the fields of the data. */
function readCells({ params }: Target): [string, Json][] | undefined {
  for (const key of ['columns.schema', 'columns.matchingColumns']) params.get(key);
  const value = params.get('columns.value');
  if (readMode(params) === MAPPED) return undefined;
  if (!isJsonObject(value ?? null))
    throw new NotConvertible('it does not say which columns get which values');
  return Object.entries(value as JsonObject);
}

const rowText = (to: Target, cells: readonly (readonly [string, Json])[]): string =>
  JSON.stringify([Object.fromEntries(cells.map(([column, cell]) => [column, to.value(cell, 'gsValues')]))]);

/** n8n hands on what it has written: the values of the form, or the data as it came. */
function writtenView({ parameters }: SourceNode, _: number, { code }: ViewContext): View {
  const params = new Params(parameters);
  const value = params.get('columns.value');
  if (readMode(params) === MAPPED || !isJsonObject(value ?? null)) return PASSES_ON;
  const made = Object.entries(value as JsonObject).flatMap(([name, cell]) => {
    const written = code(cell);
    return written === undefined ? [] : [[name, () => `(${written})`] as const];
  });
  return { made: Object.fromEntries(made) };
}

/** New rows: a form of values by column, or the fields of all items. */
const addRows: Kind = {
  view: writtenView,
  convert: (_, to) => {
    const cells = readCells(to);
    const gsValues = cells === undefined ? to.list() : rowText(to, cells);
    return { type: 'googleSheets', data: { gsOperation: 'appendRows', ...readPlace(to), gsValues } };
  },
};

/** Columns by which rows are found; before version 4 one of them has a parameter of its own. */
function matchedBy({ params }: Target): string[] {
  const stored = params.get('columns.matchingColumns');
  const older = params.text('columnToMatchOn') || params.text('key');
  const names = Array.isArray(stored) ? stored.map((name) => formatScalar(name)) : [];
  return names.length === 0 && older !== '' ? [older] : names;
}

/** Values by column, beside the value that the row is found by in versions before 4.4. */
function matchedCells(to: Target): [string, Json][] | undefined {
  const { params } = to;
  const rows = params.rows('fieldsUi.values');
  params.get('fieldsUi');
  if (params.text('dataMode') !== 'defineBelow' && rows.length === 0) return readCells(to);
  const [column = ''] = matchedBy(to);
  const value = params.get('valueToMatchOn') ?? '';
  const named = rows.map((row): [string, Json] => [
    formatScalar(row['column'], formatScalar(row['fieldId'])),
    row['fieldValue'] ?? '',
  ]);
  return [...(column === '' ? [] : ([[column, value]] as [string, Json][])), ...named];
}

/** Rows that are found by some of their cells; those that are not there are added, or left out. */
const matchRow = (isAdded: boolean): Kind => ({
  view: writtenView,
  convert: (_, to) => {
    const cells = matchedCells(to);
    const by = matchedBy(to).filter((name) => name !== '');
    if (by.length === 0)
      to.say('Enter the columns by which rows are found; the export names none', 'gsMatchBy');
    const gsValues = cells === undefined ? to.list() : rowText(to, cells);
    return {
      type: 'googleSheets',
      data: {
        gsOperation: 'upsertRows',
        ...readPlace(to),
        gsMatchBy: by.join(', '),
        gsAddMissing: isAdded,
        gsValues,
      },
    };
  },
});

const changeMatching = matchRow(false);

/** A row by its number, or those that have some values. */
const changeRow: Kind = {
  view: writtenView,
  convert: (node, to) => {
    const by = matchedBy(to);
    if (by.length !== 1 || by[0] !== 'row_number') return changeMatching.convert(node, to);
    const cells = readCells(to);
    if (cells === undefined) throw new NotConvertible('it does not say which row it changes');
    const number = cells.find(([name]) => name === 'row_number')?.[1];
    if (number === undefined) throw new NotConvertible('it does not say which row it changes');
    const changed = cells.filter(([name]) => name !== 'row_number');
    return {
      type: 'googleSheets',
      data: {
        gsOperation: 'updateRange',
        ...readPlace(to),
        gsUpdateRow: to.template(formatScalar(number), 'gsUpdateRow'),
        gsValues: rowText(to, changed),
      },
    };
  },
};

const OPERATIONS: Readonly<Record<string, Kind>> = {
  read: readRows,
  clear: clearCells,
  append: addRows,
  appendOrUpdate: matchRow(true),
  update: changeRow,
};

function kindFor({ parameters }: SourceNode): Kind | undefined {
  const operation = formatScalar(parameters['operation'], 'read');
  const isSheet = formatScalar(parameters['resource'], 'sheet') === 'sheet';
  return isSheet && Object.hasOwn(OPERATIONS, operation) ? OPERATIONS[operation] : undefined;
}

export const googleSheets: Kind = {
  takesList: (node) => kindFor(node) !== readRows && readMode(new Params(node.parameters)) === MAPPED,
  view: (node, output, context) => kindFor(node)?.view?.(node, output, context) ?? {},
  convert: (node, to) => {
    const kind = kindFor(node);
    if (kind !== undefined) return kind.convert(node, to);
    const { params } = to;
    const written = `${params.text('resource', 'sheet')}: ${params.text('operation', 'read')}`;
    throw new NotConvertible(`the operation "${written}" has no equal here`);
  },
};
