export const LOCALES = ['en', 'de'] as const;
export type Locale = (typeof LOCALES)[number];

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
