import type { MemoryEdge, MemoryFacts, MemoryNode } from '@millrace/nodes/runtime';
import { expect, test } from 'vitest';
import { planMerge } from './merge.ts';
import { type EdgeRow, entityKey, type MemoryRows, type NodeRow } from './queries.ts';

const AT = new Date(0);
const PLACE = { workflow_id: 'w', canvas_node_id: 'a', conversation_id: null };

const row = (entity_name: string, more: Partial<NodeRow> = {}): NodeRow => ({
  ...PLACE,
  id: entity_name,
  entity_name,
  entity_key: entityKey(entity_name),
  entity_type: 'person',
  properties: {},
  confidence: 1,
  created_at: AT,
  updated_at: AT,
  ...more,
});
const edgeRow = (source_node_id: string, relationship_type: string, target_node_id: string): EdgeRow => ({
  ...PLACE,
  id: `${source_node_id}>${target_node_id}`,
  source_node_id,
  target_node_id,
  relationship_type,
  properties: {},
  confidence: 1,
  created_at: AT,
  updated_at: AT,
});
const node = (entity_name: string, more: Partial<MemoryNode> = {}): MemoryNode => ({
  entity_name,
  entity_type: 'person',
  properties: {},
  confidence: 1,
  ...more,
});
const edge = (source: string, relationship_type: string, target: string, confidence = 1): MemoryEdge => ({
  source_entity_name: source,
  target_entity_name: target,
  relationship_type,
  confidence,
});

const LIMITS = { nodes: 10, edges: 10, property_characters: 60 };
function plan(stored: Partial<MemoryRows>, facts: Partial<MemoryFacts>, limits: Partial<typeof LIMITS> = {}) {
  let ids = 0;
  const rows = { nodes: [], edges: [], ...stored };
  return planMerge(
    rows,
    { nodes: [], edges: [], ...facts },
    {
      newId: () => `new-${++ids}`,
      limits: { ...LIMITS, ...limits },
    },
  );
}

test('an entity is known by its name in any case of letters; new properties are added to those there are', () => {
  const stored = { nodes: [row('Ada', { properties: { city: 'Rome', age: 36 } })] };
  const facts = { nodes: [node('ADA', { properties: { city: 'Bern' }, entity_type: 'engineer' })] };
  expect(plan(stored, facts)).toMatchObject({
    added_nodes: [],
    changed_nodes: [{ id: 'Ada', entity_type: 'engineer', properties: { city: 'Bern', age: 36 } }],
    left_out: 0,
  });
});

test('facts that are there already change nothing, so that merging again does nothing', () => {
  const stored = {
    nodes: [row('Ada', { properties: { city: 'Rome' } }), row('Acme')],
    edges: [edgeRow('Ada', 'works_at', 'Acme')],
  };
  const facts = {
    nodes: [node('Ada', { properties: { city: 'Rome' } })],
    edges: [edge('ada', 'Works_At', 'acme')],
  };
  expect(plan(stored, facts)).toEqual({
    added_nodes: [],
    changed_nodes: [],
    added_edges: [],
    changed_edges: [],
    left_out: 0,
  });
});

test('one answer that names an entity twice adds it once, with all that was said of it', () => {
  const facts = {
    nodes: [node('Ada', { properties: { a: 1 } }), node('ada', { properties: { b: 2 } })],
    edges: [edge('Ada', 'likes', 'Ada'), edge('ada', 'likes', 'ada')],
  };
  const planned = plan({}, facts);
  expect(planned.added_nodes).toMatchObject([{ properties: { a: 1, b: 2 } }]);
  expect(planned.added_edges).toHaveLength(1);
});

test('a relationship brings the entities along that nothing else names', () => {
  const planned = plan({ nodes: [row('Ada')] }, { edges: [edge('Ada', 'works_at', 'Acme', 0.5)] });
  expect(planned.added_nodes).toMatchObject([{ id: 'new-1', entity_name: 'Acme', entity_type: 'unknown' }]);
  expect(planned.added_edges).toMatchObject([
    { source_node_id: 'Ada', target_node_id: 'new-1', confidence: 0.5 },
  ]);
});

test('a stored relationship takes the new confidence', () => {
  const stored = { nodes: [row('A'), row('B')], edges: [edgeRow('A', 'knows', 'B')] };
  expect(plan(stored, { edges: [edge('a', 'knows', 'b', 0.4)] }).changed_edges).toEqual([
    { id: 'A>B', confidence: 0.4 },
  ]);
});

test('a full memory still takes changes, and counts what had no room', () => {
  const stored = { nodes: [row('A'), row('B')], edges: [edgeRow('A', 'knows', 'B')] };
  const facts = {
    nodes: [node('A', { properties: { x: 1 } }), node('C')],
    edges: [edge('A', 'knows', 'C'), edge('A', 'likes', 'B')],
  };
  const planned = plan(stored, facts, { nodes: 2, edges: 1 });
  expect(planned.changed_nodes).toHaveLength(1);
  expect([planned.added_nodes, planned.added_edges]).toEqual([[], []]);
  // The entity and both relationships.
  expect(planned.left_out).toBe(3);
});

test('properties that would grow beyond the limit stay as they are', () => {
  const stored = { nodes: [row('A', { properties: { text: 'x'.repeat(40) } })] };
  const planned = plan(stored, { nodes: [node('A', { properties: { more: 'y'.repeat(40) } })] });
  expect(planned.changed_nodes).toEqual([]);
});
