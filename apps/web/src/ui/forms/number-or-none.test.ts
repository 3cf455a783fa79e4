import { expect, test } from 'vitest';
import { numberOrNone } from './number-or-none.ts';

test('takes amounts with a point or a decimal comma, and leaves what could mean something else to the check', () => {
  expect(numberOrNone('2.50')).toBe(2.5);
  expect(numberOrNone(' 2,50 ')).toBe(2.5);
  expect(numberOrNone('2,5')).toBe(2.5);
  expect(numberOrNone('0')).toBe(0);
  expect(numberOrNone(' ')).toBeNull();
  expect(numberOrNone('1,000')).toBeNaN();
  expect(numberOrNone('much')).toBeNaN();
});
