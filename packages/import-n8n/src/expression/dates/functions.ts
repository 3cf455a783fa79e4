import { DAY_MS } from '@millrace/engine/units';
import { type Code, chain, numeric, Untranslatable } from '../value.ts';
import { patternCode, readFormat } from './format.ts';
import { zoneCode } from './members.ts';
import { fixedText, fixedValue } from './units.ts';

type Make = (first: Code, second: Code | undefined, third: Code | undefined) => Code;

const date = (code: string): Code => chain(code, 'date');
const now: Code = date('now');
const utc: Code = date('now.inZone("UTC")');

/** `{ zone: "…" }`; a text without an offset is in that zone, and the date as well. */
function readZoneOption(options: Code | undefined): { zone: string; isKept: boolean } | undefined {
  if (options === undefined) return undefined;
  const value = fixedValue(options);
  const [[name, option] = [], ...more] = Object.entries((value ?? {}) as Record<string, unknown>);
  if (more.length === 0 && name === 'setZone' && option === true) return { zone: '', isKept: true };
  if (more.length > 0 || name !== 'zone' || typeof option !== 'string')
    throw new Untranslatable('these options of a date have no equal here');
  return { zone: zoneCode({ form: 'constant', code: JSON.stringify(option) }), isKept: false };
}

/** Text keeps its offset here, and gets the zone of the workflow in Luxon. */
function dateOfText(text: Code, pattern: string | undefined, options: Code | undefined): Code {
  const { zone = '', isKept = false } = readZoneOption(options) ?? {};
  const more = zone === '' ? (pattern === undefined ? [] : [pattern]) : [pattern ?? 'null', zone];
  const read = `dateOf(${[text.code, ...more].join(', ')})`;
  return date(isKept ? read : `${read}.inZone(${zone})`);
}

const inWorkflowZone = (text: Code): Code => date(`dateOf(${text.code}).inZone()`);

const withoutOptions =
  (make: (first: Code) => Code): Make =>
  (first, second) => {
    if (second !== undefined) throw new Untranslatable('these options of a date have no equal here');
    return make(first);
  };

const FROM: Readonly<Record<string, Make>> = {
  'DateTime.fromISO': (text, options) => dateOfText(text, undefined, options),
  'DateTime.fromFormat': (text, pattern, options) =>
    dateOfText(text, patternCode(readFormat(fixedText(pattern))), options),
  'DateTime.fromSQL': withoutOptions(inWorkflowZone),
  'DateTime.fromMillis': withoutOptions((ms) => date(`dateOf(${numeric(ms)})`)),
  'DateTime.fromSeconds': withoutOptions((seconds) => date(`dateOf(${numeric(seconds)} * 1000)`)),
  'DateTime.fromJSDate': withoutOptions((value) => {
    if (value.value !== 'jsDate')
      throw new Untranslatable('fromJSDate() of what may be no date has no equal here');
    return date(value.code);
  }),
  'Date.parse': withoutOptions((text) => chain(`newDate(${text.code}).toMillis()`, 'number')),
};
const PRESENT: Readonly<Record<string, Code>> = {
  'DateTime.now': now,
  'DateTime.local': now,
  'DateTime.utc': utc,
  'Date.now': chain('now.toMillis()', 'number'),
};

/** Functions of Luxon and JavaScript that make dates; undefined for other names. */
export function dateFunction(name: string, args: readonly Code[]): Code | undefined {
  const present = Object.hasOwn(PRESENT, name) ? PRESENT[name] : undefined;
  const make = Object.hasOwn(FROM, name) ? FROM[name] : undefined;
  if (present !== undefined && args.length === 0) return present;
  const [first, second, third] = args;
  if (make !== undefined && first !== undefined && args.length <= 3) return make(first, second, third);
  if (present === undefined && make === undefined) return undefined;
  throw new Untranslatable(`${name}() with ${args.length} arguments has no equal here`);
}

/** `new Date()` and `new Date(value)`. */
export const createdDate = (value: Code | undefined): Code =>
  chain(value === undefined ? 'now' : `newDate(${value.code})`, 'jsDate');

/** Days from the first one of a workbook until 1970, with the leap day that 1900 did not have. */
const EXCEL_EPOCH_DAYS = 25_569;

/** `value.toDateTime()` of n8n, for ISO text and milliseconds, or by a format. */
export function convertedDate(value: Code, [format]: readonly Code[]): Code {
  if (format === undefined) return date(`dateOf(${value.code})`);
  const pattern = fixedText(format);
  if (pattern === 'ms') return date(`dateOf(${numeric(value)})`);
  if (pattern === 's') return date(`dateOf(${numeric(value)} * 1000)`);
  if (pattern === 'us') return date(`dateOf(${numeric(value)} / 1000)`);
  if (pattern === 'excel') return date(`dateOf((${numeric(value)} - ${EXCEL_EPOCH_DAYS}) * ${DAY_MS})`);
  return dateOfText(value, patternCode(readFormat(pattern)), undefined);
}
