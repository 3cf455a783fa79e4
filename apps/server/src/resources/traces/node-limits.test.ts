import type { JsonObject, WorkflowDocument } from '@millrace/engine';
import { expect, test } from 'vitest';
import { limitsOfNodes, modelNodes } from './node-limits.ts';

/** A million tokens of a prompt cost one dollar, of an answer two. */
const PRICES = { m1: { input: 1, output: 2 }, kept: { input: 1, output: 2, cached: 0.1, cache_write: 3 } };

const at = { x: 0, y: 0 };
function graph(
  nodes: readonly [string, string, JsonObject?][],
  edges: readonly string[] = [],
): WorkflowDocument {
  return {
    nodes: nodes.map(([id, type, data]) => ({ id, type, position: at, data: { label: id, ...data } })),
    edges: edges.map((edge) => {
      const [source = '', rest = ''] = edge.split('>');
      const [target = '', targetHandle] = rest.split(':');
      const [from = '', sourceHandle] = source.split(':');
      return { id: edge, source: from, target, sourceHandle, targetHandle };
    }),
  };
}
const limits = (document: WorkflowDocument) =>
  limitsOfNodes(modelNodes(document), { findProvider: () => undefined, prices: PRICES });
const ask = (data: JsonObject = {}): JsonObject => ({ model: 'm1', userMessage: '', ...data });

test('a language model costs its prompt and the longest answer that it may give', () => {
  const found = limits(graph([['a', 'llm', ask({ maxTokens: 500, systemInstruction: 'x'.repeat(300) })]]));
  expect(found.up_to_usd).toBeCloseTo((1_100 + 2 * 500) / 1_000_000, 12);
  expect(found).toMatchObject({ unlimited_nodes: [], unpriced_nodes: [] });
});

test('an agent may answer once per round, with its earlier answers in the prompt', () => {
  const found = limits(graph([['a', 'agent', ask({ maxTokens: '1000', maxToolIterations: 2 })]]));
  // Prompts of 1,000, 2,000 and 3,000 tokens, and an answer of 1,000 each time.
  expect(found.up_to_usd).toBeCloseTo((6_000 + 2 * 3_000) / 1_000_000, 12);
});

test('a prompt that a provider charges more for, because it puts it into its cache, costs that at most', () => {
  const answers = limits(graph([['a', 'llm', ask({ model: 'kept', maxTokens: 500 })]]));
  expect(answers.up_to_usd).toBeCloseTo((3 * 1_000 + 2 * 500) / 1_000_000, 12);
  const tokens = limits(graph([['a', 'agent', ask({ model: 'kept', maxTotalTokens: 100 })]]));
  expect(tokens.up_to_usd).toBeCloseTo(0.0003, 12);
});

test.each<[string, string, JsonObject, object]>([
  ['with a budget counts it', 'opencodeGo', { maxCostUsd: 2 }, { up_to_usd: 2 }],
  ['without a budget has no limit', 'opencodeGo', {}, { up_to_usd: null, unlimited_nodes: ['a'] }],
  ['that says its costs after each round has none', 'codex', { maxCostUsd: 2 }, { unlimited_nodes: ['a'] }],
])('a coding agent %s', (_what, type, data, expected) => {
  expect(limits(graph([['a', type, data]]))).toMatchObject(expected);
});

test.each([
  ['its cost budget', { maxCostUsd: 0.001 }, 0.001],
  ['its tokens, at the higher price', { maxTotalTokens: 100 }, 0.0002],
  ['the smallest of its limits', { maxCostUsd: 0.5, maxTotalTokens: 100, maxTokens: 1_000 }, 0.0002],
])('an agent is limited by %s', (_what, data, usd) => {
  expect(limits(graph([['a', 'agent', ask(data)]])).up_to_usd).toBeCloseTo(usd, 12);
});

test.each([
  ['without a limit', {}],
  ['for a batch', { maxTokens: 10, batchModeEnabled: true }],
  ['with amounts that are none', { maxTokens: 'many', maxCostUsd: 0 }],
])('nodes %s are named, and then there is no sum', (_what, data) => {
  const document = graph([
    ['a', 'llm', ask({ maxTokens: 10 })],
    ['b', 'llm', ask(data)],
  ]);
  expect(limits(document)).toEqual({ up_to_usd: null, unlimited_nodes: ['b'], unpriced_nodes: [] });
});

test('a node in a loop is limited by its cost budget alone', () => {
  const looped = (data: JsonObject) =>
    graph(
      [
        ['start', 'textInput'],
        ['each', 'loop', { arrayExpression: '$start.list' }],
        ['a', 'llm', ask(data)],
      ],
      ['start>each', 'each:loop>a', 'a>each:loop'],
    );
  expect(limits(looped({ maxTokens: 10 })).unlimited_nodes).toEqual(['a']);
  expect(limits(looped({ maxTokens: 10, maxCostUsd: 0.25 })).up_to_usd).toBe(0.25);
});

test('models without a price are named and left out; switched off nodes cost nothing', () => {
  const document = graph([
    ['a', 'llm', ask({ maxCostUsd: 1 })],
    ['b', 'llm', ask({ model: 'unknown', maxCostUsd: 1 })],
    ['c', 'llm', ask({ active: false })],
  ]);
  expect(limits(document)).toEqual({ up_to_usd: 1, unlimited_nodes: [], unpriced_nodes: ['b'] });
  const none = graph([['b', 'llm', ask({ model: '$start.model' })]]);
  expect(limits(none)).toEqual({ up_to_usd: null, unlimited_nodes: [], unpriced_nodes: ['b'] });
  expect(limits(graph([])).up_to_usd).toBeNull();
});
