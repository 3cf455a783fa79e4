import type { Json, JsonObject } from '@millrace/engine';
import { describe, expect, test } from 'vitest';
import { runWorkflow } from './run-workflow.ts';

const start = { type: 'textInput' };
const input = (body: Record<string, unknown>) => ({ headers: {}, query: {}, body: body as never });

test('text input, set and output make a result', async () => {
  const run = await runWorkflow(
    'start -> shape -> out',
    {
      start,
      shape: { type: 'set', mappings: [{ key: 'greeting', value: 'Hello $start.name' }] },
      out: { type: 'output', message: '$shape.greeting' },
    },
    { input: input({ name: 'Ada' }) },
  );
  expect(run.outputs).toEqual({ out: { result: 'Hello Ada' } });
});

test('§2.3: the object of the only JSON response is the whole result', async () => {
  const run = await runWorkflow(
    'start -> answer',
    { start, answer: { type: 'jsonOutputMapper', mappings: [{ key: 'n', value: '$input.items.length' }] } },
    { input: input({ items: [1, 2, 3] }) },
  );
  expect(run.finished).toMatchObject({ shape: 'json', outputs: { n: 3 } });
});

test.each([
  [5, { big: { result: 'big' } }],
  [1, { small: { result: 'small' } }],
])('a condition sends %i to its side', async (n, outputs) => {
  const run = await runWorkflow(
    'start -> check\ncheck:true -> big\ncheck:false -> small',
    {
      start,
      check: { type: 'condition', condition: '$input.n > 3' },
      big: { type: 'output', message: 'big' },
      small: { type: 'output', message: 'small' },
    },
    { input: input({ n }) },
  );
  expect(run.outputs).toEqual(outputs);
});

test.each(['case-1', '1'])('an edge from the handle %s belongs to the second case', async (handle) => {
  const run = await runWorkflow(
    `start -> route\nroute:${handle} -> second\nroute:default -> other`,
    {
      start,
      route: { type: 'switch', expression: '$input.kind', cases: ['a', 'b'] },
      second: { type: 'output', message: 'second' },
      other: { type: 'output', message: 'other' },
    },
    { input: input({ kind: 'b' }) },
  );
  expect(run.outputs).toEqual({ second: { result: 'second' } });
});

test('a loop with a condition inside collects a variable and its results', async () => {
  const run = await runWorkflow(
    `start -> clear -> each
     each:loop -> check
     check:true -> keep -> join
     check:false -> join
     join -> each@loop
     each:done -> out`,
    {
      start,
      clear: { type: 'variable', variableName: 'kept', variableValue: '$list()' },
      each: { type: 'loop', arrayExpression: '$start.items' },
      check: { type: 'condition', condition: '$each.item > 1' },
      keep: { type: 'variable', variableName: 'kept', variableValue: '$vars.kept.add($each.item)' },
      join: { type: 'set', mappings: [{ key: 'doubled', value: '$each.item * 2' }] },
      out: {
        type: 'output',
        outputSchema: [
          { key: 'kept', value: '$vars.kept' },
          { key: 'results', value: '$each.results' },
        ],
      },
    },
    { input: input({ items: [1, 2, 3] }) },
  );
  expect(run.outputs).toEqual({
    out: { result: { kept: [2, 3], results: [{ doubled: 2 }, { doubled: 4 }, { doubled: 6 }] } },
  });
});

describe('a list that a variable node has made', () => {
  const first = { type: 'variable', variableName: 'rows', variableValue: '$list()' };
  const append = { type: 'variable', variableName: 'rows', variableValue: '$vars.rows.add($start.text)' };
  const seen = { type: 'output', outputSchema: [{ key: 'value', value: '$first.value' }] };
  const runForResult = async (lines: string, nodes: Record<string, JsonObject>, body: JsonObject = {}) => {
    const drawn = { start, first, out: seen, ...nodes };
    const run = await runWorkflow(lines, drawn, { input: input({ text: 'x', ...body }) });
    return (run.outputs['out'] as { result: { value: Json } }).result.value;
  };

  test('is also through its output the one that loop rounds append to', async () => {
    const lines = `start -> first -> each
      each:loop -> keep -> each@loop
      each:done -> out`;
    const each = { type: 'loop', arrayExpression: '$start.items' };
    const keep = { ...append, variableValue: '$vars.rows.add($each.item)' };
    expect(await runForResult(lines, { each, keep }, { items: [1, 2, 3] })).toEqual([1, 2, 3]);
  });

  test('shows the node beside an append nothing of it, and the node behind all of it', async () => {
    const beside = { type: 'set', mappings: [{ key: 'rows', value: '$first.value' }] };
    const out = { type: 'output', message: '$array(beside.rows, first.value, first.name, one.value)' };
    const run = await runWorkflow(
      `start -> first -> one -> two -> out
       first -> beside -> out`,
      { start, first, one: append, two: append, beside, out },
      { input: input({ text: 'x' }) },
    );
    expect(run.outputs).toEqual({ out: { result: [[], ['x', 'x'], 'rows', ['x', 'x']] } });
  });

  test('is another one after the variable was set anew, or to a copy', async () => {
    const anew = { type: 'variable', variableName: 'rows', variableValue: '$array(7)' };
    expect(await runForResult('start -> first -> anew -> keep -> out', { anew, keep: append })).toEqual([]);
    const copy = { ...append, variableName: 'copy' };
    expect(await runForResult('start -> first -> copy -> out', { copy })).toEqual([]);
    const sorted = { ...append, variableValue: '$vars.rows.add(1).sort()' };
    expect(await runForResult('start -> first -> sorted -> out', { sorted })).toEqual([]);
  });
});

