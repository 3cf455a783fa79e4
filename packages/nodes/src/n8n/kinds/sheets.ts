import { isJsonObject, type Json, type JsonObject } from '@millrace/engine';
import { access } from '../expression/value.ts';
import { type Kind, NotConvertible, type Target, type ViewContext } from '../kind.ts';
import { Params } from '../params.ts';
import { type SourceNode, textOf, wordOf } from '../source.ts';
import type { View } from '../views.ts';

/** The document and the sheet, by id, address or name. */
function placeOf(to: Target): JsonObject {
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

const lookupsOf = ({ parameters }: SourceNode): Lookup[] =>
  new Params(parameters)
    .rows('filtersUI.values')
    .map((row) => ({ column: textOf(row['lookupColumn']), value: row['lookupValue'] ?? '' }))
    .filter(({ column }) => column !== '');

/** Rows are compared as texts; the filter is a part of every expression that reads them. */
function filterOf(node: SourceNode, code: ViewContext['code']): string | undefined {
  const lookups = lookupsOf(node);
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
    const rows = `.rows${filterOf(node, code) ?? ''}`;
    return { first: `${rows}[0]`, list: rows, renamed: NUMBER };
  },
  convert: (node, to) => {
    const { params } = to;
    for (const { value } of lookupsOf(node)) to.code(value);
    for (const key of ['filtersUI', 'combineFilters', 'options.returnFirstMatch', 'options.returnAllMatches'])
      params.get(key);
    if (lookupsOf(node).length > 0)
      to.say('It reads every row here; expressions after it look for those that fit', 'gsOperation');
    return { type: 'googleSheets', data: { gsOperation: 'readRange', ...placeOf(to) } };
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
      data: { gsOperation: 'clearRange', ...placeOf(to), ...gsRange, gsKeepHeader },
    };
  },
};

const MAPPED = 'autoMapInputData';
const modeOf = (params: Params): string =>
  params.text('columns.mappingMode') || params.text('dataMode', MAPPED);

/** Values by column, or undefined for the fields of the data. */
function cellsOf({ params }: Target): [string, Json][] | undefined {
  for (const key of ['columns.schema', 'columns.matchingColumns']) params.get(key);
  const value = params.get('columns.value');
  if (modeOf(params) === MAPPED) return undefined;
  if (!isJsonObject(value ?? null))
    throw new NotConvertible('it does not say which columns get which values');
  return Object.entries(value as JsonObject);
}

const rowText = (to: Target, cells: readonly (readonly [string, Json])[]): string =>
  JSON.stringify([Object.fromEntries(cells.map(([column, cell]) => [column, to.value(cell, 'gsValues')]))]);

/** New rows: a form of values by column, or the fields of all items. */
const addRows: Kind = {
  convert: (_, to) => {
    const cells = cellsOf(to);
    const gsValues = cells === undefined ? to.list() : rowText(to, cells);
    return { type: 'googleSheets', data: { gsOperation: 'appendRows', ...placeOf(to), gsValues } };
  },
};

/** A row by its number. Rows that are found by a value of theirs have no operation here. */
const changeRow: Kind = {
  convert: (_, to) => {
    const cells = cellsOf(to);
    const matching = to.params.get('columns.matchingColumns');
    const [column, ...more] = Array.isArray(matching) ? matching : [];
    if (cells === undefined || column !== 'row_number' || more.length > 0)
      throw new NotConvertible('it finds the row by a value, and not by its number');
    const number = cells.find(([name]) => name === 'row_number')?.[1];
    if (number === undefined) throw new NotConvertible('it does not say which row it changes');
    const changed = cells.filter(([name]) => name !== 'row_number');
    return {
      type: 'googleSheets',
      data: {
        gsOperation: 'updateRange',
        ...placeOf(to),
        gsUpdateRow: to.template(wordOf(number), 'gsUpdateRow'),
        gsValues: rowText(to, changed),
      },
    };
  },
};

const OPERATIONS: Readonly<Record<string, Kind>> = {
  read: readRows,
  clear: clearCells,
  append: addRows,
  update: changeRow,
};

function kindFor({ parameters }: SourceNode): Kind | undefined {
  const operation = wordOf(parameters['operation'], 'read');
  const isSheet = wordOf(parameters['resource'], 'sheet') === 'sheet';
  return isSheet && Object.hasOwn(OPERATIONS, operation) ? OPERATIONS[operation] : undefined;
}

export const googleSheets: Kind = {
  takesList: (node) => kindFor(node) === addRows && modeOf(new Params(node.parameters)) === MAPPED,
  view: (node, output, context) => kindFor(node)?.view?.(node, output, context) ?? {},
  convert: (node, to) => {
    const kind = kindFor(node);
    if (kind !== undefined) return kind.convert(node, to);
    const { params } = to;
    const written = `${params.text('resource', 'sheet')}: ${params.text('operation', 'read')}`;
    throw new NotConvertible(`the operation "${written}" has no equal here`);
  },
};
