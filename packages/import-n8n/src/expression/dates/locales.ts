import { type Code, chain, enclosed, Untranslatable } from '../value.ts';
import { fixedText, fixedValue } from './units.ts';

type Options = Readonly<Record<string, unknown>>;

/** That of n8n's images, which sets none. */
const USUAL_LANGUAGE = 'en-US';

const NUMERIC_DATE = { year: 'numeric', month: 'numeric', day: 'numeric' };
const TIME = { hour: 'numeric', minute: 'numeric' };
const SECONDS = { ...TIME, second: 'numeric' };
const DATES = {
  SHORT: NUMERIC_DATE,
  MED: { ...NUMERIC_DATE, month: 'short' },
  FULL: { ...NUMERIC_DATE, month: 'long' },
  HUGE: { ...NUMERIC_DATE, month: 'long', weekday: 'long' },
};
const ZONES = { SHORT: {}, MED: {}, FULL: { timeZoneName: 'short' }, HUGE: { timeZoneName: 'long' } };
const SIZES = ['SHORT', 'MED', 'FULL', 'HUGE'] as const;

/** Formats that Luxon has names for (https://moment.github.io/luxon/#/formatting?id=presets). */
const PRESETS: Readonly<Record<string, Options>> = {
  ...Object.fromEntries(
    SIZES.flatMap((size): [string, Options][] => [
      [`DATE_${size}`, DATES[size]],
      [`DATETIME_${size}`, { ...DATES[size], ...TIME, ...ZONES[size] }],
      [`DATETIME_${size}_WITH_SECONDS`, { ...DATES[size], ...SECONDS, ...ZONES[size] }],
    ]),
  ),
  DATE_MED_WITH_WEEKDAY: { ...DATES.MED, weekday: 'short' },
  DATETIME_MED_WITH_WEEKDAY: { ...DATES.MED, weekday: 'short', ...TIME },
  TIME_SIMPLE: TIME,
  TIME_WITH_SECONDS: SECONDS,
  TIME_WITH_SHORT_OFFSET: { ...SECONDS, timeZoneName: 'short' },
  TIME_WITH_LONG_OFFSET: { ...SECONDS, timeZoneName: 'long' },
  TIME_24_SIMPLE: { ...TIME, hourCycle: 'h23' },
  TIME_24_WITH_SECONDS: { ...SECONDS, hourCycle: 'h23' },
  TIME_24_WITH_SHORT_OFFSET: { ...SECONDS, hourCycle: 'h23', timeZoneName: 'short' },
  TIME_24_WITH_LONG_OFFSET: { ...SECONDS, hourCycle: 'h23', timeZoneName: 'long' },
};

/** `DateTime.DATE_MED` as an object of options; undefined for other names. */
export function findPreset(name: string): Code | undefined {
  const preset = /^DateTime\.([A-Z0-9_]+)$/.exec(name)?.[1] ?? '';
  if (!Object.hasOwn(PRESETS, preset)) return undefined;
  return { form: 'constant', code: JSON.stringify(PRESETS[preset]) };
}

const CLOCKS = ['TIME_SIMPLE', 'TIME_WITH_SECONDS', 'TIME_WITH_SHORT_OFFSET', 'TIME_WITH_LONG_OFFSET'];

/** Tokens of Luxon such as DDD are no parts of a pattern: each stands for a whole format. Undefined for others. */
export function findMacro(token: string): Options | undefined {
  const [letter = ''] = token;
  const size = SIZES[token.length - 1];
  if (!/^([DtTfF])\1{0,3}$/.test(token) || size === undefined) return undefined;
  if (letter === 'D') return PRESETS[`DATE_${size}`];
  if (letter === 'f') return PRESETS[`DATETIME_${size}`];
  if (letter === 'F') return PRESETS[`DATETIME_${size}_WITH_SECONDS`];
  const clock = CLOCKS[token.length - 1] ?? '';
  return PRESETS[letter === 't' ? clock : clock.replace('TIME_', 'TIME_24_')];
}

/** Throws `Untranslatable` for what JavaScript refuses, which would fail only in the run. */
export function writeDateIn(date: Code, language: string, options: Options): Code {
  checkFormat(language, options);
  return chain(`formatDate(${date.code}, ${JSON.stringify(language)}, ${JSON.stringify(options)})`, 'text');
}

function checkFormat(language: string, options: Options): void {
  try {
    Intl.DateTimeFormat(language, options);
  } catch (error) {
    throw new Untranslatable(error instanceof Error ? error.message : 'JavaScript has no such date format');
  }
}

/** A language, the first of several, or that of the service where none is named. */
export function readLanguage(code: Code | undefined): string {
  const value =
    code === undefined ? null : (fixedValue(code) ?? (code.code === 'null' ? null : fixedText(code)));
  const [first = null] = Array.isArray(value) ? (value as unknown[]) : [value];
  if (first === null || first === 'default') return USUAL_LANGUAGE;
  return fixedText({ form: 'constant', code: JSON.stringify(first) });
}

