import { describe, expect, it } from 'vitest';
import { type DrawnNodes, draw, runToEnd, testCatalog } from '../../testing/index.ts';
import { compileWorkflow } from '../../workflow/compile.ts';

const LOOP = { type: 'loop', items: '$start.list' };
const input = { n: 1, list: [1, 2, 3] };

/** Runs up to a node; nodes that ran, with their rounds, and how it ended. */
async function upTo(until: string, graph: string, nodes: DrawnNodes = {}) {
  const workflow = compileWorkflow(draw(graph, nodes), testCatalog);
  const { rows, outputs, finished } = await runToEnd(workflow, { input, options: { until } });
  const ran = rows
    .filter(({ status }) => status !== 'skipped')
    .map(({ node_id, iteration }) => (iteration === '' ? node_id : `${node_id}@${iteration}`));
  return { ran: ran.toSorted(), outputs, status: finished.status };
}

describe('a run up to a node', () => {
  it('runs it and all before it, and nothing after it or beside it', async () => {
    const graph = 'start -> a -> b -> c\nstart -> x -> b\nstart -> beside';
    expect(await upTo('b', graph, { b: { value: '$start.n' } })).toEqual({
      ran: ['a', 'b', 'start', 'x'],
      outputs: { b: 1 },
      status: 'success',
    });
  });

  it('has no output where the node is on a branch that is not taken', async () => {
    const graph = 'start -> if\nif:true -> yes\nif:false -> no -> later';
    const nodes = { if: { type: 'condition', condition: 'true' } };
    expect(await upTo('later', graph, nodes)).toEqual({
      ran: ['if', 'start'],
      outputs: {},
      status: 'success',
    });
  });

  it('fails with a node before it, without starting the error flow', async () => {
    const nodes: DrawnNodes = { a: { fails: 'no' }, caught: 'handler' };
    expect(await upTo('b', 'start -> a -> b\ncaught -> tell', nodes)).toEqual({
      ran: ['a', 'start'],
      outputs: { error: 'no' },
      status: 'error',
    });
  });

  it('runs loops before it to their end, with all of their bodies', async () => {
    const graph = 'start -> each\neach:loop -> work -> each@loop\nwork -> aside\neach:done -> out -> more';
    expect(await upTo('out', graph, { each: LOOP })).toMatchObject({
      ran: expect.arrayContaining(['aside@0', 'aside@1', 'aside@2', 'out', 'work@2']),
      outputs: { out: expect.anything() },
    });
    expect((await upTo('out', graph, { each: LOOP })).ran).not.toContain('more');
  });

  it('runs a node inside of a loop once, and not what follows it there', async () => {
    const graph = 'start -> each\neach:loop -> work -> next -> each@loop\neach:done -> out';
    const found = await upTo('work', graph, { each: LOOP, work: { value: '$each.item' } });
    expect(found).toMatchObject({ outputs: { work: 1 }, status: 'success' });
    expect(found.ran.filter((node) => !node.startsWith('each'))).toEqual(['start', 'work@0']);
  });

  it('runs further rounds of a loop until one reaches the node', async () => {
    const graph = `start -> each
      each:loop -> if
      if:true -> work -> each@loop
      if:false -> other -> each@loop
      each:done -> out`;
    const nodes = { each: LOOP, if: { type: 'condition', condition: '$each.item > 1' } };
    const { ran, outputs } = await upTo('work', graph, { ...nodes, work: { value: '$each.item' } });
    expect(outputs).toEqual({ work: 2 });
    expect(ran).toEqual(expect.arrayContaining(['other@0', 'work@1']));
    expect(ran.filter((place) => place.endsWith('@2') || place === 'out')).toEqual([]);
  });

  it('ends a wait before the node whose outcome the node does not need', async () => {
    const graph = 'start -> ask\nask:hitl -> tell\nask -> later';
    const found = await upTo('tell', graph, { ask: { pauses: true } });
    expect(found).toMatchObject({ status: 'success', outputs: { tell: expect.anything() } });
    expect(found.ran).toEqual(['ask', 'start', 'tell']);
  });

  it('waits where the node is behind the outcome of a wait', async () => {
    const graph = 'start -> ask\nask:hitl -> tell\nask -> later';
    expect(await upTo('later', graph, { ask: { pauses: true } })).toMatchObject({ status: 'pending' });
  });

  it('does not try again, or fail with, what runs beside it in a loop', async () => {
    const graph = 'start -> each\neach:loop -> work\neach:loop -> mail -> each@loop\neach:done -> out';
    const nodes: DrawnNodes = {
      each: LOOP,
      work: { value: '$each.item' },
      mail: { fails: 'no', retryEnabled: true, retryMaxAttempts: 3, retryWaitSeconds: 60 },
    };
    expect(await upTo('work', graph, nodes)).toMatchObject({ status: 'success', outputs: { work: 1 } });
  });

  it('waits for what leads into the loop of the node', async () => {
    const graph = 'start -> each\nstart -> side -> work\neach:loop -> work -> each@loop\neach:done -> out';
    const found = await upTo('work', graph, { each: LOOP });
    expect(found.ran.filter((node) => !node.startsWith('each'))).toEqual(['side', 'start', 'work@0']);
  });

  it('runs a loop that it is asked for to its end', async () => {
    const graph = 'start -> each\neach:loop -> work -> each@loop\neach:done -> out';
    const { ran } = await upTo('each', graph, { each: LOOP });
    expect(ran).toEqual(expect.arrayContaining(['work@0', 'work@1', 'work@2']));
    expect(ran).not.toContain('out');
  });
});