test('a merge gathers parallel branches', async () => {
  const run = await runWorkflow(
    'start -> left -> all@input-0\nstart -> right -> all@input-1\nall -> out',
    {
      start,
      left: { type: 'set', mappings: [{ key: 'a', value: '1' }] },
      right: { type: 'set', mappings: [{ key: 'b', value: '2' }] },
      all: { type: 'merge' },
      out: { type: 'output', message: '$all.merged' },
    },
    { input: input({}) },
  );
  expect(run.outputs).toEqual({ out: { result: { left: { a: '1' }, right: { b: '2' } } } });
});

test('§4.1 rule 6: a thrown error sets the HTTP status and runs the error handler', async () => {
  const run = await runWorkflow(
    'start -> stop\nhandler -> tell',
    {
      start,
      stop: { type: 'throwError', errorMessage: 'No order $input.id', httpStatusCode: 404 },
      handler: { type: 'errorHandler', message: '$error.node_label: $error.message' },
      tell: { type: 'output', message: '$handler.message' },
    },
    { input: input({ id: 7 }) },
  );
  expect(run.finished).toMatchObject({ status: 'error', http_status: 404 });
  expect(run.outputs).toEqual({ tell: { result: 'stop: No order 7' } });
});

test('a request that fails continues at the error handle', async () => {
  const run = await runWorkflow(
    'start -> call\ncall:error -> out',
    {
      start,
      call: { type: 'http', curl: "curl 'unclosed", onErrorEnabled: true },
      out: { type: 'output', message: '$call.error' },
    },
    { input: input({}) },
  );
  expect(run.outputs).toMatchObject({ out: { result: expect.stringContaining('never closed') } });
});

test('a request in a loop is evaluated in each round and has its own key', async () => {
  const run = await runWorkflow(
    'start -> each\neach:loop -> call -> each@loop',
    {
      start,
      each: { type: 'loop', arrayExpression: '$start.ids' },
      call: { type: 'http', curl: 'curl -X POST https://api.example/$each.item', onUnknownOutcome: 'repeat' },
    },
    { input: input({ ids: ['a', 'b'] }) },
  );
  expect(run.trace.requests.map(({ url, headers }) => [url, headers])).toEqual([
    ['https://api.example/a', [['Idempotency-Key', 'run-1:call:0']]],
    ['https://api.example/b', [['Idempotency-Key', 'run-1:call:1']]],
  ]);
});

test('names of credentials in a command are known before the run', async () => {
  const run = await runWorkflow('start -> call', {
    start,
    call: { type: 'http', curl: 'curl -H "Authorization: Bearer $credentials.github" https://api.example' },
  });
  expect(run.machine.workflow.credential_names).toEqual(['github']);
});

test('a disabled node is skipped from then on', async () => {
  const run = await runWorkflow(
    'start -> off -> target -> out',
    {
      start,
      off: { type: 'disableNode', targetNodeLabel: 'target' },
      target: { type: 'throwError', errorMessage: 'must not run' },
      out: { type: 'output', message: 'reached' },
    },
    { input: input({}), labels: { target: ['target'] } },
  );
  expect(run.statuses).toMatchObject({ target: 'skipped' });
});

test('an early answer comes before the nodes behind it end', async () => {
  const run = await runWorkflow(
    'start -> answer -> later',
    {
      start,
      answer: { type: 'output', message: 'early', allowDownstream: true },
      later: { type: 'set', mappings: [{ key: 'a', value: '1' }] },
    },
    { input: input({}) },
  );
  const types = run.events.map((event) => event.type);
  expect(types.indexOf('output_emitted')).toBeLessThan(types.lastIndexOf('node_finished'));
  expect(run.statuses).toMatchObject({ later: 'success' });
});

test('a note takes no part in a run', async () => {
  const run = await runWorkflow('start -> out\nnote', {
    start,
    note: { type: 'sticky', note: 'x' },
    out: { type: 'output' },
  });
  expect(Object.keys(run.statuses)).toEqual(['start', 'out']);
});
