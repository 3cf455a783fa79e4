export const LOCALES = ['en', 'de'] as const;
export type Locale = (typeof LOCALES)[number];
/** A language, possibly as a region writes it: decides how dates and numbers look. */
export type RegionalLocale = Locale | `${Locale}-${string}`;

/** The locale to use: the chosen one, else the first of the browser's languages that we have, else English. */
export function localeFor(chosen: Locale | undefined, languages: readonly string[]): Locale {
  if (chosen) return chosen;
  for (const language of languages) {
    const base = language.toLowerCase().split('-')[0];
    const known = LOCALES.find((locale) => locale === base);
    if (known) return known;
  }
  return 'en';
}

/** The language whose texts are shown. */
export const languageIn = (locale: RegionalLocale): Locale =>
  LOCALES.find((language) => locale === language || locale.startsWith(`${language}-`)) ?? 'en';

function findRegion(language: string): string | undefined {
  try {
    return new Intl.Locale(language).region;
  } catch {
    return undefined;
  }
}

/**
 * The language with a region of the browser's languages, first of those in the same language: people in Britain write
 * 30 Nov 2026, 19:15, and so do those in Austria who read English.
 */
export function addRegion(locale: Locale, languages: readonly string[]): RegionalLocale {
  const [same, others] = [true, false].map((wanted) =>
    languages.filter((language) => (language.toLowerCase().split('-')[0] === locale) === wanted),
  );
  // The language alone, as in `en`, is a wish too.
  const [first] = same ?? [];
  const region = first === undefined ? (others ?? []).map(findRegion).find(Boolean) : findRegion(first);
  return region === undefined ? locale : `${locale}-${region}`;
}
