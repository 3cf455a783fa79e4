import { HOUR_MS, MINUTE_MS } from '../../units.ts';
import { type DateValue, parseDate } from '../dates/date-value.ts';
import { offsetAt } from '../dates/zone.ts';
import { type Context, NoValue, produceText, spend } from '../evaluate/context.ts';
import { ExpressionError } from '../limits.ts';
import { typeName } from '../values/compare.ts';
import { isObject } from '../values/settle.ts';
import { compactJsonIn } from '../values/text.ts';

const MAX_FORMATS = 50;
/** Whole hours of the outermost zones that have a name. */
const MOST_EAST = 14;
const MOST_WEST = 12;
const formats = new Map<string, Intl.DateTimeFormat>();

/**
 * A date as a language writes it, in its own zone unless the options name one. Throws ExpressionError `argument` for a
 * language or options that do not exist.
 */
export function formatDateIn(
  context: Context,
  [value = null, language = 'en-US', options = {}]: readonly unknown[],
): string | null {
  if (value === null) return null;
  const date = parseDate(value, context.scope.timezone);
  if (date === null) throw new NoValue(`This ${typeName(value)} is not a date.`);
  if (typeof language !== 'string' || !isObject(options))
    throw new ExpressionError('argument', 'formatDate() needs a language, such as "en-US", and options.');
  const { ms, timeZone, minutes } = placeInZone(date, options);
  // Making a format is slow, and paid for on every use: whether it is kept must not decide over success.
  spend(context, minutes === 0 ? 5_000 : 10_000);
  const key = `${language} ${timeZone} ${compactJsonIn(context, options)}`;
  const format = formats.get(key) ?? createFormat(language, { timeZone, ...options });
  formats.delete(key);
  formats.set(key, format);
  if (formats.size > MAX_FORMATS) formats.delete(formats.keys().next().value ?? key);
  return produceText(context, minutes === 0 ? format.format(ms) : writeWithMinutes(format, ms, minutes));
}

/**
 * Node.js 20 knows no zones that are offsets, but those of whole hours, under names that count westwards. What an offset
 * has beyond whole hours moves the clock instead.
 */
function placeInZone(
  { ms, zone }: DateValue,
  options: object,
): { ms: number; timeZone: string; minutes: number } {
  if (!/^[+-]/.test(zone) || 'timeZone' in options) return { ms, timeZone: zone, minutes: 0 };
  const offset = offsetAt(ms, zone);
  const hours = Math.max(-MOST_WEST, Math.min(MOST_EAST, Math.trunc(offset / HOUR_MS)));
  const rest = offset - hours * HOUR_MS;
  const timeZone = hours === 0 ? 'UTC' : `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`;
  return { ms: ms + rest, timeZone, minutes: rest / MINUTE_MS };
}

/** The name of the zone is that of its whole hours, which lacks these minutes. */
function writeWithMinutes(format: Intl.DateTimeFormat, ms: number, minutes: number): string {
  const { locale, timeZone } = format.resolvedOptions();
  const parts = format.formatToParts(ms).map(({ type, value }) => {
    if (type !== 'timeZoneName') return value;
    const name = /^(.*\d)(\D)00$/.exec(value) ?? [value, value, readMinuteSeparator(locale)];
    if (timeZone === 'UTC' || Math.abs(minutes) > 59 || !/\d$/.test(value) || name[2] === undefined)
      throw new ExpressionError(
        'argument',
        'formatDate() cannot write the name of this zone in this language.',
      );
    return `${name[1]}${name[2]}${String(Math.abs(minutes)).padStart(2, '0')}`;
  });
  return parts.join('');
}

/** The sign between hours and minutes differs by language, so it is read from a zone that has both. */
function readMinuteSeparator(locale: string): string | undefined {
  const format = createFormat(locale, { timeZone: 'Asia/Kolkata', timeZoneName: 'shortOffset' });
  const name = format.formatToParts(0).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  return /5(\D)30$/.exec(name)?.[1];
}

function createFormat(language: string, options: object): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat(language, options);
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unknown reason';
    throw new ExpressionError('argument', `formatDate() cannot write dates this way: ${why}`);
  }
}
