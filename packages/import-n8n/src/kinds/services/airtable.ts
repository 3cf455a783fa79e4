import { isJsonObject, type Json, type JsonObject, readText } from '@millrace/engine';
import { formatScalar } from '../../source/source.ts';
import type { View } from '../../views/views.ts';
import { type Kind, NotConvertible, type Target } from '../kind.ts';
import { at, needed, pageSize, restService, type ServiceOperation } from './request.ts';

/** A record is `{id, createdTime, fields}`; its fields are those of the item. https://airtable.com/developers/web/api */
const RECORD = JSON.stringify('dict(item.fields, id=item.id, createdTime=item.createdTime)');
const FOUND: View = { first: `.body.records.map(${RECORD})[0]`, list: `.body.records.map(${RECORD})` };
const beside = (key: string) => (item: string) => item.replace(/fields$/, key);
const ONE: View = { first: '.body.fields', made: { id: beside('id'), createdTime: beside('createdTime') } };
const FIRST: View = {
  first: '.body.records[0].fields',
  made: { id: beside('id'), createdTime: beside('createdTime') },
};

const table = (to: Target): string =>
  at`https://api.airtable.com/v0/${needed(to, 'base', 'application')}/${needed(to, 'table')}`;
const record = (to: Target, id: string): string =>
  at`https://api.airtable.com/v0/${needed(to, 'base', 'application')}/${needed(to, 'table')}/${id}`;

/** Values by column; all fields of the data where the form maps them by itself. */
function readFields({ params }: Target): Json {
  const mode = params.text('columns.mappingMode');
  const stored = params.get('columns.value');
  params.get('columns');
  const isOlder = params.get('application') !== undefined;
  for (const key of ['addAllFields', 'updateAllFields', 'fields']) params.get(key);
  if (isOlder && (params.get('addAllFields') === false || params.get('updateAllFields') === false))
    throw new NotConvertible('it takes some of the fields of the data');
  if (mode === 'defineBelow' || isJsonObject(stored ?? null)) return stored as JsonObject;
  return '={{ $json }}';
}

const withoutId = (fields: Json): Json => {
  if (!isJsonObject(fields)) return fields;
  const { id: _, ...rest } = fields;
  return rest;
};

const matching = ({ params }: Target): string[] => {
  const stored = params.get('columns.matchingColumns');
  return Array.isArray(stored) ? stored.map((name) => readText(name)) : [];
};

const typecast = ({ params }: Target): JsonObject =>
  params.flag('options.typecast') ? { typecast: true } : {};

const idIn = (to: Target, fields: Json): string => {
  const given = isJsonObject(fields) ? readText(fields['id']) : '';
  return given === '' ? '={{ $json.id }}' : given;
};

const search: ServiceOperation = {
  view: FOUND,
  // Fewer fields would change nothing for those who read the others.
  ignores: [
    'downloadFieldNames',
    'options.fields',
    'additionalOptions.fields',
    'downloadAttachments',
    'sort',
    'additionalOptions.sort',
  ],
  request: (to) => {
    const { params } = to;
    const isAll = params.flag('returnAll', true);
    const order = [...params.rows('sort.property'), ...params.rows('additionalOptions.sort.property')];
    const formula = params.text('filterByFormula') || params.text('additionalOptions.filterByFormula');
    return {
      method: 'GET',
      url: table(to),
      query: [
        ['filterByFormula', formula],
        ['view', params.text('options.view') || params.text('additionalOptions.view')],
        ...order.flatMap((row, index): [string, string][] => [
          [`sort[${index}][field]`, readText(row['field'])],
          [`sort[${index}][direction]`, formatScalar(row['direction'], 'asc')],
        ]),
        ['pageSize', pageSize(to, { usual: 100, most: 100, isAll })],
      ],
    };
  },
};

const get: ServiceOperation = {
  view: ONE,
  ignores: ['options'],
  request: (to) => ({ method: 'GET', url: record(to, needed(to, 'id')) }),
};

const create: ServiceOperation = {
  view: ONE,
  request: (to) => ({
    method: 'POST',
    url: table(to),
    json: { fields: withoutId(readFields(to)), ...typecast(to) },
  }),
};

const update: ServiceOperation = {
  view: ONE,
  request: (to) => {
    const by = matching(to);
    const id = to.params.text('id');
    if (id === '' && by.length > 0 && by.join() !== 'id')
      throw new NotConvertible('it finds the record by a value, and not by its id');
    const fields = readFields(to);
    const url = record(to, id === '' ? idIn(to, fields) : id);
    return { method: 'PATCH', url, json: { fields: withoutId(fields), ...typecast(to) } };
  },
};

const upsert: ServiceOperation = {
  view: FIRST,
  request: (to) => {
    const by = matching(to);
    const fields = readFields(to);
    if (by.length === 0) throw new NotConvertible('it does not say by which columns it finds the record');
    if (by.includes('id')) {
      const url = record(to, idIn(to, fields));
      return { method: 'PATCH', url, json: { fields: withoutId(fields), ...typecast(to) } };
    }
    return {
      method: 'PATCH',
      url: table(to),
      json: {
        performUpsert: { fieldsToMergeOn: by },
        records: [{ fields: withoutId(fields) }],
        ...typecast(to),
      },
    };
  },
};

const remove: ServiceOperation = {
  request: (to) => ({ method: 'DELETE', url: record(to, needed(to, 'id')) }),
};

export const airtable: Kind = restService({
  name: 'Airtable',
  signIn: { credential: 'airtable' },
  usual: { resource: 'record', operation: 'get' },
  operations: {
    'record.search': search,
    'record.list': search,
    'record.get': get,
    'record.read': get,
    'record.create': create,
    'record.append': create,
    'record.update': update,
    'record.upsert': upsert,
    'record.delete': remove,
    'record.deleteRecord': remove,
  },
});
