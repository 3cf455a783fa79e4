import type { JsonObject } from '@millrace/engine';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { base, convert } from '../testing/converted.ts';
import { CARD_WIDTH, measureHeight, placeCards } from './placing.ts';

const rules = (count: number): JsonObject => ({
  rules: {
    values: Array.from({ length: count }, (_, index) => ({
      conditions: {
        combinator: 'and',
        conditions: [
          {
            leftValue: '={{ $json.id }}',
            rightValue: index,
            operator: { type: 'number', operation: 'equals' },
          },
        ],
      },
    })),
  },
});

const KINDS: readonly JsonObject[] = [
  { type: base('noOp') },
  { type: base('postgres'), parameters: { operation: 'select', table: 't' } },
  { type: base('switch'), typeVersion: 3, parameters: rules(12) },
  { type: base('merge'), typeVersion: 3, parameters: { mode: 'chooseBranch', numberInputs: 6 } },
  { type: base('filter'), typeVersion: 2, parameters: {} },
  { type: 'n8n-nodes-unknown.other' },
];

/** Places as people put cards, far away, and on top of each other. */
const place = fc.oneof(
  fc.integer({ min: -20, max: 20 }).map((step) => step * 20),
  fc.double({ min: -1000, max: 1000, noNaN: true }),
  fc.constant(0),
  fc.double(),
);
const node = fc.record({ kind: fc.constantFrom(...KINDS), x: place, y: place });

function exported(nodes: readonly { kind: JsonObject; x: number; y: number }[]): JsonObject {
  const named = nodes.map(({ kind, x, y }, index) => ({ ...kind, name: `N${index}`, position: [x, y] }));
  const next = named
    .slice(1)
    .map(({ name }, index) => [`N${index}`, { main: [[{ node: name, type: 'main', index: 0 }]] }]);
  return { nodes: named, connections: Object.fromEntries(next) };
}

/** Pairs of cards, by their labels, where one covers a part of the other. */
function overlapsIn({ document }: ReturnType<typeof convert>): string[] {
  const cards = document.nodes.filter(({ type }) => type !== 'sticky');
  return cards.flatMap((one, index) =>
    cards.slice(index + 1).flatMap((two) => {
      const isBeside = Math.abs(one.position.x - two.position.x) >= CARD_WIDTH;
      const [upper, lower] = one.position.y <= two.position.y ? [one, two] : [two, one];
      const isBelow = lower.position.y >= upper.position.y + measureHeight(upper);
      return isBeside || isBelow ? [] : [`${String(one.data['label'])} ${String(two.data['label'])}`];
    }),
  );
}

it('no card covers another, wherever the cards of the export are', () => {
  fc.assert(
    fc.property(fc.array(node, { minLength: 2, maxLength: 30 }), (nodes) => {
      expect(overlapsIn(convert(exported(nodes)))).toEqual([]);
    }),
    { numRuns: 60 },
  );
});

it('cards keep their order and their line', () => {
  const { document } = convert(
    exported([0, 200, 400].map((x) => ({ kind: { type: base('noOp') }, x, y: 300 }))),
  );
  expect(document.nodes.map(({ position }) => position)).toEqual([
    { x: 0, y: 300 },
    { x: 280, y: 300 },
    { x: 560, y: 300 },
  ]);
});

it('notes stay around the cards that they frame', () => {
  const { document } = convert({
    nodes: [
      {
        name: 'Note',
        type: base('stickyNote'),
        position: [-20, -40],
        parameters: { width: 640, height: 200 },
      },
      { name: 'A', type: base('noOp'), position: [0, 0] },
      { name: 'B', type: base('noOp'), position: [400, 0] },
    ],
    connections: {},
  });
  const [note, , last] = document.nodes;
  expect(note?.position).toEqual({ x: -28, y: -40 });
  const right = (note?.position.x ?? 0) + Number(note?.data['stickyWidth']);
  expect(right).toBeGreaterThan((last?.position.x ?? 0) + CARD_WIDTH);
});

it('places ten thousand cards in one spot in seconds', () => {
  const nodes = Array.from(
    { length: 10_000 },
    (): JsonObject => ({ type: 'wait', position: { x: 0, y: 0 } }),
  );
  const started = performance.now();
  const placed = placeCards(nodes);
  expect(new Set(placed.map(({ position }) => JSON.stringify(position))).size).toBe(10_000);
  expect(performance.now() - started).toBeLessThan(10_000);
});
