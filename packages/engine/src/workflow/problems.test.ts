// cspell:ignore strat
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { nearest } from '../nearest.ts';
import { createCatalog } from '../node-type/catalog.ts';
import { defineNode } from '../node-type/define-node.ts';
import { field } from '../node-type/fields.ts';
import { type DrawnNodes, draw, testCatalog, testDefinitions } from '../testing/index.ts';
import { problems } from './problems.ts';
import type { WorkflowDocument } from './schema.ts';

interface Row {
  code: string;
  severity: 'error' | 'warning';
  node: string | null;
  field?: string;
  says: string;
  graph: string;
  nodes?: DrawnNodes;
}

const loop = { type: 'loop', items: '$start.list' };
const round = 'start -> each\neach:loop -> work -> each@loop';

const rows: Row[] = [
  { code: 'cycle', severity: 'error', node: 'a', says: 'a → b → a', graph: 'start -> a -> b -> a' },
  {
    code: 'no_back_edge',
    severity: 'warning',
    node: 'each',
    says: 'Draw one',
    graph: 'start -> each\neach:loop -> w',
    nodes: { each: loop },
  },
  {
    code: 'not_connected',
    severity: 'warning',
    node: 'lost',
    says: 'Draw an edge to it',
    graph: 'start -> out\nlost',
    nodes: { out: 'output', lost: 'output' },
  },
  {
    code: 'default_is_true',
    severity: 'warning',
    node: 'if',
    says: 'follows "true"',
    graph: 'start -> if -> a',
    nodes: { if: 'condition' },
  },
  {
    code: 'handle_needed',
    severity: 'error',
    node: 'each',
    says: 'loop, done',
    graph: `${round}\neach -> x`,
    nodes: { each: loop },
  },
  {
    code: 'unknown_handle',
    severity: 'warning',
    node: 'if',
    says: 'maybe',
    graph: 'start -> if\nif:maybe -> a',
    nodes: { if: 'condition' },
  },
  {
    code: 'unknown_handle',
    severity: 'warning',
    node: 'a',
    says: 'onErrorEnabled',
    graph: 'start -> a\na:error -> b',
  },
  {
    code: 'unknown_handle',
    severity: 'warning',
    node: 'stop',
    says: 'nothing comes after',
    graph: 'start -> stop -> b',
    nodes: { stop: 'throw' },
  },
  {
    code: 'unknown_type',
    severity: 'error',
    node: 'x',
    field: 'type',
    says: 'telepathy',
    graph: 'start -> x',
    nodes: { x: 'telepathy' },
  },
  {
    code: 'duplicate_label',
    severity: 'warning',
    node: 'a',
    field: 'label',
    says: 'same',
    graph: 'start -> a -> b',
    nodes: { a: { label: 'same' }, b: { label: 'same' } },
  },
  {
    code: 'reserved_label',
    severity: 'warning',
    node: 'Body',
    field: 'label',
    says: 'Choose another',
    graph: 'start -> Body',
  },
  {
    code: 'label_not_identifier',
    severity: 'warning',
    node: 'my node',
    field: 'label',
    says: 'Use a letter',
    graph: 'start -> my node',
  },
  {
    code: 'missing_label',
    severity: 'warning',
    node: 'a',
    field: 'label',
    says: 'Give it one',
    graph: 'start -> a',
    nodes: { a: { label: '' } },
  },
  {
    code: 'blocked_label',
    severity: 'error',
    node: 'a',
    field: 'label',
    says: 'reserved',
    graph: 'start -> a',
    nodes: { a: { label: 'constructor' } },
  },
  {
    code: 'unknown_label',
    severity: 'warning',
    node: 'a',
    field: 'value',
    says: 'Did you mean $start?',
    graph: 'start -> a',
    nodes: { a: { value: '$strat.x' } },
  },
  {
    code: 'unknown_label',
    severity: 'warning',
    node: 'a',
    field: 'value',
    says: 'Choose the label',
    graph: 'a',
    nodes: { a: { value: '$unknown' } },
  },
  {
    code: 'not_upstream',
    severity: 'warning',
    node: 'a',
    field: 'value',
    says: 'does not run before',
    graph: 'start -> a -> b',
    nodes: { a: { value: '$b' } },
  },
  {
    code: 'expression',
    severity: 'warning',
    node: 'a',
    field: 'value',
    says: 'Value:',
    graph: 'start -> a',
    nodes: { a: { value: '$nofunction(1)' } },
  },
  {
    code: 'invalid_param',
    severity: 'error',
    node: 'a',
    field: 'fails_attempts',
    says: 'Failing attempts',
    graph: 'start -> a',
    nodes: { a: { fails_attempts: 'x' } },
  },
  {
    code: 'output_in_loop',
    severity: 'error',
    node: 'work',
    says: '"done" handle',
    graph: round,
    nodes: { each: loop, work: 'output' },
  },
  {
    code: 'behind_output',
    severity: 'warning',
    node: 'out',
    says: 'allowDownstream',
    graph: 'start -> out -> x',
    nodes: { out: 'output' },
  },
  {
    code: 'blocked_key',
    severity: 'error',
    node: 'a',
    field: 'sets.0.key',
    says: '__proto__',
    graph: 'start -> a',
    nodes: { a: { sets: [{ key: '__proto__', value: 1 }] } },
  },
  {
    code: 'shared_with_error_flow',
    severity: 'warning',
    node: 'x',
    says: 'only runs after errors',
    graph: 'start -> x\noops -> x',
    nodes: { oops: 'handler' },
  },
  {
    code: 'edge_into_error_handler',
    severity: 'warning',
    node: 'oops',
    says: 'starts by itself',
    graph: 'start -> oops',
    nodes: { oops: 'handler' },
  },
  {
    code: 'stray_back_edge',
    severity: 'error',
    node: 'each',
    says: 'starts outside of its body',
    graph: `${round}\neach:done -> b -> each@loop`,
    nodes: { each: loop },
  },
  {
    code: 'loops_overlap',
    severity: 'error',
    node: 'two',
    says: 'share nodes',
    graph: 'start -> one\nstart -> two\none:loop -> x -> one@loop\ntwo:loop -> x',
    nodes: { one: loop, two: loop },
  },
];

