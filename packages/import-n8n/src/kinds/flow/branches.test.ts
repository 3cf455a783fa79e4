import { createScope, evaluate, isJsonObject, type Json, type JsonObject, problems } from '@millrace/engine';
import { catalog } from '@millrace/nodes/catalog';
import { describe, expect, it } from 'vitest';
import { base, convert } from '../../testing/converted.ts';

const main = (...targets: readonly string[]): Json[] =>
  targets.map((node) => ({ node, type: 'main', index: 0 }));

const ROWS: Json[] = [
  { id: 1, city: 'Ulm' },
  { id: 5, city: 'Bonn' },
  { id: 9, city: 'Ulm' },
];

const evaluateCode = (code: unknown, values: JsonObject): unknown =>
  evaluate(String(code), 'value', createScope({ values, now: () => 0, uuid: () => '', random: () => 0 }));

const test = (leftValue: string, operation: string, rightValue: Json, type = 'number'): JsonObject => ({
  combinator: 'and',
  conditions: [{ leftValue, rightValue, operator: { type, operation } }],
});

/** Rows of a database at a node with outputs, each of which leads to a message with its first item. */
function branched(type: string, version: number, parameters: JsonObject, rest: JsonObject = {}) {
  const names = ['A', 'B', 'C'];
  const converted = convert({
    nodes: [
      { name: 'Start', type: base('manualTrigger') },
      { name: 'Rows', type: base('postgres'), parameters: { operation: 'select', table: 't' } },
      { name: 'One', type: base(type), typeVersion: version, parameters, ...rest },
      ...names.map((name) => ({
        name,
        type: base('telegram'),
        parameters: { chatId: '1', text: '={{ $json.id }}' },
        executeOnce: true,
      })),
    ],
    connections: {
      Start: { main: [main('Rows')] },
      Rows: { main: [main('One')] },
      One: { main: type === 'if' ? [main('A'), main('B')] : names.map((name) => main(name)) },
    },
  });
  return { ...converted, message: (name: string) => converted.node(name)?.data['message'] };
}

/** The lists that the node before the conditions makes of the rows. */
function evaluateLists({ node }: ReturnType<typeof branched>, given: readonly Json[] = ROWS): JsonObject {
  const mappings = node('OneLists')?.data['mappings'];
  const rows = Array.isArray(mappings) ? mappings.filter(isJsonObject) : [];
  return Object.fromEntries(
    rows.map(({ key, value }) => [String(key), evaluateCode(value, { Rows: { rows: [...given] } }) as Json]),
  );
}

const found = ({ document }: ReturnType<typeof branched>) =>
  problems(document, catalog).filter(({ code }) => code !== 'missing_param');

it('a filter that is executed once gets the first item only', () => {
  const kept = (rest: JsonObject) => {
    const { node } = branched('filter', 2.2, { conditions: test('={{ $json.id }}', 'gt', 0) }, rest);
    const mappings = node('OneKept')?.data['mappings'];
    const [row] = Array.isArray(mappings) ? mappings.filter(isJsonObject) : [];
    return evaluateCode(row?.['value'], { Rows: { rows: ROWS } });
  };
  expect(kept({})).toEqual(ROWS);
  expect(kept({ executeOnce: true })).toEqual([ROWS[0]]);
});

