import type { Edge, Node, ReactFlowInstance, Rect, Viewport } from '@xyflow/react';

/** Below this zoom texts at their own size are hard to read. */
const COMFORTABLE = 0.7;
/** From afar labels are drawn large; below this zoom even those cannot be read. */
const LOWEST = 0.35;
const MARGIN = 48;
/** Height of the tools at the lower edge of the canvas. */
const FOOT = 40;

interface Pane {
  width: number;
  height: number;
}

function fitting(bounds: Rect, { width, height }: Pane): Viewport {
  const room = { width: width - 2 * MARGIN, height: height - 2 * MARGIN - FOOT };
  const zoom = Math.min(1, room.width / bounds.width, room.height / bounds.height);
  return {
    x: (width - bounds.width * zoom) / 2 - bounds.x * zoom,
    y: (height - FOOT - bounds.height * zoom) / 2 - bounds.y * zoom,
    zoom,
  };
}

/** The view that shows all of a graph in the middle; undefined when one could not work in it comfortably. */
export function wholeView(bounds: Rect, pane: Pane): Viewport | undefined {
  const whole = fitting(bounds, pane);
  return whole.zoom < COMFORTABLE ? undefined : whole;
}

/** All of a graph while its labels can be read; else its start at the lowest zoom at which they can. */
export function openingView(bounds: Rect, pane: Pane): Viewport {
  const whole = fitting(bounds, pane);
  if (whole.zoom >= LOWEST) return whole;
  const zoom = LOWEST;
  const isTall = bounds.height * zoom > pane.height - 2 * MARGIN - FOOT;
  const y = isTall ? MARGIN : (pane.height - FOOT - bounds.height * zoom) / 2;
  return { x: MARGIN - bounds.x * zoom, y: y - bounds.y * zoom, zoom };
}

/** Shows a graph that has just been opened. */
export function firstView<N extends Node, E extends Edge>(flow: ReactFlowInstance<N, E>): void {
  const nodes = flow.getNodes();
  const pane = document.querySelector('.react-flow')?.getBoundingClientRect();
  if (nodes.length === 0 || !pane) return;
  void flow.setViewport(openingView(flow.getNodesBounds(nodes), pane));
}
