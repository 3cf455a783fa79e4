import type { Json, JsonObject, WorkflowDocument, WorkflowEdge, WorkflowNode } from '@millrace/engine';
import { same } from '../../features/document/same.ts';
import { getNodeLabel } from '../../lib/graph/node-label.ts';

/** One place that both sides changed in different ways. */
export interface Conflict {
  node_id: string;
  label: string;
  /** Parameter, or `null` when one side removed what the other changed. */
  field: string | null;
  mine: Json | undefined;
  theirs: Json | undefined;
}

export interface Merge {
  /** Mine where both changed the same place; everything else from the side that changed it. */
  document: WorkflowDocument;
  conflicts: Conflict[];
}

const byId = <T extends { id: string }>(items: readonly T[]) => new Map(items.map((item) => [item.id, item]));

interface Sides<T> {
  base: T | undefined;
  mine: T | undefined;
  theirs: T | undefined;
}

/** The side that changed it wins; when both did, mine wins and `both` is true. */
function pick<T>({ base, mine, theirs }: Sides<T>): { value: T | undefined; both: boolean } {
  if (same(mine, theirs) || same(theirs, base)) return { value: mine, both: false };
  if (same(mine, base)) return { value: theirs, both: false };
  return { value: mine, both: true };
}

function mergeData(sides: { base: JsonObject; mine: JsonObject; theirs: JsonObject }): {
  data: JsonObject;
  fields: string[];
} {
  const data: JsonObject = {};
  const fields: string[] = [];
  for (const name of new Set([...Object.keys(sides.mine), ...Object.keys(sides.theirs)])) {
    const { value, both } = pick({
      base: sides.base[name],
      mine: sides.mine[name],
      theirs: sides.theirs[name],
    });
    if (both) fields.push(name);
    if (value !== undefined) data[name] = value;
  }
  return { data, fields };
}

function mergeNode(sides: Sides<WorkflowNode>): { node: WorkflowNode | undefined; conflicts: Conflict[] } {
  const { base, mine, theirs } = sides;
  if (!mine || !theirs || !base) {
    const { value, both } = pick(sides);
    const kept = both ? (mine ?? theirs) : value;
    const named = mine ?? theirs ?? base;
    const conflicts =
      both && named
        ? [
            {
              node_id: named.id,
              label: getNodeLabel(named),
              field: null,
              mine: mine?.data,
              theirs: theirs?.data,
            },
          ]
        : [];
    return { node: kept, conflicts };
  }
  const { data, fields } = mergeData({ base: base.data, mine: mine.data, theirs: theirs.data });
  const node: WorkflowNode = {
    ...mine,
    type: pick({ base: base.type, mine: mine.type, theirs: theirs.type }).value ?? mine.type,
    position:
      pick({ base: base.position, mine: mine.position, theirs: theirs.position }).value ?? mine.position,
    data,
  };
  const conflicts = fields.map((field) => ({
    node_id: mine.id,
    label: getNodeLabel(mine),
    field,
    mine: mine.data[field],
    theirs: theirs.data[field],
  }));
  return { node, conflicts };
}

/**
 * Merges two edits of one document by node and field, so that two people who work on different nodes both keep their
 * work. Edges merge as a set.
 */
export function merge(base: WorkflowDocument, mine: WorkflowDocument, theirs: WorkflowDocument): Merge {
  const nodes = { base: byId(base.nodes), mine: byId(mine.nodes), theirs: byId(theirs.nodes) };
  const conflicts: Conflict[] = [];
  const kept: WorkflowNode[] = [];
  for (const id of new Set([...nodes.mine.keys(), ...nodes.theirs.keys()])) {
    const merged = mergeNode({
      base: nodes.base.get(id),
      mine: nodes.mine.get(id),
      theirs: nodes.theirs.get(id),
    });
    conflicts.push(...merged.conflicts);
    if (merged.node) kept.push(merged.node);
  }
  const edges = { base: byId(base.edges), mine: byId(mine.edges), theirs: byId(theirs.edges) };
  const known = new Set(kept.map((node) => node.id));
  const keptEdges: WorkflowEdge[] = [];
  for (const id of new Set([...edges.mine.keys(), ...edges.theirs.keys()])) {
    const { value } = pick({
      base: edges.base.get(id),
      mine: edges.mine.get(id),
      theirs: edges.theirs.get(id),
    });
    if (value && known.has(value.source) && known.has(value.target)) keptEdges.push(value);
  }
  return { document: { nodes: kept, edges: keptEdges }, conflicts };
}

export type Side = 'mine' | 'theirs';

/** The side of a place that is kept by default: mine, and a change by one side over its removal by the other. */
export const usualSide = (conflict: Conflict): Side =>
  conflict.field === null && conflict.mine === undefined ? 'theirs' : 'mine';

export const buildPlaceKey = (conflict: Conflict): string => `${conflict.node_id} ${conflict.field ?? ''}`;

function withNode(
  document: WorkflowDocument,
  id: string,
  from: WorkflowDocument,
): Pick<WorkflowDocument, 'nodes' | 'edges'> {
  const wanted = from.nodes.find((node) => node.id === id);
  const others = document.nodes.filter((node) => node.id !== id);
  if (!wanted)
    return {
      nodes: others,
      edges: document.edges.filter((edge) => edge.source !== id && edge.target !== id),
    };
  const isKnown = document.nodes.some((node) => node.id === id);
  const nodes = isKnown
    ? document.nodes.map((node) => (node.id === id ? wanted : node))
    : [...others, wanted];
  const ids = new Set(nodes.map((node) => node.id));
  const drawn = new Set(document.edges.map((edge) => edge.id));
  const back = from.edges.filter(
    (edge) =>
      (edge.source === id || edge.target === id) &&
      ids.has(edge.source) &&
      ids.has(edge.target) &&
      !drawn.has(edge.id),
  );
  return { nodes, edges: [...document.edges, ...back] };
}

/** A merge with the side that was chosen for each place; places without a choice keep the usual side. */
export function resolve(
  merged: WorkflowDocument,
  sides: { mine: WorkflowDocument; theirs: WorkflowDocument },
  conflicts: readonly Conflict[],
  chosen: ReadonlyMap<string, Side>,
): WorkflowDocument {
  return conflicts.reduce((document, conflict) => {
    const side = chosen.get(buildPlaceKey(conflict)) ?? usualSide(conflict);
    const { node_id, field } = conflict;
    if (field === null) return withNode(document, node_id, sides[side]);
    const value = conflict[side];
    const nodes = document.nodes.map((node) => {
      if (node.id !== node_id) return node;
      const { [field]: _, ...rest } = node.data;
      return { ...node, data: value === undefined ? rest : { ...rest, [field]: value } };
    });
    return { ...document, nodes };
  }, merged);
}
