import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonDiff } from './json-diff.ts';
import { pathText } from './json-path.ts';

const words = (before: unknown, after: unknown) =>
  jsonDiff(before, after).map((change) => `${change.kind} ${pathText(change.path)}`);

describe('jsonDiff', () => {
  it('names what was added, removed and changed', () => {
    expect(words({ a: 1, b: 2, c: { d: 3 } }, { a: 1, c: { d: 4 }, e: 5 })).toEqual([
      'removed .b',
      'changed .c.d',
      'added .e',
    ]);
  });

  it('compares lists by position', () => {
    expect(words([1, 2, 3], [1, 5])).toEqual(['changed [1]', 'removed [2]']);
  });

  it('reports a change of kind at the place where it happens', () => {
    expect(words({ a: [1] }, { a: { 0: 1 } })).toEqual(['changed .a']);
    expect(words({ a: null }, { a: {} })).toEqual(['changed .a']);
  });

  it('finds nothing between equal values', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(jsonDiff(value, structuredClone(value))).toEqual([]);
      }),
    );
  });

  it('finds something between different values', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        fc.pre(JSON.stringify(a) !== JSON.stringify(b));
        const sameKeysOtherOrder = jsonDiff(a, b).length === 0;
        if (sameKeysOtherOrder) expect(a).toEqual(b);
      }),
    );
  });

  it('stops at the limit', () => {
    const list = Array.from({ length: 50 }, (_, index) => index);
    expect(
      jsonDiff(
        list,
        list.map((value) => value + 1),
        10,
      ),
    ).toHaveLength(10);
  });
});
