import { isJsonObject, type Json, type JsonObject } from '@millrace/engine';
import { jsonIn } from '../depth.ts';
import { isWord, textConstant } from '../expression/value.ts';
import { type Kind, NotConvertible, type Target, type ViewContext } from '../kind.ts';
import { inside } from '../params.ts';
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

/** The object of one `item`; undefined when a value cannot be written for one. */
function objectForEach(node: SourceNode, context: ViewContext): string | undefined {
  if (textOf(node.parameters['mode']) === 'raw') return undefined;
  const codes = assignmentsOf(node).map(({ name, value }) => ({ name, code: context.each(value) }));
  if (codes.some(({ name, code }) => code === undefined || name.includes('.'))) return undefined;
  if (!keepsOthers(node))
    return `{${codes.map(({ name, code }) => `${textConstant(name).code}: ${code}`).join(', ')}}`;
  if (!codes.every(({ name }) => isPlain(name))) return undefined;
  return `dict(item${codes.map(({ name, code }) => `, ${name}=${code}`).join('')})`;
}

const isPlain = (name: string): boolean => /^[A-Za-z_]\w*$/.test(name) && !isWord(name);

/** The list with the fields of every item; undefined when the node gets one item, or its fields cannot be set for each. */
function listOfSet(node: SourceNode, context: ViewContext): string | undefined {
  const list = context.getsList() && node.stored['executeOnce'] !== true ? context.list() : undefined;
  const object = list === undefined ? undefined : objectForEach(node, context);
  return object === undefined ? undefined : `$${list}.map(${JSON.stringify(object)})`;
}

export const set: Kind = {
  view: (node, _, context) => {
    if (listOfSet(node, context) !== undefined) return { first: '.items[0]', list: '.items' };
    if (isWholeJson(node)) return { first: '.json' };
    if (!keepsOthers(node)) return {};
    if (textOf(node.parameters['mode']) === 'raw') return { adds: namesOfJson(node) };
    return { adds: assignmentsOf(node).map(({ name }) => name.split('.')[0] ?? name) };
  },
  convert: (node, to) => {
    for (const key of READ_BY_SET) to.params.get(key);
    const list = listOfSet(node, to.context);
    if (list !== undefined)
      return { type: 'set', data: { mappings: [{ key: 'items', value: list }] }, isForAll: true };
    if (textOf(node.parameters['mode']) === 'raw') return rawFields(to, node);
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

/** The JSON mode with one expression, whose value is the output. */
const isWholeJson = ({ parameters }: SourceNode): boolean =>
  textOf(parameters['mode']) === 'raw' &&
  /^=\s*\{\{(?:(?!\}\})[^])*\}\}\s*$/.test(textOf(parameters['jsonOutput']));

/** The JSON mode: a fixed object with expressions as its values. */
function rawFields(to: Target, node: SourceNode) {
  if (isWholeJson(node)) {
    const value = to.json(to.params.text('jsonOutput').trim(), 'mappings');
    return { type: 'set', data: { mappings: [{ key: 'json', value }] } };
  }
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
