import { type Catalog, receivingKind } from '../../node-type/define-node.ts';

interface AddressedGraph<Node extends GraphNode, Edge extends GraphEdge> {
  readonly nodes: readonly Node[];
  readonly edges: readonly Edge[];
}
interface GraphNode {
  readonly id: string;
  readonly type: string;
  readonly data: object;
}
interface GraphEdge {
  readonly source: string;
  readonly target: string;
}

export interface RenewedAddresses<Node, Edge> {
  readonly graph: { nodes: Node[]; edges: Edge[] };
  /** The new id of each node that got one, by its former id. */
  readonly ids: ReadonlyMap<string, string>;
}

// Without letters that are mistaken for digits.
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** Random bytes needed for one id: unguessable, for an address may be open to everyone who knows it. */
export const NODE_ADDRESS_BYTES = 16;

/** An id for a node whose address contains it, from random bytes. */
export const encodeNodeAddress = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => ALPHABET[byte % ALPHABET.length]).join('');

/** Whether the id of such a node is part of an address that is unique in the installation. */
export function hasAddress(
  catalog: Pick<Catalog, 'get'>,
  { type, data }: Pick<GraphNode, 'type' | 'data'>,
): boolean {
  const definition = catalog.get(type);
  return definition !== undefined && receivingKind(definition, { ...data }) === 'webhook';
}

/**
 * A graph that becomes part of another workflow, with new ids for the nodes whose id is part of an address: senders of
 * the original keep reaching the original alone. Edges follow; nothing else of a graph names a node by its id.
 *
 * @param options.mint makes an id that no node has, by `encodeNodeAddress`
 * @param options.keep ids that nodes have already where the graph goes to
 */
export function renewAddresses<Node extends GraphNode, Edge extends GraphEdge>(
  { nodes, edges }: AddressedGraph<Node, Edge>,
  catalog: Pick<Catalog, 'get'>,
  { mint, keep = new Set() }: { mint: () => string; keep?: ReadonlySet<string> },
): RenewedAddresses<Node, Edge> {
  const renewed = nodes.filter((node) => hasAddress(catalog, node) && !keep.has(node.id));
  const ids = new Map(renewed.map(({ id }) => [id, mint()]));
  const idAfter = (id: string) => ids.get(id) ?? id;
  return {
    ids,
    graph: {
      nodes: nodes.map((node) => (ids.has(node.id) ? { ...node, id: idAfter(node.id) } : node)),
      edges: edges.map((edge) =>
        ids.has(edge.source) || ids.has(edge.target)
          ? { ...edge, source: idAfter(edge.source), target: idAfter(edge.target) }
          : edge,
      ),
    },
  };
}
