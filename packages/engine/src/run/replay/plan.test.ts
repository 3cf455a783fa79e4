import { assert, asyncProperty, nat } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../json.ts';
import { type DrawnNodes, draw, type RunSettings, runToEnd, testCatalog } from '../../testing/index.ts';
import { createDice } from '../../testing/random-workflow.ts';
import { testOptions } from '../../testing/run-to-end.ts';
import { compileWorkflow } from '../../workflow/compile.ts';
import type { CompiledWorkflow } from '../../workflow/compiled.ts';
import { RunMachine } from '../machine.ts';
import type { NodeFinished } from '../record/events.ts';
import { runRandomly, snapshotState, workflowFor } from '../testing/random-run.ts';
import { placeKey } from './before.ts';
import { planReplay, type Replay, type ReplayFrom } from './plan.ts';

const whole = (rows: readonly NodeFinished[]) => rows.map((result) => ({ result, is_whole: true }));
const named = ({ node_id, iteration }: Pick<NodeFinished, 'node_id' | 'iteration'>) =>
  iteration === '' ? node_id : `${node_id}@${iteration}`;

interface Case {
  readonly graph: string;
  readonly nodes?: DrawnNodes;
  /** Nodes that the second run has instead. */
  readonly mended?: DrawnNodes;
  readonly input?: Json;
  readonly from: ReplayFrom;
  readonly options?: RunSettings['options'];
}

/** Runs once, plans a replay of that run, and runs it. */
async function replay({ graph, nodes = {}, mended, input = {}, from, options = {} }: Case) {
  const first = await runToEnd(compileWorkflow(draw(graph, nodes), testCatalog), { input, options });
  const workflow = compileWorkflow(draw(graph, { ...nodes, ...mended }), testCatalog);
  const settings = testOptions({ ...options, input });
  const plan = planReplay(workflow, whole(first.rows), { from, options: settings });
  if (plan.kind === 'refused') return { first, plan, second: undefined, ran: undefined, stood: undefined };
  return { first, plan, ...(await run(workflow, plan, { input, options })) };
}

async function run(workflow: CompiledWorkflow, plan: Replay, { input, options }: RunSettings) {
  const recorded = new Map(plan.results.map((row) => [placeKey(row), row]));
  const second = await runToEnd(workflow, {
    ...(input === undefined ? {} : { input }),
    options: { ...options, last_sequence: 1_000, ...(plan.starts ? { only: plan.starts } : {}) },
    host: { recorded: (node_id, iteration) => recorded.get(placeKey({ node_id, iteration })) },
  });
  const started = second.events.filter((event) => event.type === 'node_started');
  return { second, ran: started.map(named), stood: plan.results.map(named) };
}

const node = (node_id: string, more: { iteration?: string; only?: boolean } = {}): ReplayFrom => ({
  kind: 'node',
  node_id,
  ...more,
});
const FAILED: ReplayFrom = { kind: 'failed' };
const LOOP = 'start -> each\neach:loop -> first -> work -> each@loop\neach:done -> after -> out';
const loop = { type: 'loop', items: '$start.list' };
const LIST = { list: [1, 2, 3] };

