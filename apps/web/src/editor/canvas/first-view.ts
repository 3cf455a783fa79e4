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

const insetPane = ({ width, height }: Pane): Pane => ({
  width: width - 2 * MARGIN,
  height: height - 2 * MARGIN - FOOT,
});

/** The largest zoom at which all of a graph is in view. */
function wholeZoom(bounds: Rect, pane: Pane): number {
  const { width, height } = insetPane(pane);
  return Math.min(1, width / bounds.width, height / bounds.height);
}

/** A graph in the middle of the pane; in a direction in which it does not fit, its start. */
function placed(bounds: Rect, pane: Pane, zoom: number): Viewport {
  const { width, height } = insetPane(pane);
  const left = MARGIN + Math.max(0, width - bounds.width * zoom) / 2;
  const top = MARGIN + Math.max(0, height - bounds.height * zoom) / 2;
  return { x: left - bounds.x * zoom, y: top - bounds.y * zoom, zoom };
}

/** The view that shows all of a graph in the middle; undefined when one could not work in it comfortably. */
export function wholeView(bounds: Rect, pane: Pane): Viewport | undefined {
  const zoom = wholeZoom(bounds, pane);
  return zoom < COMFORTABLE ? undefined : placed(bounds, pane, zoom);
}

/** All of a graph while its labels can be read; else its start at the lowest zoom at which they can. */
export const openingView = (bounds: Rect, pane: Pane): Viewport =>
  placed(bounds, pane, Math.max(LOWEST, wholeZoom(bounds, pane)));

/** Shows a graph that has just been opened. */
export function firstView<N extends Node, E extends Edge>(flow: ReactFlowInstance<N, E>): void {
  const nodes = flow.getNodes();
  const pane = document.querySelector('.react-flow')?.getBoundingClientRect();
  if (nodes.length === 0 || !pane) return;
  void flow.setViewport(openingView(flow.getNodesBounds(nodes), pane));
}
