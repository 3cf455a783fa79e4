import { isJsonObject, type JsonObject, readText } from '@millrace/engine';
import { toAccessCode } from '../../expression/access-code.ts';
import { renamedFields } from '../../expression/extensions/lists.ts';
import { access, textConstant } from '../../expression/value.ts';
import { inside, Params, splitNames } from '../../source/params.ts';
import type { SourceNode } from '../../source/source.ts';
import { type Converted, type Kind, NotConvertible, type Target } from '../kind.ts';
import { crypto } from './crypto.ts';
import { set } from './set.ts';

const listView = () => ({ first: '.items[0]', list: '.items', keepsItems: true });

/** Names of fields in the shapes that list nodes of n8n have: a text with commas, or rows with `fieldName`. */
function namesAt({ params }: Pick<Target, 'params'>, path: string, key: string): string {
  const stored = params.get(path);
  if (typeof stored === 'string') return stored.replace(/^=/, '');
  const rows = isJsonObject(stored) ? Object.values(stored).find(Array.isArray) : stored;
  const names = Array.isArray(rows) ? rows.filter(isJsonObject).map((row) => readText(row[key])) : [];
  return names.filter((name) => name !== '').join(',');
}

const sort: Kind = {
  takesList: true,
  staysEmpty: true,
  view: listView,
  convert: (_, to) => {
    const { params } = to;
    if (params.text('type', 'simple') !== 'simple')
      throw new NotConvertible(`it sorts by "${params.text('type')}"`);
    const rows = params.rows('sortFieldsUi.sortField');
    params.get('sortFieldsUi');
    const sortBy = rows
      .map((row) => `${row['order'] === 'descending' ? '-' : ''}${readText(row['fieldName'])}`)
      .join(', ');
    return { type: 'sort', data: { items: to.list(), sortBy } };
  },
};

const limit: Kind = {
  takesList: true,
  staysEmpty: true,
  view: listView,
  convert: (_, to) => ({
    type: 'limit',
    data: {
      items: to.list(),
      maxItems: to.number('maxItems', 1, 'maxItems'),
      keep: to.params.text('keep') === 'lastItems' ? 'last' : 'first',
    },
  }),
};

const removeDuplicates: Kind = {
  takesList: true,
  staysEmpty: true,
  view: listView,
  convert: (_, to) => {
    const operation = to.params.text('operation', 'removeDuplicateInputItems');
    if (!['removeDuplicateInputItems', 'removeDuplicates'].includes(operation))
      throw new NotConvertible('it remembers items of earlier runs');
    const mode = to.params.text('compare', 'allFields');
    if (mode === 'allFieldsExcept') return keepDistinctExcept(to);
    const compareBy = namesAt(to, 'fieldsToCompare', 'fieldName');
    return {
      type: 'deduplicate',
      data: { items: to.list(), compareBy: mode === 'allFields' ? '' : compareBy, keep: 'first' },
    };
  },
};

