import type { Json } from '@millrace/engine';
import { expect, test } from 'vitest';
import { runNode, traceNode } from '../testing/run-node.ts';

const executeWorkflowId = 'sub';
const inputs = { start: { text: 'hi', n: 5, object: { a: 1 } } };
const workflows = { sub: { answer: 42 } };

async function sentInput(data: Record<string, Json>): Promise<unknown> {
  const { trace } = await traceNode('execute', { executeWorkflowId, ...data }, { inputs, workflows });
  return trace.sub_runs[0]?.input;
}

const describe = () => Promise.resolve(null);

test('the result of the other workflow is the output', async () => {
  expect(await runNode('execute', { executeWorkflowId }, { inputs, workflows })).toEqual({
    output: { workflow_id: 'sub', status: 'success', outputs: { answer: 42 }, execution_time_ms: 1 },
  });
});

test('a sub-run that ends with an error does not fail the node', async () => {
  const outcome = {
    kind: 'finished',
    workflow_id: 'sub',
    status: 'error',
    outputs: { error: 'broken' },
    execution_time_ms: 3,
  } as const;
  const answer = () => Promise.resolve(outcome);
  const subWorkflow = { depth: 0, run: answer, loadOutcome: answer, describe };
  expect(await runNode('execute', { executeWorkflowId }, { services: { subWorkflow } })).toMatchObject({
    output: { status: 'error', outputs: { error: 'broken' } },
  });
});

test('without waiting the node says that the run was dispatched', async () => {
  const data = { executeWorkflowId, executeDoNotWait: true };
  const { result, trace } = await traceNode('execute', data, { inputs, workflows });
  expect(result).toEqual({ output: { status: 'dispatched', workflow_id: 'sub' } });
  expect(trace.sub_runs[0]).toMatchObject({ wait: false, idempotency_key: 'run-1:node-1:' });
});

test('rows become the input and keep native types', async () => {
  const executeInputMappings = [
    { key: 'object', value: '$input.object' },
    { key: 'n', value: '$input.n' },
    { key: 'empty', value: '' },
  ];
  expect(await sentInput({ executeInputMappings, executeInput: 'ignored' })).toEqual({
    object: { a: 1 },
    n: 5,
    empty: '',
  });
});

test.each([
  ['$input.text', { text: 'hi' }],
  ['say $input.text', { text: 'say hi' }],
  ['$input.object', { a: 1 }],
  ['$input.n', { value: 5 }],
  ['$input.missing', { value: null }],
  ['', inputs.start],
])('the input %j becomes %j', async (executeInput, expected) => {
  expect(await sentInput({ executeInput })).toEqual(expected);
});

test('an export without any input passes the first input on', async () => {
  expect(await sentInput({})).toEqual(inputs.start);
});

test.each([
  [{ executeWorkflowId: '' }, 'Choose the workflow'],
  [{}, 'Choose the workflow'],
  [{ executeWorkflowId: 'unknown' }, 'does not exist or is not shared'],
])('a missing target is an error: %j', async (data, message) => {
  expect(await runNode('execute', data, { inputs })).toMatchObject({
    failure: { kind: 'params', field: 'executeWorkflowId', message: expect.stringContaining(message) },
  });
});

test('the eleventh level of workflows is refused', async () => {
  let calls = 0;
  const at = (depth: number) => ({
    depth,
    run: () => {
      calls++;
      return Promise.resolve({ kind: 'dispatched', workflow_id: 'sub' } as const);
    },
    loadOutcome: () => Promise.reject(new Error('not asked for')),
    describe,
  });
  expect(
    await runNode('execute', { executeWorkflowId }, { services: { subWorkflow: at(9) } }),
  ).toHaveProperty('output');
  expect(
    await runNode('execute', { executeWorkflowId }, { services: { subWorkflow: at(10) } }),
  ).toMatchObject({
    failure: { kind: 'limit', final: true, message: expect.stringContaining('10 levels') },
  });
  expect(calls).toBe(1);
});

test('a sub-run that waits lets the node wait for its end', async () => {
  const subWorkflow = {
    depth: 0,
    describe,
    run: () => Promise.resolve({ kind: 'paused', workflow_id: 'sub', run_id: 'child' } as const),
    loadOutcome: ({ run_id }: { run_id: string }) =>
      Promise.resolve({
        kind: 'finished',
        workflow_id: 'sub',
        status: 'success',
        outputs: { of: run_id },
        execution_time_ms: 9,
      } as const),
  };
  const situation = { services: { subWorkflow } };
  const waiting = await traceNode('execute', { executeWorkflowId }, { ...situation, decisions: 'none' });
  expect(waiting.result).toMatchObject({ suspension: { key: 'end', kind: 'child' } });
  expect(waiting.trace.waits).toMatchObject([{ child_run_id: 'child' }]);
  const decisions = { end: { decision: 'ended', data: null } };
  expect(await runNode('execute', { executeWorkflowId }, { ...situation, decisions })).toEqual({
    output: { workflow_id: 'sub', status: 'success', outputs: { of: 'child' }, execution_time_ms: 9 },
  });
});
