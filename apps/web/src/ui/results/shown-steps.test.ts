import { expect, test } from 'vitest';
import { shownSteps } from './shown-steps.ts';

const step = (key: string, output: unknown, more: object = {}) => ({
  key,
  effect: 'read',
  status: 'success',
  output,
  error: null,
  execution_time_ms: 5,
  ...more,
});
const answer = (text: string, tools: readonly string[], total_tokens = 17) => ({
  answer: {
    text,
    usage: { total_tokens },
    tool_calls: tools.map((name) => ({ id: name, name, arguments: '{}' })),
  },
});

test('an agent is shown as its answers and the tools that they asked for', () => {
  const steps = [
    step('model-1', answer('', ['search', 'ask'])),
    step('tool-1-1', { result: { hits: 2 }, elapsed_ms: 40 }),
    step('tool-1-2/begin', 1),
    step('tool-1-2/model-1', answer('inner', [])),
    step('tool-1-2', { result: { error: 'too late' }, elapsed_ms: 9 }),
    step('time-2', 1),
    step('model-2', answer('Done', [])),
  ];
  expect(shownSteps(steps).map(({ kind, name, about, depth }) => [kind, name, about, depth])).toEqual([
    ['model', 'model-1', 'search, ask', 0],
    ['other', 'search', '{"hits":2}', 0],
    ['model', 'model-1', 'inner', 1],
    ['other', 'ask', '{"error":"too late"}', 0],
    ['model', 'model-2', 'Done', 0],
  ]);
  const [first, search, , ask] = shownSteps(steps);
  expect([first?.tokens, search?.ms, ask?.status, ask?.error]).toEqual([17, 40, 'error', 'too late']);
});

test('steps of other nodes are shown by their names, failures with their words', () => {
  const [failed] = shownSteps([step('call', { error: 'gone' }, { status: 'error', error: 'gone' })]);
  expect(failed).toMatchObject({ kind: 'other', name: 'call', status: 'error', error: 'gone', ms: 5 });
});

test('what is no list of steps shows nothing', () => {
  expect(shownSteps(undefined)).toEqual([]);
  expect(shownSteps([3, 'x', { key: 7 }])).toEqual([]);
});
