import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createCatalog } from '../../node-type/catalog.ts';
import { defineNode } from '../../node-type/define-node.ts';
import { type DrawnNodes, draw, testCatalog } from '../../testing/index.ts';
import { compileWorkflow } from '../compile.ts';
import type { CompiledWorkflow } from '../compiled.ts';
import { findGuards } from './guards.ts';

const loop = { type: 'loop' };

function compile(graph: string, nodes: DrawnNodes = {}): CompiledWorkflow {
  return compileWorkflow(draw(graph, nodes), testCatalog);
}

/** Labels of loop bodies by the label of the loop node. */
function bodies(workflow: CompiledWorkflow): Record<string, string[]> {
  const label = (index: number): string => workflow.nodes[index]?.label ?? '';
  return Object.fromEntries(workflow.loops.map(({ node, body }) => [label(node), body.map(label).sort()]));
}

describe('guards', () => {
  it('name the decisions and handles that a node with other parents depends on', () => {
    const workflow = compileWorkflow(
      draw('start -> ok\nok:true -> post\nstart -> payload -> post\nok:false -> other', {
        ok: 'condition',
        payload: { type: 'output', allowDownstream: true },
      }),
      testCatalog,
    );
    expect(findGuards(workflow, workflow.indexOf('post'))).toEqual([
      { node: workflow.indexOf('ok'), label: 'ok', ports: ['true'] },
    ]);
    expect(findGuards(workflow, workflow.indexOf('other'))).toEqual([]);
  });

  it('are asked only of nodes with another way in', () => {
    const workflow = compileWorkflow(
      draw(
        'start -> ok\nok:true -> each\neach:loop -> body -> each@loop\neach:done -> post\nok:false -> post',
        {
          ok: 'condition',
          each: loop,
        },
      ),
      testCatalog,
    );
    const asked: number[] = [];
    const watched: typeof workflow = {
      ...workflow,
      closedBy: (node, selected) => {
        asked.push(node);
        return workflow.closedBy(node, selected);
      },
    };
    for (const label of ['each', 'body']) {
      const listed = workflow.nodes.filter(({ ports }) => ports.length > 1);
      const node = workflow.indexOf(label);
      for (const { index, ports } of listed)
        for (const port of ports) {
          const { firmly, until_failure } = workflow.closedBy(index, [port]);
          expect([...firmly, ...until_failure]).not.toContain(node);
        }
      expect(findGuards(watched, node)).toEqual([]);
    }
    expect(asked).toEqual([]);
    findGuards(watched, workflow.indexOf('post'));
    expect(asked).toContain(workflow.indexOf('ok'));
  });
});

