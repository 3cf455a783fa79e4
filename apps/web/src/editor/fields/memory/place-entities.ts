export interface Point {
  x: number;
  y: number;
}

/** Two entities that are related, by their places in the list. */
export type Link = readonly [source: number, target: number];

const ROUNDS = 160;
/** So that neighbouring points of the spiral lie in different directions. */
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));
const PULL_TO_MIDDLE = 0.02;

/**
 * Places for entities in a square from 0 to 1: related ones near each other, all others apart (Fruchterman and Reingold
 * 1991). The same entities always get the same places.
 */
export function placeEntities(count: number, links: readonly Link[]): Point[] {
  const points = Array.from({ length: count }, (_, at) => {
    const far = 0.45 * Math.sqrt((at + 0.5) / count);
    return { x: 0.5 + far * Math.cos(at * GOLDEN_ANGLE), y: 0.5 + far * Math.sin(at * GOLDEN_ANGLE) };
  });
  const ideal = 0.8 / Math.sqrt(Math.max(1, count));
  for (let round = 0; round < ROUNDS; round++)
    step(points, links, { ideal, most: 0.1 * (1 - round / ROUNDS) });
  return fitted(points);
}

function step(
  points: Point[],
  links: readonly Link[],
  { ideal, most }: { ideal: number; most: number },
): void {
  const moves = points.map(({ x, y }) => ({ x: (0.5 - x) * PULL_TO_MIDDLE, y: (0.5 - y) * PULL_TO_MIDDLE }));
  for (const [at, point] of points.entries()) {
    for (let other = at + 1; other < points.length; other++) {
      push(moves, [at, other], {
        from: point,
        to: points[other] ?? point,
        force: (length) => (ideal * ideal) / length,
      });
    }
  }
  for (const [source, target] of links) {
    const [from, to] = [points[source], points[target]];
    if (!from || !to || source === target) continue;
    push(moves, [source, target], { from, to, force: (length) => -(length * length) / ideal });
  }
  for (const [at, move] of moves.entries()) {
    const point = points[at];
    const length = Math.hypot(move.x, move.y);
    if (!point || length === 0) continue;
    const share = Math.min(length, most) / length;
    points[at] = { x: point.x + move.x * share, y: point.y + move.y * share };
  }
}

/** Moves both ends: away from each other for a positive force. */
function push(
  moves: Point[],
  [one, two]: Link,
  { from, to, force }: { from: Point; to: Point; force: (length: number) => number },
): void {
  const [x, y] = [to.x - from.x, to.y - from.y];
  const length = Math.max(0.001, Math.hypot(x, y));
  const by = force(length) / length;
  const [first, second] = [moves[one], moves[two]];
  if (!first || !second) return;
  first.x -= x * by;
  first.y -= y * by;
  second.x += x * by;
  second.y += y * by;
}

function fitted(points: readonly Point[]): Point[] {
  const [left, width] = measureRange(points.map(({ x }) => x));
  const [top, height] = measureRange(points.map(({ y }) => y));
  return points.map(({ x, y }) => ({
    x: width === 0 ? 0.5 : (x - left) / width,
    y: height === 0 ? 0.5 : (y - top) / height,
  }));
}

function measureRange(values: readonly number[]): [least: number, size: number] {
  const least = Math.min(...values);
  return [least, Math.max(...values) - least];
}
