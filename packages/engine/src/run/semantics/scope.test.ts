// cspell:ignore cret
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../json.ts';
import { type DrawnNodes, draw, type RunSettings, runToEnd, testCatalog } from '../../testing/index.ts';
import { compileWorkflow } from '../../workflow/compile.ts';

async function run(graph: string, nodes: DrawnNodes, settings: RunSettings = {}) {
  return runToEnd(compileWorkflow(draw(graph, nodes), testCatalog), settings);
}

/** Value of the node `see` for an expression, in a small workflow with two inputs. */
async function seen(value: string, settings: RunSettings = {}, nodes: DrawnNodes = {}) {
  const graph = 'start -> one -> see\nstart -> two -> see\nstart -> aside';
  const { output } = await run(
    graph,
    { one: { value: '$start.a' }, two: { value: '$start.b' }, see: { value }, ...nodes },
    { input: { a: { k: 1, same: 'a' }, b: { l: 2, same: 'b' }, text: 'hi' }, ...settings },
  );
  return output['see'];
}

describe('names in expressions', () => {
  it.each<[string, unknown]>([
    ['$one', { k: 1, same: 'a' }],
    ['$one.k', 1],
    ['$start.text', 'hi'],
    ['$aside', null],
    ['$unknown', null],
    ['$input', { k: 1, same: 'a' }],
    ['$input.k', 1],
    ['$input.l', 2],
    ['$input.same', 'b'],
    ['$input.one.k', 1],
    ['$k', 1],
    ['$same', 'b'],
    ['$text', null],
    ['$vars.x', null],
    ['$page.record', null],
    ['$error', null],
    ['$executionId', null],
    ['$random', null],
  ])('%s is %j', async (expression, value) => {
    expect(await seen(expression)).toEqual(value);
  });

  it('come from the run: globals, credentials, page and its own names', async () => {
    const settings: RunSettings = {
      options: {
        globals: { g: 'global' },
        credentials: { key: 's3cret' },
        page: { record: { id: 9 } },
        context: { executionId: 'run-1', workflowName: 'Mine' },
      },
    };
    expect(await seen('$global.g', settings)).toBe('global');
    expect(await seen('$credentials.key', settings)).toBe('s3cret');
    expect(await seen('$page.record.id', settings)).toBe(9);
    expect(await seen('$executionId', settings)).toBe('run-1');
    expect(await seen('$workflowName', settings)).toBe('Mine');
  });

  it('mean a label before a key of an input, and a label hides page alone', async () => {
    const input = { one: 'key', page: 'key', vars: 'key' };
    const graph = 'start -> page -> one -> see';
    const nodes = { page: { value: 'label' }, one: { value: '$start' } };
    for (const [expression, value] of [
      ['$one.one', 'key'],
      ['$page', 'label'],
      ['$vars', {}],
    ] as const) {
      const { output } = await run(graph, { ...nodes, see: { value: expression } }, { input });
      expect(output['see']).toEqual(value);
    }
  });

  it('wrap an input that is no object in value', async () => {
    const { output } = await run(
      'start -> one -> see',
      { one: { value: '$start.list' }, see: { value: '$input' } },
      {
        input: { list: [1, 2] },
      },
    );
    expect(output['see']).toEqual({ value: [1, 2] });
  });

  it('of a node without inputs are empty', async () => {
    const { output } = await run('lone', { lone: { value: '$input' } });
    expect(output['lone']).toEqual({});
  });

  it('of a label that several nodes have mean the last of them that ran', async () => {
    const nodes = {
      one: { label: 'same', value: 1 },
      if: { type: 'condition', condition: 'false' },
      two: { label: 'same', value: 2 },
      see: { value: '$same' },
    };
    const taken = await run('start -> one -> two -> see', nodes);
    expect(taken.output['see']).toBe(2);
    const skipped = await run('start -> one -> if\nif:true -> two -> see\nif:false -> see', nodes);
    expect(skipped.output['see']).toBe(1);
  });

  it('that text names only while a node runs are found the same way', async () => {
    const found: unknown[] = [];
    await run(
      'start -> a -> b\nstart -> c',
      {},
      {
        input: { n: 1 },
        host: {
          runNode: (task) => {
            if (task.node.id === 'b')
              found.push(...['a', 'start', 'c', 'b'].map((name) => task.scope.lookup(name)));
            return { output: { of: task.node.id } };
          },
        },
      },
    );
    expect(found).toEqual([{ of: 'a' }, { of: 'start' }, undefined, undefined]);
  });

  it('use the clock, ids, chance and zone of the host', async () => {
    const { output } = await run(
      'start',
      {},
      {
        host: {
          runNode: ({ scope }) => ({ output: [scope.now(), scope.uuid(), scope.random(), scope.timezone] }),
        },
      },
    );
    expect(output['start']).toEqual([1767225600000, '0123456789abcdef0123456789abcdef', 0.5, 'UTC']);
  });
});

