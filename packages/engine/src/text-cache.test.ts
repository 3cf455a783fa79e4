import { describe, expect, it } from 'vitest';
import { TextCache } from './text-cache.ts';

describe('TextCache', () => {
  it('drops what was used longest ago when there are too many entries', () => {
    const cache = new TextCache<number>({ maxEntries: 2, maxCharacters: 100 });
    cache.set('a', 1);
    cache.set('b', 2);
    cache.get('a');
    cache.set('c', 3);
    expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([1, undefined, 3]);
  });

  it('drops entries when their texts become too long together', () => {
    const cache = new TextCache<number>({ maxEntries: 10, maxCharacters: 10 });
    cache.set('aaaaaa', 1);
    cache.set('bbbbbb', 2);
    expect(cache.get('aaaaaa')).toBeUndefined();
    expect(cache.get('bbbbbb')).toBe(2);
    expect(cache.characters).toBe(6);
  });

  it('does not keep a text that is longer than all it may hold', () => {
    const cache = new TextCache<number>({ maxEntries: 10, maxCharacters: 3 });
    cache.set('abcd', 1);
    expect(cache.size).toBe(0);
  });

  it('counts a text once when it is set again', () => {
    const cache = new TextCache<number>({ maxEntries: 10, maxCharacters: 10 });
    cache.set('abc', 1);
    cache.set('abc', 2);
    expect([cache.get('abc'), cache.characters]).toEqual([2, 3]);
  });
});
