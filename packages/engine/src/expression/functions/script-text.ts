import { createDate, type DateValue, parseDate } from '../dates/date-value.ts';
import { countBetween, type DateUnit } from '../dates/periods.ts';
import { type Context, NoValue, produceList, produceText, spend, spendText } from '../evaluate/context.ts';
import { ExpressionError, MAX_VALUE_DEPTH } from '../limits.ts';
import { typeName } from '../values/compare.ts';
import { emptyObject, isObject, type PlainObject } from '../values/settle.ts';
import { wellFormed } from '../values/unicode.ts';
import { setEntry } from './convert.ts';
import { type FunctionDefinition, textArgument } from './definition.ts';

/** Words that headlines write in lower case, with the rest of their token, except at their beginning and end. */
const SMALL_WORDS = new RegExp(
  `\\b(?:${(
    'a ad an and as at because but by en for if in neither nor of on only or over per so some than that the to up upon v ' +
      'versus via vs when with without yet'
  ).replaceAll(' ', '|')})\\b`,
  'i',
);
/** The first character of a word that headlines raise. */
const RAISED = /[A-Za-z0-9\u00C0-\u00FF]/;
/** Capital letters or dots behind the first character show that a person chose the spelling. */
const CHOSEN = /.(?=[A-Z]|\..)/;
const MAX_URL_LENGTH = 65_536;

function writeHeadline(context: Context, text: string): string {
  spendText(context, text.length * 4);
  const written = text.replace(/[^\s:–—-]+/g, (word, index: number) => {
    const end = index + word.length;
    const isInside = index > 0 && end < text.length;
    const isSmall = isInside && SMALL_WORDS.test(word);
    if (isSmall || CHOSEN.test(word) || (text[end] === ':' && !/\s/.test(text[end + 1] ?? ''))) return word;
    return word.replace(RAISED, (letter) => letter.toUpperCase());
  });
  return produceText(context, written);
}

/** A scheme, a host, and the path up to a query or a fragment. */
const ADDRESS = /^\s*[a-z][a-z0-9+.-]*:\/\/[^\s/?#]+(?<path>[^?#]*)/i;

/** Null where a text is no address. */
function readUrlPath(context: Context, text: string): string | null {
  spendText(context, text.length * 4);
  const path = text.length > MAX_URL_LENGTH ? undefined : ADDRESS.exec(text)?.groups?.['path'];
  if (path === undefined) return null;
  // Sequences that are encoded already stay.
  const encoded = encodeURI(wellFormed(path.trimEnd())).replaceAll('%25', '%');
  return produceText(context, encoded || '/');
}

const isBlank = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || value === 'nil';
const hasNothing = (value: unknown): boolean =>
  (Array.isArray(value) && value.length === 0) || (isObject(value) && Object.keys(value).length === 0);

/** An object without empty values; a list inside becomes an object of its places, as n8n makes it. */
function compactObject(
  context: Context,
  source: PlainObject | readonly unknown[],
  depth: number,
): PlainObject {
  if (depth > MAX_VALUE_DEPTH) throw new ExpressionError('too_deep', 'The value is nested too deep.');
  const object = emptyObject();
  for (const [key, value] of Object.entries(source)) {
    spend(context, 4);
    if (!isBlank(value) && !hasNothing(value))
      setEntry(context, object, { key, value: compactInside(context, value, depth + 1) });
  }
  return object;
}

const compactInside = (context: Context, value: unknown, depth: number): unknown =>
  Array.isArray(value) || isObject(value) ? compactObject(context, value, depth) : value;

function compact(context: Context, value: unknown): unknown {
  if (isObject(value)) return compactObject(context, value, 0);
  if (!Array.isArray(value)) throw new NoValue(`Expected a list or an object, found ${typeName(value)}.`);
  spend(context, value.length * 4);
  const kept = value.filter((item) => !isBlank(item) && !hasNothing(item));
  return produceList(
    context,
    kept.map((item) => compactInside(context, item, 1)),
  );
}

const RELATIVE_UNITS: readonly Exclude<DateUnit, 'millisecond'>[] = [
  'year',
  'month',
  'day',
  'hour',
  'minute',
  'second',
];

/** Throws ExpressionError `argument` for a language that does not exist. */
function writeRelative(context: Context, date: DateValue, language: string): string {
  spend(context, 5_000);
  const now = createDate(context.scope.now(), { zone: date.zone });
  if (now === null) throw new NoValue('The clock shows no date.');
  const format = createRelativeFormat(language);
  for (const unit of RELATIVE_UNITS) {
    const count = Math.trunc(countBetween(now, date, unit));
    if (count !== 0) return produceText(context, format.format(count, unit));
  }
  return produceText(context, format.format(now.ms > date.ms ? -0 : 0, 'second'));
}

function createRelativeFormat(language: string): Intl.RelativeTimeFormat {
  try {
    return new Intl.RelativeTimeFormat(language, { numeric: 'always' });
  } catch {
    throw new ExpressionError('argument', `relativeTime() does not know the language "${language}".`);
  }
}

/** Functions for texts, lists and objects whose results are those that n8n's methods of a like name have. */
export const scriptTextFunctions: Readonly<Record<string, FunctionDefinition>> = {
  headline: {
    signature: 'headline(text)',
    doc: 'Every word with an upper-case first letter, except small ones such as "of"; other letters stay.',
    example: '$headline("the lord of the rings")',
    call: (context, [text]) =>
      text === null ? null : writeHeadline(context, textArgument('headline', text)),
  },
  urlPath: {
    signature: 'urlPath(text)',
    doc: 'The path of a web address; null for a text that is none.',
    example: '$urlPath("https://example.com/a/b?c=d")',
    call: (context, [text]) => (typeof text === 'string' ? readUrlPath(context, text) : null),
  },
  compact: {
    signature: 'compact(value)',
    doc: 'A list or object without null, empty texts, lists and objects, and "nil", also inside; lists inside become objects.',
    example: '$compact([1, null, ""])',
    call: (context, [value = null]) => compact(context, value),
  },
  relativeTime: {
    signature: 'relativeTime(date, language?)',
    doc: 'How far a date is from now, in words such as "3 days ago"; null for null.',
    example: '$relativeTime($now.addDays(-3))',
    call: (context, [value = null, language = 'en']) => {
      if (value === null) return null;
      const date = parseDate(value, context.scope.timezone);
      if (date === null) throw new NoValue(`This ${typeName(value)} is not a date.`);
      return writeRelative(context, date, textArgument('relativeTime', language));
    },
  },
};
