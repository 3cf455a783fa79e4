import type { Translate } from '@millrace/engine/credential';
import { useEffect, useState } from 'react';
import { useLocale } from 'use-intl';
import { type Locale, languageIn } from '../lib/locale.ts';
import { perLocale } from './per-locale.ts';

/** The definitions are written in English, so that needs no file. */
const LOADERS: Readonly<Record<Locale, (() => Promise<Translate>) | undefined>> = {
  en: undefined,
  de: async () => (await import('./node-texts-de.ts')).toGerman,
};

const nodeTexts = perLocale(async (locale) => LOADERS[locale]?.());

/** Translates texts of node and credential types; undefined where they stay as they are, also until the language is there. */
export function useNodeTexts(): Translate | undefined {
  const locale = languageIn(useLocale());
  const [, setArrived] = useState<Locale>();
  useEffect(() => {
    let current = true;
    // Without the texts people read English.
    nodeTexts
      .load(locale)
      .then(() => (current ? setArrived(locale) : undefined))
      .catch(() => undefined);
    return () => {
      current = false;
    };
  }, [locale]);
  return nodeTexts.loaded(locale);
}
