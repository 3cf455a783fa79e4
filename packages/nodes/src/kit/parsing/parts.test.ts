import { describe, expect, test } from 'vitest';
import { isLarge, Joiner, splitIntoParts } from './parts.ts';

const row = (at: number) => ({ id: at, tags: ['a', null], text: 'b' });
const rows = Array.from({ length: 30_000 }, (_, at) => row(at));

const LARGE: readonly (readonly [string, object])[] = [
  ['a list of objects', rows],
  ['an object with large and small fields', { name: 'a', rows, end: { rows: [rows, 1, rows] } }],
  ['an object of many fields', Object.fromEntries(rows.map((each) => [`key_${each.id}`, each]))],
  ['a list of long texts', Array.from({ length: 100 }, () => 'x'.repeat(100_000))],
  ['bytes beside rows', { bytes: new Uint8Array([1, 2, 3]), rows, date: new Date(0) }],
  ['a field that names the prototype', JSON.parse(`{"__proto__":[${'1,'.repeat(30_000)}2]}`) as object],
];

test.each(LARGE)('%s is the same when its parts are joined', (_, value) => {
  if (!isLarge(value)) throw new Error('the value is not large');
  const joiner = new Joiner();
  const parts = [...splitIntoParts(value)];
  for (const part of parts) joiner.add(structuredClone(part));
  expect(parts.length).toBeGreaterThan(2);
  expect(JSON.stringify(joiner.take())).toBe(JSON.stringify(value));
  expect(joiner.take()).toBeUndefined();
});

describe('values that are copied in one piece', () => {
  test.each([
    [null],
    ['x'.repeat(50_000_000)],
    [new Uint8Array(50_000_000)],
    [rows.slice(0, 2_000)],
    [{ a: [] }],
  ])('are small, or have few values', (value) => {
    expect(isLarge(value)).toBe(false);
  });
});
