import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../json.ts';
import {
  type DrawnNodes,
  drain,
  draw,
  type EndedRun,
  runToEnd,
  testCatalog,
  testHost,
  testOptions,
} from '../../testing/index.ts';
import { compileWorkflow } from '../../workflow/compile.ts';
import { RunMachine } from '../machine.ts';

const CHARACTERS = 100_000;
const TEXT = 'x'.repeat(9_000);
const options = { max_characters: CHARACTERS };

const run = (graph: string, nodes: DrawnNodes = {}, input: JsonObject = { text: TEXT }) =>
  runToEnd(compileWorkflow(draw(graph, nodes), testCatalog), { input, options });

const written = ({ rows, outputs }: EndedRun) => JSON.stringify(rows).length + JSON.stringify(outputs).length;

/** Rows and outputs, which are rows again. */
function expectBounded(ended: EndedRun): void {
  expect(ended.finished.failure).toMatchObject({ kind: 'limit' });
  expect(ended.outputs).toEqual({ error: expect.stringContaining('too large') });
  expect(written(ended)).toBeLessThan(2 * CHARACTERS);
}

describe('the results of a run together', () => {
  it('may not be too large, however many nodes share one value', async () => {
    const ends = Array.from({ length: 40 }, (_, at) => `start -> end${at}`).join('\n');
    expectBounded(await run(ends));
  });

  it('may not be too large because a loop collects them', async () => {
    const graph = 'start -> each\neach:loop -> work -> each@loop\neach:done -> out';
    const nodes = { each: { type: 'loop', items: '$start.list' }, work: { value: '$start.text' } };
    expectBounded(await run(graph, nodes, { text: TEXT, list: Array.from({ length: 20 }, () => 1) }));
  });

  it('may not be too large because each round shows its item', async () => {
    const graph = 'start -> each\neach:loop -> work -> each@loop';
    const nodes = { each: { type: 'loop', items: '$start.list' }, work: { value: 'small' } };
    const list = Array.from({ length: 10 }, () => 'y'.repeat(3_400));
    expectBounded(await run(graph, nodes, { list }));
  });

  it('may not be too large because of many small rows', async () => {
    const graph = 'start -> each\neach:loop -> work -> each@loop';
    const nodes = { each: { type: 'loop', items: '$start.list' }, work: { value: '' } };
    expectBounded(await run(graph, nodes, { list: Array.from({ length: 500 }, () => 1) }));
  });

  it('still leave room for the error flow', async () => {
    const ends = Array.from({ length: 40 }, (_, at) => `start -> end${at}`).join('\n');
    const ended = await run(`${ends}\nhandler -> told`, {
      handler: 'handler',
      told: { type: 'output', message: '$error.message' },
    });
    expect(ended.status).toBe('error');
    expect(JSON.stringify(ended.outputs)).toMatch(/^\{"told":.*too large/);
  });

  it('count those that were recorded before the run was resumed', async () => {
    const workflow = compileWorkflow(
      draw('start -> a -> b -> c -> d -> e -> f', { b: { value: '$a' }, a: { value: '$start.text' } }),
      testCatalog,
    );
    const first = await runToEnd(workflow, { input: { text: 'x'.repeat(25_000) }, options });
    expect(first.status).toBe('error');
    const stood = first.rows.filter(({ status }) => status === 'success');
    const machine = new RunMachine(
      workflow,
      testOptions({ ...options, input: { text: 'x'.repeat(25_000) } }),
    );
    const recorded = (id: string) => stood.find(({ node_id }) => node_id === id);
    const again = await drain(machine, testHost({ recorded }));
    expect(again.finished.failed_node).toEqual(first.finished.failed_node);
  });
});
