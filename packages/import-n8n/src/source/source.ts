import { isJsonObject, type Json, type JsonObject, readText } from '@millrace/engine';

/** A node of n8n that is no node here, but settings of the node that it is connected to. */
export interface Part {
  readonly node: SourceNode;
  /** Its role for that node: `ai_languageModel`. */
  readonly role: string;
  /** Its own parts. */
  readonly parts: readonly Part[];
}

/** A credential as a node names it. */
export interface UsedCredential {
  /** Its type in n8n, such as `slackApi`. */
  readonly type: string;
  /** Empty in exports without names. */
  readonly name: string;
}

/** A node of an n8n export, as far as it can be read. */
export interface SourceNode {
  readonly name: string;
  /** Without the package: `httpRequest`. */
  readonly type: string;
  readonly version: number;
  readonly parameters: JsonObject;
  readonly position: { readonly x: number; readonly y: number };
  readonly isDisabled: boolean;
  /** Switched off here, where it would run with the others. */
  readonly isOff?: boolean;
  readonly credentials: readonly UsedCredential[];
  /** The node as it is in the file. */
  readonly stored: JsonObject;
}

export interface SourceEdge {
  readonly source: string;
  /** `main`, or what a part of an agent is to it: `ai_tool`. */
  readonly kind: string;
  readonly output: number;
  readonly target: string;
  readonly input: number;
}

/** Edges by the node that they start at or lead to. */
export function edgesBy(edges: readonly SourceEdge[], end: 'source' | 'target'): Map<string, SourceEdge[]> {
  const groups = new Map<string, SourceEdge[]>();
  for (const edge of edges) {
    const group = groups.get(edge[end]);
    if (group === undefined) groups.set(edge[end], [edge]);
    else group.push(edge);
  }
  return groups;
}

export interface Source {
  readonly nodes: readonly SourceNode[];
  readonly edges: readonly SourceEdge[];
}

/** Other packages have nodes of their own behind the same names. */
const PACKAGE = /^(n8n-nodes-base|@n8n\/n8n-nodes-langchain)\./;

/** Types that two packages have in common, by the one that is no node of the main package. */
const OTHERWISE: Readonly<Record<string, string>> = {
  '@n8n/n8n-nodes-langchain.code': 'langchainCode',
};

const toObject = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});
/** The text of what forms of n8n store as a text, a number or a truth value. */
export function formatScalar(value: Json | undefined, fallback = ''): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : fallback;
}

const toList = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);
const toNumber = (value: Json | undefined): number =>
  typeof value === 'number' && Number.isFinite(value) ? value : 0;

/** Reads nodes and connections; entries that are none are skipped; `skipped` is called with their place. */
export function readSource(json: JsonObject, skipped: (place: string) => void): Source {
  const nodes: SourceNode[] = [];
  const names = new Set<string>();
  for (const [index, stored] of toList(json['nodes']).entries()) {
    const node = isJsonObject(stored) ? readNode(stored) : undefined;
    if (node === undefined || names.has(node.name)) skipped(`nodes.${index}`);
    else {
      names.add(node.name);
      nodes.push(node);
    }
  }
  return { nodes, edges: readEdges(toObject(json['connections'])) };
}

function readNode(stored: JsonObject): SourceNode | undefined {
  const [name, type] = [readText(stored['name']), readText(stored['type']).trim()];
  if (name === '' || type === '') return undefined;
  const [x, y] = toList(stored['position']);
  return {
    name,
    type: Object.hasOwn(OTHERWISE, type) ? String(OTHERWISE[type]) : type.replace(PACKAGE, ''),
    version: toNumber(stored['typeVersion']) || 1,
    parameters: toObject(stored['parameters']),
    position: { x: toNumber(x), y: toNumber(y) },
    isDisabled: stored['disabled'] === true,
    credentials: Object.entries(toObject(stored['credentials'])).map(([type, used]) => ({
      type,
      name: readText(toObject(used)['name']),
    })),
    stored,
  };
}

function readEdges(connections: JsonObject): SourceEdge[] {
  return Object.entries(connections).flatMap(([source, kinds]) =>
    Object.entries(toObject(kinds)).flatMap(([kind, outputs]) =>
      toList(outputs).flatMap((ends, output) =>
        toList(ends).flatMap((end): SourceEdge[] => {
          const { node, index } = toObject(end);
          return typeof node === 'string'
            ? [{ source, kind, output, target: node, input: toNumber(index) }]
            : [];
        }),
      ),
    ),
  );
}
