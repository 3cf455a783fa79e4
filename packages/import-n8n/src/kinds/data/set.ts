import { isJsonObject, type Json, type JsonObject, readText } from '@millrace/engine';
import { mergedCode } from '../../expression/extensions/transformations.ts';
import { onlyScript } from '../../expression/field.ts';
import {
  access,
  type Code,
  chain,
  enclosed,
  isPlainName,
  other,
  textConstant,
} from '../../expression/value.ts';
import { jsonIn } from '../../source/depth.ts';
import { inside, Params, splitNames } from '../../source/params.ts';
import type { SourceNode } from '../../source/source.ts';
import { type Each, MAPPED, NUMBERED } from '../../views/views.ts';
import { type Kind, NotConvertible, type Target, type ViewContext } from '../kind.ts';
import { type Conversion, keepApart, toTypedCode } from './set-types.ts';

interface Assignment {
  readonly name: string;
  readonly value: Json;
  /** The type that n8n gives to a value that is an expression. */
  readonly becomes?: Conversion;
}

/** Fields of the node in its three shapes: `values.string[]`, `fields.values[]`, `assignments.assignments[]`. */
function readAssignments({ parameters, version }: SourceNode): Assignment[] {
  const { values } = parameters;
  const old = Object.keys(isJsonObject(values) ? values : {}).map((type) =>
    inside(parameters, 'values', type).map((row): JsonObject => ({ type, ...row })),
  );
  return [
    ...inside(parameters, 'assignments', 'assignments').flatMap((row) => readAssignment(row)),
    // Exports of the second shape leave out the usual type.
    ...inside(parameters, 'fields', 'values').flatMap((row) =>
      readAssignment({ type: 'stringValue', ...row }),
    ),
    ...old.flat().flatMap((row) => readAssignment(row).map((read) => loosenType(read, version))),
  ];
}

/**
 * In the first shape a text stays what its expression gives, a text or number in a truth value counts as in JavaScript, and a number is
 * one only from version 2 on, where a text has digits.
 */
function loosenType({ becomes, ...rest }: Assignment, version: number): Assignment {
  if (becomes === 'boolean') return { ...rest, becomes: 'truth' };
  return becomes === 'number' && version >= 2 ? { ...rest, becomes: 'numberOrSame' } : rest;
}

function readAssignment(row: JsonObject): Assignment[] {
  const name = readText(row['name']);
  const typed = Object.keys(row).find((key) => key.endsWith('Value'));
  const value = row['value'] ?? (typed === undefined ? '' : (row[typed] ?? ''));
  const type = readText(row['type']).replace(/Value$/, '');
  return name === '' ? [] : [{ name, value: readFixed(value, type), ...chooseConversion(value, type) }];
}

function chooseConversion(value: Json, type: string): Pick<Assignment, 'becomes'> {
  if (typeof value !== 'string' || !value.startsWith('=')) return {};
  if (type === 'number' || type === 'boolean') return { becomes: type };
  if (type === 'string') return { becomes: 'text' };
  if (type !== 'array' && type !== 'object') return {};
  // One expression has a list or an object itself, or a text that is read as JSON.
  return { becomes: onlyScript(value) === undefined ? 'json' : 'parsed' };
}

/** Forms of n8n store numbers, truth values, lists and objects as texts. */
function readFixed(value: Json, type: string): Json {
  if (typeof value !== 'string' || value.startsWith('=')) return value;
  if (type === 'number' && value.trim() !== '' && Number.isFinite(Number(value))) return Number(value);
  if (type === 'boolean') return value === 'true';
  return type === 'array' || type === 'object' ? parseOrKeep(value) : value;
}

function parseOrKeep(text: string): Json {
  try {
    return jsonIn(text);
  } catch {
    return text;
  }
}

