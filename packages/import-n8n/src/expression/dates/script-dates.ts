import { type Code, chain, enclosed, numeric, other, Untranslatable } from '../value.ts';
import { scriptLocaleMethod } from './locales.ts';

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
/** Methods that change a date answer with its milliseconds; a day may be one of another month. */
function translateMove(date: string, name: string, args: readonly Code[]): Code | undefined {
  const [first] = args;
  const millis = (code: string): Code => chain(`${code}.toMillis()`, 'number');
  if (name === 'setDate' && first !== undefined && args.length === 1)
    return millis(`${date}.add({"days": ${translateWhole(first)} - ${date}.day})`);
  if (name !== 'setHours' || args.length === 0 || args.length > CLOCK.length) return undefined;
  const parts = args.map(({ form, code }, index) => {
    const [unit = '', most = 0] = CLOCK[index] ?? [];
    if (form !== 'constant' || !/^\d+$/.test(code) || Number(code) > most)
      throw new Untranslatable('setHours() needs fixed numbers of a day here');
    return `"${unit}": ${code}`;
  });
  return millis(`${date}.set({${parts.join(', ')}})`);
}

/** JavaScript leaves out the fraction of a day; here it would move the hours. */
const translateWhole = (number: Code): string =>
  /^\d+$/.test(number.code) ? number.code : `int(${numeric(number)})`;

const CLOCK: readonly (readonly [string, number])[] = [
  ['hour', 23],
  ['minute', 59],
  ['second', 59],
  ['millisecond', 999],
];

/** A method of a date of JavaScript, which is in the zone of the workflow; undefined when it has no equal. */
export function scriptDateMethod(object: Code, name: string, args: readonly Code[]): Code | undefined {
  const date = enclosed(object);
  const local = scriptLocaleMethod(object, name, args);
  if (local !== undefined) return local;
  const moved = translateMove(date, name, args);
  if (moved !== undefined) return moved;
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
