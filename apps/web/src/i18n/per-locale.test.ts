import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { perLocale } from './per-locale.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('loads each language once and has it from then on', async () => {
  const fetch = vi.fn(async (locale: string) => `texts in ${locale}`);
  const texts = perLocale(fetch);
  expect(texts.loaded('de')).toBeUndefined();
  expect(texts.load('de')).toBe(texts.load('de'));
  await texts.load('de');
  await texts.load('en');
  expect(texts.loaded('de')).toBe('texts in de');
  expect(fetch.mock.calls).toEqual([['de'], ['en']]);
});

it('reports a failed load to all who ask meanwhile, and loads again later', async () => {
  const fetch = vi.fn().mockRejectedValueOnce(new Error('offline')).mockResolvedValueOnce('texts');
  const texts = perLocale<string>(fetch);
  await expect(texts.load('en')).rejects.toThrow('offline');
  await expect(texts.load('en')).rejects.toThrow('offline');
  expect(fetch).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1000);
  expect(await texts.load('en')).toBe('texts');
});