describe('a replay from a node', () => {
  it.each<[string, Omit<Case, 'from'>, string, string[]]>([
    ['in a line', { graph: 'start -> a -> b -> c' }, 'b', ['b', 'c']],
    ['that is a start node', { graph: 'start -> a -> b' }, 'start', ['start', 'a', 'b']],
    ['beside another branch', { graph: 'start -> a -> b -> end\nstart -> x -> end' }, 'b', ['b', 'end']],
    [
      'where branches join',
      { graph: 'start -> a -> join\nstart -> b -> join\njoin -> c' },
      'join',
      ['join', 'c'],
    ],
    [
      'that decides',
      { graph: 'start -> if\nif:true -> yes -> end\nif:false -> no -> end', nodes: { if: 'condition' } },
      'if',
      ['if', 'yes', 'end'],
    ],
    [
      'on the branch that was taken',
      { graph: 'start -> if\nif:true -> yes -> end\nif:false -> no -> end', nodes: { if: 'condition' } },
      'yes',
      ['yes', 'end'],
    ],
    [
      'behind the error handle',
      {
        graph: 'start -> a\na -> next\na:error -> mend -> end',
        nodes: { a: { fails: 'no', onErrorEnabled: true } },
      },
      'mend',
      ['mend', 'end'],
    ],
    [
      'that is a loop',
      { graph: LOOP, nodes: { each: loop }, input: { list: [1] } },
      'each',
      ['each', 'each@0', 'first@0', 'work@0', 'after', 'out'],
    ],
    ['behind a loop', { graph: LOOP, nodes: { each: loop }, input: LIST }, 'after', ['after', 'out']],
    [
      'in a loop, from its last round on',
      { graph: LOOP, nodes: { each: loop }, input: LIST },
      'work',
      ['work@2', 'after', 'out'],
    ],
  ])('%s runs it and what follows', async (_name, given, from, expected) => {
    const { plan, ran, first, second } = await replay({ ...given, from: node(from) });
    expect(plan).toMatchObject({ kind: 'replay', starts: null });
    expect(ran).toEqual(expected);
    expect(second?.outputs).toEqual(first.outputs);
    expect(second?.status).toBe(first.status);
  });

  it('in a chosen round repeats that round behind the node and all later ones', async () => {
    const { ran, stood } = await replay({
      graph: LOOP,
      nodes: { each: loop },
      input: LIST,
      from: node('work', { iteration: '1' }),
    });
    expect(stood).toEqual(['start', 'each@0', 'first@0', 'work@0', 'each@1', 'first@1']);
    expect(ran).toEqual(['work@1', 'each@2', 'first@2', 'work@2', 'after', 'out']);
  });

  it('in a loop within a loop keeps what the outer and inner rounds before it gave', async () => {
    const graph = `start -> outer\nouter:loop -> inner\ninner:loop -> work -> inner@loop
      inner:done -> sum -> outer@loop\nouter:done -> out`;
    const nodes = { outer: loop, inner: loop };
    const input = { list: [1, 2] };
    const { ran, first, second } = await replay({
      graph,
      nodes,
      input,
      from: node('work', { iteration: '0.1' }),
    });
    expect(ran).toEqual([
      'work@0.1',
      'sum@0',
      'outer@1',
      'inner@1',
      'inner@1.0',
      'work@1.0',
      'inner@1.1',
      'work@1.1',
      'sum@1',
      'out',
    ]);
    expect(second?.outputs).toEqual(first.outputs);
  });

  it('gives the nodes behind it the results and variables of those before', async () => {
    const { second } = await replay({
      graph: 'start -> set -> b -> c',
      nodes: {
        set: { value: '$start.n', sets: [{ key: 'kept', value: '$start.n' }] },
        c: { value: '$vars.kept' },
      },
      input: { n: 7 },
      from: node('c'),
    });
    expect(second?.output).toEqual({ c: 7 });
  });

  it('runs what has no result in the earlier run, such as a node that was added', async () => {
    const graph = 'start -> a -> b -> c\nstart -> x';
    const first = await runToEnd(compileWorkflow(draw('start -> a -> b -> c'), testCatalog));
    const workflow = compileWorkflow(draw(graph), testCatalog);
    const plan = planReplay(workflow, whole(first.rows), { from: node('b'), options: testOptions() });
    expect(plan.kind === 'replay' && (await run(workflow, plan, {})).ran.toSorted()).toEqual(['b', 'c', 'x']);
  });
});

describe('a replay from the failure', () => {
  it('runs the failed node and what follows, and repeats nothing that succeeded', async () => {
    const { ran, stood, second, plan } = await replay({
      graph: 'start -> a -> b -> c\nstart -> x',
      nodes: { b: { fails: 'no' } },
      mended: { b: {} },
      from: FAILED,
    });
    expect(plan).toMatchObject({ at: { node_id: 'b', iteration: '' } });
    expect(stood).toEqual(['start', 'a', 'x']);
    expect(ran).toEqual(['b', 'c']);
    expect(second?.status).toBe('success');
  });

  it('continues in the round of a loop that failed', async () => {
    const { ran, plan } = await replay({
      graph: LOOP,
      nodes: { each: loop, work: { fails: '${$each.index == 1 ? "no" : ""}', value: '$first' } },
      mended: { work: { value: '1' } },
      input: LIST,
      from: FAILED,
    });
    expect(plan).toMatchObject({ at: { node_id: 'work', iteration: expect.stringMatching(/^[01]$/) } });
    expect(ran?.at(-1)).toBe('out');
  });

  it('leaves out what the error flow gave, which runs again when the run fails again', async () => {
    const { ran, stood } = await replay({
      graph: 'start -> a -> b\ncaught -> tell',
      nodes: { b: { fails: 'no' }, caught: 'handler' },
      from: FAILED,
    });
    expect(stood).toEqual(['start', 'a']);
    expect(ran).toEqual(['b', 'caught', 'tell']);
  });
});

