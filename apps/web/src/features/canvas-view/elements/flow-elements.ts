import type {
  Catalog,
  JsonObject,
  Problem,
  WorkflowDocument,
  WorkflowEdge,
  WorkflowNode,
} from '@millrace/engine';
import type { Edge, Node } from '@xyflow/react';
import { getNodeLabel } from '../../../lib/graph/node-label.ts';
import { sourceHandle, targetHandle } from '../../document/edit.ts';

export interface CanvasNodeData extends Record<string, unknown> {
  type: string;
  label: string;
  active: boolean;
  pinned: boolean;
  retries: boolean;
  problem: Problem['severity'] | undefined;
  /** Outputs that an edge leaves. */
  connected: readonly string[];
  data: JsonObject;
}

export type CanvasNode = Node<CanvasNodeData>;
export type CanvasEdge = Edge<{ handle: string }>;

interface CachedNode {
  source: WorkflowNode;
  selected: boolean;
  problem: Problem['severity'] | undefined;
  connected: readonly string[];
  drawn: CanvasNode;
}

const worst = (problems: readonly Problem[] | undefined): Problem['severity'] | undefined => {
  if (!problems || problems.length === 0) return undefined;
  return problems.some((problem) => problem.severity === 'error') ? 'error' : 'warning';
};

/** Notes are behind nodes, also when selected: React Flow raises by this much what is selected, and cannot except a node. */
const BEHIND = -1;
const ELEVATION = 1_000;

function drawNode(
  catalog: Catalog,
  node: WorkflowNode,
  { selected, problem, connected }: Omit<CachedNode, 'source' | 'drawn'>,
): CanvasNode {
  const { data } = node;
  return {
    id: node.id,
    type: node.type === 'sticky' ? 'note' : 'step',
    position: node.position,
    ariaLabel: `${getNodeLabel(node)}, ${catalog.get(node.type)?.title ?? node.type}`,
    selected,
    ...(node.type === 'sticky' ? { zIndex: selected ? BEHIND - ELEVATION : BEHIND } : {}),
    data: {
      type: node.type,
      label: getNodeLabel(node),
      active: data['active'] !== false,
      pinned: data['pinnedData'] !== undefined && data['pinnedData'] !== null,
      retries: data['retryEnabled'] === true,
      problem,
      connected,
      data,
    },
  };
}

/** The names of the outputs that edges leave, by node. */
function connectedOutputs(document: WorkflowDocument): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const edge of document.edges) {
    const outputs = found.get(edge.source);
    if (outputs) outputs.push(sourceHandle(edge));
    else found.set(edge.source, [sourceHandle(edge)]);
  }
  return found;
}

const NONE: readonly string[] = [];
const areEqual = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((item, index) => item === other[index]);

/** The name of an edge for screen readers. */
type EdgeName = (source: string, target: string) => string;

function drawEdge(edge: WorkflowEdge, selected: boolean, ariaLabel: string): CanvasEdge {
  return {
    id: edge.id,
    type: 'step-edge',
    source: edge.source,
    target: edge.target,
    sourceHandle: sourceHandle(edge),
    targetHandle: targetHandle(edge),
    selected,
    ariaLabel,
    data: { handle: sourceHandle(edge) },
  };
}

interface CachedEdge {
  source: WorkflowEdge;
  selected: boolean;
  /** Labels of the nodes that it connects. */
  from: string;
  to: string;
  drawn: CanvasEdge;
}

/** The list from before when it has the same elements: React Flow works through all of a new one. */
export function kept<Item>(before: Item[], next: Item[]): Item[] {
  const isSame = before.length === next.length && next.every((item, index) => item === before[index]);
  return isSame ? before : next;
}

/**
 * Turns documents into what the canvas library draws. A node that did not change keeps its object, so that a drag or a
 * keystroke draws one node again and not five hundred; a list of which nothing changed is the same list.
 */
export function createProjection(catalog: Catalog, edgeName: EdgeName) {
  let nodes = new Map<string, CachedNode>();
  let edges = new Map<string, CachedEdge>();
  let drawnNodes: CanvasNode[] = [];
  let drawnEdges: CanvasEdge[] = [];

  return {
    nodes(
      document: WorkflowDocument,
      selected: ReadonlySet<string>,
      problems: ReadonlyMap<string, readonly Problem[]>,
    ): CanvasNode[] {
      const next = new Map<string, CachedNode>();
      const outputs = connectedOutputs(document);
      const drawn = document.nodes.map((node) => {
        const isSelected = selected.has(node.id);
        const problem = worst(problems.get(node.id));
        const before = nodes.get(node.id);
        const connected = outputs.get(node.id) ?? NONE;
        const same =
          before &&
          before.source === node &&
          before.selected === isSelected &&
          before.problem === problem &&
          areEqual(before.connected, connected);
        const cached = same
          ? before
          : {
              source: node,
              selected: isSelected,
              problem,
              connected,
              drawn: drawNode(catalog, node, { selected: isSelected, problem, connected }),
            };
        next.set(node.id, cached);
        return cached.drawn;
      });
      nodes = next;
      drawnNodes = kept(drawnNodes, drawn);
      return drawnNodes;
    },

    edges(document: WorkflowDocument, selected: ReadonlySet<string>): CanvasEdge[] {
      const labels = new Map(document.nodes.map((node) => [node.id, getNodeLabel(node)]));
      const next = new Map<string, CachedEdge>();
      const drawn: CanvasEdge[] = [];
      for (const edge of document.edges) {
        const [from, to] = [labels.get(edge.source), labels.get(edge.target)];
        if (from === undefined || to === undefined) continue;
        const isSelected = selected.has(edge.id);
        const before = edges.get(edge.id);
        const same =
          before?.source === edge &&
          before.selected === isSelected &&
          before.from === from &&
          before.to === to;
        const cached = same
          ? before
          : {
              source: edge,
              selected: isSelected,
              from,
              to,
              drawn: drawEdge(edge, isSelected, edgeName(from, to)),
            };
        next.set(edge.id, cached);
        drawn.push(cached.drawn);
      }
      edges = next;
      drawnEdges = kept(drawnEdges, drawn);
      return drawnEdges;
    },
  };
}
