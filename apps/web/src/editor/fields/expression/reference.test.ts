import { type Json, preview, previewScope } from '@millrace/engine';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type JsonPath, valueAt } from '../../../lib/json/json-path.ts';
import { isReadable, referenceData, referenceIn, referenceText } from './reference.ts';

const createScope = (output: Json) =>
  previewScope({
    node_results: [{ node_id: 'n', label: 'order', output }],
    input_labels: ['order'],
    input_body: {},
    values: {
      vars: {},
      global: {},
      credentials: {},
      workflowName: '',
      workflowDescription: '',
      executionId: '',
    },
    now: () => 0,
    uuid: () => '',
    random: () => 0,
    timezone: 'UTC',
  }).scope;

const render = (expression: string, mode: 'value' | 'template', output: Json) =>
  preview({ expression, mode, scope: createScope(output) }).result;

/** Every path in a value, that of the value itself included. */
const pathsIn = (value: unknown): JsonPath[] => [
  [],
  ...(typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, inner]) =>
        pathsIn(inner).map((rest) => [Array.isArray(value) ? Number(name) : name, ...rest]),
      )
    : []),
];

const OUTPUT = { name: 'Ada', $ref: 'r', 'first name': 'A', in: 'key', list: [{ id: 'x' }] };

describe('referenceText', () => {
  /** A quoted text is filled in itself, which no escape prevents; some names are never read. */
  const isOutOfReach = (step: string | number) =>
    /\$[A-Za-z]|^(__proto__|prototype|constructor)$/.test(String(step));

  it('reads back the value of any path', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
        // Stored values have no negative zero.
        const output: unknown = JSON.parse(JSON.stringify(value));
        for (const path of pathsIn(output).filter((steps) => !steps.some(isOutOfReach))) {
          const expected = path.length === 0 ? output : valueAt(output, path);
          expect(render(referenceText(['order', ...path]), 'value', output as Json)).toEqual(expected);
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('referenceIn', () => {
  it.each([
    ['', 0, ['order', 'name'], '$order.name'],
    ['$', 1, ['order', 'name'], '$order.name'],
    ['Hi !', 3, ['order', 'name'], 'Hi $order.name!'],
    ['Hi line', 3, ['order', 'name'], 'Hi $order["name"]line'],
    ['Hi .', 3, ['order', 'name'], 'Hi $order["name"].'],
    ['Hi .com', 3, ['order', 'name'], 'Hi $order["name"] .com'],
    ['(x)', 0, ['order', 'list', 0, 'id'], '$order.list[0]["id"] (x)'],
    ['s', 0, ['order'], '$order s'],
    ['s', 0, ['order', 'list', 0], '$order.list[0]s'],
    ['', 0, ['order', '$ref'], '$order["$ref"]'],
    ['', 0, ['order', 'first name'], '$order["first name"]'],
    ['', 0, ['order', 'in'], '$order.in'],
  ] as const)('%j at %i', (text, at, path, expected) => {
    const { from, to, insert } = referenceIn(text, { from: at, to: at }, path);
    expect(text.slice(0, from) + insert + text.slice(to)).toBe(expected);
  });

  it('leaves the text around it as it is, but for a space', () => {
    const around = fc.string({ unit: fc.constantFrom(...'ab1_. ,!)([-'), maxLength: 6 });
    fc.assert(
      fc.property(around, around, (before, after) => {
        const text = before + after;
        const at = { from: before.length, to: before.length };
        const { from, to, insert } = referenceIn(text, at, ['order', 'name']);
        const result = render(text.slice(0, from) + insert + text.slice(to), 'template', OUTPUT);
        expect([`${before}Ada${after}`, `${before}Ada ${after}`]).toContain(result);
      }),
    );
  });
});

it('a path without a label carries nothing', () => {
  expect(referenceData([])).toEqual({});
  expect(referenceData(['order', 'name'])).toMatchObject({ 'text/plain': '$order.name' });
});

it.each([
  ['order', true],
  ['order2', true],
  ['_order', false],
  ['my order', false],
  ['2nd', false],
  ['', false],
])('isReadable(%j) is %s', (label, expected) => {
  expect(isReadable(label)).toBe(expected);
});
