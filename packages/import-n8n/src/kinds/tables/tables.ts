import { isJsonObject, type Json, type JsonObject, readText } from '@millrace/engine';
import { formatScalar } from '../../source/source.ts';
import { rowsView, type View } from '../../views/views.ts';
import { type Kind, NotConvertible, type Target } from '../kind.ts';

interface Condition {
  readonly column: string;
  readonly operator: string;
  readonly value: Json;
}

function conditionsAt({ params }: Target, path: string): Condition[] {
  const rows = params.rows(path);
  params.get('filters');
  return rows.map((row) => ({
    column: formatScalar(row['keyName'], 'id'),
    operator: formatScalar(row['condition'], 'eq'),
    value: row['keyValue'] ?? '',
  }));
}

/** `{"column": value}`, or a comparison that the function writes. */
function buildFilter(to: Target, conditions: readonly Condition[], compare: Compare): string {
  const columns = conditions.map(({ column }) => column);
  if (new Set(columns).size < columns.length)
    throw new NotConvertible('its filter has several conditions of one column');
  const parts = conditions.map(
    (condition) =>
      `${JSON.stringify(condition.column)}: ${compare(condition.operator, to.code(condition.value).code)}`,
  );
  return parts.length === 0 ? '{}' : `$({${parts.join(', ')}})`;
}

type Compare = (operator: string, code: string) => string;

const unknown = (operator: string): never => {
  throw new NotConvertible(`the condition "${operator}" has no equal here`);
};

const COMPARISONS: Readonly<Record<string, (code: string) => string>> = {
  eq: (code) => code,
  neq: (code) => `{"$ne": ${code}}`,
  gt: (code) => `{"$gt": ${code}}`,
  gte: (code) => `{"$gte": ${code}}`,
  lt: (code) => `{"$lt": ${code}}`,
  lte: (code) => `{"$lte": ${code}}`,
  isEmpty: () => 'null',
  isNotEmpty: () => '{"$ne": null}',
  isTrue: () => 'true',
  isFalse: () => 'false',
};

/** Columns that every table has, by the names of n8n. */
const OWN_COLUMNS: Readonly<Record<string, string>> = { createdAt: 'created_at', updatedAt: 'updated_at' };

function rowFilter(to: Target): string {
  const conditions = conditionsAt(to, 'filters.conditions');
  const isAny = to.params.text('matchType', 'anyCondition') === 'anyCondition';
  if (isAny && conditions.length > 1)
    throw new NotConvertible('one of several conditions is enough in its filter');
  const renamed = conditions.map((condition) => ({
    ...condition,
    column:
      (Object.hasOwn(OWN_COLUMNS, condition.column) ? OWN_COLUMNS[condition.column] : undefined) ??
      condition.column,
  }));
  return buildFilter(to, renamed, (operator, code) =>
    Object.hasOwn(COMPARISONS, operator) ? (COMPARISONS[operator]?.(code) ?? '') : unknown(operator),
  );
}

/** The id of the one row that the filter finds. */
function rowId(to: Target): string {
  const [condition, ...more] = conditionsAt(to, 'filters.conditions');
  to.params.get('matchType');
  const isId = condition?.column === 'id' && condition.operator === 'eq';
  if (!isId || more.length > 0)
    throw new NotConvertible('it changes all rows that a filter finds, and not one by its id');
  return to.template(readText(condition.value), 'dataTableRowId');
}

/** Values by column, or the fields of the data. */
function rowValues(to: Target): JsonObject {
  const { params } = to;
  const value = params.get('columns.value');
  const mode = params.text('columns.mappingMode', 'defineBelow');
  for (const key of ['columns', 'options.optimizeBulk']) params.get(key);
  if (mode === 'autoMapInputData')
    return { dataTableInputMode: 'raw', dataTableData: to.whole('dataTableData') };
  const entries = isJsonObject(value ?? null) ? Object.entries(value as JsonObject) : [];
  const fields = entries.map(([key, cell]) => ({ key, value: to.value(cell, 'dataTableFields') }));
  return { dataTableInputMode: 'selective', dataTableFields: fields };
}