function readOptions(code: Code | undefined): Options {
  const value = code === undefined ? {} : fixedValue(code);
  if (value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value))
    throw new Untranslatable('the options of a date must be fixed');
  return Object.fromEntries(Object.entries(value as Options).filter(([, option]) => option !== null));
}

const DAY_FIELDS = ['weekday', 'year', 'month', 'day'];
const CLOCK_FIELDS = ['dayPeriod', 'hour', 'minute', 'second', 'fractionalSecondDigits'];

/** Fields that these methods of JavaScript write when the options name none of `needed` (ECMA-402, CreateDateTimeFormat). */
const SCRIPT_METHODS: Readonly<
  Record<
    string,
    { readonly needed: readonly string[]; readonly usual: Options; readonly refused: readonly string[] }
  >
> = {
  toLocaleDateString: { needed: DAY_FIELDS, usual: NUMERIC_DATE, refused: ['timeStyle'] },
  toLocaleTimeString: { needed: CLOCK_FIELDS, usual: SECONDS, refused: ['dateStyle'] },
  toLocaleString: {
    needed: [...DAY_FIELDS, ...CLOCK_FIELDS],
    usual: { ...NUMERIC_DATE, ...SECONDS },
    refused: [],
  },
};

/** `toLocaleDateString()` and others of a date of JavaScript; undefined for other methods. */
export function scriptLocaleMethod(date: Code, name: string, args: readonly Code[]): Code | undefined {
  const method = Object.hasOwn(SCRIPT_METHODS, name) ? SCRIPT_METHODS[name] : undefined;
  if (method === undefined || args.length > 2) return undefined;
  const options = readOptions(args[1]);
  if (method.refused.some((option) => option in options))
    throw new Untranslatable(`JavaScript fails at these options of ${name}()`);
  const isWhole = [...method.needed, 'dateStyle', 'timeStyle'].some((option) => option in options);
  return writeDateIn(date, readLanguage(args[0]), isWhole ? options : { ...options, ...method.usual });
}

/** `toLocaleString(options, {locale})` of a date of Luxon. */
export function luxonLocaleText(date: Code, [format, more]: readonly Code[]): Code {
  const { locale, ...other } = readOptions(more);
  if (Object.keys(other).length > 0) throw new Untranslatable('these options of a date have no equal here');
  const { locale: named, ...options } =
    format === undefined ? (NUMERIC_DATE as Options) : readOptions(format);
  if (named !== undefined) throw new Untranslatable('Luxon reads the language from the second argument');
  const language = typeof locale === 'string' ? locale : (date.language ?? USUAL_LANGUAGE);
  return writeDateIn(date, language, options);
}

const MONTHS = Array.from({ length: 12 }, (_, month) => Date.UTC(2026, month, 5));
/** `dayOfWeek` counts from Monday. */
const WEEKDAYS = Array.from({ length: 7 }, (_, day) => Date.UTC(2026, 5, 1 + day));

const NAMES: Readonly<Record<string, { readonly of: 'month' | 'weekday'; readonly options: Options }>> = {
  LLLL: { of: 'month', options: { month: 'long' } },
  LLL: { of: 'month', options: { month: 'short' } },
  MMMM: { of: 'month', options: { month: 'long', day: 'numeric' } },
  MMM: { of: 'month', options: { month: 'short', day: 'numeric' } },
  cccc: { of: 'weekday', options: { weekday: 'long' } },
  ccc: { of: 'weekday', options: { weekday: 'short' } },
  EEEE: { of: 'weekday', options: { weekday: 'long', month: 'long', day: 'numeric' } },
  EEE: { of: 'weekday', options: { weekday: 'short', month: 'long', day: 'numeric' } },
};

/** The name of a month or day in a language, as a token of Luxon writes it; undefined for other tokens. */
export function translateName(date: Code, token: string, language: string): Code | undefined {
  const found = Object.hasOwn(NAMES, token) ? NAMES[token] : undefined;
  if (found === undefined) return undefined;
  checkFormat(language, {});
  const format = new Intl.DateTimeFormat(language, { ...found.options, timeZone: 'UTC' });
  const names = (found.of === 'month' ? MONTHS : WEEKDAYS).map(
    (ms) => format.formatToParts(ms).find(({ type }) => type === found.of)?.value ?? '',
  );
  const place = found.of === 'month' ? `${enclosed(date)}.month - 1` : `${enclosed(date)}.dayOfWeek`;
  return chain(`array(${names.map((name) => JSON.stringify(name)).join(', ')})[${place}]`, 'text');
}

/** Patterns write only Latin digits. Throws `Untranslatable` for languages that have others. */
export function requireLatinDigits(language: string): void {
  checkFormat(language, {});
  if (new Intl.DateTimeFormat(language).resolvedOptions().numberingSystem !== 'latn')
    throw new Untranslatable('dates in this language have no equal here');
}

export const isEnglish = (language: string): boolean => /^en(-us)?$/i.test(language);
