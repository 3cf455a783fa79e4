import { type Code, chain, enclosed, other, textConstant, Untranslatable } from '../value.ts';
import { differenceNumber, durationCode } from './durations.ts';
import { writeDate } from './format.ts';
import { luxonLocaleText, readLanguage, translateName } from './locales.ts';
import { movedDate } from './moves.ts';
import { scriptDateMethod } from './script-dates.ts';
import { fixedText, fixedValue, readUnit, type Unit, writtenNames } from './units.ts';

const toNumberCode = (code: string): Code => ({ ...other(code), value: 'number' });
const now: Code = chain('now', 'date');

const SAME_PROPERTIES = new Set(
  'year month day hour minute second millisecond weekNumber weekYear quarter daysInMonth offset'.split(' '),
);
const NAMES: Readonly<Record<string, string>> = {
  weekdayLong: 'dddd',
  weekdayShort: 'ddd',
  monthLong: 'MMMM',
  monthShort: 'MMM',
};

/** Text that is no date fails an expression, but an item expression only has no value then. */
function validityCode({ code }: Code): Code {
  if (/\bitem\b/.test(code)) throw new Untranslatable('isValid inside a function has no equal here');
  return other(`[0].map(${JSON.stringify(`(${code}) != null`)}).first() == true`);
}

/** A property of a date of Luxon, such as `$now.year`. */
export function dateProperty(object: Code, name: string): Code {
  const date = enclosed(object);
  if (object.value === 'date') {
    if (SAME_PROPERTIES.has(name)) return chain(`${date}.${name}`, 'number');
    if (name === 'ordinal') return chain(`${date}.dayOfYear`, 'number');
    if (name === 'isValid') return validityCode(object);
    if (name === 'ts') return chain(`${date}.toMillis()`, 'number');
    // Luxon counts from Monday as 1; here Monday is 0.
    if (name === 'weekday') return toNumberCode(`${date}.dayOfWeek + 1`);
    // Offsets that a text had are named otherwise.
    if (name === 'zoneName' && object.code.startsWith('now')) return chain(`${date}.zone`, 'text');
    if (Object.hasOwn(NAMES, name)) return chain(`${date}.format("${NAMES[name]}")`, 'text');
  }
  const localName = Object.hasOwn(LOCAL_NAMES, name) ? LOCAL_NAMES[name] : undefined;
  const found = object.language && localName && translateName(object, localName, object.language);
  if (found) return found;
  throw new Untranslatable(`the property ${name} of dates has no equal here`);
}

/** The argument of `inZone` for one of `setZone`: nothing for the zone of the workflow. */
export function zoneCode(zone: Code): string {
  if (zone.form !== 'constant') return zone.code;
  const name = fixedText(zone);
  if (/^(?:default|local|system)$/i.test(name)) return '';
  if (/^(?:utc|gmt)$/i.test(name)) return '"UTC"';
  const [, sign, hours = '', minutes = '00'] = /^utc([+-])(\d{1,2})(?::(\d{2}))?$/i.exec(name) ?? [];
  return sign === undefined ? textConstant(name).code : `"${sign}${hours.padStart(2, '0')}:${minutes}"`;
}

function edgeCode(object: Code, side: 'startOf' | 'endOf', unit: Unit): Code {
  const known = unit === 'day' ? `${side}Day()` : unit === 'month' ? `${side}Month()` : `${side}("${unit}")`;
  return chain(`${enclosed(object)}.${known}`, object.value);
}

/** Two dates in their order; in milliseconds where the last microsecond of a period would count, which Luxon does not know. */
export function comparedDates(left: Code, right: Code): [string, string] {
  const suffix = [left, right].some(({ code }) => code.includes('.endOf')) ? '.toMillis()' : '';
  return [`${enclosed(left)}${suffix}`, `${enclosed(right)}${suffix}`];
}

/** Texts may stand for dates there, as JavaScript reads them: a year or a day alone is one in UTC. */
function asDate(code: Code): string {
  if (code.value === 'date' || code.value === 'jsDate') return code.code;
  const [, year] = code.form === 'constant' ? (/^"(\d{4})"$/.exec(code.code) ?? []) : [];
  return `newDate(${year === undefined ? code.code : `"${year}-01-01"`})`;
}