/** Which fields of its input it hands on besides those that it sets. */
function readKept({ parameters, version }: SourceNode): 'all' | 'none' | 'selected' | 'except' {
  if (version < 3) return parameters['keepOnlySet'] === true ? 'none' : 'all';
  // Before 3.3 all fields are kept unless the node says otherwise; what is usual is left out of exports.
  const usual = version < 3.3;
  if (!(parameters['includeOtherFields'] ?? usual)) return 'none';
  const include = readText(parameters['include']);
  return include === 'none' || include === 'selected' || include === 'except' ? include : 'all';
}

const keepsOthers = (node: SourceNode): boolean => readKept(node) !== 'none';

/** The names that it hands on, or leaves out, or why they are none of fields of the input itself. */
function readNames(node: SourceNode): { readonly names: string[]; readonly problem?: string } {
  const key = readKept(node) === 'selected' ? 'includeFields' : 'excludeFields';
  const text = readText(node.parameters[key]);
  if (text.startsWith('=') && text.includes('{{'))
    return { names: [], problem: 'which fields it keeps or leaves out is an expression' };
  const names = [...new Set(splitNames(text))];
  return names.some((name) => name.includes('.'))
    ? { names, problem: 'the fields that it keeps or leaves out are inside objects' }
    : { names };
}

function requireNames(node: SourceNode): string[] {
  const { names, problem } = readNames(node);
  if (problem !== undefined) throw new NotConvertible(problem);
  return names;
}

/** Whether it hands on a part of its input, which is put together with what it sets. */
const isPart = (node: SourceNode): boolean => readKept(node) === 'selected' || readKept(node) === 'except';

/** Code of what it hands on of an item. */
function getKeptCode(node: SourceNode, item: string): string | undefined {
  const kept = readKept(node);
  if (kept === 'all') return item;
  if (kept === 'none') return undefined;
  const names = requireNames(node).map((name) => textConstant(name).code);
  const test = `item[0] ${kept === 'selected' ? 'in' : 'not in'} [${names.join(', ')}]`;
  return `dict(pairs(${item}).filter(${JSON.stringify(test)}))`;
}

const OTHERS_STAY =
  'Its output has only the fields that it sets; expressions after it read the others from the node before';

const READ_BY_SET =
  'mode assignments fields values keepOnlySet include includeOtherFields includeFields excludeFields options duplicateItem'.split(
    ' ',
  );

/** A value with a type of its own is an expression here, since texts of `set` stay texts. */
function buildMapping(to: Target, { name, value, becomes }: Assignment): JsonObject {
  if (typeof value !== 'string') {
    const isWhole = value === null || typeof value === 'object';
    return { key: name, value: isWhole ? `$(${JSON.stringify(value)})` : value };
  }
  if (becomes === 'json') return { key: name, value: to.json(value, 'mappings') };
  return { key: name, value: to.value(value, 'mappings', (code) => toTypedCode(code, becomes)) };
}

/** Parts of objects by the names of their fields. */
type Tree = Map<string, Tree | string>;

/** Names with dots say where in an object a value is; undefined for places in lists. */
function buildTree(values: readonly { name: string; code: string }[]): Tree | undefined {
  const root: Tree = new Map();
  for (const { name, code } of values) {
    if (name.includes('[')) return undefined;
    const keys = name.split('.');
    const last = keys.pop() ?? '';
    let at = root;
    for (const key of keys) {
      const known = at.get(key);
      const next: Tree = typeof known === 'object' ? known : new Map();
      at.set(key, next);
      at = next;
    }
    at.set(last, code);
  }
  return root;
}

/** Code of an object; one that is there already keeps its other fields, and undefined when their names do not allow it. */
function toObjectCode(tree: Tree, kept?: string): string | undefined {
  const entries = [...tree].map(([key, value]) => ({
    key,
    code: typeof value === 'string' ? value : toObjectCode(value, kept && `${kept}${access(key)}`),
  }));
  if (entries.some(({ key, code }) => code === undefined || (kept !== undefined && !isPlainName(key))))
    return undefined;
  if (kept === undefined)
    return `{${entries.map(({ key, code }) => `${textConstant(key).code}: ${code}`).join(', ')}}`;
  return `dict(${kept} ?? {}${entries.map(({ key, code }) => `, ${key}=${code}`).join('')})`;
}

