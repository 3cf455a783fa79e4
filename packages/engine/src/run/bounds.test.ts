import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../json.ts';
import { MAX_RUN_CHARACTERS, WriteBudget } from './bounds.ts';

test.each<[Json]>([
  ['plain'],
  ['"quoted" and \\'],
  ['\u0000\u001f\n'],
  ['\ud800 alone, \udc00 too, 😀 not'],
  [[1, -1.7976931348623157e308, null, true, false]],
  [{ 'a "key"': { '\u0001': [] }, b: {} }],
])('the text of %j is never counted too short', (value) => {
  const { length } = JSON.stringify(value);
  expect(new WriteBudget({ characters: length - 1 }).take(value)).toBe(false);
  expect(new WriteBudget({ characters: 2 * length + 100 }).take(value)).toBe(true);
});

test('what is taken is gone, and a value that does not fit takes nothing', () => {
  const budget = new WriteBudget({ characters: 300, values: 10 });
  expect(budget.take('x'.repeat(200))).toBe(true);
  expect(budget.take('x'.repeat(200))).toBe(false);
  expect(budget.take('x'.repeat(50))).toBe(true);
  expect(budget.take([1, 2, 3, 4, 5, 6, 7, 8])).toBe(false);
});

test('a value that is nested more than 500 levels deep does not fit', () => {
  const nested = (levels: number): Json => (levels === 1 ? [] : [nested(levels - 1)]);
  expect(new WriteBudget().take(nested(500))).toBe(true);
  expect(new WriteBudget().take(nested(501))).toBe(false);
});

// Walked to its end this would take minutes; the time limit of a test is the proof.
test('a value that doubles forty times by reference is refused at once', () => {
  let value: Json = 1;
  for (let level = 0; level < 40; level++) value = { a: value, b: value };
  expect(new WriteBudget().takeResult({ output: value })).toMatchObject({
    failure: { kind: 'limit', final: true },
  });
});

test('ordinary results and failures stay what they are', () => {
  const ordinary = { output: { text: 'a'.repeat(100_000) } };
  expect(new WriteBudget().takeResult(ordinary)).toBe(ordinary);
  const failed = { failure: { kind: 'upstream', message: 'no', details: { status: 502 } } } as const;
  expect(new WriteBudget().takeResult(failed)).toEqual(failed);
});

test('a failure is kept without the details that do not fit, and its message is cut', () => {
  const details: JsonObject = { body: 'x'.repeat(1_000) };
  const message = 'm'.repeat(100_000);
  const { message: kept, ...rest } = new WriteBudget({ characters: 500 }).takeFailure({
    kind: 'upstream',
    message,
    details,
  });
  expect(rest).toEqual({ kind: 'upstream' });
  expect(kept).toHaveLength(16 * 1024 + 1);
});

test('all rows and all outputs of a run fit into one text', () => {
  expect(2 * MAX_RUN_CHARACTERS).toBeLessThan(2 ** 29 - 25 - 30 * 1024 * 1024);
});