function betweenCode(object: Code, [one, two]: readonly Code[]): Code {
  if (one === undefined || two === undefined) throw new Untranslatable('isBetween() needs two dates');
  const [date, from, to] = [enclosed(object), asDate(one), asDate(two)];
  if (`${date}${from}${to}`.includes('.endOf'))
    throw new Untranslatable('isBetween() with the end of a period has no equal here');
  return other(`(${date} > min(${from}, ${to})) and (${date} < max(${from}, ${to}))`);
}

const PARTS: Readonly<Record<string, string>> = { week: 'weekNumber', yearDayNumber: 'ordinal' };

type Member = (object: Code, args: readonly Code[]) => Code;

const text =
  (call: string): Member =>
  (object, args) => {
    if (args.length > 0) throw new Untranslatable('these options of a date have no equal here');
    return chain(`${enclosed(object)}.${call}`, 'text');
  };
const iso: Member = (object, args) => {
  if (args.length === 0) return chain(`${enclosed(object)}.toTimestamp()`, 'text');
  if (args.length === 1 && args[0]?.code === '{"includeOffset": false}')
    return chain(`${enclosed(object)}.format("YYYY-MM-DDTHH:mm:ss.SSS")`, 'text');
  throw new Untranslatable('these options of a date have no equal here');
};
const millis: Member = (object) => chain(`${enclosed(object)}.toMillis()`, 'number');
/** Only as many arguments as have an equal here. */
const atMost =
  (count: number, make: Member): Member =>
  (object, args) => {
    if (args.length > count) throw new Untranslatable('these options of a date have no equal here');
    return make(object, args);
  };
const unitIn = (code: Code | undefined): Unit => readUnit(fixedText(code));

function written(object: Code, [pattern, options]: readonly Code[]): Code {
  const named =
    options === undefined ? undefined : (fixedValue(options) as { locale?: unknown } | null)?.locale;
  if (options !== undefined && typeof named !== 'string')
    throw new Untranslatable('these options of a date have no equal here');
  return writeDate(object, fixedText(pattern), typeof named === 'string' ? named : object.language);
}

/** Methods that n8n gives to dates of Luxon and of JavaScript alike. */
const EXTENSIONS: Readonly<Record<string, Member>> = {
  format: written,
  plus: atMost(2, (object, [first, second]) => movedDate(object, { first, second, isBack: false })),
  minus: atMost(2, (object, [first, second]) => movedDate(object, { first, second, isBack: true })),
  beginningOf: atMost(1, (object, [unit]) =>
    edgeCode(object, 'startOf', unit === undefined ? 'week' : readUnit(fixedText(unit), true)),
  ),
  endOfMonth: atMost(0, (object) => edgeCode(object, 'endOf', 'month')),
  isBetween: atMost(2, betweenCode),
  isEmpty: atMost(0, (object) => other(`${enclosed(object)} == null`)),
  isNotEmpty: atMost(0, (object) => other(`${enclosed(object)} != null`)),
  isWeekend: atMost(0, (object) => other(`${enclosed(object)}.dayOfWeek > 4`)),
  isInLast: atMost(2, (object, [first, second]) => {
    const unit = second ?? { form: 'constant', code: '"minutes"' };
    const from = movedDate(now, { first, second: unit, isBack: true });
    return other(`(${from.code} <= ${enclosed(object)}) and (${enclosed(object)} <= now)`);
  }),
  extract: atMost(1, (object, [part]) => {
    const name = part === undefined ? 'week' : fixedText(part);
    return dateProperty({ ...object, value: 'date' }, PARTS[name] ?? name);
  }),
  toDateTime: atMost(0, ({ code, form }) => ({ form, code, value: 'date' })),
  toInt: atMost(0, millis),
  valueOf: atMost(0, millis),
};

