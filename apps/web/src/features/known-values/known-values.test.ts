import type { WorkflowNode } from '@millrace/engine';
import { catalog } from '@millrace/nodes/catalog';
import { expect, test } from 'vitest';
import type { NodeRun } from '../run-view/run-store.ts';
import { explainText, knownValues } from './known-values.ts';

const createNode = (id: string, type: string, data = {}): WorkflowNode => ({
  id,
  type,
  position: { x: 0, y: 0 },
  data: { ...catalog.get(type)?.initial, label: id, ...data },
});

const START = createNode('start', 'textInput', { inputFields: [{ key: 'amount', defaultValue: 80 }] });
const DOCUMENT = {
  nodes: [START, createNode('isLarge', 'condition'), createNode('say', 'output')],
  edges: [
    { id: 'a', source: 'start', target: 'isLarge' },
    { id: 'b', source: 'isLarge', target: 'say', sourceHandle: 'true' },
  ],
};

const ambient = { global: {}, credentials: {}, workflow_name: '', time_zone: 'UTC' };

const ranWith = (output: object): NodeRun => ({
  status: 'success',
  attempt: 1,
  max_attempts: 1,
  started_at_ms: 0,
  steps: [],
  records: [
    { status: 'success', output: output as never, error: null, started_at_ms: 0, execution_time_ms: 1 },
  ],
});

const known = (nodes: Record<string, NodeRun> = {}, id = 'say') =>
  knownValues({ document: DOCUMENT }, { nodes: new Map(Object.entries(nodes)) }, id, { ambient, catalog });

test('behind a node without output $input is that node, never the body of a sample call', () => {
  const { values, shapes, scope } = known();
  expect(values['input']).toBeNull();
  expect(shapes['input']).toHaveProperty('branch');
  expect(scope.inputMember?.('amount')).toBeUndefined();
});

test('a node that has not run yields no values', () => {
  const { missing, silent } = explainText('$input.amount', 'value', known());
  expect([missing, silent]).toEqual([[], ['input']]);
});

test('after a run $input is its output, as in the run', () => {
  const nodes = {
    start: ranWith({ body: { amount: 80 }, amount: 80 }),
    isLarge: ranWith({ branch: 'true' }),
  };
  const { values, scope } = known(nodes);
  expect(values['input']).toEqual({ branch: 'true' });
  expect(scope.inputMember?.('amount')).toBeUndefined();
  expect(explainText('$input.amount', 'value', known(nodes)).missing).toHaveLength(1);
});

test('behind a start node that has not run $input is a sample call with the default values', () => {
  expect(known({}, 'isLarge').values['input']).toMatchObject({ amount: 80, body: { amount: 80 } });
});
