import type { Translate } from '@millrace/engine/credential';
import { useEffect, useState } from 'react';
import { useLocale } from 'use-intl';
import type { Locale } from '../lib/locale.ts';

/** The definitions are written in English, so that needs no file. */
const LOADERS: Readonly<Record<Locale, (() => Promise<Translate>) | undefined>> = {
  en: undefined,
  de: async () => (await import('./node-texts-de.ts')).toGerman,
};

const loaded = new Map<Locale, Translate>();
const loading = new Map<Locale, Promise<Translate>>();

/** Loads the texts of node and credential types in a language, once. */
function loadNodeTexts(locale: Locale): Promise<Translate> | undefined {
  const load = LOADERS[locale];
  if (!load) return undefined;
  const known = loading.get(locale);
  if (known) return known;
  const texts = load().then(
    (translate) => {
      loaded.set(locale, translate);
      return translate;
    },
    (error: unknown) => {
      loading.delete(locale);
      throw error;
    },
  );
  loading.set(locale, texts);
  return texts;
}

/** Translates texts of node and credential types; undefined where they stay as they are, also until the language is there. */
export function useNodeTexts(): Translate | undefined {
  const locale = useLocale();
  const [, setArrived] = useState<Locale>();
  useEffect(() => {
    let current = true;
    // Without the texts people read English.
    loadNodeTexts(locale)
      ?.then(() => (current ? setArrived(locale) : undefined))
      .catch(() => undefined);
    return () => {
      current = false;
    };
  }, [locale]);
  return loaded.get(locale);
}
