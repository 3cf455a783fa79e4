import { isJsonObject, type Json, type JsonObject } from '@millrace/engine';
import { jsonIn } from '../depth.ts';
import { access, textConstant } from '../expression/value.ts';
import { type Kind, NotConvertible, type Target } from '../kind.ts';
import { type SourceNode, textOf } from '../source.ts';

interface Assignment {
  readonly name: string;
  readonly value: Json;
}

/** Fields of the node in its three shapes: `values.string[]`, `fields.values[]`, `assignments.assignments[]`. */
function assignmentsOf({ parameters }: SourceNode): Assignment[] {
  const lists = [
    inside(parameters, 'assignments', 'assignments'),
    inside(parameters, 'fields', 'values'),
    ...Object.keys(isJsonObject(parameters['values']) ? parameters['values'] : {}).map((type) =>
      inside(parameters, 'values', type).map((row): JsonObject => ({ type, ...row })),
    ),
  ];
  return lists.flat().flatMap((row) => {
    const name = textOf(row['name']);
    const typed = Object.keys(row).find((key) => key.endsWith('Value'));
    const value = row['value'] ?? (typed === undefined ? '' : (row[typed] ?? ''));
    return name === '' ? [] : [{ name, value: fixed(value, textOf(row['type'])) }];
  });
}

/** Forms of n8n store numbers and truth values as texts. */
function fixed(value: Json, type: string): Json {
  if (typeof value !== 'string' || value.startsWith('=')) return value;
  if (/^number(Value)?$/.test(type) && value.trim() !== '' && Number.isFinite(Number(value)))
    return Number(value);
  if (/^boolean(Value)?$/.test(type)) return value === 'true';
  return value;
}

function inside(parameters: JsonObject, group: string, key: string): JsonObject[] {
  const stored = isJsonObject(parameters[group]) ? parameters[group][key] : undefined;
  return Array.isArray(stored) ? stored.filter(isJsonObject) : [];
}

function keepsOthers({ parameters, version }: SourceNode): boolean {
  if (version < 3) return parameters['keepOnlySet'] !== true;
  if (parameters['includeOtherFields'] !== undefined) return parameters['includeOtherFields'] === true;
  // Before 3.3 all fields are kept unless the node says otherwise; what is usual is left out of exports.
  return version < 3.3 && textOf(parameters['include']) !== 'none';
}

const READ_BY_SET =
  'mode assignments fields values keepOnlySet include includeOtherFields options duplicateItem'.split(' ');

/** A value with a type of its own is an expression here, since texts of `set` stay texts. */
function mapping(to: Target, { name, value }: Assignment): JsonObject {
  if (typeof value === 'string') return { key: name, value: to.value(value, 'mappings') };
  return {
    key: name,
    value: value === null || typeof value === 'object' ? `$(${JSON.stringify(value)})` : value,
  };
}

const set: Kind = {
  view: (node) => {
    if (!keepsOthers(node)) return {};
    if (textOf(node.parameters['mode']) === 'raw') return { adds: namesOfJson(node) };
    return { adds: assignmentsOf(node).map(({ name }) => name.split('.')[0] ?? name) };
  },
  convert: (node, to) => {
    for (const key of READ_BY_SET) to.params.get(key);
    if (textOf(node.parameters['mode']) === 'raw') return rawFields(to);
    const assignments = assignmentsOf(node);
    if (assignments.some(({ name }) => name.includes('.'))) {
      to.say('Names with a dot make one field of that name here, and no nested object', 'mappings');
    }
    if (keepsOthers(node)) {
      to.say(
        'Its output has only the fields that it sets; expressions after it read the others from the node before',
        'mappings',
      );
    }
    return { type: 'set', data: { mappings: assignments.map((assignment) => mapping(to, assignment)) } };
  },
};

/** Names that the JSON mode sets; expressions in it may stand for any value. */
function namesOfJson({ parameters }: SourceNode): string[] {
  try {
    const text = textOf(parameters['jsonOutput']).replace(/^=/, '');
    const stored = jsonIn(text.replaceAll(/\{\{[^]*?\}\}/g, '0'));
    return isJsonObject(stored) ? Object.keys(stored) : [];
  } catch {
    return [];
  }
}