const METHODS: Readonly<Record<string, Member>> = {
  ...EXTENSIONS,
  toFormat: atMost(2, written),
  toLocaleString: atMost(2, luxonLocaleText),
  setLocale: atMost(1, (object, [language]) => ({
    ...object,
    value: 'localDate',
    language: readLanguage(language),
  })),
  toISO: iso,
  toJSON: text('toTimestamp()'),
  toString: text('toTimestamp()'),
  toISODate: text('toDate()'),
  toISOTime: text('toTimestamp()[11:]'),
  toISOWeekDate: text('format("{GGGG}-[W]{WW}-{E}")'),
  toSQL: text('format("YYYY-MM-DD HH:mm:ss.SSS Z")'),
  toRelative: atMost(0, (object) => chain(`relativeTime(${object.code})`, 'text')),
  toSQLDate: text('toDate()'),
  toRFC2822: text('format("ddd, DD MMM YYYY HH:mm:ss ZZ")'),
  toHTTP: text('inZone("UTC").format("ddd, DD MMM YYYY HH:mm:ss [GMT]")'),
  toMillis: atMost(0, millis),
  toSeconds: atMost(0, (object) => toNumberCode(`${enclosed(object)}.toMillis() / 1000`)),
  toUnixInteger: atMost(0, (object) => chain(`${enclosed(object)}.toUnix()`, 'number')),
  toJSDate: atMost(0, (object) => chain(`${enclosed(object)}.inZone()`, 'jsDate')),
  setZone: atMost(1, (object, [zone]) =>
    chain(`${enclosed(object)}.inZone(${zone === undefined ? '' : zoneCode(zone)})`, 'date'),
  ),
  toUTC: atMost(0, (object) => chain(`${enclosed(object)}.inZone("UTC")`, 'date')),
  toLocal: atMost(0, (object) => chain(`${enclosed(object)}.inZone()`, 'date')),
  startOf: atMost(1, (object, [unit]) => edgeCode(object, 'startOf', unitIn(unit))),
  endOf: atMost(1, (object, [unit]) => edgeCode(object, 'endOf', unitIn(unit))),
  diff: atMost(2, (object, [date, unit]) => durationCode(object, date, unit)),
  diffNow: atMost(1, (object, [unit]) => durationCode(object, now, unit)),
  diffTo: atMost(2, (object, [date, unit]) => differenceNumber(object, date, unit)),
  diffToNow: atMost(1, (object, [unit]) => differenceNumber(object, now, unit)),
  hasSame: atMost(2, (object, [date, name]) => {
    const unit = unitIn(name);
    if (date?.value !== 'date' || !['day', 'week', 'month', 'quarter', 'year'].includes(unit))
      throw new Untranslatable('hasSame() needs a date, and a unit from a day to a year');
    return other(`${enclosed(object)}.isSame(${date.code}, "${unit}")`);
  }),
  set: atMost(1, (object, [fields]) => {
    const names = fields === undefined ? [] : writtenNames(fields);
    if (fields === undefined || names.length === 0 || !names.every((name) => SETTABLE.test(name)))
      throw new Untranslatable('only year, month, day, hour, minute, second and millisecond can be set');
    return chain(`${enclosed(object)}.set(${fields.code})`, 'date');
  }),
};
const SETTABLE = /^(?:year|month|day|hour|minute|second|millisecond)$/;

/** Methods of a date with a language of its own; others would lose it. */
const LOCAL_METHODS: Readonly<Record<string, Member>> = {
  toFormat: atMost(2, written),
  format: atMost(2, written),
  toLocaleString: atMost(2, luxonLocaleText),
  toRelative: atMost(0, ({ code, language = 'en' }) =>
    chain(`relativeTime(${code}, ${JSON.stringify(language)})`, 'text'),
  ),
};
const LOCAL_NAMES: Readonly<Record<string, string>> = {
  weekdayLong: 'cccc',
  weekdayShort: 'ccc',
  monthLong: 'LLLL',
  monthShort: 'LLL',
};

/** The code of a call of a method of a date, or a reason why there is none. */
export function dateMethod(object: Code, name: string, args: readonly Code[]): Code {
  const table = object.value === 'date' ? METHODS : object.value === 'localDate' ? LOCAL_METHODS : EXTENSIONS;
  const make = Object.hasOwn(table, name) ? table[name] : undefined;
  if (make !== undefined) return make(object, args);
  const found = object.value === 'jsDate' ? scriptDateMethod(object, name, args) : undefined;
  if (found === undefined) throw new Untranslatable(`the method ${name}() of dates has no equal here`);
  return found;
}
