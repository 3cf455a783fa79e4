import type { JsonObject } from '../../../packages/engine/src/json.ts';

export interface NodeText {
  readonly id: string;
  readonly type: string;
  readonly data?: JsonObject;
}

/** Source and target by id, a handle of the source behind a colon, one of the target likewise. */
type EdgeText = `${string}>${string}`;

const handleOf = (end: string) => end.split(':')[1] ?? null;
const idOf = (end: string) => end.split(':')[0];

/** A document as the editor would store it. */
export function graphOf(nodes: readonly NodeText[], edges: readonly EdgeText[]) {
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
        source: idOf(source),
        target: idOf(target),
        sourceHandle: handleOf(source),
        targetHandle: handleOf(target),
      };
    }),
  };
}

/** Nodes one after another. */
export const chainOf = (nodes: readonly NodeText[]) =>
  graphOf(
    nodes,
    nodes.slice(1).map((target, at): EdgeText => `${nodes[at]?.id}>${target.id}`),
  );