/** The JSON mode: a fixed object with expressions as its values. */
function rawFields(to: Target) {
  const text = to.params.text('jsonOutput').replace(/^=\s*(?=\{(?!\{))/, '');
  let stored: Json;
  try {
    stored = jsonIn(text);
  } catch {
    // Expressions outside of texts: `{"a": {{ $json.x }}}`.
    const mappings = to.jsonFields(to.params.text('jsonOutput'));
    if (mappings === undefined) throw new NotConvertible('its JSON is not a fixed object');
    return { type: 'set', data: { mappings } };
  }
  if (!isJsonObject(stored)) throw new NotConvertible('its JSON is not a fixed object');
  const mappings = Object.entries(stored).map(([name, value]) => {
    const isScript = typeof value === 'string' && value.includes('{{');
    return mapping(to, { name, value: isScript ? `=${value}` : value });
  });
  return { type: 'set', data: { mappings } };
}

const listView = () => ({ first: '.items[0]', list: '.items' });

/** Names of fields in the shapes that list nodes of n8n have: a text with commas, or rows with `fieldName`. */
function namesAt(to: Target, path: string, key: string): string {
  const stored = to.params.get(path);
  if (typeof stored === 'string') return stored.replace(/^=/, '');
  const rows = isJsonObject(stored) ? Object.values(stored).find(Array.isArray) : stored;
  const names = Array.isArray(rows) ? rows.filter(isJsonObject).map((row) => textOf(row[key])) : [];
  return names.filter((name) => name !== '').join(',');
}

const sort: Kind = {
  takesList: true,
  view: listView,
  convert: (_, to) => {
    const { params } = to;
    if (params.text('type', 'simple') !== 'simple')
      throw new NotConvertible(`it sorts by "${params.text('type')}"`);
    const rows = params.rows('sortFieldsUi.sortField');
    params.get('sortFieldsUi');
    const sortBy = rows
      .map((row) => `${row['order'] === 'descending' ? '-' : ''}${textOf(row['fieldName'])}`)
      .join(', ');
    return { type: 'sort', data: { items: to.list(), sortBy } };
  },
};

const limit: Kind = {
  takesList: true,
  view: listView,
  convert: (_, to) => ({
    type: 'limit',
    data: {
      items: to.list(),
      maxItems: to.params.number('maxItems', 1),
      keep: to.params.text('keep') === 'lastItems' ? 'last' : 'first',
    },
  }),
};

const removeDuplicates: Kind = {
  takesList: true,
  view: listView,
  convert: (_, to) => {
    const operation = to.params.text('operation', 'removeDuplicateInputItems');
    if (!['removeDuplicateInputItems', 'removeDuplicates'].includes(operation))
      throw new NotConvertible('it remembers items of earlier runs');
    const mode = to.params.text('compare', 'allFields');
    if (mode === 'allFieldsExcept') throw new NotConvertible('it compares all fields except some');
    const compareBy = namesAt(to, 'fieldsToCompare', 'fieldName');
    return {
      type: 'deduplicate',
      data: { items: to.list(), compareBy: mode === 'allFields' ? '' : compareBy, keep: 'first' },
    };
  },
};

interface Collected {
  readonly key: string;
  readonly field: string;
}

function collectedBy({ parameters }: SourceNode): Collected[] {
  return inside(parameters, 'fieldsToAggregate', 'fieldToAggregate').map((row) => {
    const field = textOf(row['fieldToAggregate']);
    return { field, key: (row['renameField'] === true ? textOf(row['outputFieldName']) : '') || field };
  });
}

const aggregate: Kind = {
  takesList: true,
  view: (node) =>
    textOf(node.parameters['aggregate']) === 'aggregateAllItemData' ? {} : { first: '.groups[0]' },
  convert: (node, to) => {
    const { params } = to;
    if (params.text('aggregate', 'aggregateIndividualFields') === 'aggregateAllItemData') {
      const include = params.text('include', 'allFields');
      if (include !== 'allFields') throw new NotConvertible('it collects some fields of all items');
      const key = params.text('destinationFieldName', 'data');
      return { type: 'set', data: { mappings: [{ key, value: to.list() }] } };
    }
    params.get('fieldsToAggregate');
    const aggregates = collectedBy(node).map(({ key, field }) => ({ key, value: `list ${field}` }));
    return { type: 'aggregate', data: { items: to.list(), groupBy: '', aggregates } };
  },
};

const SUMMARIES: Readonly<Record<string, string>> = {
  append: 'list',
  average: 'average',
  max: 'max',
  min: 'min',
  sum: 'sum',
  count: 'count',
};

const summarize: Kind = {
  takesList: true,
  view: () => ({ first: '.groups[0]', list: '.groups' }),
  convert: (_, to) => {
    const rows = to.params.rows('fieldsToSummarize.values');
    to.params.get('fieldsToSummarize');
    const aggregates = rows.map((row) => {
      const written = textOf(row['aggregation']) || 'count';
      const what = Object.hasOwn(SUMMARIES, written) ? SUMMARIES[written] : undefined;
      if (what === undefined) throw new NotConvertible(`the summary "${written}" has no equal here`);
      const field = textOf(row['field']);
      const name = { append: 'appended', average: 'average', count: 'count' }[written] ?? written;
      return { key: `${name}_${field}`, value: what === 'count' ? 'count' : `${what} ${field}` };
    });
    const groupBy = namesAt(to, 'fieldsToSplitBy', 'fieldName');
    return { type: 'aggregate', data: { items: to.list(), groupBy, aggregates } };
  },
};

/** An entry is an item as it is when it is an object, and otherwise the only field of one. */
const splitOut: Kind = {
  takesList: true,
  view: () => ({ first: '.items[0]', list: '.items' }),
  convert: (_, to) => {
    const { params } = to;
    const field = params.text('fieldToSplitOut').replace(/^=/, '');
    if (field === '' || field.includes(',')) throw new NotConvertible('it splits several fields');
    const into = params.text('options.destinationFieldName');
    const include = params.text('include', 'noOtherFields');
    if (include === 'noOtherFields')
      return { type: 'set', data: { mappings: [entriesOf(to, { field, into })] } };
    if (include !== 'allOtherFields' || into !== '')
      throw new NotConvertible('it keeps some of the other fields');
    return {
      type: 'split',
      data: { operation: 'field', items: to.list(), splitField: field, keepOthers: true },
    };
  },
};

/** Of all items, or of the only one. */
function entriesOf(to: Target, { field, into }: { field: string; into: string }): JsonObject {
  const name = textConstant(into || field).code;
  const asField = `{${name}: item}`;
  const entry = into === '' ? `item.keys() != null ? item : ${asField}` : asField;
  const path = field.split('.').map((key) => access(key));
  const lists = `${to.listCode()}.map(${JSON.stringify(`item${path.join('')}`)}).notNull()`;
  return { key: 'items', value: `$${lists}.flat().map(${JSON.stringify(entry)})` };
}

/** What one node did before each of these had a node of its own, with the same parameters. */
const ITEM_LISTS: Readonly<Record<string, Kind>> = {
  aggregateItems: aggregate,
  concatenateItems: aggregate,
  limit,
  removeDuplicates,
  sort,
  splitOutItems: splitOut,
  summarize,
};

function itemListsKind({ parameters }: SourceNode): Kind | undefined {
  const operation = textOf(parameters['operation']) || 'splitOutItems';
  return Object.hasOwn(ITEM_LISTS, operation) ? ITEM_LISTS[operation] : undefined;
}

const itemLists: Kind = {
  takesList: true,
  view: (node, output, context) => itemListsKind(node)?.view?.(node, output, context) ?? {},
  convert: (node, to) => {
    to.params.get('resource');
    const operation = to.params.text('operation');
    const kind = itemListsKind(node);
    if (kind === undefined) throw new NotConvertible(`the operation "${operation}" has no equal here`);
    return kind.convert(node, to);
  },
};

const ALGORITHMS: Readonly<Record<string, string>> = {
  MD5: 'md5',
  SHA1: 'sha1',
  SHA256: 'sha256',
  SHA384: 'sha384',
  SHA512: 'sha512',
};

const cryptoView = ({ parameters }: SourceNode) => {
  const name = textOf(parameters['dataPropertyName']) || 'data';
  return { adds: [name], renamed: { [name]: 'value' } };
};

const crypto: Kind = {
  view: cryptoView,
  convert: (_, to) => {
    const { params } = to;
    const action = params.text('action', 'hash');
    params.get('dataPropertyName');
    if (action === 'generate') {
      if (params.text('encodingType', 'uuid') !== 'uuid')
        throw new NotConvertible('it generates other text than UUIDs');
      return { type: 'crypto', data: { operation: 'uuid' } };
    }
    if (action !== 'hash' && action !== 'hmac')
      throw new NotConvertible(`the action "${action}" has no equal here`);
    if (params.flag('binaryData')) throw new NotConvertible('it hashes a file');
    const type = params.text('type', 'MD5');
    const algorithm = Object.hasOwn(ALGORITHMS, type) ? ALGORITHMS[type] : undefined;
    if (algorithm === undefined) throw new NotConvertible(`the algorithm "${type}" has no equal here`);
    if (action === 'hmac' && params.text('secret') !== '') to.say('Enter the secret again', 'secret');
    return {
      type: 'crypto',
      data: {
        operation: action,
        value: to.template(params.text('value'), 'value'),
        algorithm,
        encoding: params.text('encoding', 'hex'),
      },
    };
  },
};

export const data: Readonly<Record<string, Kind>> = {
  set,
  sort,
  limit,
  removeDuplicates,
  aggregate,
  summarize,
  splitOut,
  itemLists,
  crypto,
};
