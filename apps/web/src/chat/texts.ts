import { type Locale, localeFor } from '../lib/locale.ts';
import de from './messages/de.json';
import en from './messages/en.json';

export type TextKey = keyof typeof en;

const TEXTS = { en, de } satisfies Record<Locale, Record<TextKey, string>>;

/** The first of the browser's languages that there are texts for. */
export const locale: Locale = localeFor(undefined, navigator.languages);

/** A text of the page in the visitor's language, with `{names}` filled in. */
export const t = (key: TextKey, values: Readonly<Record<string, string | number>> = {}): string =>
  TEXTS[locale][key].replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));

const UNITS = [
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

/** A time in its largest unit, rounded up: `3 minutes`. */
export function timeText(seconds: number): string {
  const [unit, length] = UNITS.find(([, length]) => seconds >= length) ?? ['second', 1];
  const style = { style: 'unit', unit, unitDisplay: 'long' } as const;
  return new Intl.NumberFormat(locale, style).format(Math.max(1, Math.ceil(seconds / length)));
}

/** The name of a field: as its node says, else its key. */
export const fieldLabel = ({ key, label }: { key: string; label?: string | undefined }): string =>
  label ?? stepText(key);

/** The label of a node as a person writes it: `fetchOrders` and `fetch_orders` become `Fetch orders`. */
export function stepText(label: string): string {
  const words = label
    .replace(
      /([\p{Ll}\d])(\p{Lu})/gu,
      (_, before: string, after: string) => `${before} ${after.toLowerCase()}`,
    )
    .replace(/[_-]+/g, ' ')
    .trim();
  return words.charAt(0).toLocaleUpperCase(locale) + words.slice(1);
}
