import type { Json } from '@millrace/engine';
import { expect, test } from 'vitest';
import { readFacts } from './learn.ts';

const node = (more: Record<string, Json>) => ({
  nodes: [{ entity_name: 'Ada', entity_type: 'person', ...more }],
});
const readFirstNode = (answer: Json) => readFacts(answer).nodes[0];

test.each<[string, Json, unknown]>([
  ['a list of properties', node({ properties: [{ name: 'city', value: 'Bern' }] }), { city: 'Bern' }],
  [
    'an object of properties',
    node({ properties: { city: 'Bern', age: 36, on: true } }),
    { city: 'Bern', age: 36, on: true },
  ],
  ['values that are no plain value', node({ properties: { a: null, b: [1], c: { d: 1 }, e: '' } }), {}],
  ['a name that reaches a prototype', node({ properties: [{ name: '__proto__', value: 'x' }] }), {}],
  ['NUL and half a character', node({ properties: { a: 'x\0\ud800' } }), { a: 'x\uFFFD' }],
  ['no properties', node({}), {}],
])('%s', (_, answer, properties) => {
  expect(readFirstNode(answer)?.properties).toEqual(properties);
});

test('properties stay within what a memory stores', () => {
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`key ${at}`, 'x'.repeat(600)]));
  expect(JSON.stringify(readFirstNode(node({ properties: many }))?.properties).length).toBeLessThan(2_000);
});

test.each<[string, Json]>([
  ['no object', 'hello'],
  ['lists of something else', { nodes: 'Ada', edges: [1, null, 'x'] }],
  ['an entity without a name', { nodes: [{ entity_name: '  ' }] }],
  ['a relationship without an end', { edges: [{ source_entity_name: 'Ada', relationship_type: 'knows' }] }],
])('%s is nothing to remember', (_, answer) => {
  expect(readFacts(answer)).toEqual({ nodes: [], edges: [] });
});

test('names are one line within their length, and a confidence is between 0 and 1', () => {
  const answer = {
    nodes: [{ entity_name: `  Ada\n${'x'.repeat(300)}`, entity_type: '', confidence: 7 }],
    edges: [
      {
        source_entity_name: 'A',
        target_entity_name: 'B',
        relationship_type: 'r'.repeat(200),
        confidence: -1,
      },
    ],
  };
  const { nodes, edges } = readFacts(answer);
  expect(nodes).toMatchObject([
    { entity_name: `Ada ${'x'.repeat(251)}`, entity_type: 'unknown', confidence: 1 },
  ]);
  expect(edges).toMatchObject([{ relationship_type: 'r'.repeat(100), confidence: 0 }]);
});
