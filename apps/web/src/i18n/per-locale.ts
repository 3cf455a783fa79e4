import type { Locale } from '../lib/locale.ts';

/** Until then a failed load stays, so that it is reported and not repeated by each render that needs it. */
const RETRY_AFTER_MS = 1000;

export interface PerLocale<Value> {
  /** Undefined until it is loaded. */
  readonly loaded: (locale: Locale) => Value | undefined;
  readonly load: (locale: Locale) => Promise<Value>;
}

/** Something that exists once per language and is loaded when it is needed, once. */
export function perLocale<Value>(fetch: (locale: Locale) => Promise<Value>): PerLocale<Value> {
  const values = new Map<Locale, Value>();
  const loading = new Map<Locale, Promise<Value>>();
  return {
    loaded: (locale) => values.get(locale),
    load(locale) {
      const known = loading.get(locale);
      if (known) return known;
      const value = fetch(locale);
      loading.set(locale, value);
      value.then(
        (arrived) => {
          values.set(locale, arrived);
          // As `use` of React notes it on a promise that it has seen: so it needs no wait for one that is kept.
          void Object.assign(value, { status: 'fulfilled', value: arrived });
        },
        () => setTimeout(() => loading.delete(locale), RETRY_AFTER_MS),
      );
      return value;
    },
  };
}