describe('a replay of one node', () => {
  it('runs it alone, with what the nodes before it gave', async () => {
    const { ran, second } = await replay({
      graph: 'start -> a -> b -> c\nstart -> x',
      nodes: { b: { value: '$start.n' } },
      input: { n: 5 },
      from: node('b', { only: true }),
    });
    expect(ran).toEqual(['b']);
    expect(second?.rows.map(named)).toEqual(['b']);
    expect(second?.outputs).toEqual({ b: 5 });
  });

  it('runs it in one round of its loop', async () => {
    const { ran, second } = await replay({
      graph: 'start -> each\neach:loop -> work -> each@loop\neach:done -> out',
      nodes: { each: loop, work: { value: '$each.item' } },
      input: LIST,
      from: node('work', { only: true, iteration: '1' }),
    });
    expect(ran).toEqual(['work@1']);
    expect(second?.rows.map(named)).toEqual(['work@1']);
    expect(second?.outputs).toEqual({ work: 2 });
  });

  it('fails with it, without starting the error flow', async () => {
    const { ran, second } = await replay({
      graph: 'start -> a -> b\ncaught -> tell',
      nodes: { caught: 'handler' },
      mended: { a: { fails: 'no' } },
      from: node('a', { only: true }),
    });
    expect(ran).toEqual(['a']);
    expect(second).toMatchObject({ status: 'error', outputs: { error: 'no' } });
  });
});

describe('a replay is refused', () => {
  const branch = 'start -> if\nif:true -> yes\nif:false -> no -> later';
  it.each<[string, Omit<Case, 'from'>, ReplayFrom, object]>([
    [
      'at a node that the graph does not have',
      { graph: 'start -> a' },
      node('gone'),
      { reason: 'unknown_node', node: 'gone' },
    ],
    [
      'on a branch that was not taken',
      { graph: branch, nodes: { if: 'condition' } },
      node('later'),
      { reason: 'not_reached', node: 'later' },
    ],
    [
      'behind a node that failed',
      { graph: 'start -> a -> b -> c', nodes: { a: { fails: 'no' } } },
      node('c'),
      { reason: 'no_result', node: 'a', from: 'c' },
    ],
    [
      'in the error flow',
      { graph: 'start -> a\ncaught -> tell', nodes: { caught: 'handler' } },
      node('tell'),
      { reason: 'error_flow' },
    ],
    ['at a note', { graph: 'start -> a', nodes: { hint: 'note' } }, node('hint'), { reason: 'not_run' }],
    [
      'for a loop without its rounds',
      { graph: LOOP, nodes: { each: loop }, input: LIST },
      node('each', { only: true }),
      { reason: 'loop_alone' },
    ],
    [
      'in a loop that had no round',
      { graph: LOOP, nodes: { each: loop }, input: { list: [] } },
      node('work', { iteration: '0' }),
      { reason: 'unknown_round' },
    ],
    [
      'in a round that did not begin',
      { graph: LOOP, nodes: { each: loop }, input: LIST },
      node('work', { iteration: '7' }),
      { reason: 'unknown_round', node: 'work' },
    ],
    [
      'in a round of another depth',
      { graph: LOOP, nodes: { each: loop }, input: LIST },
      node('work', { iteration: '1.0' }),
      { reason: 'unknown_round' },
    ],
    [
      'in a round for a node outside of loops',
      { graph: 'start -> a' },
      node('a', { iteration: '0' }),
      { reason: 'unknown_round' },
    ],
  ])('%s', async (_name, given, from, expected) => {
    const { plan } = await replay({ ...given, from });
    expect(plan).toMatchObject({ kind: 'refused', ...expected });
  });

  it('behind a node whose type was changed', async () => {
    const { plan } = await replay({
      graph: 'start -> a -> b',
      mended: { a: { type: 'output', allowDownstream: true } },
      from: node('b'),
    });
    expect(plan).toMatchObject({ kind: 'refused', node: 'a' });
  });
});

