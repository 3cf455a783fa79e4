import { getBezierPath, getSmoothStepPath, Position } from '@xyflow/react';

interface Ends {
  sourceX: number;
  sourceY: number;
  sourcePosition: Position;
  targetX: number;
  targetY: number;
  targetPosition: Position;
}

/** How far an edge that leads back stays away from the nodes that it passes below. */
const BELOW = 64;
const CORNER = 14;

/**
 * The line of an edge and the middle of it. An edge that leads back to the left, as that of a loop, runs below both nodes
 * instead of across them.
 */
export function edgePath(ends: Ends): [path: string, x: number, y: number] {
  // Tools are below their agent, so their edges lead up, whichever of the two is further to the right.
  const isUpright = ends.sourcePosition === Position.Top || ends.targetPosition === Position.Bottom;
  if (isUpright || ends.targetX >= ends.sourceX) {
    const [path, x, y] = getBezierPath(ends);
    return [path, x, y];
  }
  const centerY = Math.max(ends.sourceY, ends.targetY) + BELOW;
  const [path] = getSmoothStepPath({ ...ends, centerY, borderRadius: CORNER, offset: 22 });
  return [path, (ends.sourceX + ends.targetX) / 2, centerY];
}

const ARROW = { length: 9, half: 4.5 } as const;

/** The head of an edge: a triangle whose tip is where the edge enters its target. */
export function arrowPath({ targetX: x, targetY: y, targetPosition }: Ends): string {
  const { length, half } = ARROW;
  return targetPosition === Position.Bottom
    ? `M${x},${y} L${x - half},${y + length} L${x + half},${y + length} Z`
    : `M${x},${y} L${x - length},${y - half} L${x - length},${y + half} Z`;
}
