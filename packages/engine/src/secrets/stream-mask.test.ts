import { array, assert, constantFrom, integer, nat, property, string, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMasker, type Masker } from './mask.ts';

const SECRET = 'sk-live-4f9a8b7c6d5e';

/** The text that is shown after each piece. */
const shownBy = (secrets: readonly string[], pieces: readonly string[]): string[] =>
  maskPieces(createMasker(secrets), pieces);

function maskPieces(masker: Masker, pieces: readonly string[]): string[] {
  const mask = masker.textMask();
  return [...pieces.map((piece) => mask.add(piece)), mask.end()];
}

/** The text in pieces, cut at the places. */
function cut(text: string, places: readonly number[]): string[] {
  const ends = places.map((place) => place % (text.length + 1)).toSorted((a, b) => a - b);
  return [0, ...ends].map((start, at) => text.slice(start, ends[at] ?? text.length));
}

describe('the mask of a text in pieces', () => {
  it('hides a secret that is split over pieces', () => {
    expect(shownBy([SECRET], ['key: sk-li', 've-4f9a', '8b7c6d5e, ', 'end'])).toEqual([
      'key: sk-li',
      've',
      '**, ',
      'end',
      '',
    ]);
  });

  it('shows what only began like a secret as soon as it differs, and the rest at the end', () => {
    expect(shownBy([SECRET], ['sk-live-4f', '?', ' sk-live-4'])).toEqual([
      'sk-live',
      '-4f?',
      ' sk-live',
      '-4',
    ]);
  });

  it('does not hold back a text in which no secret can begin', () => {
    const pieces = ['One', ' two', ' three', ' four'];
    expect(shownBy([SECRET], pieces)).toEqual([...pieces, '']);
    expect(shownBy([], pieces)).toEqual([...pieces, '']);
  });

  it('waits for the longer of two secrets that begin alike', () => {
    const shown = shownBy(['abcdefgh', 'abcdefgh-and-more'], ['abcdefgh', '-and', '-more!']);
    expect(shown).toEqual(['abcdefg', '', '**!', '']);
  });

  it('masks secrets that overlap as one, however they come', () => {
    for (const piece of [
      'abcdefghijkl',
      ...Array.from({ length: 11 }, (_, at) => `abcdefghijkl`.slice(0, at + 1)),
    ]) {
      const rest = 'abcdefghijkl'.slice(piece.length);
      expect(shownBy(['abcdefgh', 'defghijkl'], ['<', piece, rest, '>']).join('')).toBe('<abcdefg**>');
    }
  });

  it('makes of any split of any text what the mask makes of the whole', { timeout: 60_000 }, () => {
    expect.hasAssertions();
    // Few letters, so that secrets overlap, repeat themselves and begin where others end.
    const letters = string({ unit: constantFrom('a', 'b', '"', '\u00f6'), maxLength: 30 });
    const secret = string({ unit: constantFrom('a', 'b', '"', '\u00f6'), minLength: 8, maxLength: 16 });
    assert(
      property(
        array(secret, { minLength: 1, maxLength: 5 }),
        array(letters, { maxLength: 6 }),
        array(nat(500), { maxLength: 12 }),
        (secrets, between, places) => {
          const text = [...between, ...secrets, ...between]
            .map((part, at) => (at % 3 === 2 ? JSON.stringify(part) : part))
            .join('');
          const masker = createMasker(secrets);
          expect(maskPieces(masker, cut(text, places)).join('')).toBe(masker.maskText(text));
        },
      ),
      { numRuns: 400 },
    );
  });

  it('gives the same result for long runs of one letter, where a long secret may begin anywhere', {
    timeout: 60_000,
  }, () => {
    expect.hasAssertions();
    const row = tuple(constantFrom('a', 'ab', 'b'), integer({ min: 1, max: 150 }));
    const rows = array(row, { minLength: 1, maxLength: 4 }).map((parts) =>
      parts.map(([unit, times]) => unit.repeat(times)).join(''),
    );
    const cuts = array(nat(2_000), { maxLength: 20 });
    assert(
      property(array(rows, { minLength: 1, maxLength: 3 }), array(rows), cuts, (secrets, between, places) => {
        const text = [...between, ...secrets, ...between].join('');
        const masker = createMasker(secrets);
        const whole = masker.maskText(text);
        let sofar = '';
        const seen = maskPieces(masker, cut(text, places)).map((shown) => (sofar += shown));
        expect(seen.at(-1)).toBe(whole);
        expect(seen).toEqual(seen.map(({ length }) => whole.slice(0, length)));
      }),
      { numRuns: 200 },
    );
  });

  it('never shows, at any moment, what the mask of the whole text hides', { timeout: 60_000 }, () => {
    expect.hasAssertions();
    // The library takes seconds to set up its own unit of all code points; this one has half surrogate pairs as well.
    const point = nat(0x10ffff).map((code) => String.fromCodePoint(code));
    const secret = string({ minLength: 8, maxLength: 40, unit: point });
    assert(
      property(
        secret,
        string(),
        string(),
        array(nat(500), { maxLength: 8 }),
        (one, before, after, places) => {
          const text = `${before}${one}${after}`;
          const masker = createMasker([one]);
          const whole = masker.maskText(text);
          let sofar = '';
          const seen = maskPieces(masker, cut(text, places)).map((shown) => (sofar += shown));
          expect(seen).toEqual(seen.map(({ length }) => whole.slice(0, length)));
        },
      ),
      { numRuns: 200 },
    );
  });

  it('reads a long text beside many and long secrets quickly', { timeout: 10_000 }, () => {
    const secrets = Array.from({ length: 300 }, (_, at) => `secret-${at}-${'x'.repeat(at * 10)}`);
    const mask = createMasker(secrets).textMask();
    const piece = 'secret words of a text ';
    let shown = 0;
    for (let at = 0; at < 5_000; at++) shown += mask.add(piece).length;
    expect(shown + mask.end().length).toBe(5_000 * piece.length);
  });

  it('reads a long row of the letter that a secret is made of quickly', { timeout: 10_000 }, () => {
    const mask = createMasker(['--------']).textMask();
    let shown = '';
    for (let at = 0; at < 10_000; at++) shown += mask.add('----');
    expect(shown + mask.end()).toBe('-------**');
  });

  it('reads a long run of the only letter of a long secret quickly', () => {
    const mask = createMasker(['x'.repeat(10_000)]).textMask();
    let shown = '';
    const began = Date.now();
    for (let at = 0; at < 10_000; at++) shown += mask.add('xxxxx');
    expect(shown + mask.end()).toBe('xxxxxxx**');
    expect(Date.now() - began).toBeLessThan(2_000);
  });
});
