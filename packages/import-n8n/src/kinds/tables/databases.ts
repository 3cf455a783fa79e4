import { isJsonObject, type Json, type JsonObject, readText } from '@millrace/engine';
import { rowsView } from '../../views/views.ts';
import { type Kind, NotConvertible, type Target } from '../kind.ts';

type Database = 'postgres' | 'mysql';

/** Conditions of n8n's forms, in both spellings. */
const OPERATORS: Readonly<Record<string, string>> = {
  equal: 'eq',
  '=': 'eq',
  '!=': 'neq',
  LIKE: 'like',
  '>': 'gt',
  '>=': 'gte',
  '<': 'lt',
  '<=': 'lte',
};

/** The filter of a form as one object. Each column may be named once, since names are keys. */
function buildWhere(to: Target): string {
  const rows = to.params.rows('where.values');
  to.params.get('where');
  const how = to.params.text('combineConditions', 'AND');
  const columns = rows.map((row) => readText(row['column']));
  if ((how !== 'AND' && rows.length > 1) || new Set(columns).size < columns.length)
    throw new NotConvertible('its filter has conditions of which one is enough, or several of one column');
  const parts = rows.map((row, index): [string, string] => {
    const condition = readText(row['condition']) || readText(row['operator']) || 'equal';
    const column = columns[index] ?? '';
    if (condition === 'IS NULL') return [column, 'null'];
    if (condition === 'IS NOT NULL') return [column, '{"neq": null}'];
    const operator = Object.hasOwn(OPERATORS, condition) ? OPERATORS[condition] : undefined;
    if (operator === undefined) throw new NotConvertible(`the condition "${condition}" has no equal here`);
    return [column, `{"${operator}": ${to.code(row['value']).code}}`];
  });
  if (parts.length === 0) return '{}';
  return `$({${parts.map(([column, code]) => `${JSON.stringify(column)}: ${code}`).join(', ')}})`;
}

/** Values by column: `columns` of a form, `valuesToSend` before it had one, or undefined for the fields of the data. */
function readValues({ params }: Target): readonly (readonly [string, Json])[] | undefined {
  const stored = params.get('columns');
  const rows = params.rows('valuesToSend.values');
  const mode = readText(
    isJsonObject(stored ?? null) ? params.get('columns.mappingMode') : params.get('dataMode'),
  );
  for (const key of ['valuesToSend', 'dataMode']) params.get(key);
  if (typeof stored === 'string') throw new NotConvertible('it takes columns by their names from the data');
  if (mode === 'autoMapInputData') return undefined;
  const value = params.get('columns.value');
  if (isJsonObject(value ?? null)) return Object.entries(value as JsonObject);
  return rows.map((row) => [readText(row['column']), row['value'] ?? '']);
}

const columnsToMatch = ({ params }: Target): string[] => {
  const stored = params.get('columns.matchingColumns');
  const named = Array.isArray(stored) ? stored.map(readText) : [params.text('columnToMatchOn')];
  params.get('valueToMatchOn');
  return named.filter((name) => name !== '');
};

/** Fields of the values that a row gets. */
function buildData(to: Target, values: readonly (readonly [string, Json])[] | undefined): JsonObject {
  if (values === undefined) return { data: to.whole('data') };
  const columns = values.map(([key, value]) => ({ key, value: to.value(value, 'columns') }));
  return { dataMode: 'selective', columns };
}

/** The values of some columns as a filter; one that is missing would find other rows, so it keeps the node. */
function matching(
  to: Target,
  names: readonly string[],
  values: readonly (readonly [string, Json])[],
): string {
  const given = new Map(values);
  const parts = names.map((name) => {
    const value = given.get(name) ?? (to.params.text('valueToMatchOn') || undefined);
    if (value === undefined) throw new NotConvertible(`it has no value for the column "${name}"`);
    return `${JSON.stringify(name)}: ${to.code(value).code}`;
  });
  return `$({${parts.join(', ')}})`;
}

type Change = (to: Target, type: Database) => JsonObject;

const CHANGES: Readonly<Record<string, Change>> = {
  insert: (to) => ({ operation: 'insert', ...buildData(to, readValues(to)) }),
  upsert: (to, type) => {
    const names = columnsToMatch(to);
    if (names.length === 0) throw new NotConvertible('it does not say which columns make a row unique');
    const match = type === 'postgres' ? { columnsToMatchOn: names.join(', ') } : {};
    return { operation: 'upsert', ...buildData(to, readValues(to)), ...match };
  },
  update: (to) => {
    const names = columnsToMatch(to);
    const values = readValues(to);
    if (values === undefined || names.length === 0)
      throw new NotConvertible('it finds rows by a field of the data');
    const changed = values.filter(([name]) => !names.includes(name));
    return { operation: 'update', where: matching(to, names, values), ...buildData(to, changed) };
  },
  deleteTable: (to) => {
    const command = to.params.text('deleteCommand', 'truncate');
    if (command !== 'delete') throw new NotConvertible(`it does "${command}" with the whole table`);
    return { operation: 'delete', where: buildWhere(to) };
  },
};

/** Both nodes have the same operations and parameters. */
const database = (type: Database): Kind => ({
  view: ({ parameters }) =>
    ['select', 'executeQuery'].includes(readText(parameters['operation'])) ? rowsView : {},
  convert: (_, to) => {
    const { params } = to;
    params.get('resource');
    const operation = params.text('operation', 'insert');
    if (operation === 'executeQuery') return { type, data: readQuery(to, type) };
    const place = {
      ...(type === 'postgres' ? { schema: to.template(params.text('schema', 'public'), 'schema') } : {}),
      table: to.template(params.text('table'), 'table'),
    };
    if (operation === 'select') {
      const limit = params.flag('returnAll') ? 0 : to.number('limit', 50, 'limit');
      return { type, data: { operation, ...place, where: buildWhere(to), limit } };
    }
    const change = Object.hasOwn(CHANGES, operation) ? CHANGES[operation] : undefined;
    if (change === undefined) throw new NotConvertible(`the operation "${operation}" has no equal here`);
    return { type, data: { ...place, ...change(to, type) } };
  },
});

function readQuery(to: Target, type: Database): JsonObject {
  const { params } = to;
  const query = params.text('query');
  if (query.startsWith('=') && query.includes('{{'))
    throw new NotConvertible('its query has expressions inside; use parameters');
  const given = params.text('options.queryReplacement') || params.text('additionalFields.queryParams');
  const sent = query.replace(/^=/, '');
  return {
    operation: 'executeQuery',
    query: type === 'mysql' ? withQuestionMarks(sent) : sent,
    queryParameters: toParameterList(to, given),
  };
}

/** `$1, $2` of n8n become question marks, which take the parameters in order. */
function withQuestionMarks(query: string): string {
  const places = [...query.matchAll(/\$(\d+)/g)].map(([, place]) => Number(place));
  if (places.some((place, index) => place !== index + 1))
    throw new NotConvertible('its query does not name its parameters once and in their order');
  return query.replaceAll(/\$\d+/g, '?');
}

/** `={{ $json.a }}, {{ $json.b }}`: values separated by commas. */
function toParameterList(to: Target, given: string): string {
  if (given === '') return '[]';
  const values = given
    .replace(/^=/, '')
    .split(/,(?![^{]*\}\})/)
    .map((value) => value.trim());
  const texts = values.map((value) => (value.includes('{{') ? `=${value}` : value));
  return to.values(texts, 'queryParameters');
}

export const databases: Readonly<Record<string, Kind>> = {
  postgres: database('postgres'),
  mySql: database('mysql'),
};
