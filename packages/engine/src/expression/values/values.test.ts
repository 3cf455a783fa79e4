import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Context } from '../evaluate/context.ts';
import { createScope } from '../evaluate/scope.ts';
import { base64Decode, base64Encode } from './base64.ts';
import { isEqual } from './compare.ts';
import { hashHex } from './hash.ts';
import { roundHalfEven } from './round.ts';
import {
  characterAt,
  countCodePoints,
  sliceText,
  splitCharacters,
  textOfUtf8,
  utf8Bytes,
  wellFormed,
} from './unicode.ts';
import { decodeUrl, encodeUrl } from './url.ts';

const anyText = fc.string({ unit: 'binary', maxLength: 40 });

describe('texts', () => {
  it('writes UTF-8 and base64 like the platform does', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect([...utf8Bytes(text)]).toEqual([...new TextEncoder().encode(text)]);
        expect(base64Encode(text)).toBe(btoa(String.fromCharCode(...new TextEncoder().encode(text))));
        expect(base64Decode(base64Encode(text))).toBe(wellFormed(text));
      }),
    );
  });

  it('reads any bytes as the platform does', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        expect(textOfUtf8(bytes)).toBe(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
      }),
      { numRuns: 2_000 },
    );
  });

  it('reads long texts in parts', () => {
    const text = 'ü😀'.repeat(20_000);
    expect(textOfUtf8(utf8Bytes(text))).toBe(text);
  });

  it('reads base64url, white space and missing padding, and refuses the rest', () => {
    expect(base64Decode('_-8=')).toBe(base64Decode('/+8'));
    expect(base64Decode('SGVs\nbG8=')).toBe('Hello');
    expect(base64Decode('SGVsbG8*')).toBeNull();
    expect(base64Decode('SGVsb')).toBeNull();
  });

  it('counts, picks and cuts by code points', () => {
    fc.assert(
      fc.property(
        anyText,
        fc.integer({ min: 0, max: 40 }),
        fc.integer({ min: 0, max: 40 }),
        (text, from, to) => {
          const characters = Array.from(text);
          expect(countCodePoints(text)).toBe(characters.length);
          expect(splitCharacters(text)).toEqual(characters);
          expect(characterAt(text, from)).toBe(characters[from] ?? '');
          expect(sliceText(text, from, to)).toBe(characters.slice(from, to).join(''));
        },
      ),
    );
  });

  it('encodes addresses reversibly, and leaves broken sequences alone', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(encodeUrl(text)).toMatch(/^[A-Za-z0-9\-_.~%]*$/);
        expect(decodeUrl(encodeUrl(text))).toBe(wellFormed(text));
      }),
    );
    expect(decodeUrl('%ff%41%')).toBe('%ff%41%');
  });

  it('hashes like RFC 1321', () => {
    expect(hashHex('', 'md5')).toBe('d41d8cd98f00b204e9800998ecf8427e');
    expect(hashHex('message digest', 'MD5')).toBe('f96b697d7cb7938d525a2f31aaf161d0');
  });
});

describe('rounding', () => {
  it.each([
    [0.5, 0, 0],
    [1.5, 0, 2],
    [2.5, 0, 2],
    [-0.5, 0, 0],
    [-1.5, 0, -2],
    [2.675, 2, 2.67],
    [0.125, 2, 0.12],
    [0.375, 2, 0.38],
    [1e20, 2, 1e20],
    [1e300, 0, 1e300],
    [25, -1, 20],
    [35, -1, 40],
    [26, -1, 30],
    [1234, -3, 1000],
    [5, -30, 0],
    [1.23456789, 4, 1.2346],
    [0.1, 60, 0.1],
  ])('rounds %d to %d digits as %d', (value, digits, expected) => {
    expect(roundHalfEven(value, digits) + 0).toBe(expected);
  });

  it('is never further away than half a unit', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -1e6, max: 1e6, noNaN: true }),
        fc.integer({ min: 0, max: 8 }),
        (value, digits) => {
          expect(Math.abs(roundHalfEven(value, digits) - value)).toBeLessThanOrEqual(
            0.5 * 10 ** -digits + 1e-9,
          );
        },
      ),
    );
  });
});

describe('equality', () => {
  it('is equality of JSON, apart from the order of keys', () => {
    const context = () =>
      new Context(createScope({ values: {}, now: () => 0, uuid: () => '', random: () => 0 }), 0);
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), fc.jsonValue({ maxDepth: 3 }), (left, right) => {
        expect(isEqual(context(), left, structuredClone(left))).toBe(true);
        expect(isEqual(context(), left, right)).toBe(isEqual(context(), right, left));
      }),
    );
  });
});
