import type { Json, JsonObject } from '@millrace/engine';
import { expect, test } from 'vitest';
import { useTestApp } from '../../testing/test-app.ts';
import { createWorkflow, executeUrl, graph } from './testing/workflows.ts';

const app = await useTestApp();
const owner = await app.user();

type Drawn = readonly [id: string, type: string, data?: JsonObject];

const set = (id: string, fields: Record<string, string>, more: JsonObject = {}): Drawn => [
  id,
  'set',
  { mappings: Object.entries(fields).map(([key, value]) => ({ key, value })), ...more },
];
const out = (id: string, message?: string, more: JsonObject = {}): Drawn => [
  id,
  'output',
  message === undefined ? more : { message, ...more },
];
const condition = (text: string | undefined, more: JsonObject = {}): Drawn => [
  'q',
  'condition',
  text === undefined ? more : { condition: text, ...more },
];
const loop = (arrayExpression: string): Drawn => ['l', 'loop', { arrayExpression }];
const stop = (errorMessage: string, more: JsonObject = {}): Drawn => [
  's',
  'throwError',
  { errorMessage, ...more },
];
const SIDES = ['t>q', 'q:true>y', 'q:false>n'];
const ROUNDS = ['t>l', 'l:loop>b', 'b>l:loop', 'l:done>o'];
const yes = set('y', { a: 'yes' });
const no = set('n', { a: 'no' });
const YES = { y: { a: 'yes' } };
const NO = { n: { a: 'no' } };

interface Case {
  readonly nodes: readonly Drawn[];
  readonly edges: readonly string[];
  readonly body?: Json;
  readonly outputs: JsonObject;
  readonly status?: 'error';
}

const inCondition = (text: string | undefined, body: Json, isTrue: boolean): Case => ({
  nodes: [condition(text), yes, no],
  edges: SIDES,
  body,
  outputs: isTrue ? YES : NO,
});

