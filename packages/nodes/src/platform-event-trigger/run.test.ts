import { expect, test } from 'vitest';
import { catalog } from '../catalog.ts';
import { runNode } from '../testing/run-node.ts';

const events = [{ id: 'e', name: 'workflow.created', payload: {}, workflow_id: null, created_at: 'now' }];

test('§6.2: the output holds the events and their number, without the fields that name the trigger', async () => {
  const facts = { events, count: 1, triggered_at: '2026-05-01T10:00:00.000Z' };
  const run_input = { ...facts, triggered_by: 'heym_event', trigger_node_id: 'n' };
  expect(await runNode('platformEventTrigger', { eventNames: [] }, { run_input })).toEqual({ output: facts });
});

test('the node is found under its other name', () => {
  expect(catalog.get('heymTrigger')?.type).toBe('platformEventTrigger');
});

test('a run that something else started has an empty output', async () => {
  expect(await runNode('platformEventTrigger', {})).toEqual({ output: {} });
});
