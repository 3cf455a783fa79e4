import { describe, expect, it } from 'vitest';
import { durationText } from './duration.ts';

describe('durationText', () => {
  it.each([
    [0, '0 ms'],
    [-5, '0 ms'],
    [999.4, '999 ms'],
    [1000, '1.0 s'],
    [9_949, '9.9 s'],
    [59_400, '59 s'],
    [59_600, '1 min 0 s'],
    [125_000, '2 min 5 s'],
    [3_600_000, '1 h 0 min'],
    [4_320_000, '1 h 12 min'],
    [3_599_600, '1 h 0 min'],
  ])('writes %d ms as %s', (ms, text) => {
    expect(durationText(ms, 'en')).toBe(text);
  });

  it('uses the decimal sign of the language', () => {
    expect(durationText(3400, 'de')).toBe('3,4 s');
  });
});
