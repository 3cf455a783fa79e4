import { isBuiltin } from 'node:module';
import { parse } from '@babel/parser';
import { NotConvertible } from '../kind.ts';

/** The parts of n8n that code uses besides JavaScript. */
export interface Script {
  /** Names of other nodes whose items it reads, in their order. */
  readonly nodes: readonly string[];
  /** It reads its own items with `$items()`. */
  readonly usesItems: boolean;
  readonly usesDates: boolean;
  /** The id of the run or the name of the workflow. */
  readonly usesFacts: boolean;
  /** Packages that it loads. */
  readonly packages: readonly string[];
  /** Files of items are handed on, which have none here. */
  readonly passesFiles: boolean;
}

/** Names that are there in every mode, besides `$('name')`, `$items("name")` and `$node["name"]`. */
const KNOWN = new Set(['$input', '$json', '$now', '$today', '$itemIndex']);
/** Facts of the run, by their whole name. */
const FACTS = new Set(['$execution.id', '$workflow.name']);
/** Of `$input`: what the code around it defines. */
const INPUT = new Set(['all', 'first', 'last', 'item']);
/** Of a node that code reads with `$('name')`. */
const OF_NODE = new Set(['all', 'first', 'last', 'item', 'itemMatching', 'isExecuted']);

/** Modules of Node.js that need nothing outside of the container. */
const BUILT_IN = new Set(
  'assert buffer crypto path punycode querystring string_decoder url util zlib'.split(' '),
);
/** Names of packages, without paths inside of them. */
const PACKAGE = /^(@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;

const MOST_LEVELS = 400;

interface Tree {
  readonly type: string;
  readonly [key: string]: unknown;
}

const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';

/** Throws `NotConvertible` for code that uses what code here does not have. */
export function readScript(script: string): Script {
  const reader = new Reader();
  reader.walk(parsed(script), { parent: undefined, level: 0, hasThis: false });
  return {
    nodes: [...reader.nodes],
    usesItems: reader.usesItems,
    usesDates: reader.usesDates,
    usesFacts: reader.usesFacts,
    packages: [...reader.packages],
    passesFiles: reader.passesFiles,
  };
}

function parsed(script: string): Tree {
  try {
    const { program } = parse(script, {
      allowReturnOutsideFunction: true,
      allowAwaitOutsideFunction: true,
      allowSuperOutsideMethod: true,
    });
    return program as unknown as Tree;
  } catch {
    throw new NotConvertible('its code is not JavaScript that can be read');
  }
}

/** Syntax that has a `this` of its own. */
const HAS_THIS = /^(Function(Declaration|Expression)|(Object|Class|ClassPrivate)Method|ClassBody)$/;

interface Place {
  readonly parent: Tree | undefined;
  readonly level: number;
  /** Inside of a function or class with a `this` of its own. */
  readonly hasThis: boolean;
}

class Reader {
  readonly nodes = new Set<string>();
  readonly packages = new Set<string>();
  usesItems = false;
  usesDates = false;
  usesFacts = false;
  passesFiles = false;

  walk(tree: Tree, { parent, level, hasThis }: Place): void {
    if (level > MOST_LEVELS) throw new NotConvertible('its code is nested too deep');
    this.#look(tree, { parent, level, hasThis });
    const inside = { parent: tree, level: level + 1, hasThis: hasThis || HAS_THIS.test(tree.type) };
    for (const [key, value] of Object.entries(tree)) {
      if (key === 'loc' || key.endsWith('Comments') || key === 'extra') continue;
      for (const child of Array.isArray(value) ? value : [value]) if (isTree(child)) this.walk(child, inside);
    }
  }

  #look(tree: Tree, { parent, hasThis }: Place): void {
    if (tree.type === 'ThisExpression' && !hasThis) throw new NotConvertible('its code uses "this"');
    if (tree.type === 'ImportExpression' || tree.type === 'Import' || tree.type === 'ImportDeclaration')
      throw new NotConvertible('its code uses "import"');
    if (tree.type === 'MemberExpression' || tree.type === 'OptionalMemberExpression')
      this.#member(tree, parent);
    if (tree.type !== 'Identifier' || isOnlyKey(tree, parent)) return;
    const name = String(tree['name']);
    if (name === 'DateTime' || name === '$now' || name === '$today') this.usesDates = true;
    else if (name === 'require') this.#load(parent);
    else if (name === 'Luxon') throw new NotConvertible('its code uses "Luxon"');
    else if (name.startsWith('$')) this.#global(name, parent);
  }

  #global(name: string, parent: Tree | undefined): void {
    if (name === '$' || name === '$items') this.#call(name, parent);
    else if (name === '$node') this.#readNode(parent);
    else if (FACTS.has(`${name}.${readKey(parent) ?? ''}`)) this.usesFacts = true;
    else if (name === '$input') {
      if (!INPUT.has(readKey(parent) ?? ''))
        throw new NotConvertible('its code uses more of $input than its items');
    } else if (!KNOWN.has(name)) throw new NotConvertible(`its code uses ${name}`);
  }

  /** `$('name')`, and `$items("name")` for the first output of the first round. */
  #call(name: string, parent: Tree | undefined): void {
    const [first, ...more] = (parent?.['arguments'] ?? []) as Tree[];
    const isCall =
      parent?.type === 'CallExpression' && isTree(parent['callee']) && parent['callee']['name'] === name;
    if (isCall && name === '$items' && first === undefined) {
      this.usesItems = true;
      return;
    }
    const isFirst = more.every((argument) => argument.type === 'NumericLiteral' && argument['value'] === 0);
    if (!isCall || first?.type !== 'StringLiteral' || !isFirst)
      throw new NotConvertible(`its code uses ${name} without the fixed name of a node`);
    this.nodes.add(String(first['value']));
  }

  /** `$node["name"]` and `$node.name`. */
  #readNode(parent: Tree | undefined): void {
    const key = readKey(parent);
    if (key === undefined) throw new NotConvertible('its code uses $node without the fixed name of a node');
    this.nodes.add(key);
  }

  #load(parent: Tree | undefined): void {
    const [first] = (parent?.['arguments'] ?? []) as Tree[];
    const name = first?.type === 'StringLiteral' ? String(first['value']).replace(/^node:/, '') : '';
    if (BUILT_IN.has(name)) return;
    if (!PACKAGE.test(name) || isBuiltin(name)) throw new NotConvertible(`its code loads "${name}"`);
    this.packages.add(name);
  }

  #member(tree: Tree, parent: Tree | undefined): void {
    const object = tree['object'];
    const key = readKey(tree);
    if (key === 'binary') {
      if (isTree(parent) && parent['object'] === tree)
        throw new NotConvertible('its code reads files of items');
      this.passesFiles = true;
    }
    const isNode =
      isTree(object) &&
      object.type === 'CallExpression' &&
      isTree(object['callee']) &&
      object['callee']['name'] === '$';
    if (isNode && !OF_NODE.has(key ?? ''))
      throw new NotConvertible(`its code uses "${key ?? '[…]'}" of a node`);
  }
}

/** The fixed key of a member. */
function readKey(member: Tree | undefined): string | undefined {
  const property = member?.['property'];
  if (!isTree(property)) return undefined;
  if (property.type === 'StringLiteral') return String(property['value']);
  return member?.['computed'] === true || property.type !== 'Identifier'
    ? undefined
    : String(property['name']);
}

/** A name that only says which member or key is meant. */
function isOnlyKey(tree: Tree, parent: Tree | undefined): boolean {
  if (parent?.['computed'] === true) return false;
  if (parent?.['property'] === tree) return true;
  return parent?.['key'] === tree && parent['shorthand'] !== true;
}