describe('an if on a list', () => {
  it('sends each item to its branch', () => {
    const converted = branched('if', 2.2, { conditions: test('={{ $json.id }}', 'gt', 3) });
    const lists = evaluateLists(converted);
    expect(lists).toEqual({ output0: [ROWS[1], ROWS[2]], output1: [ROWS[0]] });
    expect(converted.edges).toEqual([
      'Start:>Rows:',
      'Rows:>OneLists:',
      'One:true>A:',
      'OneOutput1:true>B:',
      'OneLists:>One:',
      'OneLists:>OneOutput1:',
    ]);
    expect(evaluateCode(converted.message('A'), { OneLists: lists })).toBe('5');
    expect(evaluateCode(converted.message('B'), { OneLists: lists })).toBe('1');
    expect(converted.lines('One')).toEqual([]);
    expect(found(converted)).toEqual([]);
  });

  it('has every item in one of both lists, also without a number and with one as text', () => {
    const rows = [{ id: '14.00' }, { id: '2' }, { id: 'many' }, { id: null }, {}];
    const larger = branched('if', 2.2, { conditions: test('={{ $json.id }}', 'gt', 3) });
    expect(evaluateLists(larger, rows)).toEqual({ output0: rows.slice(0, 1), output1: rows.slice(1) });
    const equal = branched('if', 2.2, { conditions: test('={{ $json.id }}', 'equals', 14) });
    expect(evaluateLists(equal, rows)).toEqual({ output0: rows.slice(0, 1), output1: rows.slice(1) });
    const after = test('={{ $json.id }}', 'after', '2026-01-01', 'dateTime');
    const dates = [{ id: '2026-02-01' }, { id: '2025-02-01' }, { id: null }];
    expect(evaluateLists(branched('if', 2.2, { conditions: after }), dates)).toEqual({
      output0: dates.slice(0, 1),
      output1: dates.slice(1),
    });
  });

  it('follows a branch only when it has items', () => {
    const { node } = branched('if', 2.2, { conditions: test('={{ $json.id }}', 'gt', 3) });
    const isFollowed = (label: string, lists: JsonObject) =>
      evaluateCode(node(label)?.data['condition'], { OneLists: lists });
    expect(isFollowed('One', { output0: [], output1: ROWS })).toBe(false);
    expect(isFollowed('OneOutput1', { output0: [], output1: ROWS })).toBe(true);
    expect(isFollowed('OneOutput1', { output0: ROWS, output1: [] })).toBe(false);
  });

  it('in the form before version 2 is the same', () => {
    const converted = branched('if', 1, {
      conditions: { string: [{ value1: '={{$json["city"]}}', value2: 'Ulm' }] },
    });
    expect(evaluateLists(converted)).toEqual({ output0: [ROWS[0], ROWS[2]], output1: [ROWS[1]] });
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['reads no item', { conditions: test('={{ $execution.id }}', 'equals', 'x', 'string') }, {}],
    ['continues after an error', { conditions: test('={{ $json.id }}', 'gt', 3) }, { continueOnFail: true }],
  ])('stays one condition when it %s', (_, parameters, rest) => {
    const { node, lines } = branched('if', 2, parameters, rest);
    expect(node('OneLists')).toBeUndefined();
    expect(node('One')?.type).toBe('condition');
    expect(lines('One')[0]).toContain('n8n runs it for each item of a list');
  });

  it('says which items are read where both of its branches lead to one node', () => {
    const { lines } = convert({
      nodes: [
        { name: 'Rows', type: base('postgres'), parameters: { operation: 'select', table: 't' } },
        {
          name: 'One',
          type: base('if'),
          typeVersion: 2,
          parameters: { conditions: test('={{ $json.id }}', 'gt', 3) },
        },
        { name: 'Send', type: base('telegram'), parameters: { chatId: '1', text: '={{ $json.id }}' } },
      ],
      connections: { Rows: { main: [main('One')] }, One: { main: [main('Send'), main('Send')] } },
    });
    expect(lines('Send')[0]).toContain('Data comes from several nodes');
  });
});

describe('a switch on a list', () => {
  const rules = (rest: JsonObject = {}): JsonObject => ({
    rules: {
      values: [
        { conditions: test('={{ $json.city }}', 'equals', 'Ulm', 'string') },
        { conditions: test('={{ $json.id }}', 'gt', 3) },
      ],
    },
    options: { fallbackOutput: 'extra', ...rest },
  });

  it('sends each item to the first rule that it meets, and the others to the last output', () => {
    const converted = branched('switch', 3.2, rules());
    expect(evaluateLists(converted)).toEqual({
      output0: [ROWS[0], ROWS[2]],
      output1: [ROWS[1]],
      output2: [],
    });
    expect(converted.edges).toEqual([
      'Start:>Rows:',
      'Rows:>OneLists:',
      'One:true>A:',
      'OneOutput1:true>B:',
      'OneOutput2:true>C:',
      'OneLists:>One:',
      'OneLists:>OneOutput1:',
      'OneLists:>OneOutput2:',
    ]);
    expect(converted.lines('One')).toEqual([]);
    expect(found(converted)).toEqual([]);
  });

  it('sends an item to every rule that it meets when it is set to', () => {
    const converted = branched('switch', 3.2, rules({ allMatchingOutputs: true }));
    expect(evaluateLists(converted)).toEqual({
      output0: [ROWS[0], ROWS[2]],
      output1: [ROWS[1], ROWS[2]],
      output2: [],
    });
  });

  it('with an expression for its output stays one switch, and says so', () => {
    const { node, lines } = branched('switch', 3, { mode: 'expression', output: '={{ $json.id % 2 }}' });
    expect(node('One')?.type).toBe('switch');
    expect(lines('One')[0]).toContain('n8n runs it for each item of a list');
  });
});

it('a switch of one item that takes all rules says that only the first is taken', () => {
  const { lines } = convert({
    nodes: [
      { name: 'Start', type: base('webhook'), typeVersion: 2 },
      {
        name: 'One',
        type: base('switch'),
        typeVersion: 3,
        parameters: {
          rules: { values: [{ conditions: test('={{ $json.id }}', 'gt', 3) }] },
          options: { allMatchingOutputs: true },
        },
      },
    ],
    connections: { Start: { main: [main('One')] } },
  });
  expect(lines('One')[0]).toContain('continues at every output');
});
