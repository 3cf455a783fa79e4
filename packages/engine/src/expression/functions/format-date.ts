import { type DateValue, parseDate } from '../dates/date-value.ts';
import { offsetAt } from '../dates/zone.ts';
import { type Context, NoValue, produceText, spend } from '../evaluate/context.ts';
import { ExpressionError } from '../limits.ts';
import { typeName } from '../values/compare.ts';
import { isObject } from '../values/settle.ts';
import { compactJsonIn } from '../values/text.ts';

const MAX_FORMATS = 50;
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
  // Making a format is slow, and paid for on every use: whether it is kept must not decide over success.
  spend(context, 5_000);
  const { ms, timeZone } = placeInZone(date, options);
  const key = `${language} ${timeZone} ${compactJsonIn(context, options)}`;
  const format = formats.get(key) ?? createFormat(language, { timeZone, ...options });
  formats.delete(key);
  formats.set(key, format);
  if (formats.size > MAX_FORMATS) formats.delete(formats.keys().next().value ?? key);
  return produceText(context, format.format(ms));
}

/** Node.js 20 knows no zones that are offsets, so the clock of UTC is moved by it; that zone has no name then. */
function placeInZone({ ms, zone }: DateValue, options: object): { ms: number; timeZone: string } {
  if (!/^[+-]/.test(zone) || 'timeZone' in options) return { ms, timeZone: zone };
  const { timeZoneName, timeStyle } = options as Record<string, unknown>;
  if (timeZoneName !== undefined || timeStyle === 'full' || timeStyle === 'long')
    throw new ExpressionError('argument', `formatDate() cannot write the name of the zone ${zone}.`);
  return { ms: ms + offsetAt(ms, zone), timeZone: 'UTC' };
}

function createFormat(language: string, options: object): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat(language, options);
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unknown reason';
    throw new ExpressionError('argument', `formatDate() cannot write dates so: ${why}`);
  }
}