/** The first of the items that are the same but for some fields. */
function keepDistinctExcept(to: Target): Converted {
  const names = namesAt(to, 'fieldsToExclude', 'fieldName')
    .split(',')
    .map((name) => name.trim());
  if (names.some((name) => /[.[{]/.test(name)))
    throw new NotConvertible('the fields that it leaves out are inside of others, or an expression');
  to.params.get('options.disableDotNotation');
  const value = `$${to.listCode()}.distinctBy(${JSON.stringify(withoutFields(names))})`;
  return { type: 'set', data: { mappings: [{ key: 'items', value }] } };
}

interface Collected {
  /** The code that reads the field of an item. */
  readonly access: string;
  readonly key: string;
  readonly field: string;
}

function collectedBy({ parameters }: SourceNode): Collected[] {
  return inside(parameters, 'fieldsToAggregate', 'fieldToAggregate').map((row) => {
    const field = readText(row['fieldToAggregate']);
    // A field inside of another one has its own name in the result.
    const isPath = new Params(parameters).flag('options.disableDotNotation') !== true;
    const usual = isPath ? (field.split('.').at(-1) ?? field) : field;
    const access = isPath ? toAccessCode(field) : `[${JSON.stringify(field)}]`;
    return {
      access,
      field,
      key: (row['renameField'] === true ? readText(row['outputFieldName']) : '') || usual,
    };
  });
}

/** Lists in the items become one. */
const mergesLists = ({ parameters }: SourceNode): boolean =>
  new Params(parameters).flag('options.mergeLists');

/** Items without a field have null in its list. */
const keepsMissing = ({ parameters }: SourceNode): boolean =>
  new Params(parameters).flag('options.keepMissing');

const aggregate: Kind = {
  takesList: true,
  view: (node) =>
    readText(node.parameters['aggregate']) === 'aggregateAllItemData' ||
    mergesLists(node) ||
    keepsMissing(node)
      ? {}
      : { first: '.groups[0]' },
  convert: (node, to) => {
    const { params } = to;
    if (params.text('aggregate', 'aggregateIndividualFields') === 'aggregateAllItemData') {
      const include = params.text('include', 'allFields');
      const key = params.text('destinationFieldName', 'data');
      const names = ['fieldsToInclude', 'fieldsToExclude'].flatMap((path) =>
        splitNames(namesAt(to, path, 'fieldName')),
      );
      if (include === 'allFields' || names.length === 0)
        return { type: 'set', data: { mappings: [{ key, value: to.list() }] } };
      const collect = include === 'specifiedFields' ? chosenFields : otherFields;
      return { type: 'set', data: { mappings: [{ key, value: collect(to.listCode(), names) }] } };
    }
    params.get('fieldsToAggregate');
    if (mergesLists(node) || keepsMissing(node)) {
      for (const key of ['mergeLists', 'keepMissing']) params.get(`options.${key}`);
      const end = `${keepsMissing(node) ? '' : '.notNull()'}${mergesLists(node) ? '.flat()' : ''}`;
      const mappings = collectedBy(node).map(({ key, access }) => {
        const value = JSON.stringify(`item${access}`);
        return { key, value: `$${to.listCode()}.map(${value})${end}` };
      });
      return { type: 'set', data: { mappings } };
    }
    const aggregates = collectedBy(node).map(({ key, field }) => ({ key, value: `list ${field}` }));
    return { type: 'aggregate', data: { items: to.list(), groupBy: '', aggregates } };
  },
};

/** Items with some of their fields. */
function chosenFields(list: string, names: readonly string[]): string {
  const fields = names.map((name) => `${textConstant(name).code}: item${access(name)}`);
  return `$${list}.map(${JSON.stringify(`{${fields.join(', ')}}`)})`;
}

/** Items without some of their fields. */
function otherFields(list: string, names: readonly string[]): string {
  if (names.some((name) => /[.[{]/.test(name)))
    throw new NotConvertible('the fields that it leaves out are inside of others, or an expression');
  return `$${list}.map(${JSON.stringify(withoutFields(names))})`;
}

/** Code of an item without some of its fields. */
function withoutFields(names: readonly string[]): string {
  const left = names.map((name) => textConstant(name).code).join(', ');
  return `dict(pairs(item).filter(${JSON.stringify(`item[0] not in [${left}]`)}))`;
}

const SUMMARIES: Readonly<Record<string, string>> = {
  append: 'list',
  average: 'average',
  max: 'max',
  min: 'min',
  sum: 'sum',
  count: 'count',
  countUnique: 'countDistinct',
  concatenate: 'join',
};

/** How n8n begins the name of a result, where it is not the name of the function. */
const SUMMARY_NAMES: Readonly<Record<string, string>> = {
  append: 'appended',
  concatenate: 'concatenated',
  countUnique: 'unique_count',
};

/** A name of a result as n8n writes it. */
const toResultName = (name: string): string => name.replace(/[[\]"]/g, '').replace(/[ .]/g, '_');

/** A row of the node here: the function and its field, with the text between values for `join`. */
function buildAggregate(row: JsonObject): { key: string; value: string } {
  const written = readText(row['aggregation']) || 'count';
  const what = Object.hasOwn(SUMMARIES, written) ? SUMMARIES[written] : undefined;
  if (what === undefined) throw new NotConvertible(`the summary "${written}" has no equal here`);
  const field = readText(row['field']);
  const key = toResultName(`${SUMMARY_NAMES[written] ?? written}_${field}`);
  if (what === 'count' && row['includeEmpty'] === true) return { key, value: what };
  if (what !== 'join') return { key, value: `${what} ${field}` };
  const chosen = readText(row['separateBy'] ?? ',');
  const separator = chosen === 'other' ? readText(row['customSeparator']) : chosen;
  return { key, value: `${what} ${JSON.stringify(separator)} ${field}` };
}

const summarize: Kind = {
  takesList: true,
  view: ({ parameters }) => {
    const names = namesAt({ params: new Params(parameters) }, 'fieldsToSplitBy', 'fieldName').split(',');
    const renamed = names
      .map((name) => name.trim())
      .filter((name) => toResultName(name) !== name)
      .flatMap((name) => [textConstant(name).code, textConstant(toResultName(name)).code]);
    const list = renamedFields('.groups', renamed);
    return { first: `${list}[0]`, list };
  },
  convert: (_, to) => {
    const rows = to.params.rows('fieldsToSummarize.values');
    to.params.get('fieldsToSummarize');
    const groupBy = namesAt(to, 'fieldsToSplitBy', 'fieldName');
    // Of all items together there is one result either way.
    if (to.params.text('options.outputFormat') === 'singleItem' && groupBy !== '')
      throw new NotConvertible('its groups are parts of one item');
    const aggregates = rows.map(buildAggregate);
    if (
      rows.some(
        (row) => row['includeEmpty'] === true && (readText(row['aggregation']) || 'count') !== 'count',
      )
    )
      to.say(
        'Items without the field are left out of each value here; n8n was set to include them',
        'aggregates',
      );
    return { type: 'aggregate', data: { items: to.list(), groupBy, aggregates, skipEmpty: true } };
  },
};

/** An entry is an item as it is when it is an object, and otherwise the only field of one. */
const splitOut: Kind = {
  takesList: true,
  staysEmpty: true,
  view: () => ({ first: '.items[0]', list: '.items' }),
  convert: (_, to) => {
    const { params } = to;
    const field = params.text('fieldToSplitOut').replace(/^=/, '');
    if (field.includes(',')) return splitTogether(to, field);
    if (field === '') to.say('Enter the field that is split; the export names none', 'mappings');
    const into = params.text('options.destinationFieldName');
    const include = params.text('include', 'noOtherFields');
    if (include === 'noOtherFields')
      return { type: 'set', data: { mappings: [buildEntriesMapping(to, { field, into })] } };
    if (include === 'selectedOtherFields') {
      const kept = params
        .text('fieldsToInclude')
        .replace(/^=/, '')
        .split(',')
        .map((name) => name.trim());
      return { type: 'set', data: { mappings: [entriesBeside(to, { field, into, kept })] } };
    }
    if (into !== '') return splitRenamed(to, field, into);
    return {
      type: 'split',
      data: { operation: 'field', items: to.list(), splitField: field, keepOthers: true },
    };
  },
};

/** Every entry under another name, beside the other fields of its item. */
function splitRenamed(to: Target, field: string, into: string): Converted {
  if (/[.[]/.test(`${field}${into}`) || into.startsWith('='))
    throw new NotConvertible('it renames the field, which is inside of another one, and keeps the others');
  const [from, name] = [textConstant(field).code, textConstant(into).code];
  const others = `pairs(item_to_split).filter(${JSON.stringify(`item[0] != ${from}`)})`;
  const entry = `dict(array(${others}, [[${name}, entry_of_item]]).flat())`;
  const entries = `array(item_to_split[${from}] ?? []).flat()`;
  const all = `[${entry} for item_to_split in ${to.listCode()} for entry_of_item in ${entries}]`;
  return { type: 'set', data: { mappings: [{ key: 'items', value: `$array(${all}).flat(1)` }] } };
}

/** The entries of several fields go together: the first with the first, and so on. */
function splitTogether(to: Target, written: string): Converted {
  const { params } = to;
  const trimmed = (text: string) => text.split(',').map((name) => name.trim());
  const fields = trimmed(written);
  const names = trimmed(params.text('options.destinationFieldName'));
  if (params.text('include', 'noOtherFields') !== 'noOtherFields')
    throw new NotConvertible('it splits several fields and keeps others');
  if (to.context.getsList()) throw new NotConvertible('it splits several fields of each item of a list');
  const codes = fields.map((field) => to.code(`={{ $json${toAccessCode(field)} }}`).code);
  const most = `max(${codes.map((code) => `len(${code} ?? [])`).join(', ')})`;
  const entries = codes.map((code, index) => {
    const name = names[index] || (fields[index] ?? '');
    return `${textConstant(name).code}: (${code})[item]`;
  });
  const value = `$range(0, ${most}).map(${JSON.stringify(`{${entries.join(', ')}}`)})`;
  return { type: 'set', data: { mappings: [{ key: 'items', value }] } };
}

/** The entries of the only item, with some of its other fields. */
function entriesBeside(
  to: Target,
  { field, into, kept }: { field: string; into: string; kept: readonly string[] },
): JsonObject {
  if (to.context.getsList())
    throw new NotConvertible('it keeps some of the other fields of each item of a list');
  const list = to.code(`={{ $json${toAccessCode(field)} }}`).code;
  const others = kept
    .filter((name) => name !== '')
    .map((name) => `${textConstant(name).code}: ${to.code(`={{ $json${toAccessCode(name)} }}`).code}`);
  const entry = `{${[...others, `${textConstant(into || field).code}: item`].join(', ')}}`;
  return { key: 'items', value: `$(${list}).map(${JSON.stringify(entry)})` };
}

/** Of all items, or of the only one. */
function buildEntriesMapping(to: Target, { field, into }: { field: string; into: string }): JsonObject {
  const name = textConstant(into || field).code;
  const asField = `{${name}: item}`;
  const entry = into === '' ? `item.keys() != null ? item : ${asField}` : asField;
  const path = field.split('.').map((key) => access(key));
  // The entries of an object are its values.
  const read = `type(item${path.join('')}) == "object" ? item${path.join('')}.values() : item${path.join('')}`;
  const lists = `${to.listCode()}.map(${JSON.stringify(read)}).notNull()`;
  return { key: 'items', value: `$${lists}.flat().map(${JSON.stringify(entry)})` };
}

/** Operations that one node did before each of these had a node of its own, with the same parameters. */
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
  const operation = readText(parameters['operation']) || 'splitOutItems';
  return Object.hasOwn(ITEM_LISTS, operation) ? ITEM_LISTS[operation] : undefined;
}

const itemLists: Kind = {
  takesList: true,
  staysEmpty: (node) => itemListsKind(node)?.staysEmpty === true,
  view: (node, output, context) => itemListsKind(node)?.view?.(node, output, context) ?? {},
  convert: (node, to) => {
    to.params.get('resource');
    const operation = to.params.text('operation');
    const kind = itemListsKind(node);
    if (kind === undefined) throw new NotConvertible(`the operation "${operation}" has no equal here`);
    return kind.convert(node, to);
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