describe('problems of a document', () => {
  it.each(rows)('$code: $says', ({ graph, nodes, code, severity, node, field, says }) => {
    const found = problems(draw(graph, nodes), testCatalog).find(
      (problem) => problem.code === code && problem.node_id === node && problem.message.includes(says),
    );
    expect(found).toMatchObject({ code, severity, node_id: node, field: field ?? null });
  });

  it('a sound document has none', () => {
    const document = draw(
      `
      start -> check
      check:true -> a -> each
      check:false -> bad
      bad:error -> rescue
      each:loop -> work -> each@loop
      each:done -> out`,
      {
        check: { type: 'condition', condition: '$start.n > 1' },
        a: { value: '$start.n + $text' },
        bad: { onErrorEnabled: true },
        each: loop,
        work: { value: '$each.item' },
        out: { type: 'output', message: '$each.results' },
        hint: 'note',
      },
    );
    expect(problems(document, testCatalog)).toEqual([]);
  });

  it('inactive nodes may be unfinished', () => {
    const nodes = { a: { active: false, fails_attempts: 'x', value: '$unknown' } };
    expect(problems(draw('start -> a', nodes), testCatalog)).toEqual([]);
  });

  it('edges to nowhere and ids that occur twice are named', () => {
    const document: WorkflowDocument = draw('start -> a');
    document.nodes.push({ id: 'a', type: 'step', position: { x: 0, y: 0 }, data: { label: 'other' } });
    document.edges.push({ id: 'x', source: 'a', target: 'gone' }, { id: 'x', source: 'gone', target: 'a' });
    expect(problems(document, testCatalog)).toMatchObject([
      { code: 'duplicate_node_id', node_id: null },
      { code: 'duplicate_edge_id', edge_id: 'x' },
      { code: 'unknown_edge_end', node_id: 'a', edge_id: 'x' },
      { code: 'unknown_edge_end', node_id: 'a', edge_id: 'x' },
    ]);
  });

  it('keys that could reach a prototype are found at any depth', () => {
    const document = draw('start -> a', { a: { deep: JSON.parse('[{"b": {"__proto__": 1}}]') } });
    expect(problems(document, testCatalog)).toMatchObject([
      { code: 'blocked_key', node_id: 'a', field: null },
    ]);
  });

  it('a label that a parameter names must exist', () => {
    const switchOff = defineNode({
      type: 'switchOff',
      title: 'Off',
      family: 'flow',
      summary: '',
      icon: '',
      params: z.object({ target: field.custom(z.string(), 'Target', { kind: 'node_label' }) }),
    });
    const catalog = createCatalog([...testDefinitions, switchOff]);
    const check = (target: string) =>
      problems(draw('start -> off', { off: { type: 'switchOff', target } }), catalog);
    expect(check('start')).toEqual([]);
    expect(check('strat')).toMatchObject([{ code: 'unknown_label', node_id: 'off', field: 'target' }]);
    expect(check('strat')[0]?.message).toBe('No node is called "strat". Did you mean start?');
  });

  it('a field without which a node can do nothing must be filled, unless the node is off', () => {
    const needy = defineNode({
      type: 'needy',
      title: 'Needy',
      family: 'flow',
      summary: '',
      icon: '',
      params: z.object({
        target: field
          .custom(z.string(), 'Target', { kind: 'workflow', when_empty: 'Choose one' })
          .default(''),
      }),
    });
    const catalog = createCatalog([...testDefinitions, needy]);
    const check = (data: Record<string, string | boolean>) =>
      problems(draw('start -> n', { n: { type: 'needy', ...data } }), catalog);
    const missing = { code: 'missing_param', node_id: 'n', field: 'target', message: 'Choose one' };
    expect(check({})).toMatchObject([{ ...missing, severity: 'error' }]);
    expect(check({ target: ' ' })).toMatchObject([missing]);
    expect(check({ target: 'x' })).toEqual([]);
    expect(check({ active: false })).toEqual([]);
  });

  it('a suggestion is close to what was written', () => {
    expect(nearest('Strat', ['other', 'start', 'stamp'])).toBe('start');
    expect(nearest('ab', ['cd'])).toBeNull();
    expect(nearest('completelyOther', ['start'])).toBeNull();
  });
});
