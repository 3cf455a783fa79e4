import { expect, test } from 'vitest';
import { traceNode } from '../testing/run-node.ts';

const inputs = { start: { text: 'hi' } };

test('the message is logged and the input passed on with it', async () => {
  const { result, trace } = await traceNode('consoleLog', { logMessage: 'got $input.text' }, { inputs });
  expect(result).toEqual({ output: { text: 'hi', logMessage: 'got hi' } });
  expect(trace.logged).toEqual([{ level: 'info', message: 'got hi' }]);
});

test('an export without a message logs its input', async () => {
  const { trace } = await traceNode('consoleLog', {}, { inputs });
  expect(trace.logged).toEqual([{ level: 'info', message: '{"text": "hi"}' }]);
});

test('a single expression keeps its type in the output', async () => {
  const item = { loop: { item: 3, list: [1] } };
  const number = await traceNode('consoleLog', { logMessage: '$input.item' }, { inputs: item });
  expect(number.result).toEqual({ output: { item: 3, list: [1], logMessage: 3 } });
  expect(number.trace.logged).toEqual([{ level: 'info', message: '3' }]);
  const list = await traceNode('consoleLog', { logMessage: '$input.list' }, { inputs: item });
  expect(list.result).toHaveProperty('output.logMessage', [1]);
  expect(list.trace.logged).toEqual([{ level: 'info', message: '[1]' }]);
});

test('a huge message is cut in the log only', async () => {
  const { result, trace } = await traceNode('consoleLog', { logMessage: 'x'.repeat(50_000) }, { inputs });
  expect(trace.logged[0]?.message).toHaveLength(10_000);
  expect(result).toHaveProperty('output.logMessage.length', 50_000);
});
