import type { ProposedChange } from '@millrace/contracts';

export type NodeChange = ProposedChange['changes']['node_changes'][number];
export type EdgeChange = ProposedChange['changes']['edge_changes'][number];

/** Changes that make sense only together: a new node with its connections, a way that a new one replaces. */
export interface ChangeGroup {
  /** Of its first change; unique within a proposal. */
  readonly id: string;
  readonly nodes: readonly NodeChange[];
  readonly edges: readonly EdgeChange[];
}

/** Sets of changes that are joined one after another. */
class Joined {
  readonly #parents: number[];

  constructor(count: number) {
    this.#parents = Array.from({ length: count }, (_, at) => at);
  }

  find(at: number): number {
    const parent = this.#parents[at] ?? at;
    return parent === at ? at : this.find(parent);
  }

  join(one: number, other: number): void {
    const [first, second] = [this.find(one), this.find(other)];
    this.#parents[Math.max(first, second)] = Math.min(first, second);
  }
}

const drawn = ({ old_edge, new_edge }: EdgeChange) => [old_edge, new_edge].filter((edge) => edge !== null);
const getEdge = ({ old_edge, new_edge }: EdgeChange) => new_edge ?? old_edge;

/**
 * Joins a connection between nodes that stay with the nodes that take its place, or whose place it takes: an edge removed from A to
 * B with new nodes that an added edge leaves A for, and another reaches B from; likewise an added edge with removed nodes.
 */
function joinReplacements(edges: readonly EdgeChange[], joined: Joined, first: number): void {
  for (const [at, change] of edges.entries()) {
    if (change.change_type === 'modified') continue;
    const edge = getEdge(change);
    const others = edges
      .map((other, place) => ({ other, set: joined.find(first + place) }))
      .filter(({ other }) => other.change_type !== 'modified' && other.change_type !== change.change_type);
    const leaving = others.filter(({ other }) => getEdge(other)?.source === edge?.source);
    const arriving = others.filter(({ other }) => getEdge(other)?.target === edge?.target);
    const way = leaving.find(({ set }) => arriving.some((end) => end.set === set));
    if (way) joined.join(first + at, way.set);
  }
}

/** The changes of a proposal, in groups that can be accepted one by one. */
export function changeGroups({ node_changes, edge_changes }: ProposedChange['changes']): ChangeGroup[] {
  const first = node_changes.length;
  const joined = new Joined(first + edge_changes.length);
  for (const [at, { node_id, change_type }] of node_changes.entries()) {
    if (change_type === 'modified') continue;
    for (const [place, change] of edge_changes.entries())
      if (drawn(change).some(({ source, target }) => source === node_id || target === node_id))
        joined.join(at, first + place);
  }
  joinReplacements(edge_changes, joined, first);
  const groups = new Map<number, { nodes: NodeChange[]; edges: EdgeChange[] }>();
  const groupAt = (at: number) => {
    const set = joined.find(at);
    const group = groups.get(set) ?? { nodes: [], edges: [] };
    groups.set(set, group);
    return group;
  };
  for (const [at, change] of node_changes.entries()) groupAt(at).nodes.push(change);
  for (const [at, change] of edge_changes.entries()) groupAt(first + at).edges.push(change);
  return [...groups.values()].map(({ nodes, edges }) => ({
    id: nodes[0] ? `node ${nodes[0].node_id}` : `edge ${edges[0]?.edge_id ?? ''}`,
    nodes,
    edges,
  }));
}
