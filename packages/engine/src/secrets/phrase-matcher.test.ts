import { array, assert, constantFrom, integer, property, string, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Agreements, type Find, PhraseMatcher } from './phrase-matcher.ts';

function collectFinds(phrases: readonly string[], text: string): Find[] {
  const matcher = new PhraseMatcher(phrases);
  const agreements = new Agreements();
  const next = (from: number) => matcher.find(text, from, agreements);
  const finds: Find[] = [];
  for (let find = next(0); find; find = next(find.start + 1)) finds.push(find);
  return finds;
}

/** The longest phrase at every place, looked for one by one. */
function expectedFinds(phrases: readonly string[], text: string): Find[] {
  const finds: Find[] = [];
  for (let start = 0; start < text.length; start++) {
    const longest = Math.max(0, ...phrases.filter((p) => text.startsWith(p, start)).map((p) => p.length));
    if (longest > 0) finds.push({ start, end: start + longest });
  }
  return finds;
}

describe('phrase matcher', () => {
  it('finds exactly what a search phrase by phrase finds', () => {
    expect.hasAssertions();
    const letters = string({ unit: 'grapheme-ascii', minLength: 0, maxLength: 40 }).map((text) =>
      text.replace(/[^abc]/g, (sign) => 'abc'[sign.charCodeAt(0) % 3] ?? 'a'),
    );
    const phrase = letters.filter(({ length }) => length >= 3);
    assert(
      property(array(phrase, { minLength: 1, maxLength: 12 }), array(letters), (phrases, rest) => {
        const text = [...rest, ...phrases, ...rest].join('');
        expect(collectFinds(phrases, text)).toEqual(expectedFinds(phrases, text));
      }),
      { numRuns: 300 },
    );
  });

  it('finds the same in repetitive texts, where phrases begin almost everywhere', () => {
    expect.hasAssertions();
    const rows = array(tuple(constantFrom('a', 'ab', 'aab', 'b', 'c'), integer({ min: 1, max: 40 })), {
      minLength: 1,
      maxLength: 4,
    }).map((parts) => parts.map(([unit, times]) => unit.repeat(times)).join(''));
    const phrase = rows.filter(({ length }) => length >= 3);
    assert(
      property(array(phrase, { minLength: 1, maxLength: 12 }), array(rows), (phrases, rest) => {
        const text = [...rest, ...phrases, ...rest].join('');
        expect(collectFinds(phrases, text)).toEqual(expectedFinds(phrases, text));
      }),
      { numRuns: 300 },
    );
  });

  it('finds phrases at both ends of a text, and none in a shorter one', () => {
    expect(collectFinds(['abcdefgh', 'hgfedcba'], 'abcdefgh hgfedcba')).toEqual([
      { start: 0, end: 8 },
      { start: 9, end: 17 },
    ]);
    expect(collectFinds(['abcdefgh'], 'abcdefg')).toEqual([]);
    expect(collectFinds(['abcdefgh'], '')).toEqual([]);
  });
});
