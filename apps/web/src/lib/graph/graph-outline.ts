export interface Box {
  id: string;
  type: string;
  label: string;
  x: number;
  y: number;
}

export interface Outline {
  boxes: Box[];
  lines: { id: string; from: Box; to: Box }[];
  width: number;
  height: number;
}

export const BOX = { width: 180, height: 60 } as const;
const MARGIN = 20;

interface Graph {
  nodes: readonly {
    id: string;
    type: string;
    position: { x: number; y: number };
    data: Record<string, unknown>;
  }[];
  edges: readonly { id: string; source: string; target: string }[];
}

/** Boxes and lines of a graph, moved so that it begins in the upper left corner. Notes are left out. */
export function buildOutline({ nodes, edges }: Graph): Outline {
  const drawn = nodes.filter((node) => node.type !== 'sticky');
  if (drawn.length === 0) return { boxes: [], lines: [], width: BOX.width, height: BOX.height };
  const left = Math.min(...drawn.map((node) => node.position.x)) - MARGIN;
  const top = Math.min(...drawn.map((node) => node.position.y)) - MARGIN;
  const boxes = drawn.map(({ id, type, position, data }) => ({
    id,
    type,
    label: typeof data['label'] === 'string' ? data['label'] : type,
    x: position.x - left,
    y: position.y - top,
  }));
  const byId = new Map(boxes.map((box) => [box.id, box]));
  const lines = edges.flatMap(({ id, source, target }) => {
    const [from, to] = [byId.get(source), byId.get(target)];
    return from && to ? [{ id, from, to }] : [];
  });
  return {
    boxes,
    lines,
    width: Math.max(...boxes.map((box) => box.x)) + BOX.width + MARGIN,
    height: Math.max(...boxes.map((box) => box.y)) + BOX.height + MARGIN,
  };
}
