import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../json.ts';
import {
  type DrawnNodes,
  draw,
  type RunSettings,
  runTestNode,
  runToEnd,
  testCatalog,
} from '../../testing/index.ts';
import { compileWorkflow } from '../../workflow/compile.ts';
import type { NodeTask } from '../task.ts';

const list = { type: 'loop', items: '$start.list' };

async function run(graph: string, nodes: DrawnNodes, input: JsonObject, settings: RunSettings = {}) {
  return runToEnd(compileWorkflow(draw(graph, nodes), testCatalog), { input, ...settings });
}

const simple = `
  start -> each
  each:loop -> work -> each@loop
  each:done -> out`;

describe('loops', () => {
  it('repeat their body for each item and collect what comes back', async () => {
    const nodes = { each: list, work: { value: '$each.item * 2' } };
    const { output } = await run(simple, nodes, { list: [1, 2, 3] });
    expect(output['each@1']).toEqual({
      item: 2,
      index: 1,
      total: 3,
      isFirst: false,
      isLast: false,
      branch: 'loop',
    });
    expect([output['work@0'], output['work@1'], output['work@2']]).toEqual([2, 4, 6]);
    expect(output['each']).toEqual({ results: [2, 4, 6], total: 3, branch: 'done' });
    expect(output['out']).toEqual({ each: output['each'] });
  });

  it('record a row for each round and one for the end', async () => {
    const { rows } = await run(simple, { each: list }, { list: ['a', 'b'] });
    expect(rows.map(({ node_label, iteration }) => `${node_label}@${iteration}`)).toEqual([
      'start@',
      'each@0',
      'work@0',
      'each@1',
      'work@1',
      'each@',
      'out@',
    ]);
  });

  it('go straight to done for an empty list and skip the body', async () => {
    const { statuses, output } = await run(simple, { each: list }, { list: [] });
    expect(statuses).toEqual({ start: 'success', each: 'success', work: 'skipped', out: 'success' });
    expect(output['each']).toEqual({ results: [], total: 0, branch: 'done' });
  });

  it('run one round and never reach done without a back edge', async () => {
    const graph = 'start -> each\neach:loop -> work\neach:done -> out';
    const { statuses } = await run(graph, { each: list }, { list: [1, 2, 3] });
    expect(statuses).toEqual({
      start: 'success',
      'each@0': 'success',
      'work@0': 'success',
      each: 'success',
      out: 'skipped',
    });
  });

  it('accept a back edge that is drawn to the ordinary handle', async () => {
    const graph = 'start -> each\neach:loop -> work -> each\neach:done -> out';
    const { output } = await run(graph, { each: list, work: { value: '$each.item' } }, { list: [7, 8] });
    expect(output['each']).toMatchObject({ results: [7, 8] });
  });

  it('accept an entry that is drawn to the loop handle', async () => {
    const graph = 'start -> each@loop\neach:loop -> work -> each@loop\neach:done -> out';
    const { output } = await run(graph, { each: list, work: { value: '$each.item' } }, { list: [7, 8] });
    expect(output['each']).toMatchObject({ results: [7, 8] });
  });

  it('follow a condition inside the body anew in each round', async () => {
    const graph = `
      start -> each
      each:loop -> big
      big:true -> shout -> each@loop
      big:false -> whisper -> each@loop`;
    const nodes = {
      each: list,
      big: { type: 'condition', condition: '$each.item > 1' },
      shout: { value: 'A' },
      whisper: { value: 'a' },
    };
    const { output, statuses } = await run(graph, nodes, { list: [1, 2, 1] });
    expect(output['each']).toMatchObject({ results: ['a', 'A', 'a'] });
    expect([statuses['shout@0'], statuses['shout@1'], statuses['whisper@1']]).toEqual([
      'skipped',
      'success',
      'skipped',
    ]);
  });

  it('put null where a round delivers nothing, so that results line up with items', async () => {
    const graph = `
      start -> each
      each:loop -> big
      big:true -> keep -> each@loop
      big:false -> drop`;
    const nodes = {
      each: list,
      big: { type: 'condition', condition: '$each.item > 1' },
      keep: { value: '$each.item' },
    };
    const { output } = await run(graph, nodes, { list: [1, 2, 3] });
    expect(output['each']).toMatchObject({ results: [null, 2, 3] });
  });

  it('decide guards inside the body anew in each round', async () => {
    const graph = `
      start -> each
      start -> payload -> post
      each:loop -> isOk
      isOk:true -> post -> each@loop
      isOk:false -> each@loop
      each:loop -> aside -> post
      each:done -> out`;
    const nodes = { each: list, isOk: { type: 'condition', condition: '$each.item > 1' } };
    const { statuses } = await run(graph, nodes, { list: [1, 2, 1] });
    expect([statuses['post@0'], statuses['post@1'], statuses['post@2']]).toEqual([
      'skipped',
      'success',
      'skipped',
    ]);
    expect(statuses['out']).toBe('success');
  });

  it('keep what a guard outside decided about a node of their body in every round', async () => {
    const graph = `
      start -> isOk
      start -> each
      isOk:true -> post
      each:loop -> post -> each@loop
      each:done -> out`;
    const nodes = { each: list, isOk: { type: 'condition', condition: 'false' } };
    const { statuses, output } = await run(graph, nodes, { list: [1, 2] });
    expect([statuses['post@0'], statuses['post@1'], statuses['out']]).toEqual([
      'skipped',
      'skipped',
      'success',
    ]);
    expect(output['each']).toMatchObject({ results: [null, null] });
  });

  it('that a guard skips are skipped with their body, although another parent leads to them', async () => {
    const graph = `
      start -> isOk
      isOk:true -> each
      start -> payload -> each
      each:loop -> work -> each@loop
      each:done -> out
      payload -> out`;
    const nodes = { each: list, isOk: { type: 'condition', condition: 'false' } };
    const { statuses } = await run(graph, nodes, { list: [1, 2] });
    expect(statuses).toMatchObject({ each: 'skipped', work: 'skipped', out: 'skipped' });
  });

  it('take the first back edge in edge order that delivered', async () => {
    const graph = `
      start -> each
      each:loop -> slow -> each@loop
      each:loop -> fast -> each@loop`;
    const nodes = { each: list, slow: { value: 'slow' }, fast: { value: 'fast' } };
    const { output } = await run(graph, nodes, { list: [1] });
    expect(output['each']).toMatchObject({ results: ['slow'] });
  });

  it('take what the body delivers, also when the loop is drawn to itself', async () => {
    const graph = `
      start -> each
      each:loop -> each@loop
      each:loop -> work -> each@loop
      each:done -> out`;
    const nodes = { each: list, work: { value: '$each.item * 2' } };
    const { output } = await run(graph, nodes, { list: [1, 2] });
    expect(output['each']).toMatchObject({ results: [2, 4] });
  });

  it('take the handled error of a node whose way back was not taken', async () => {
    const graph = `
      start -> each
      each:loop -> work -> each@loop
      each:done -> out`;
    const nodes = {
      each: list,
      work: { fails: 'broken', onErrorEnabled: true },
    };
    const { output, status } = await run(graph, nodes, { list: [1, 2] });
    expect(status).toBe('success');
    expect(output['each']).toMatchObject({
      results: [
        { error: 'broken', _errorBranch: true },
        { error: 'broken', _errorBranch: true },
      ],
    });
  });

  it('decide in each round anew whether an alert that nodes share has a failure to follow', async () => {
    const graph = `
      start -> each
      each:loop -> a -> b -> each@loop
      a:error -> alert
      b:error -> alert
      each:loop -> alert
      each:done -> out`;
    const failsAt = (task: NodeTask, id: string, round: string) =>
      task.node.id === id && task.iteration === round;
    const failure = { kind: 'upstream', message: 'no' } as const;
    const workflow = compileWorkflow(
      draw(graph, { each: list, a: { onErrorEnabled: true }, b: { onErrorEnabled: true } }),
      testCatalog,
    );
    const { statuses } = await runToEnd(workflow, {
      input: { list: [1, 2, 3] },
      host: {
        runNode: (task) =>
          failsAt(task, 'a', '0') || failsAt(task, 'b', '2') ? { failure } : runTestNode(task),
      },
    });
    expect(statuses).toMatchObject({
      'alert@0': 'success',
      'b@0': 'skipped',
      'alert@1': 'skipped',
      'alert@2': 'success',
      out: 'success',
    });
  });

  it('leave an alert before the loop and in it to the failure of either', async () => {
    const graph = `
      start -> first -> each
      first:error -> alert
      each:loop -> work -> each@loop
      work:error -> alert`;
    const nodes = {
      first: { onErrorEnabled: true },
      each: list,
      work: { fails: 'no', onErrorEnabled: true },
    };
    const { statuses } = await run(graph, nodes, { list: [1] });
    expect(statuses['alert'] ?? statuses['alert@0']).toBe('success');
  });

  it('end a round when all of the body has settled, dead ends included', async () => {
    const graph = `
      start -> each
      each:loop -> work -> each@loop
      each:loop -> aside -> far -> farther`;
    const { rows } = await run(graph, { each: list }, { list: [1, 2] });
    const order = rows.map(({ node_label, iteration }) => `${node_label}@${iteration}`);
    expect(order.indexOf('farther@0')).toBeLessThan(order.indexOf('each@1'));
  });

  it('start inner loops afresh in each round of the outer one', async () => {
    const graph = `
      start -> outer
      outer:loop -> inner
      inner:loop -> work -> inner@loop
      inner:done -> row -> outer@loop
      outer:done -> out`;
    const nodes = {
      outer: list,
      inner: { type: 'loop', items: '$outer.item' },
      work: { value: '$outer.index + $inner.item' },
      row: { value: '$inner.results' },
    };
    const { output, statuses } = await run(graph, nodes, { list: [[1, 2], [], [3]] });
    expect(output['outer']).toMatchObject({ results: [[1, 2], [], [5]] });
    expect(Object.keys(statuses).filter((key) => key.startsWith('work'))).toEqual([
      'work@0.0',
      'work@0.1',
      'work@1',
      'work@2.0',
    ]);
    expect(statuses['work@1']).toBe('skipped');
  });

  it('decide an edge that leaves the body when the loop has ended, by its last round', async () => {
    const graph = `
      start -> each
      each:loop -> work -> each@loop
      work -> after
      each:done -> after`;
    const { rows, output } = await run(
      graph,
      { each: list, work: { value: '$each.item' } },
      { list: ['x', 'y'] },
    );
    expect(rows.filter(({ node_label }) => node_label === 'after')).toHaveLength(1);
    expect(output['after']).toMatchObject({ work: 'y', each: { results: ['x', 'y'] } });
  });

  it('skip what only the body leads to when there is no round', async () => {
    const graph = `
      start -> outer
      outer:loop -> inner
      inner:loop -> work -> inner@loop
      inner:done -> outer@loop
      outer:done -> out`;
    const { statuses } = await run(graph, { outer: list, inner: list }, { list: [] });
    expect(statuses).toEqual({
      start: 'success',
      outer: 'success',
      inner: 'skipped',
      work: 'skipped',
      out: 'success',
    });
  });

  it('wait for what leads into the body from beside', async () => {
    const graph = `
      start -> each
      start -> config -> work
      each:loop -> work -> each@loop`;
    const nodes = { each: list, config: { value: 'c' }, work: { value: '$config + $each.item' } };
    const { output } = await run(graph, nodes, { list: ['1', '2'] });
    expect(output['each']).toMatchObject({ results: ['c1', 'c2'] });
  });

  it('that are inactive are passed by: the body is skipped and the run continues at done', async () => {
    const { statuses } = await run(simple, { each: { ...list, active: false } }, { list: [1] });
    expect(statuses).toEqual({ start: 'success', each: 'skipped', work: 'skipped', out: 'success' });
  });

  it('that fail follow their error handle', async () => {
    const graph = `${simple}\n each:error -> sorry`;
    const nodes = { each: { ...list, items: '$start.list', onErrorEnabled: true } };
    const { statuses, output } = await run(graph, nodes, { list: 'no list' });
    expect(statuses).toEqual({
      start: 'success',
      each: 'success',
      work: 'skipped',
      out: 'skipped',
      sorry: 'success',
    });
    expect(output['each']).toMatchObject({ _errorBranch: true });
  });

  it('do not show a node what later nodes of its body did in an earlier round', async () => {
    const graph = `
      start -> each
      each:loop -> first -> second -> each@loop`;
    const nodes = { each: list, first: { value: '$second' }, second: { value: '$each.item' } };
    const { output } = await run(graph, nodes, { list: ['x', 'y'] });
    expect([output['first@0'], output['first@1']]).toEqual([null, null]);
  });

  it('whose bodies overlap are refused', async () => {
    const graph = `
      start -> one
      start -> two
      one:loop -> shared -> one@loop
      two:loop -> shared`;
    const { status, outputs } = await run(graph, { one: list, two: list }, { list: [1] });
    expect(status).toBe('error');
    expect(outputs['error']).toContain('share nodes although neither is inside the other');
  });

  it('go through many rounds', async () => {
    const rounds = 30_000;
    const { machine, output } = await run(
      simple,
      { each: list, work: { value: 'x'.repeat(100) } },
      { list: Array.from({ length: rounds }, (_, index) => index) },
      { options: { max_node_executions: 1e9 } },
    );
    expect((output['each'] as JsonObject)['total']).toBe(rounds);
    expect(machine.hasEvents).toBe(false);
  });

  it('of a body that never runs do not pile up events', async () => {
    const rounds = 20_000;
    const { rows } = await run(
      simple,
      { each: list, work: { active: false } },
      { list: Array.from({ length: rounds }, () => 0) },
      { options: { max_node_executions: 1e9 } },
    );
    expect(rows).toHaveLength(2 * rounds + 3);
  });
});
