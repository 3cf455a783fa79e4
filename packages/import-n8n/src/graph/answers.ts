import { type Json, type JsonObject, readText } from '@millrace/engine';
import { formatScalar, type SourceEdge, type SourceNode } from '../source/source.ts';

interface Graph {
  readonly edgesFrom: ReadonlyMap<string, readonly SourceEdge[]>;
  readonly byName: ReadonlyMap<string, SourceNode>;
  /** Items by node that stand for its output in tests. */
  readonly pinned: JsonObject;
}

/** Nodes that n8n runs for each item, and that hand on the items that came or one for each. */
const FOR_EACH: ReadonlySet<string> = new Set([
  'crypto',
  'dateTime',
  'html',
  'if',
  'markdown',
  'noOp',
  'set',
  'switch',
  'wait',
  'xml',
]);
/** Nodes that make sense for several items only. */
const FOR_LISTS: ReadonlySet<string> = new Set([
  'aggregate',
  'compareDatasets',
  'filter',
  'limit',
  'removeDuplicates',
  'sort',
  'splitInBatches',
  'summarize',
]);
/** Nodes that read an answer as a file. */
const FOR_FILES: ReadonlySet<string> = new Set([
  'extractFromFile',
  'moveBinaryData',
  'readPDF',
  'spreadsheetFile',
]);
/** Code that asks for all items: those of n8n, and not a list of its own with the same name. */
const READS_ALL = /[$_]input\.all\(/;
const READS_ITEMS = /(?<![.\w$])items\s*\.\s*(?:map|filter|forEach|reduce|length)\b|\bof\s+items\b/;
const DECLARES_ITEMS = /\b(?:const|let|var)\s+(?:items\b|\{[^}]*\bitems\b)|(?<![.\w$])items\s*=[^=]/;
/** The operation that takes a list out of an object. */
const SPLIT = 'splitOutItems';
/** Nodes that are looked at behind one. */
const MOST_NODES = 50;

/**
 * Tells where an answer that may be one object or a list is a list in all likelihood, so that the nodes behind it are made for one: they
 * do what n8n does for one object, too, but with a loop for each node.
 */
export class Answers {
  readonly #graph: Graph;
  readonly #known = new Map<string, boolean>();

  constructor(graph: Graph) {
    this.#graph = graph;
  }

  /** True for a node with nodes behind it that n8n runs for each item, and with a reason to expect several. */
  isForList({ name }: SourceNode): boolean {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const next = this.#listNext(name);
    const pinned = this.#graph.pinned[name];
    const hasPinned = Array.isArray(pinned) && pinned.length > 1;
    const isFile = next.some(({ type }) => FOR_FILES.has(type));
    const found = !isFile && next.some(needsList) && (hasPinned || this.#leadsToList(next));
    this.#known.set(name, found);
    return found;
  }

  /** Nodes that make other items, such as a further request, say nothing of those before them. */
  #leadsToList(first: readonly SourceNode[]): boolean {
    const seen = new Set(first);
    for (const node of seen) {
      if (isForList(node)) return true;
      if (!FOR_EACH.has(node.type) && !node.isDisabled) continue;
      if (seen.size > MOST_NODES) return false;
      for (const next of this.#listNext(node.name)) seen.add(next);
    }
    return false;
  }

  #listNext(name: string): SourceNode[] {
    return (this.#graph.edgesFrom.get(name) ?? []).flatMap(({ kind, target }) => {
      const node = kind === 'main' ? this.#graph.byName.get(target) : undefined;
      return node === undefined ? [] : [node];
    });
  }
}

interface Scripts {
  readonly jsCode?: Json;
  readonly pythonCode?: Json;
  readonly functionCode?: Json;
}

function isForList({ type, parameters, isDisabled }: SourceNode): boolean {
  if (isDisabled) return false;
  if (type === 'itemLists') return formatScalar(parameters['operation'], SPLIT) !== SPLIT;
  if (type === 'code' || type === 'function') return readsAllItems(readScript(parameters));
  return FOR_LISTS.has(type);
}

const readsAllItems = (script: string): boolean =>
  READS_ALL.test(script) || (READS_ITEMS.test(script) && !DECLARES_ITEMS.test(script));

/**
 * True for a node that counts an answer as one object unless a list is made of it: a filter keeps all of that or nothing,
 * except where it hands on an empty item.
 */
const needsList = (node: SourceNode): boolean =>
  !isForList(node) || (node.type === 'filter' && node.stored['alwaysOutputData'] !== true);

const readScript = ({ jsCode, pythonCode, functionCode }: Scripts): string =>
  [jsCode, pythonCode, functionCode].map(readText).join('\n');
