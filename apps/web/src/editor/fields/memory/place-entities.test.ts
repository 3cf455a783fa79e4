import { expect, test } from 'vitest';
import { type Link, type Point, placeEntities } from './place-entities.ts';

const far = (one: Point | undefined, two: Point | undefined) =>
  one && two ? Math.hypot(one.x - two.x, one.y - two.y) : Number.NaN;

test('every entity has a place within the picture, the same one every time', () => {
  const links: Link[] = [
    [0, 1],
    [1, 2],
    [2, 2],
  ];
  const points = placeEntities(30, links);
  expect(points).toHaveLength(30);
  for (const { x, y } of points) {
    expect(x).toBeGreaterThanOrEqual(0);
    expect(x).toBeLessThanOrEqual(1);
    expect(y).toBeGreaterThanOrEqual(0);
    expect(y).toBeLessThanOrEqual(1);
  }
  expect(placeEntities(30, links)).toEqual(points);
});

test('related entities are nearer than others', () => {
  const links: Link[] = [
    [0, 9],
    [3, 7],
  ];
  const points = placeEntities(10, links);
  const related = links.map(([one, two]) => far(points[one], points[two]));
  expect(Math.max(...related)).toBeLessThan(far(points[0], points[3]));
  expect(Math.max(...related)).toBeLessThan(far(points[9], points[7]));
});

test.each([0, 1])('a picture of %i entities', (count) => {
  expect(placeEntities(count, [])).toEqual(Array.from({ length: count }, () => ({ x: 0.5, y: 0.5 })));
});