const hasPath = (node: SourceNode, { name }: Assignment): boolean =>
  name.includes('.') && new Params(node.parameters).flag('options.dotNotation', true);

/** Fields of which some may be inside of objects; undefined when these objects cannot be written here. */
function buildNestedMappings(
  node: SourceNode,
  { assignments, to }: { readonly assignments: readonly Assignment[]; readonly to: Target },
): JsonObject[] | undefined {
  const deep = assignments.filter((assignment) => hasPath(node, assignment));
  const getRoot = ({ name }: Assignment) => name.split('.')[0] ?? '';
  const roots = new Set(deep.map(getRoot));
  const isApart = assignments.every((assignment) => deep.includes(assignment) || !roots.has(assignment.name));
  if (!isApart) return undefined;
  const made = [...roots].map((root) => {
    const own = deep.filter((assignment) => getRoot(assignment) === root);
    const value = to.made(() => {
      const values = own.map((assignment) => ({
        name: assignment.name.slice(root.length + 1),
        code: toTypedCode(to.code(assignment.value), assignment.becomes).code,
      }));
      const tree = buildTree(values);
      const isKept =
        readKept(node) === 'all' || (readKept(node) === 'selected' && requireNames(node).includes(root));
      const kept = isKept ? to.code(`={{ $json[${JSON.stringify(root)}] }}`).code : undefined;
      const code = tree && toObjectCode(tree, kept);
      return code === undefined ? undefined : { form: kept === undefined ? 'other' : 'chain', code };
    });
    return value === undefined ? undefined : { key: root, value };
  });
  if (!made.every((entry) => entry !== undefined)) return undefined;
  const plain = assignments.filter((assignment) => !deep.includes(assignment));
  return [...plain.map((assignment) => buildMapping(to, assignment)), ...made];
}

/** The object of one `item`; undefined when a value cannot be written for one. */
function buildObjectForEach(
  node: SourceNode,
  { context, each }: { context: ViewContext; each: Each },
): string | undefined {
  if (readText(node.parameters['mode']) === 'raw') return undefined;
  // Other nodes ask, too, and are not to be kept because this one cannot be converted.
  if (isPart(node) && readNames(node).problem !== undefined) return undefined;
  const assignments = readAssignments(node);
  const values = assignments.flatMap((assignment) => {
    const code = context.each(assignment.value, each);
    if (code === undefined) return [];
    return [{ name: assignment.name, code: keepApart(toTypedCode(chain(code), assignment.becomes).code) }];
  });
  if (values.length < assignments.length) return undefined;
  const isFlat = !assignments.some((assignment) => hasPath(node, assignment));
  const tree = isFlat ? new Map(values.map(({ name, code }) => [name, code])) : buildTree(values);
  return tree && toObjectCode(tree, getKeptCode(node, each.item));
}

/** The list with the fields of every item; undefined when the node gets one item, or its fields cannot be set for each. */
function buildList(node: SourceNode, context: ViewContext): string | undefined {
  const list = context.getsList() && node.stored['executeOnce'] !== true ? context.list() : undefined;
  if (list === undefined) return undefined;
  const object = buildObjectForEach(node, { context, each: MAPPED });
  if (object !== undefined) return `$${list}.map(${JSON.stringify(object)})`;
  // It reads the place of an item, or the item of another list that this one was made of.
  const numbered = buildObjectForEach(node, { context, each: NUMBERED });
  return numbered === undefined ? undefined : `$${list}.withIndex().map(${JSON.stringify(numbered)})`;
}