describe('variables', () => {
  const sets = (value: string): JsonObject => ({ sets: [{ key: 'x', value }] });
  const see = { value: '$vars.x' };

  it('are visible to nodes behind the one that sets them', async () => {
    const { output } = await run('start -> a -> b -> see', { a: sets('one'), see });
    expect(output['see']).toBe('one');
  });

  it('are not visible in parallel branches, regardless of what finishes first', async () => {
    const { output } = await run('start -> a\nstart -> b -> c -> see', { a: sets('one'), see });
    expect(output['see']).toBeNull();
  });

  it('have the value of the writer that is last in topological order', async () => {
    const graph = 'start -> a -> b -> see\na -> c -> see';
    const { output } = await run(graph, { a: sets('a'), b: sets('b'), c: sets('c'), see });
    expect(output['see']).toBe('c');
  });

  it('carry over from round to round', async () => {
    const graph = 'start -> each\neach:loop -> add -> each@loop\neach:done -> see';
    const { output } = await run(
      graph,
      {
        each: { type: 'loop', items: '$start.list' },
        add: { value: '$vars.x', sets: [{ key: 'x', value: '$vars.x + $each.item' }] },
        see,
      },
      { input: { list: ['1', '2', '3'] } },
    );
    expect([output['add@0'], output['add@1']]).toEqual([null, expect.stringMatching(/1$/)]);
    expect(output['see']).toMatch(/123$/);
  });

  it('of a parallel branch in the body are visible from the next round on', async () => {
    const graph = `
      start -> each
      each:loop -> write -> each@loop
      each:loop -> read -> each@loop`;
    const { output } = await run(
      graph,
      {
        each: { type: 'loop', items: '$start.list' },
        write: { sets: [{ key: 'x', value: '$each.item' }] },
        read: see,
      },
      { input: { list: ['r0', 'r1', 'r2'] } },
    );
    expect([output['read@0'], output['read@1'], output['read@2']]).toEqual([null, 'r0', 'r1']);
  });

  it('of an inner loop are visible beside it from the next outer round on, with their last value', async () => {
    const graph = `
      start -> outer
      outer:loop -> inner -> outer@loop
      inner:loop -> write -> inner@loop
      inner:done -> outer@loop
      outer:loop -> read -> outer@loop`;
    const { output } = await run(
      graph,
      {
        outer: { type: 'loop', items: '$start.list' },
        inner: { type: 'loop', items: '$start.list' },
        write: { sets: [{ key: 'x', value: '$outer.item + $inner.item' }] },
        read: see,
      },
      { input: { list: ['a', 'b'] } },
    );
    expect([output['read@0'], output['read@1']]).toEqual([null, 'ab']);
  });

  it('overlay the globals, and the error flow sees all of the main flow', async () => {
    const graph = 'start -> a -> bad\noops -> see';
    const nodes = { a: sets('mine'), bad: { fails: 'x' }, oops: 'handler', see: { value: '$global' } };
    const { output } = await run(graph, nodes, { options: { globals: { x: 'theirs', y: 'kept' } } });
    expect(output['see']).toEqual({ x: 'mine', y: 'kept' });
  });
});