/** Graphs as editors of the field export them, by what they show. A node `t` of type textInput is always there. */
const CASES: Record<string, Case> = {
  'an inactive node is skipped and its children run with nulls': {
    nodes: [set('s', { a: '1' }, { active: false }), set('u', { b: '$s.a' })],
    edges: ['t>s', 's>u'],
    outputs: { u: { b: null } },
  },
  'pinned data does not count in production': {
    nodes: [set('s', { a: '$t.text' }, { pinnedData: { a: 'pinned' } })],
    edges: ['t>s'],
    body: { text: 'x' },
    outputs: { s: { a: 'x' } },
  },
  'pinned data counts in a test run, a value wrapped': {
    nodes: [set('s', {}, { pinnedData: 'pinned' })],
    edges: ['t>s'],
    body: { inputs: {}, test_run: true },
    outputs: { s: { value: 'pinned' } },
  },
  'a pinned condition decides': {
    nodes: [condition('true == true', { pinnedData: { branch: 'false' } }), yes, no],
    edges: SIDES,
    body: { inputs: {}, test_run: true },
    outputs: NO,
  },
  'condition: && and ||': inCondition('$t.n > 3 && ($t.s == "a" || $t.s == "b")', { n: 5, s: 'b' }, true),
  'condition: in, and, not': inCondition('"b" in $t.l and not $t.f', { l: ['a', 'b'], f: '' }, true),
  'condition: len': inCondition('len($t.l) == 2', { l: [1, 2] }, true),
  'condition: missing is null': inCondition('$t.missing == null', {}, true),
  'condition: quotes in data': inCondition('$t.s == "a\\"b"', { s: 'a"b' }, true),
  'condition: omitted is true': inCondition(undefined, {}, true),
  'condition: empty is false': inCondition('', {}, false),
  'condition: an empty list is false': inCondition('$t.l', { l: [] }, false),
  'condition: an error is false': inCondition('$t.s > 3', { s: 'a' }, false),
  'condition: ! is false': inCondition('!$t.f', { f: false }, false),
  'condition: a ternary is false': inCondition('$t.b ? true : false', { b: true }, false),
  'condition: a label without $ is false': inCondition('t.n > 3', { n: 5 }, false),
  'a condition edge without a handle is its true side': {
    nodes: [condition('$t.n > 3'), yes],
    edges: ['t>q', 'q>y'],
    body: { n: 5 },
    outputs: YES,
  },
  'a merge leaves skipped sources out': {
    nodes: [condition('true == true'), yes, no, ['m', 'merge', { inputCount: 3 }]],
    edges: [...SIDES, 'y>m:input-0', 'n>m:input-1'],
    outputs: { m: { merged: YES } },
  },
  'a loop counts its rounds': {
    nodes: [
      loop('$t.items'),
      set('b', { v: '$l.item', i: '$l.index', n: '$l.total', e: '$l.isLast' }),
      out('o', '$l.results'),
    ],
    edges: ROUNDS,
    body: { items: ['x', 'y'] },
    outputs: {
      o: {
        result: [
          { v: 'x', i: 0, n: 2, e: false },
          { v: 'y', i: 1, n: 2, e: true },
        ],
      },
    },
  },
  'a loop over nothing goes to its end': {
    nodes: [loop('$t.items'), set('b', { v: '$l.item' }), out('o', '$input')],
    edges: ROUNDS,
    outputs: { o: { result: { results: [], total: 0, branch: 'done' } } },
  },
  'a loop over one value has one round': {
    nodes: [loop('$t.items'), set('b', { v: '$l.item' }), out('o', '$l.results')],
    edges: ROUNDS,
    body: { items: 5 },
    outputs: { o: { result: [{ v: 5 }] } },
  },
  'loops nest': {
    nodes: [
      loop('$t.items'),
      ['k', 'loop', { arrayExpression: '$l.item' }],
      set('b', { v: '$k.item' }),
      set('e', { r: '$k.results' }),
      out('o', '$l.results'),
    ],
    edges: ['t>l', 'l:loop>k', 'k:loop>b', 'b>k:loop', 'k:done>e', 'e>l:loop', 'l:done>o'],
    body: { items: [[1, 2], [3]] },
    outputs: { o: { result: [{ r: [{ v: 1 }, { v: 2 }] }, { r: [{ v: 3 }] }] } },
  },
  'a loop body decides anew in each round': {
    nodes: [loop('$t.items'), condition('$l.item > 1'), yes, no, out('o', '$l.results')],
    edges: ['t>l', 'l:loop>q', 'q:true>y', 'q:false>n', 'y>l:loop', 'n>l:loop', 'l:done>o'],
    body: { items: [1, 2] },
    outputs: { o: { result: [{ a: 'no' }, { a: 'yes' }] } },
  },
  'a disabled node is skipped': {
    nodes: [['d', 'disableNode', { targetNodeLabel: 's' }], set('s', { a: '1' }), set('u', { b: '$s.a' })],
    edges: ['t>d', 'd>s', 's>u'],
    outputs: { u: { b: null } },
  },
  'an error handler with outputs answers them': {
    nodes: [
      stop('bad $t.text'),
      ['eh', 'errorHandler', { message: 'E: $error.message' }],
      out('o', '$input.message'),
    ],
    edges: ['t>s', 'eh>o'],
    body: { text: 'x' },
    outputs: { o: { result: 'E: bad x' } },
    status: 'error',
  },
  'an error handler without outputs leaves the error': {
    nodes: [stop('bad'), ['eh', 'errorHandler', {}], set('u', { a: '1' })],
    edges: ['t>s', 'eh>u'],
    outputs: { error: 'bad' },
    status: 'error',
  },
  'a thrown error has a message without one': {
    nodes: [['s', 'throwError', {}]],
    edges: ['t>s'],
    outputs: { error: 'Workflow error' },
    status: 'error',
  },
  'set leaves empty keys out, and the later of two equal ones counts': {
    nodes: [
      [
        's',
        'set',
        {
          mappings: [
            { key: '', value: '1' },
            { key: 'a', value: '1' },
            { key: 'a', value: '2' },
            { key: 'x.y', value: '$t.n' },
          ],
        },
      ],
    ],
    edges: ['t>s'],
    body: { n: 3 },
    outputs: { s: { a: '2', 'x.y': 3 } },
  },
  'an output without a message has all inputs': {
    nodes: [yes, out('o')],
    edges: ['t>y', 'y>o'],
    outputs: { o: { result: YES } },
  },
  'leaves are results beside an output, and notes are not': {
    nodes: [yes, out('o', '$input.text'), ['note', 'sticky', { note: '# hi' }]],
    edges: ['t>y', 't>o'],
    body: { text: 'z' },
    outputs: { ...YES, o: { result: 'z' } },
  },
  'keys of direct inputs are names': {
    nodes: [set('a', { x: '1' }), set('b', { y: '2' }), out('o', '$x $y $input.x $input.b.y')],
    edges: ['t>a', 't>b', 'a>o', 'b>o'],
    outputs: { o: { result: '1 2 1 2' } },
  },
  'a failed node with an error path takes it': {
    nodes: [
      set('s', { a: '$range(3, 1)' }, { onErrorEnabled: true }),
      yes,
      set('n', { b: '$s._errorBranch' }),
    ],
    edges: ['t>s', 's>y', 's:error>n'],
    outputs: { n: { b: true } },
  },
  'a node with an error path that succeeds does not take it': {
    nodes: [set('s', { a: '1' }, { onErrorEnabled: true }), yes, no],
    edges: ['t>s', 's>y', 's:error>n'],
    outputs: YES,
  },
  'edges to nowhere are left out': {
    nodes: [out('o', '$input.text')],
    edges: ['t>o', 'zz>o', 't>yy'],
    body: { text: 'q' },
    outputs: { o: { result: 'q' } },
  },
};

test.each(Object.entries(CASES))(
  '%s',
  async (_, { nodes, edges, body = {}, outputs, status = 'success' }) => {
    const id = await createWorkflow(owner, graph([['t', 'textInput'], ...nodes], edges));
    const answer = await app.call('POST', executeUrl(id), body);
    expect(answer.json()).toMatchObject({ status });
    expect(answer.json<{ outputs: Json }>().outputs).toEqual(outputs);
  },
);

const SWITCHES: [value: Json, cases: Json, branch: string][] = [
  [true, ['True'], 'case-0'],
  [true, ['true'], 'case-0'],
  [null, ['None'], 'case-0'],
  [2.5, ['2.5'], 'case-0'],
  ['b', ['a', 'b'], 'case-1'],
  [3, '1, 3', 'case-1'],
  ['a', ['a', 'a'], 'case-0'],
  ['z', ['a'], 'default'],
];
test.each(SWITCHES)('a switch takes %j of %j to %s', async (v, cases, branch) => {
  const pick: Drawn = ['w', 'switch', { expression: '$t.v', cases }];
  const id = await createWorkflow(owner, graph([['t', 'textInput'], pick], ['t>w']));
  const answer = await app.call('POST', executeUrl(id), { v });
  expect(answer.json()).toMatchObject({ outputs: { w: { branch, value: v } } });
});