export const set: Kind = {
  view: (node, _, context) => {
    if (buildList(node, context) !== undefined) return { first: '.items[0]', list: '.items', isPaired: true };
    const kept = readKept(node);
    const isRaw = readText(node.parameters['mode']) === 'raw';
    if (isWholeJson(node) || (isRaw && isPart(node))) return { first: '.json' };
    if (kept === 'none') return {};
    if (isRaw) return { adds: readJsonNames(node) };
    if (kept === 'selected') return {};
    if (kept === 'except') return { first: '.json' };
    return { adds: readAssignments(node).map(({ name }) => name.split('.')[0] ?? name) };
  },
  convert: (node, to) => {
    for (const key of READ_BY_SET) to.params.get(key);
    const list = buildList(node, to.context);
    if (list !== undefined)
      return { type: 'set', data: { mappings: [{ key: 'items', value: list }] }, isForAll: true };
    if (readText(node.parameters['mode']) === 'raw') return buildRawFields(to, node);
    const kept = readKept(node);
    if (kept === 'except')
      return { type: 'set', data: { mappings: [{ key: 'json', value: buildAllExcept(to, node) }] } };
    const assignments = [...(kept === 'selected' ? listSelected(node) : []), ...readAssignments(node)];
    const nested = buildNestedMappings(node, { assignments, to });
    if (nested === undefined) {
      to.say('Names with a dot make one field of that name here, and no nested object', 'mappings');
    }
    if (kept === 'all') to.say(OTHERS_STAY, 'mappings');
    const mappings = nested ?? assignments.map((assignment) => buildMapping(to, assignment));
    return { type: 'set', data: { mappings } };
  },
};

/** Fields of the input that are kept, unless the node sets them. */
function listSelected(node: SourceNode): Assignment[] {
  const own = new Set(readAssignments(node).map(({ name }) => name.split('.')[0]));
  return requireNames(node)
    .filter((name) => !own.has(name))
    .map((name) => ({ name, value: `={{ $json[${JSON.stringify(name)}] }}` }));
}

/** The input without some of its fields, with those that the node sets. */
function buildAllExcept(to: Target, node: SourceNode): string {
  const made = to.made(() => {
    const values = readAssignments(node).map(({ name, value, becomes }) => ({
      name,
      code: toTypedCode(to.code(value), becomes).code,
    }));
    const tree = buildTree(values);
    const code = tree && toObjectCode(tree, getKeptCode(node, to.code('={{ $json }}').code));
    return code === undefined ? undefined : chain(code);
  });
  if (made === undefined)
    throw new NotConvertible('what it sets cannot be put beside the fields that it keeps');
  return made;
}

/** Names that the JSON mode sets; expressions in it may stand for any value. */
function readJsonNames({ parameters }: SourceNode): string[] {
  try {
    const text = readText(parameters['jsonOutput']).replace(/^=/, '');
    const stored = jsonIn(text.replaceAll(/\{\{[^]*?\}\}/g, '0'));
    return isJsonObject(stored) ? Object.keys(stored) : [];
  } catch {
    return [];
  }
}

/** The JSON mode with one expression, whose value is the output. */
const isWholeJson = ({ parameters }: SourceNode): boolean =>
  readText(parameters['mode']) === 'raw' &&
  /^=\s*\{\{(?:(?!\}\})[^])*\}\}\s*$/.test(readText(parameters['jsonOutput']));

/** The fields that it hands on, and over them those of an object that one expression makes. */
function mergeWithOthers(to: Target, node: SourceNode, written: string): string {
  const made = to.made(() => {
    const kept = getKeptCode(node, to.code('={{ $json }}').code);
    const { value, code } = to.code(written);
    return mergedCode([kept ?? '{}', value === 'text' ? `toJson(${code})` : `(${code})`]);
  });
  if (made === undefined) throw new NotConvertible('its JSON cannot be translated');
  return made;
}

/** The JSON mode: a fixed object with expressions as its values. */
function buildRawFields(to: Target, node: SourceNode) {
  if (isWholeJson(node) || isPart(node)) {
    const written = to.params.text('jsonOutput').trim();
    const value = keepsOthers(node) ? mergeWithOthers(to, node, written) : to.json(written, 'mappings');
    return { type: 'set', data: { mappings: [{ key: 'json', value }] } };
  }
  if (keepsOthers(node)) to.say(OTHERS_STAY, 'mappings');
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
    return buildMapping(to, { name, value: isScript ? `=${value}` : value });
  });
  return { type: 'set', data: { mappings } };
}