/** Rows are `{id, data, created_at}` here, and one object in n8n. */
const ROW = JSON.stringify('dict(item.data, id=item.id, createdAt=item.created_at)');
const FOUND: View = { first: `.rows.map(${ROW})[0]`, list: `.rows.map(${ROW})` };
const WRITTEN: View = { first: '.row.data', made: { id: (item) => item.replace(/data$/, 'id') } };

type RowOperation = (to: Target) => JsonObject;

const ROWS: Readonly<Record<string, RowOperation>> = {
  get: (to) => {
    const { params } = to;
    const limit = params.flag('returnAll') ? 0 : to.number('limit', 50, 'dataTableLimit');
    const order = params.text('orderByColumn', 'createdAt');
    const column = (Object.hasOwn(OWN_COLUMNS, order) ? OWN_COLUMNS[order] : undefined) ?? order;
    const isUp = params.text('orderByDirection', 'DESC') === 'ASC';
    const dataTableSort = params.flag('orderBy') ? `${isUp ? '' : '-'}${column}` : '';
    return {
      dataTableOperation: 'find',
      dataTableFilter: rowFilter(to),
      dataTableLimit: limit,
      dataTableSort,
    };
  },
  insert: (to) => ({ dataTableOperation: 'insert', ...rowValues(to) }),
  update: (to) => ({ dataTableOperation: 'update', dataTableRowId: rowId(to), ...rowValues(to) }),
  upsert: (to) => {
    to.say('It changes the oldest row that the filter finds here, and not all of them', 'dataTableFilter');
    return { dataTableOperation: 'upsert', dataTableFilter: rowFilter(to), ...rowValues(to) };
  },
  deleteRows: (to) => ({ dataTableOperation: 'remove', dataTableRowId: rowId(to) }),
};

const dataTable: Kind = {
  view: ({ parameters }) => {
    const operation = formatScalar(parameters['operation'], 'insert');
    if (operation === 'get') return FOUND;
    return ['insert', 'update', 'upsert'].includes(operation) ? WRITTEN : {};
  },
  convert: (_, to) => {
    const { params } = to;
    const [resource, operation] = [params.text('resource', 'row'), params.text('operation', 'insert')];
    const convert = resource === 'row' && Object.hasOwn(ROWS, operation) ? ROWS[operation] : undefined;
    if (convert === undefined)
      throw new NotConvertible(`the operation "${resource}: ${operation}" has no equal here`);
    if (params.flag('options.dryRun')) throw new NotConvertible('it only tries what it would change');
    params.get('dataTableId');
    const data = convert(to);
    to.say('Choose the data table; ids of n8n are not known here', 'dataTableId');
    return { type: 'dataTable', data: { dataTableId: '', ...data } };
  },
};

const POSTGREST = new Set('eq neq gt gte lt lte like ilike is'.split(' '));

/** A filter of the form, in the format of the node here. */
function supabaseFilter(to: Target): string {
  const { params } = to;
  const type = params.text('filterType', 'manual');
  if (type === 'none') return '{}';
  if (type !== 'manual') throw new NotConvertible('its filter is written as a query');
  const conditions = conditionsAt(to, 'filters.conditions');
  const isAny = params.text('matchType', 'anyFilter') === 'anyFilter';
  const compare: Compare = (operator, code) => {
    if (!POSTGREST.has(operator)) unknown(operator);
    return operator === 'eq' ? code : `{"${operator}": ${code}}`;
  };
  if (!isAny || conditions.length < 2) return buildFilter(to, conditions, compare);
  const each = conditions.map((condition) => buildFilter(to, [condition], compare).slice(2, -1));
  return `$({"or": [${each.join(', ')}]})`;
}

function supabaseValues(to: Target): { key: string; value: Json }[] | undefined {
  const { params } = to;
  const rows = params.rows('fieldsUi.fieldValues');
  params.get('fieldsUi');
  if (params.text('dataToSend', 'defineBelow') === 'autoMapInputData') return undefined;
  return rows.map((row) => ({
    key: readText(row['fieldId']),
    value: to.value(row['fieldValue'] ?? '', 'supabaseData'),
  }));
}

