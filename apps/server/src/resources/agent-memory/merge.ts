import { AGENT_MEMORY_LIMITS } from '@millrace/contracts';
import type { MemoryFacts, MemoryNode } from '@millrace/nodes/runtime';
import type { EdgeRow, MemoryRows, NodeRow } from './queries.ts';
import { entityKey } from './queries.ts';

type Limits = Readonly<Record<'nodes' | 'edges' | 'property_characters', number>>;
type NodeContent = Pick<NodeRow, 'entity_name' | 'entity_key' | 'entity_type' | 'properties' | 'confidence'>;
type EdgeContent = Pick<EdgeRow, 'source_node_id' | 'target_node_id' | 'relationship_type' | 'confidence'>;

/** The writes that are needed so that a memory holds new facts. */
export interface MergePlan {
  readonly added_nodes: readonly (NodeContent & { readonly id: string })[];
  readonly changed_nodes: readonly (Partial<NodeContent> & { readonly id: string })[];
  readonly added_edges: readonly (EdgeContent & { readonly id: string })[];
  readonly changed_edges: readonly (Partial<EdgeContent> & { readonly id: string })[];
  /** Facts that had no room. */
  readonly left_out: number;
}

/** Of an entity that only a relationship names. */
const UNKNOWN_TYPE = 'unknown';

interface Known {
  readonly id: string;
  /** Absent for one that is added. */
  readonly row?: NodeRow;
}

/**
 * New facts win over what is stored: properties are added to those there are. A relationship brings the entities along
 * that it names. Facts beyond the limits are left out.
 */
export function planMerge(
  stored: MemoryRows,
  facts: MemoryFacts,
  { newId, limits = AGENT_MEMORY_LIMITS }: { newId: () => string; limits?: Limits },
): MergePlan {
  const known = new Map<string, Known>(stored.nodes.map((row) => [row.entity_key, { id: row.id, row }]));
  const added_nodes: MergePlan['added_nodes'][number][] = [];
  const changed_nodes: MergePlan['changed_nodes'][number][] = [];
  const refused = new Set<string>();

  const add = (node: MemoryNode, entity_key: string): string | undefined => {
    if (stored.nodes.length + added_nodes.length >= limits.nodes) {
      refused.add(entity_key);
      return undefined;
    }
    const id = newId();
    added_nodes.push({ id, ...node, entity_key });
    known.set(entity_key, { id });
    return id;
  };

  for (const node of mergedByName(facts.nodes)) {
    const entity_key = entityKey(node.entity_name);
    const row = known.get(entity_key)?.row;
    if (!row) {
      add(node, entity_key);
      continue;
    }
    const change = computeChange(row, node, limits);
    if (change) changed_nodes.push({ id: row.id, ...change });
  }

  const resolveEntityId = (entity_name: string): string | undefined => {
    const entity_key = entityKey(entity_name);
    const bare = { entity_name, entity_type: UNKNOWN_TYPE, properties: {}, confidence: 1 };
    return known.get(entity_key)?.id ?? add(bare, entity_key);
  };
  const edges = planEdges(stored.edges, facts, { newId, resolveEntityId, most: limits.edges });
  return {
    added_nodes,
    changed_nodes,
    added_edges: edges.added,
    changed_edges: edges.changed,
    left_out: refused.size + edges.left_out,
  };
}

/** One fact per entity: a later one adds to those before it. */
function mergedByName(nodes: readonly MemoryNode[]): Iterable<MemoryNode> {
  const byKey = new Map<string, MemoryNode>();
  for (const node of nodes) {
    const key = entityKey(node.entity_name);
    const before = byKey.get(key);
    byKey.set(key, { ...node, properties: { ...before?.properties, ...node.properties } });
  }
  return byKey.values();
}

/** Undefined when the row says all that already. */
function computeChange(row: NodeRow, node: MemoryNode, limits: Limits): Partial<NodeContent> | undefined {
  const both = { ...row.properties, ...node.properties };
  const fits = JSON.stringify(both).length <= limits.property_characters;
  const properties = fits ? both : row.properties;
  const isSame =
    row.entity_type === node.entity_type &&
    row.confidence === node.confidence &&
    JSON.stringify(row.properties) === JSON.stringify(properties);
  return isSame ? undefined : { entity_type: node.entity_type, confidence: node.confidence, properties };
}

interface EdgePlanning {
  readonly newId: () => string;
  /** Undefined when there is no room for the entity. */
  readonly resolveEntityId: (entity_name: string) => string | undefined;
  readonly most: number;
}

function planEdges(
  stored: readonly EdgeRow[],
  facts: MemoryFacts,
  { newId, resolveEntityId, most }: EdgePlanning,
): {
  added: MergePlan['added_edges'][number][];
  changed: { id: string; confidence: number }[];
  left_out: number;
} {
  const known = new Map(
    stored.map((row) => [edgeKey(row), { id: row.id, confidence: row.confidence, isNew: false }]),
  );
  const added: MergePlan['added_edges'][number][] = [];
  const changed: { id: string; confidence: number }[] = [];
  let left_out = 0;
  for (const { source_entity_name, target_entity_name, relationship_type, confidence } of facts.edges) {
    const source_node_id = resolveEntityId(source_entity_name);
    const target_node_id = resolveEntityId(target_entity_name);
    if (source_node_id === undefined || target_node_id === undefined) {
      left_out++;
      continue;
    }
    const edge = { source_node_id, target_node_id, relationship_type };
    const before = known.get(edgeKey(edge));
    if (before) {
      if (!before.isNew && before.confidence !== confidence) changed.push({ id: before.id, confidence });
      continue;
    }
    if (stored.length + added.length >= most) {
      left_out++;
      continue;
    }
    const id = newId();
    added.push({ id, ...edge, confidence });
    known.set(edgeKey(edge), { id, confidence, isNew: true });
  }
  return { added, changed, left_out };
}

const edgeKey = ({
  source_node_id,
  target_node_id,
  relationship_type,
}: Pick<EdgeRow, 'source_node_id' | 'target_node_id' | 'relationship_type'>): string =>
  `${source_node_id} ${target_node_id} ${relationship_type.toLowerCase()}`;
