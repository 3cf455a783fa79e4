import { type Code, chain, enclosed, other, Untranslatable } from '../value.ts';
import { fixedText } from './units.ts';

/** Code of the numbers that are read of a date, with the date as `$`. */
const NUMBERS: Readonly<Record<string, string>> = {
  FullYear: '$.year',
  Month: '$.month - 1',
  Date: '$.day',
  Day: 'remainder($.dayOfWeek + 1, 7)',
  Hours: '$.hour',
  Minutes: '$.minute',
  Seconds: '$.second',
  Milliseconds: '$.millisecond',
};
/** Days as these languages write them in figures. */
const LOCALES: Readonly<Record<string, string>> = {
  'en-US': 'M/D/YYYY',
  'en-GB': 'DD/MM/YYYY',
  'fr-FR': 'DD/MM/YYYY',
  'de-DE': 'D.M.YYYY',
  'sv-SE': 'YYYY-MM-DD',
};

/** A method of a date of JavaScript, which is in the zone of the workflow; undefined when it has no equal. */
export function scriptDateMethod(object: Code, name: string, args: readonly Code[]): Code | undefined {
  const date = enclosed(object);
  if (name === 'toLocaleDateString' && args.length === 1) {
    const pattern = LOCALES[fixedText(args[0])];
    if (pattern === undefined) throw new Untranslatable('dates in this language have no equal here');
    return chain(`${date}.format("${pattern}")`, 'text');
  }
  if (args.length > 0) return undefined;
  if (name === 'getTime') return chain(`${date}.toMillis()`, 'number');
  if (name === 'getTimezoneOffset') return { ...other(`0 - ${date}.offset`), value: 'number' };
  if (name === 'toISOString' || name === 'toJSON')
    return chain(`${date}.inZone("UTC").toTimestamp()`, 'text');
  if (name === 'toDateString') return chain(`${date}.format("ddd MMM DD YYYY")`, 'text');
  const [, utc, field = ''] = /^get(UTC)?(.+)$/.exec(name) ?? [];
  const code = Object.hasOwn(NUMBERS, field) ? NUMBERS[field] : undefined;
  if (code === undefined) return undefined;
  const read = code.replace('$', () => (utc === undefined ? date : `${date}.inZone("UTC")`));
  return { ...(code.includes(' ') && !code.endsWith(')') ? other(read) : chain(read)), value: 'number' };
}
