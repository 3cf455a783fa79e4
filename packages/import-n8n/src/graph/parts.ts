import { findPartKind } from '../kinds/ai/parts.ts';
import { findKind } from '../kinds/index.ts';
import type { Part, SourceEdge, SourceNode } from '../source/source.ts';

/** Connections of parts lead to the node they belong to, and not to the next one. */
export const isPartEdge = ({ kind }: SourceEdge): boolean => kind.startsWith('ai_');

/** Parts inside of parts; no file of n8n comes near. */
const MOST_LEVELS = 4;

interface Graph {
  readonly edgesFrom: ReadonlyMap<string, readonly SourceEdge[]>;
  readonly edgesTo: ReadonlyMap<string, readonly SourceEdge[]>;
  readonly byName: ReadonlyMap<string, SourceNode>;
}

/** Finds out which nodes are parts of others. */
export class Parts {
  readonly #graph: Graph;
  readonly #known = new Map<string, readonly Part[]>();
  readonly #merged = new Map<string, boolean>();

  constructor(graph: Graph) {
    this.#graph = graph;
  }

  /** True for a node that is only settings of others here. */
  isMerged({ name }: SourceNode): boolean {
    return this.#isPart(name, 0);
  }

  /** In the order of the inputs: the first model comes before the one that takes its place. */
  of(name: string): readonly Part[] {
    return this.#collectParts(name, 0);
  }

  /** The node that a part belongs to, through other parts; itself for a node that is none. */
  findOwner(name: string): string {
    let owner = name;
    for (let level = 0; level < MOST_LEVELS; level++) {
      const edge = this.#graph.edgesFrom.get(owner)?.find(isPartEdge);
      if (edge === undefined) return owner;
      owner = edge.target;
    }
    return owner;
  }

  #collectParts(name: string, level: number): readonly Part[] {
    const known = this.#known.get(name);
    if (known !== undefined || level > MOST_LEVELS) return known ?? [];
    const edges = (this.#graph.edgesTo.get(name) ?? []).filter(isPartEdge);
    const parts = edges
      .toSorted((first, second) => first.input - second.input)
      .flatMap(({ kind, source }): Part[] => {
        const node = this.#graph.byName.get(source);
        if (node === undefined || !this.#isPart(source, 0)) return [];
        return [{ node, role: kind, parts: this.#collectParts(source, level + 1) }];
      });
    this.#known.set(name, parts);
    return parts;
  }

  /** Only where all of the nodes that it belongs to have a place for its settings. */
  #isPart(name: string, level: number): boolean {
    const known = this.#merged.get(name);
    if (known !== undefined) return known;
    // A circle of parts has none.
    this.#merged.set(name, false);
    const node = this.#graph.byName.get(name);
    const edges = (this.#graph.edgesFrom.get(name) ?? []).filter(isPartEdge);
    const isPart =
      level < MOST_LEVELS &&
      node !== undefined &&
      edges.length > 0 &&
      findPartKind(node) !== undefined &&
      edges.every(({ kind, target }) => this.#takes(target, { role: kind, level }));
    this.#merged.set(name, isPart);
    return isPart;
  }

  #takes(name: string, { role, level }: { role: string; level: number }): boolean {
    const node = this.#graph.byName.get(name);
    if (node === undefined) return false;
    const own = findPartKind(node);
    if (own?.takes?.includes(role) === true && this.#isPart(name, level + 1)) return true;
    return findKind(node.type)?.takes?.includes(role) === true;
  }
}