describe('results that are only there masked', () => {
  const graph = 'start -> a -> b';
  const plan = async (effect: 'pure' | 'unsafe', masked: string) => {
    const compiled = compileWorkflow(draw(graph), testCatalog);
    const nodes = compiled.nodes.map((one) => (one.id === masked ? { ...one, effect } : one));
    const { rows } = await runToEnd(compiled);
    const workflow = Object.assign(Object.create(compiled) as CompiledWorkflow, { nodes });
    const past = rows.map((result) => ({ result, is_whole: result.node_id !== masked }));
    return planReplay(workflow, past, { from: node('b', { only: true }), options: testOptions() });
  };

  it('are computed again where that has no effect', async () => {
    expect(await plan('pure', 'a')).toMatchObject({
      kind: 'replay',
      results: [{ node_id: 'start' }],
      starts: [{ node_id: 'a' }, { node_id: 'b' }],
    });
  });

  it('refuse the replay where the node would act again', async () => {
    expect(await plan('unsafe', 'a')).toMatchObject({
      kind: 'refused',
      reason: 'masked',
      node: 'a',
      from: 'b',
    });
  });

  it('do not matter behind the node', async () => {
    expect(await plan('unsafe', 'b')).toMatchObject({ kind: 'replay' });
  });
});

describe('random graphs', () => {
  it('replayed from any node end as the first run did, and repeat no result that is kept', {
    timeout: 120_000,
  }, async () => {
    let replays = 0;
    await assert(
      asyncProperty(nat(2 ** 31), nat(2 ** 31), async (seed, order) => {
        const workflow = workflowFor(seed);
        const behaviour = { seed, failing: 3 };
        const options = testOptions({ max_node_executions: 100_000 });
        const dice = createDice(order);
        const first = await runRandomly(new RunMachine(workflow, options), behaviour, { dice });
        const rows = first.events.filter((event) => event.type === 'node_finished');
        const candidates = rows.filter(
          (row) => row.status === 'success' && (row.items === undefined || row.iteration === ''),
        );
        const chosen = candidates[dice(Math.max(1, candidates.length))];
        if (!chosen || first.finished?.status !== 'success') return;
        const from = node(chosen.node_id, { iteration: chosen.iteration });
        const plan = planReplay(workflow, whole(rows), { from, options });
        // Rows of a loop's rounds are no places of their own.
        if (plan.kind === 'refused') {
          expect(plan.reason).toBe('unknown_round');
          return;
        }
        const recorded = new Map(plan.results.map((row) => [placeKey(row), row]));
        const second = await runRandomly(
          new RunMachine(workflow, { ...options, last_sequence: rows.length * 4 }),
          behaviour,
          { dice, recorded: (node_id, iteration) => recorded.get(placeKey({ node_id, iteration })) },
        );
        const told = second.events.filter((event) => event.type === 'node_finished');
        expect(told.filter((event) => recorded.has(placeKey(event)))).toEqual([]);
        expect(told.some((event) => placeKey(event) === placeKey(chosen))).toBe(true);
        expect(second.finished?.outputs).toEqual(first.finished.outputs);
        expect(snapshotState([...plan.results, ...second.events])).toEqual(snapshotState(first.events));
        replays += 1;
      }),
      { numRuns: 800 },
    );
    expect(replays).toBeGreaterThan(150);
  });
});

describe('a run of what follows from a node', () => {
  it.each([
    ['leaves out other branches', 'start -> a -> b\nstart -> x -> y', ['a', 'b']],
    [
      'runs what a following node waits for',
      'start -> a -> end\nstart -> x -> end\nx -> y',
      ['a', 'x', 'end'],
    ],
  ])('%s', async (_what, graph, expected) => {
    const workflow = compileWorkflow(draw(graph), testCatalog);
    const start = await runToEnd(workflow, { options: { until: 'start' } });
    const plan = planReplay(workflow, whole(start.rows), { from: node('a'), options: testOptions() });
    if (plan.kind === 'refused') throw new Error(plan.reason);
    const { ran, second } = await run(workflow, plan, { options: { behind: 'a' } });
    expect(ran?.toSorted()).toEqual(expected.toSorted());
    expect(second.status).toBe('success');
  });

  it('still starts the error flow', async () => {
    const workflow = compileWorkflow(
      draw('start -> a\nstart -> x\ncaught -> tell', { caught: 'handler', a: { fails: 'no' } }),
      testCatalog,
    );
    const start = await runToEnd(workflow, { options: { until: 'start' } });
    const plan = planReplay(workflow, whole(start.rows), { from: node('a'), options: testOptions() });
    if (plan.kind === 'refused') throw new Error(plan.reason);
    expect((await run(workflow, plan, { options: { behind: 'a' } })).ran).toEqual(['a', 'caught', 'tell']);
  });
});
