import { use } from 'react';
import {
  createTranslator,
  type NamespaceKeys,
  type NestedKeyOf,
  type _Translator as Translator,
  useLocale,
} from 'use-intl';
import { type Locale, languageIn, localeFor } from '../lib/locale.ts';
import { usePreferences } from '../session/preferences.ts';
import { formatterCache, formatters } from './formatters.ts';
import { perLocale } from './per-locale.ts';

/** The texts of a part of the app, one file per language; all have the keys of the English one. */
type Files<Messages> = { readonly en: () => Promise<{ default: Messages }> } & {
  readonly [Other in Exclude<Locale, 'en'>]: () => Promise<{ default: NoInfer<Messages> }>;
};

type Namespace<Messages> = NamespaceKeys<Messages, NestedKeyOf<Messages>>;

/** Translates the keys of a part of the app, or those below a namespace of it. */
type UseTexts<Messages extends Record<string, unknown>> = <Key extends Namespace<Messages> = never>(
  namespace?: Key,
) => Translator<Messages, Key>;

export const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

const parts = new Set<(locale: Locale) => Promise<unknown>>();

export const chosenLocale = (): Locale => localeFor(usePreferences.getState().locale, navigator.languages);

/** Loads the texts of every part of the app that was opened, in another language. */
export const loadTexts = (locale: Locale): Promise<unknown> =>
  Promise.all([...parts].map((load) => load(locale)));

/**
 * The texts of a part of the app, which load together with the code that imports this hook. They are usually there when
 * it renders; otherwise it waits like a component that loads lazily.
 */
export function defineTexts<Messages extends Record<string, unknown>>(
  files: Files<Messages>,
): UseTexts<Messages> {
  const texts = perLocale(async (locale) => {
    const messages = (await files[locale]()).default;
    const translators = new Map<string | undefined, unknown>();
    return function getTranslator<Key extends Namespace<Messages>>(namespace: Key | undefined) {
      const known = translators.get(namespace);
      // A namespace has one type of translator.
      if (known) return known as Translator<Messages, Key>;
      const translator = createTranslator<Messages, Key>({
        locale,
        messages,
        timeZone,
        _cache: formatterCache,
        _formatters: formatters,
        ...(namespace && { namespace }),
      });
      translators.set(namespace, translator);
      return translator;
    };
  });
  parts.add(texts.load);
  // A failure is reported where the texts are needed.
  texts.load(chosenLocale()).catch(() => undefined);
  return (namespace) => {
    const locale = languageIn(useLocale());
    // Called in each render: React loses count of the hooks behind one that is there only while texts load.
    return use(texts.load(locale))(namespace);
  };
}
