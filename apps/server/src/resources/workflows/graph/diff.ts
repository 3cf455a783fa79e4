import { isDeepStrictEqual } from 'node:util';
import type { GraphEdge, GraphNode, VersionDiff } from '@millrace/contracts';
import type { Graph } from '../record.ts';

type NodeChange = VersionDiff['node_changes'][number];
type EdgeChange = VersionDiff['edge_changes'][number];
type ConfigChange = VersionDiff['config_changes'][number];

function* pairs<T extends { id: string }>(
  before: T[],
  after: T[],
): Generator<[T | undefined, T | undefined]> {
  const later = new Map(after.map((item) => [item.id, item]));
  const earlier = new Set(before.map((item) => item.id));
  for (const item of before) yield [item, later.get(item.id)];
  for (const item of after) if (!earlier.has(item.id)) yield [undefined, item];
}

const changeType = (before: unknown, after: unknown) =>
  before === undefined ? 'added' : after === undefined ? 'removed' : 'modified';

/** Fields of the node itself, and of its `data` as `data.<key>`. */
function nodeFieldChanges(before: GraphNode, after: GraphNode): NodeChange['changes'] {
  const own = (['type', 'position'] as const)
    .filter((field) => !isDeepStrictEqual(before[field], after[field]))
    .map((field) => ({
      type: 'node_field' as const,
      field: field as string,
      old_value: before[field],
      new_value: after[field],
    }));
  const keys = new Set([...Object.keys(before.data), ...Object.keys(after.data)]);
  const data = [...keys]
    .filter((key) => !isDeepStrictEqual(before.data[key], after.data[key]))
    .map((key) => ({
      type: 'field' as const,
      field: `data.${key}`,
      old_value: before.data[key] ?? null,
      new_value: after.data[key] ?? null,
    }));
  return [...own, ...data];
}

function nodeChange(before: GraphNode | undefined, after: GraphNode | undefined): NodeChange | undefined {
  const changes = before && after ? nodeFieldChanges(before, after) : [];
  if (before && after && changes.length === 0) return undefined;
  return {
    node_id: (before ?? after)?.id ?? '',
    change_type: changeType(before, after),
    old_node: before ?? null,
    new_node: after ?? null,
    changes,
  };
}

function edgeChange(before: GraphEdge | undefined, after: GraphEdge | undefined): EdgeChange | undefined {
  if (isDeepStrictEqual(before, after)) return undefined;
  return {
    edge_id: (before ?? after)?.id ?? '',
    change_type: changeType(before, after),
    old_edge: before ?? null,
    new_edge: after ?? null,
  };
}

/** Changes to nodes and edges on the way from one graph to another; they are known by their ids. */
export function diffGraphs(
  before: Graph,
  after: Graph,
): { node_changes: NodeChange[]; edge_changes: EdgeChange[] } {
  const nodes = [...pairs(before.nodes, after.nodes)].map(([old, now]) => nodeChange(old, now));
  const edges = [...pairs(before.edges, after.edges)].map(([old, now]) => edgeChange(old, now));
  return {
    node_changes: nodes.filter((change) => change !== undefined),
    edge_changes: edges.filter((change) => change !== undefined),
  };
}

/** Which named values differ. */
export function diffConfig(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): ConfigChange[] {
  return Object.keys(after)
    .filter((field) => !isDeepStrictEqual(before[field], after[field]))
    .map((field) => ({
      type: 'config',
      field,
      old_value: before[field] ?? null,
      new_value: after[field] ?? null,
    }));
}
