import { expect, test } from 'vitest';
import { addRegion, type Locale, languageIn, localeFor } from './locale.ts';

test.each<[Locale, string[], string]>([
  ['en', ['en-GB', 'en'], 'en-GB'],
  ['en', ['en-US'], 'en-US'],
  ['en', ['en', 'de-DE'], 'en'],
  ['en', ['de-AT', 'de'], 'en-AT'],
  ['en', ['fr', 'de-CH'], 'en-CH'],
  ['de', ['en-US', 'de-CH'], 'de-CH'],
  ['de', ['fr'], 'de'],
  ['en', ['not a language', 'fr-FR'], 'en-FR'],
  ['en', [], 'en'],
])('%s in a browser with %j is written as %s', (locale, languages, expected) => {
  const regional = addRegion(locale, languages);
  expect(regional).toBe(expected);
  expect(languageIn(regional)).toBe(locale);
});

test('dates are written as the region of the browser writes them', () => {
  const at = new Date('2026-11-30T19:15:00Z');
  const write = (languages: string[]) =>
    at.toLocaleString(addRegion(localeFor(undefined, languages), languages), {
      dateStyle: 'medium',
      timeStyle: 'short',
      timeZone: 'UTC',
    });
  expect(write(['en-GB'])).toBe('30 Nov 2026, 19:15');
  expect(write(['en-US'])).toMatch(/^Nov 30, 2026, 7:15.PM$/);
});
