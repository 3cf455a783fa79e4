import type { JsonObject } from '../../../packages/engine/src/json.ts';

export interface NodeText {
  readonly id: string;
  readonly type: string;
  readonly data?: JsonObject;
}

/** Source and target by id, a handle of the source behind a colon, one of the target likewise. */
type EdgeText = `${string}>${string}`;

const parseHandle = (end: string) => end.split(':')[1] ?? null;
const parseNodeId = (end: string) => end.split(':')[0];

/** A document as the editor would store it. */
export function buildGraph(nodes: readonly NodeText[], edges: readonly EdgeText[]) {
  return {
    nodes: nodes.map(({ id, type, data }) => ({
      id,
      type,
      position: { x: 0, y: 0 },
      data: { label: id, ...data },
    })),
    edges: edges.map((edge, at) => {
      const [source = '', target = ''] = edge.split('>');
      return {
        id: `e${at}`,
        source: parseNodeId(source),
        target: parseNodeId(target),
        sourceHandle: parseHandle(source),
        targetHandle: parseHandle(target),
      };
    }),
  };
}

/** Nodes one after another. */
export const buildChain = (nodes: readonly NodeText[]) =>
  buildGraph(
    nodes,
    nodes.slice(1).map((target, at): EdgeText => `${nodes[at]?.id}>${target.id}`),
  );
