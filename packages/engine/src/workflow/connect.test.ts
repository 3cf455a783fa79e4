import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { type DrawnNodes, draw, testCatalog } from '../testing/index.ts';
import { compileWorkflow } from './compile.ts';
import { type Connection, connectionRefusal, resolvePorts } from './connect.ts';
import type { WorkflowDocument } from './schema.ts';

const KINDS: DrawnNodes = {
  each: 'loop',
  ok: 'condition',
  last: 'output',
  on: { type: 'output', allowDownstream: true },
  odd: 'never-heard-of',
  careful: { onErrorEnabled: true },
};
const GRAPH = `start -> each
each:loop -> a -> b -> each@loop
each:done -> ok
ok:true -> last
ok:false -> on -> odd -> careful`;
const document = draw(GRAPH, KINDS);

const ask = (wish: Connection, graph: WorkflowDocument = document) =>
  connectionRefusal(compileWorkflow(graph, testCatalog), wish);

describe('a connection', () => {
  test.each<[string, Connection, ReturnType<typeof ask>]>([
    ['skips a step', { source: 'start', target: 'ok' }, null],
    ['closes a loop at its handle', { source: 'a', target: 'each', targetHandle: 'loop' }, null],
    ['follows failures', { source: 'careful', sourceHandle: 'error', target: 'last' }, null],
    ['leaves a node of an unknown type', { source: 'odd', target: 'last' }, null],
    ['to a node that is gone', { source: 'start', target: 'gone' }, 'node_gone'],
    ['to the node itself', { source: 'a', target: 'a' }, 'same_node'],
    ['from an output that ends the run', { source: 'last', target: 'odd' }, 'no_such_output'],
    ['from a handle of another node', { source: 'a', sourceHandle: 'done', target: 'ok' }, 'no_such_output'],
    ['to a handle of another node', { source: 'start', target: 'ok', targetHandle: 'loop' }, 'no_such_input'],
    ['that exists', { source: 'start', target: 'each', targetHandle: 'input' }, 'already_connected'],
    ['back to an earlier step', { source: 'ok', sourceHandle: 'true', target: 'start' }, 'cycle'],
    ['back within a round', { source: 'b', target: 'a' }, 'cycle'],
  ])('%s', (_, wish, refusal) => {
    expect(ask(wish)).toBe(refusal);
  });

  it('without a handle is the true side of a condition, as exports mean it', () => {
    expect(ask({ source: 'ok', target: 'last' })).toBe('already_connected');
    expect(ask({ source: 'ok', target: 'odd' })).toBeNull();
  });

  it('is no cycle because of a way back to a loop that names no handle', () => {
    const graph = draw('start -> each\neach:loop -> a -> each\neach:loop -> b', { each: 'loop' });
    expect(ask({ source: 'a', target: 'b' }, graph)).toBeNull();
    expect(ask({ source: 'b', target: 'a' }, graph)).toBeNull();
  });

  it('that is not refused has an output and adds no cycle', () => {
    const id = fc.constantFrom('start', 'each', 'a', 'b', 'ok', 'on', 'odd', 'careful');
    const wishes = fc.record({
      source: id,
      target: id,
      sourceHandle: fc.constantFrom(null, 'output', 'loop', 'done', 'true', 'false', 'error'),
      targetHandle: fc.constantFrom(null, 'input', 'loop'),
    });
    fc.assert(
      fc.property(fc.array(wishes, { maxLength: 12 }), (drawn) => {
        let graph: WorkflowDocument = { ...document, edges: [] };
        for (const [index, wish] of drawn.entries()) {
          if (ask(wish, graph) !== null) continue;
          graph = { ...graph, edges: [...graph.edges, { id: `e${index}`, ...wish }] };
        }
        const codes = compileWorkflow(graph, testCatalog).issues.map(({ code }) => code);
        expect(codes.filter((code) => ['cycle', 'unknown_handle', 'handle_needed'].includes(code))).toEqual(
          [],
        );
      }),
      { numRuns: 300 },
    );
  });
});

test('an annotation has no outputs, regardless of its settings', () => {
  expect(resolvePorts(testCatalog, { type: 'note', data: { onErrorEnabled: true } }).outputs).toEqual([]);
});
