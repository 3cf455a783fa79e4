import { isJsonObject, type Json, type JsonObject, readText } from '@millrace/engine';
import { onlyScript } from '../../expression/field.ts';
import { access, type Code, chain, isPlainName, textConstant } from '../../expression/value.ts';
import { jsonIn } from '../../source/depth.ts';
import { inside, Params } from '../../source/params.ts';
import type { SourceNode } from '../../source/source.ts';
import { type Kind, NotConvertible, type Target, type ViewContext } from '../kind.ts';

interface Assignment {
  readonly name: string;
  readonly value: Json;
  /** The type that n8n gives to a value that is an expression. */
  readonly becomes?: 'json' | 'number';
}

/** Fields of the node in its three shapes: `values.string[]`, `fields.values[]`, `assignments.assignments[]`. */
function readAssignments({ parameters }: SourceNode): Assignment[] {
  const lists = [
    inside(parameters, 'assignments', 'assignments'),
    inside(parameters, 'fields', 'values'),
    ...Object.keys(isJsonObject(parameters['values']) ? parameters['values'] : {}).map((type) =>
      inside(parameters, 'values', type).map((row): JsonObject => ({ type, ...row })),
    ),
  ];
  return lists.flat().flatMap((row) => {
    const name = readText(row['name']);
    const typed = Object.keys(row).find((key) => key.endsWith('Value'));
    const value = row['value'] ?? (typed === undefined ? '' : (row[typed] ?? ''));
    const type = readText(row['type']).replace(/Value$/, '');
    return name === '' ? [] : [{ name, value: fixed(value, type), ...chooseConversion(value, type) }];
  });
}

function chooseConversion(value: Json, type: string): Pick<Assignment, 'becomes'> {
  if (typeof value !== 'string' || !value.startsWith('=')) return {};
  if (type === 'number') return { becomes: 'number' };
  // One expression has a list or an object itself.
  const isWritten = (type === 'array' || type === 'object') && onlyScript(value) === undefined;
  return isWritten ? { becomes: 'json' } : {};
}

/** Forms of n8n store numbers, truth values, lists and objects as texts. */
function fixed(value: Json, type: string): Json {
  if (typeof value !== 'string' || value.startsWith('=')) return value;
  if (type === 'number' && value.trim() !== '' && Number.isFinite(Number(value))) return Number(value);
  if (type === 'boolean') return value === 'true';
  return type === 'array' || type === 'object' ? jsonOr(value) : value;
}

function jsonOr(text: string): Json {
  try {
    return jsonIn(text);
  } catch {
    return text;
  }
}

function keepsOthers({ parameters, version }: SourceNode): boolean {
  if (version < 3) return parameters['keepOnlySet'] !== true;
  if (parameters['includeOtherFields'] !== undefined) return parameters['includeOtherFields'] === true;
  // Before 3.3 all fields are kept unless the node says otherwise; what is usual is left out of exports.
  return version < 3.3 && readText(parameters['include']) !== 'none';
}

const READ_BY_SET =
  'mode assignments fields values keepOnlySet include includeOtherFields options duplicateItem'.split(' ');

/** A value with a type of its own is an expression here, since texts of `set` stay texts. */
function mapping(to: Target, { name, value, becomes }: Assignment): JsonObject {
  if (typeof value !== 'string') {
    const isWhole = value === null || typeof value === 'object';
    return { key: name, value: isWhole ? `$(${JSON.stringify(value)})` : value };
  }
  if (becomes === 'json') return { key: name, value: to.json(value, 'mappings') };
  return { key: name, value: to.value(value, 'mappings', (code) => madeFrom(code, becomes)) };
}

/** The value of an expression as n8n converts it. */
function madeFrom(code: Code, becomes: Assignment['becomes']): Code {
  if (becomes === undefined || code.value === becomes) return code;
  return becomes === 'number' ? chain(`toNumber(${code.code})`, 'number') : chain(`toJson(${code.code})`);
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
function nestedMappings(
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
        code: madeFrom(to.code(assignment.value), assignment.becomes).code,
      }));
      const tree = buildTree(values);
      const kept = keepsOthers(node) ? to.code(`={{ $json[${JSON.stringify(root)}] }}`).code : undefined;
      const code = tree && toObjectCode(tree, kept);
      return code === undefined ? undefined : { form: kept === undefined ? 'other' : 'chain', code };
    });
    return value === undefined ? undefined : { key: root, value };
  });
  if (!made.every((entry) => entry !== undefined)) return undefined;
  const plain = assignments.filter((assignment) => !deep.includes(assignment));
  return [...plain.map((assignment) => mapping(to, assignment)), ...made];
}

/** The object of one `item`; undefined when a value cannot be written for one. */
function objectForEach(node: SourceNode, context: ViewContext): string | undefined {
  if (readText(node.parameters['mode']) === 'raw') return undefined;
  const assignments = readAssignments(node);
  const values = assignments.flatMap((assignment) => {
    const code = context.each(assignment.value);
    if (code === undefined) return [];
    return [{ name: assignment.name, code: madeFrom(chain(code), assignment.becomes).code }];
  });
  if (values.length < assignments.length) return undefined;
  const isFlat = !assignments.some((assignment) => hasPath(node, assignment));
  const tree = isFlat ? new Map(values.map(({ name, code }) => [name, code])) : buildTree(values);
  return tree && toObjectCode(tree, keepsOthers(node) ? 'item' : undefined);
}

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
    if (readText(node.parameters['mode']) === 'raw') return { adds: namesOfJson(node) };
    return { adds: readAssignments(node).map(({ name }) => name.split('.')[0] ?? name) };
  },
  convert: (node, to) => {
    for (const key of READ_BY_SET) to.params.get(key);
    const list = listOfSet(node, to.context);
    if (list !== undefined)
      return { type: 'set', data: { mappings: [{ key: 'items', value: list }] }, isForAll: true };
    if (readText(node.parameters['mode']) === 'raw') return rawFields(to, node);
    const assignments = readAssignments(node);
    const nested = nestedMappings(node, { assignments, to });
    if (nested === undefined) {
      to.say('Names with a dot make one field of that name here, and no nested object', 'mappings');
    }
    if (keepsOthers(node)) {
      to.say(
        'Its output has only the fields that it sets; expressions after it read the others from the node before',
        'mappings',
      );
    }
    const mappings = nested ?? assignments.map((assignment) => mapping(to, assignment));
    return { type: 'set', data: { mappings } };
  },
};

/** Names that the JSON mode sets; expressions in it may stand for any value. */
function namesOfJson({ parameters }: SourceNode): string[] {
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