const asJson = (values: readonly { key: string; value: Json }[]): string =>
  JSON.stringify(Object.fromEntries(values.map(({ key, value }) => [key, value])));

const SUPABASE: Readonly<Record<string, RowOperation>> = {
  create: (to) => {
    const values = supabaseValues(to);
    const ignored = { supabaseIgnoredInputFields: to.params.text('inputsToIgnore') };
    if (values === undefined)
      return { supabaseOperation: 'insert', supabaseRowsInputMode: 'auto', ...ignored };
    return { supabaseOperation: 'insert', supabaseRowsInputMode: 'raw', supabaseRows: asJson(values) };
  },
  get: (to) => {
    const filter = buildFilter(to, conditionsAt(to, 'filters.conditions'), (_, code) => code);
    return { supabaseOperation: 'select', supabaseFilter: filter, supabaseLimit: '1' };
  },
  getAll: (to) => {
    const all = to.params.flag('returnAll');
    const limit = all ? '0' : to.template(to.params.text('limit', '50'), 'supabaseLimit');
    const hasFilter =
      to.params.text('filterType', 'none') !== 'none' || to.params.rows('filters.conditions').length > 0;
    const filter = hasFilter ? supabaseFilter(to) : '{}';
    return { supabaseOperation: 'select', supabaseFilter: filter, supabaseLimit: limit };
  },
  update: (to) => {
    const values = supabaseValues(to);
    const data = { supabaseOperation: 'update', supabaseFilter: supabaseFilter(to) };
    if (values === undefined) return { ...data, supabaseDataInputMode: 'auto' };
    return { ...data, supabaseDataInputMode: 'raw', supabaseData: asJson(values) };
  },
  delete: (to) => ({ supabaseOperation: 'delete', supabaseFilter: supabaseFilter(to) }),
};

const supabase: Kind = {
  view: () => rowsView,
  convert: (_, to) => {
    const { params } = to;
    for (const key of ['resource', 'useCustomSchema']) params.get(key);
    const operation = params.text('operation', 'create');
    const convert = Object.hasOwn(SUPABASE, operation) ? SUPABASE[operation] : undefined;
    if (convert === undefined) throw new NotConvertible(`the operation "${operation}" has no equal here`);
    const data = convert(to);
    return {
      type: 'supabase',
      data: {
        ...data,
        supabaseTable: to.template(params.text('tableId'), 'supabaseTable'),
        supabaseSchema: to.template(params.text('schema', 'public'), 'supabaseSchema'),
      },
    };
  },
};

const graphql: Kind = {
  convert: (_, to) => {
    const { params } = to;
    const query = params.text('query');
    if (query.startsWith('=') && query.includes('{{'))
      throw new NotConvertible('its query has expressions inside; use variables');
    if (params.text('responseFormat', 'json') !== 'json')
      throw new NotConvertible('it reads its answer as text');
    for (const key of ['requestMethod', 'requestFormat']) params.get(key);
    const headers = params.rows('headerParametersUi.parameter');
    params.get('headerParametersUi');
    if (params.text('authentication', 'none') !== 'none')
      to.say('Add the sign-in to the headers, such as Authorization: Bearer $credentials.name', 'headers');
    const variables = params.text('variables');
    return {
      type: 'graphql',
      data: {
        endpoint: to.template(params.text('endpoint'), 'endpoint'),
        query: query.replace(/^=/, ''),
        variables: variables === '' ? '{}' : to.json(variables, 'variables'),
        operationName: to.template(params.text('operationName'), 'operationName'),
        headers: headers.map((row) => ({
          key: readText(row['name']),
          value: to.value(row['value'] ?? '', 'headers'),
        })),
      },
    };
  },
};

export const tables: Readonly<Record<string, Kind>> = { dataTable, supabase, graphql };
