import { type Context, produceText, spend } from '../evaluate/context.ts';
import { ExpressionError } from '../limits.ts';
import { isObject } from '../values/settle.ts';
import { compactJsonIn } from '../values/text.ts';

const MAX_FORMATS = 50;
const formats = new Map<string, Intl.NumberFormat>();

/** A number as a language writes it. Throws ExpressionError `argument` for a language or options that do not exist. */
export function formatNumber(
  context: Context,
  [value, language = 'en-US', options = {}]: readonly unknown[],
): string | null {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'number') return null;
  if (typeof language !== 'string' || !isObject(options))
    throw new ExpressionError('argument', 'formatNumber() needs a language, such as "en-US", and options.');
  // Making a format is slow, and paid for on every use: whether it is kept must not decide over success.
  spend(context, 5_000);
  const key = `${language} ${compactJsonIn(context, options)}`;
  const format = formats.get(key) ?? createFormat(language, options);
  formats.delete(key);
  formats.set(key, format);
  if (formats.size > MAX_FORMATS) formats.delete(formats.keys().next().value ?? key);
  return produceText(context, format.format(value));
}

function createFormat(language: string, options: object): Intl.NumberFormat {
  try {
    return new Intl.NumberFormat(language, options);
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unknown reason';
    throw new ExpressionError('argument', `formatNumber() cannot write numbers this way: ${why}`);
  }
}
