import { describe, expect, it } from 'vitest';
import { same } from './same.ts';

describe('same', () => {
  it.each([
    [{ a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 }, true],
    [[1, 2], [2, 1], false],
    [{ a: undefined }, {}, false],
    [{ a: 1 }, { b: 1 }, false],
    [[], {}, false],
    [null, {}, false],
    ['a', 'a', true],
  ])('%j and %j', (one, other, expected) => {
    expect(same(one, other)).toBe(expected);
  });
});
