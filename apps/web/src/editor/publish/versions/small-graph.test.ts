import { expect, test } from 'vitest';
import { isSmall } from './small-graph.ts';

const at = (x: number, y: number) => ({ position: { x, y } });

test('a small graph is compared as a whole, a large one at its changes', () => {
  expect(isSmall([])).toBe(true);
  expect(isSmall([at(-280, 40), at(0, 0), at(280, 140)])).toBe(true);
  expect(isSmall([at(0, 0), at(2_800, 0)])).toBe(false);
  expect(isSmall([at(0, 0), at(0, 900)])).toBe(false);
});
