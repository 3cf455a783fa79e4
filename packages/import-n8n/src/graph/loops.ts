import { findKind } from '../kinds/index.ts';
import { edgesBy, type SourceEdge, type SourceNode } from '../source/source.ts';

interface Graph {
  readonly edgesFrom: ReadonlyMap<string, readonly SourceEdge[]>;
  readonly edgesTo: ReadonlyMap<string, readonly SourceEdge[]>;
  readonly byName: ReadonlyMap<string, SourceNode>;
}

/** One that is switched off has no rounds, though a connection back to it stays one. */
const isLoop = ({ type, isDisabled }: SourceNode): boolean => type === 'splitInBatches' && !isDisabled;

/** Loops that a file of n8n draws: which connections lead back to them, and which nodes are in a circle without one. */
export class Loops {
  readonly #graph: Graph;
  /** Nodes in the rounds of each loop, by its name. */
  readonly #bodies = new Map<string, ReadonlySet<string>>();
  #circles: ReadonlySet<string> | undefined;

  constructor(graph: Graph) {
    this.#graph = graph;
  }

  isBackEdge({ kind, source, target }: SourceEdge): boolean {
    const loop = this.#graph.byName.get(target);
    return kind === 'main' && loop?.type === 'splitInBatches' && this.#findBody(loop).has(source);
  }

  /** The only connection that leads back to a loop. */
  findBackEdge(loop: string): SourceEdge | undefined {
    const [edge, ...others] = (this.#graph.edgesTo.get(loop) ?? []).filter((edge) => this.isBackEdge(edge));
    return others.length === 0 ? edge : undefined;
  }

  /** The loops that run the node in their rounds. */
  listAround(name: string): string[] {
    return [...this.#graph.byName.values()]
      .filter((loop) => isLoop(loop) && loop.name !== name && this.#findBody(loop).has(name))
      .map((loop) => loop.name);
  }

  /** The output of a named node that an expression reads: the rounds for nodes inside of a loop, its end for others. */
  findOutput(of: string, node: string): number {
    const loop = this.#graph.byName.get(of);
    if (loop === undefined || !isLoop(loop)) return 0;
    const wanted = node !== of && this.#findBody(loop).has(node) ? 'loop' : 'done';
    return findKind(loop.type)?.output?.(loop, 0) === wanted ? 0 : 1;
  }

  /** True for a node that leads back to itself, other than through a loop. */
  isInCircle(name: string): boolean {
    this.#circles ??= this.#findCircles();
    return this.#circles.has(name);
  }

  /** Nodes that are reached from the loop's own output of rounds. */
  #findBody(loop: SourceNode): ReadonlySet<string> {
    const known = this.#bodies.get(loop.name);
    if (known !== undefined) return known;
    const kind = findKind(loop.type);
    const body = new Set<string>();
    const open = this.#from(loop.name)
      .filter((edge) => kind?.output?.(loop, edge.output) === 'loop')
      .map(({ target }) => target);
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (body.has(next)) continue;
      body.add(next);
      if (next === loop.name) continue;
      for (const edge of this.#from(next)) if (edge.kind === 'main') open.push(edge.target);
    }
    this.#bodies.set(loop.name, body);
    return body;
  }

  /**
   * The nodes that are left when all nodes are taken away, one after the other, to which nothing leads, or from which
   * nothing does.
   */
  #findCircles(): ReadonlySet<string> {
    const left = new Set(this.#graph.byName.keys());
    const edges = [...this.#graph.edgesFrom.values()]
      .flat()
      .filter((edge) => edge.kind === 'main' && !this.isBackEdge(edge));
    for (const [from, to] of [
      ['source', 'target'],
      ['target', 'source'],
    ] as const) {
      const open = edges.filter((edge) => left.has(edge.source) && left.has(edge.target));
      const next = edgesBy(open, from);
      const counts = new Map([...edgesBy(open, to)].map(([name, { length }]) => [name, length]));
      const free = [...left].filter((name) => !counts.has(name));
      for (let name = free.pop(); name !== undefined; name = free.pop()) {
        left.delete(name);
        for (const edge of next.get(name) ?? []) {
          const count = (counts.get(edge[to]) ?? 0) - 1;
          counts.set(edge[to], count);
          if (count === 0) free.push(edge[to]);
        }
      }
    }
    return left;
  }

  #from(name: string): readonly SourceEdge[] {
    return this.#graph.edgesFrom.get(name) ?? [];
  }
}
