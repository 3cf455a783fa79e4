import type { Edge, Node, ReactFlowInstance, Rect, Viewport } from '@xyflow/react';

/** Below this zoom labels cannot be read. */
const READABLE = 0.7;
const MARGIN = 48;
/** Height of the tools at the lower edge of the canvas. */
const FOOT = 40;

interface Pane {
  width: number;
  height: number;
}

/** The view that shows all of a graph in the middle; undefined when its labels could not be read then. */
export function wholeView(bounds: Rect, { width, height }: Pane): Viewport | undefined {
  const room = { width: width - 2 * MARGIN, height: height - 2 * MARGIN - FOOT };
  const zoom = Math.min(1, room.width / bounds.width, room.height / bounds.height);
  if (zoom < READABLE) return undefined;
  return {
    x: (width - bounds.width * zoom) / 2 - bounds.x * zoom,
    y: (height - FOOT - bounds.height * zoom) / 2 - bounds.y * zoom,
    zoom,
  };
}

/** The start of a graph that is too large to be seen and read at once. */
function startView(bounds: Rect, { height }: Pane): Viewport {
  const zoom = READABLE;
  const isTall = bounds.height * zoom > height - 2 * MARGIN;
  const y = isTall ? MARGIN - bounds.y * zoom : (height - bounds.height * zoom) / 2 - bounds.y * zoom;
  return { x: MARGIN - bounds.x * zoom, y, zoom };
}

/** The whole graph when it can be read so; else its start at a zoom at which it can. */
export function firstView<N extends Node, E extends Edge>(flow: ReactFlowInstance<N, E>): void {
  const nodes = flow.getNodes();
  const pane = document.querySelector('.react-flow')?.getBoundingClientRect();
  if (nodes.length === 0 || !pane) return;
  const bounds = flow.getNodesBounds(nodes);
  void flow.setViewport(wholeView(bounds, pane) ?? startView(bounds, pane));
}
