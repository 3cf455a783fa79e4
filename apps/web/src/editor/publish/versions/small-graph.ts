/** Extent of positions, in pixels of the canvas, at which all nodes can be in view and their labels still be read. */
const SMALL = { width: 900, height: 450 };

const extent = (values: readonly number[]): number => Math.max(...values) - Math.min(...values);

/** Whether a graph is readable when all of it is in view. */
export const isSmall = (
  nodes: readonly { readonly position: { readonly x: number; readonly y: number } }[],
): boolean =>
  nodes.length === 0 ||
  (extent(nodes.map(({ position }) => position.x)) <= SMALL.width &&
    extent(nodes.map(({ position }) => position.y)) <= SMALL.height);
