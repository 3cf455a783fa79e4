import type { JsonObject } from '../json.ts';
import { CASE_NOW, CASE_RANDOM, CASE_UUID } from './cases.ts';
import { createScope, type ExpressionMode, evaluate } from './index.ts';

/** `$input` of every example in the documentation of expressions. */
export const exampleInput = {
  text: 'anna 42, bob',
  first: 'Ada',
  last: 'Lovelace',
  count: 5,
  price: 2.345,
  decimal: '2.5',
  created: '2026-03-01T09:00:00Z',
  json: '{"a": 1}',
  encoded: 'QWRh',
  escaped: 'a\\tb',
  address: 'a%20b',
  names: ['Bob', 'Ada', 'Cy', 'Ada'],
  prices: [5, 3, 8],
  nested: [[1], [2, 3]],
  gaps: [1, null, 2],
  items: [
    { id: 1, name: 'pen', price: 2 },
    { id: 2, name: 'ink', price: 5 },
    { id: 1, name: 'pen', price: 3 },
  ],
  body: { name: 'Ada', value: 4 },
} satisfies JsonObject;

/** The result of an example of the documentation; dates as they are stored. Throws `ExpressionError`. */
export function exampleResult(text: string, mode: ExpressionMode = 'value'): unknown {
  const values = { input: exampleInput, vars: { list: [1, 2] } };
  const fixed = { now: () => CASE_NOW, uuid: () => CASE_UUID, random: () => CASE_RANDOM };
  return evaluate(text, mode, createScope({ values, ...fixed }));
}