describe('compiled graphs', () => {
  it('the body of a loop is what only its loop handle leads to', () => {
    const workflow = compile(
      `
      start -> each
      each:loop -> a -> b -> each@loop
      a -> side
      b -> after
      each:done -> after -> end`,
      { each: loop },
    );
    expect(bodies(workflow)).toEqual({ each: ['a', 'b', 'side'] });
    expect(workflow.edges.filter(({ kind }) => kind === 'exit').map(({ id }) => id)).toEqual(['b>after#5']);
  });

  it('bodies nest', () => {
    const workflow = compile(
      `
      start -> outer
      outer:loop -> inner
      inner:loop -> work -> inner@loop
      inner:done -> sum -> outer@loop`,
      { outer: loop, inner: loop },
    );
    expect(bodies(workflow)).toEqual({ outer: ['inner', 'sum', 'work'], inner: ['work'] });
    expect(workflow.loops.map(({ depth, own }) => [depth, own])).toEqual([
      [1, 2],
      [2, 1],
    ]);
  });

  it('an edge back to a loop that lacks the handle still closes it, nested ones too', () => {
    const workflow = compile(
      `
      start -> outer
      outer:loop -> inner
      inner:loop -> work -> inner
      inner:done -> outer`,
      { outer: loop, inner: loop },
    );
    expect(workflow.refusal).toBeNull();
    expect(workflow.edges.filter(({ kind }) => kind === 'back').map(({ id }) => id)).toEqual([
      'work>inner#3',
      'inner:done>outer#4',
    ]);
  });

  it('a back edge from behind the loop is not followed', () => {
    const workflow = compile('start -> each\neach:loop -> a -> each@loop\neach:done -> b -> each@loop', {
      each: loop,
    });
    expect(workflow.issues).toMatchObject([{ code: 'stray_back_edge', edge_id: 'b>each@loop#4' }]);
    expect(workflow.refusal).toBeNull();
  });

  it('a loop that only its own body leads to is a start node', () => {
    const workflow = compile('each:loop -> a -> each@loop', { each: loop });
    expect(workflow.roots).toEqual([0]);
  });

  it('a cycle without a start node is found', () => {
    expect(compile('a -> b -> a').refusal?.message).toContain('a → b → a');
  });

  it('a long cycle is named by its beginning', () => {
    const chain = Array.from({ length: 30 }, (_, index) => `n${index}`).join(' -> ');
    expect(compile(`${chain} -> n0`).refusal?.message).toContain('n9 → … → n0');
  });

  it('topological order follows the document where the graph leaves it open', () => {
    const workflow = compile('start -> c -> d\nstart -> b\nstart -> a');
    const byRank = [...workflow.nodes].sort(
      (one, two) => (workflow.rank[one.index] ?? 0) - (workflow.rank[two.index] ?? 0),
    );
    expect(byRank.map(({ label }) => label)).toEqual(['start', 'c', 'd', 'b', 'a']);
  });

  it('after a loop all of its body has run, beside it nothing is certain', () => {
    const workflow = compile(
      `
      start -> each
      each:loop -> a -> each@loop
      each:done -> after
      start -> beside`,
      { each: loop },
    );
    const at = (id: string): number => workflow.indexOf(id);
    expect(workflow.precedes(at('a'), at('after'))).toBe(true);
    expect(workflow.precedes(at('start'), at('a'))).toBe(true);
    expect(workflow.precedes(at('a'), at('beside'))).toBe(false);
    expect(workflow.precedes(at('after'), at('a'))).toBe(false);
    expect(at('unknown')).toBe(-1);
  });

  it('references are resolved in a graph where each node refers to many others', () => {
    const chain = Array.from({ length: 100 }, (_, index) => `n${index}`);
    const all = chain.map((label) => `$${label}`).join(' ');
    const workflow = compile(chain.join(' -> '), { n50: { fails: all }, n99: { fails: all } });
    const visible = chain.filter((label) => workflow.upstream(workflow.indexOf('n50'), label).length > 0);
    expect(visible).toEqual(chain.slice(0, 50));
  });

  it('credential names are collected; a computed name means all of them', () => {
    const some = compile('start -> a -> b', {
      a: { value: '$credentials.one' },
      b: { value: '$credentials["two"]' },
    });
    expect(some.credential_names).toEqual(['one', 'two']);
    const all = compile('start -> a', { a: { value: '$credentials[start.name]' } });
    expect(all.credential_names).toBeNull();
  });

  it('effects and older parameters are read by the definition', () => {
    const versioned = defineNode({
      type: 'versioned',
      title: 'V',
      family: 'flow',
      summary: '',
      icon: '',
      params: z.object({ now: z.string() }),
      version: 2,
      upgrade: ({ before, ...rest }) => ({ ...rest, now: before ?? null }),
      effect: ({ now }) => (now === 'x' ? 'unsafe' : 'read'),
    });
    const workflow = compileWorkflow(
      draw('old\nnew', {
        old: { type: 'versioned', before: 'x' },
        new: { type: 'versioned', node_version: 2, now: 'y' },
      }),
      createCatalog([versioned]),
    );
    expect(workflow.nodes.map(({ effect }) => effect)).toEqual(['unsafe', 'read']);
    expect(workflow.nodes[0]?.params.problems).toEqual([]);
  });

  it('types are found by alias, and a name may be declared once', () => {
    const declare = (type: string, aliases: string[]) =>
      defineNode({ type, title: type, family: 'flow', summary: '', icon: '', params: z.object({}), aliases });
    const catalog = createCatalog([declare('new', ['old'])]);
    expect(compileWorkflow(draw('a', { a: 'old' }), catalog).nodes[0]).toMatchObject({
      type: 'old',
      known: true,
    });
    expect(() => createCatalog([declare('a', ['b']), declare('b', [])])).toThrow('"b" is declared twice');
    expect(() => createCatalog([declare('constructor', [])])).toThrow('reserved');
  });

  it('5,000 nodes compile without quadratic work', () => {
    const chain = Array.from({ length: 5000 }, (_, index) => `n${index}`);
    const nodes = Object.fromEntries(
      chain.map((id, index) => [id, { value: `$n${Math.max(0, index - 1)}` }]),
    );
    const document = draw(chain.join(' -> '), nodes);
    const begin = Date.now();
    const workflow = compileWorkflow(document, testCatalog);
    expect(workflow.upstream(4999, 'n4998')).toEqual([4998]);
    expect(Date.now() - begin).toBeLessThan(8_000);
  });
});
