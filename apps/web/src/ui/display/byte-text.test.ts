import { describe, expect, it } from 'vitest';
import { byteText } from './byte-text.ts';

describe('byteText', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1 kB'],
    [1_254_000, '1.25 MB'],
    [999_600, '1 MB'],
    [5_000_000_000_000_000, '5,000 TB'],
  ])('writes %d as %s', (bytes, text) => {
    expect(byteText(bytes, 'en')).toBe(text);
  });
});
