import type { Violation } from './rules.ts';

/** Begins a German text that is still in English; `npm run new` writes it. */
export const UNTRANSLATED = 'ÜBERSETZEN:';

export const markUntranslated = (text: string): string => `${UNTRANSLATED} ${text}`;

/** German texts that wait for their translation. */
export function checkTranslations(files: readonly { path: string; text: string }[]): Violation[] {
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(new RegExp(`"${UNTRANSLATED}\\s*([^"]*)"`, 'g'))].map(([, waiting = '']) => ({
      rule: 'texts-are-translated',
      path,
      message: `has no German text for "${waiting}"`,
    })),
  );
}
