import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../units.ts';
import { daysInMonth, isoWeekIn, ordinalIn, quarterIn } from '../dates/calendar.ts';
import {
  addDays,
  addMilliseconds,
  addMonths,
  type DateValue,
  dayOfWeek,
  inZone,
  isoText,
  parseDate,
  readZone,
} from '../dates/date-value.ts';
import { formatDate } from '../dates/format.ts';
import {
  countBetween,
  type DateUnit,
  findEnd,
  findStart,
  moveDate,
  readUnit,
  withFields,
} from '../dates/periods.ts';
import { offsetAt, type WallClock, wallClockAt } from '../dates/zone.ts';
import { type Context, produceDate, produceText, spendDate, spendText } from '../evaluate/context.ts';
import { indexByName, type MethodDefinition } from '../functions/definition.ts';
import { isSamePeriod, readAmounts, readFields } from './date-arguments.ts';

type DateMethod = MethodDefinition<DateValue>;
const DEFAULT_PATTERN = 'YYYY-MM-DD HH:mm:ss';

/** A number that the clock and the calendar of the date's zone show. */
function shown(name: string, doc: string, read: (clock: WallClock) => number): DateMethod {
  return property(name, doc, ({ ms, zone }) => read(wallClockAt(ms, zone)));
}

const field = (name: keyof WallClock, doc: string): DateMethod => shown(name, doc, (clock) => clock[name]);

function property(name: string, doc: string, read: (date: DateValue) => unknown): DateMethod {
  const example = `$now.${name}`;
  return { signature: name, doc, example, property: true, call: (_, self) => read(self) };
}

function shift(
  name: string,
  doc: string,
  move: (date: DateValue, by: number) => DateValue | null,
): DateMethod {
  return {
    signature: `${name}(n)`,
    doc,
    example: `$now.${name}(1)`,
    call: (context, self, [by]) => (typeof by === 'number' ? produceDate(context, move(self, by)) : null),
  };
}

type Edge = (date: DateValue, unit: DateUnit) => DateValue | null;

function edge(name: string, doc: string, [move, unit]: readonly [Edge, DateUnit]): DateMethod {
  return {
    signature: `${name}()`,
    doc,
    example: `$now.${name}()`,
    call: (context, self) => produceDate(context, move(self, unit)),
  };
}

function edgeOfUnit(name: string, doc: string, move: Edge): DateMethod {
  return {
    signature: `${name}(unit)`,
    doc,
    example: `$now.${name}("week")`,
    call: (context, self, [unit]) => {
      const known = readUnit(unit);
      if (known === null) return null;
      spendDate(context, self);
      return produceDate(context, move(self, known));
    },
  };
}

/** `sign` is -1 where the date moves back. */
function shiftByUnits(name: string, doc: string, sign: 1 | -1): DateMethod {
  return {
    signature: `${name}(amount, unit)`,
    doc,
    example: `$now.${name}({"days": 2, "hours": 12})`,
    call: (context, self, values) => {
      const amounts = readAmounts(context, values, sign);
      return amounts === null ? null : produceDate(context, moveDate(self, amounts));
    },
  };
}

function written(name: string, doc: string, write: (date: DateValue) => string | number): DateMethod {
  const call = (context: Context, self: DateValue): string | number => {
    spendDate(context, self);
    return write(self);
  };
  return { signature: `${name}()`, doc, example: `$now.${name}()`, call };
}

export const dateMethods: Readonly<Record<string, DateMethod>> = {
  year: field('year', 'Year with four digits.'),
  month: field('month', 'Month from 1 to 12.'),
  day: field('day', 'Day of the month.'),
  hour: field('hour', 'Hour from 0 to 23.'),
  minute: field('minute', 'Minute.'),
  second: field('second', 'Second.'),
  millisecond: field('millisecond', 'Millisecond.'),
  dayOfWeek: property('dayOfWeek', 'Day of the week, 0 is Monday.', dayOfWeek),
  dayOfYear: shown('dayOfYear', 'Day of the year, from 1.', ordinalIn),
  daysInMonth: shown('daysInMonth', 'How many days the month has.', ({ year, month }) =>
    daysInMonth(year, month),
  ),
  weekNumber: shown('weekNumber', 'Week of ISO 8601, from 1 to 53.', (clock) => isoWeekIn(clock).week),
  weekYear: shown('weekYear', 'Year that the week of ISO 8601 belongs to.', (clock) => isoWeekIn(clock).year),
  quarter: shown('quarter', 'Quarter from 1 to 4.', quarterIn),
  zone: property('zone', 'Time zone, such as Europe/Berlin, +02:00 or UTC.', ({ zone }) => zone),
  offset: property(
    'offset',
    'Minutes by which its clocks are ahead of UTC.',
    ({ ms, zone }) => offsetAt(ms, zone) / MINUTE_MS,
  ),
  format: {
    signature: 'format(pattern?)',
    doc: 'Text by tokens: YYYY YY MMMM MMM MM M dddd ddd DD D HH H hh h mm m ss s SSS A a Z ZZ, {X} and {x} (unix seconds and milliseconds), {Q} (quarter), {GGGG} {WW} {W} (ISO year and week), {E} (weekday, 1 is Monday), {DDDD} {DDD} (day of the year); [text] stays.',
    example: '$now.format("DD.MM.YYYY")',
    call: (context, self, [pattern]) => {
      const chosen = typeof pattern === 'string' ? pattern : DEFAULT_PATTERN;
      spendDate(context, self);
      spendText(context, chosen.length * 64);
      return produceText(context, formatDate(self.ms, self.zone, chosen));
    },
  },
  toISO: written('toISO', 'ISO 8601 text with offset.', isoText),
  toTimestamp: written('toTimestamp', 'ISO 8601 text with milliseconds, and Z for UTC.', (date) =>
    formatDate(date.ms, date.zone, `YYYY-MM-DDTHH:mm:ss.SSS${date.zone === 'UTC' ? '[Z]' : 'Z'}`),
  ),
  toDate: written('toDate', 'The date as YYYY-MM-DD.', (date) =>
    formatDate(date.ms, date.zone, 'YYYY-MM-DD'),
  ),
  toTime: written('toTime', 'The time as HH:mm:ss.', (date) => formatDate(date.ms, date.zone, 'HH:mm:ss')),
  toUnix: written('toUnix', 'Seconds since 1970.', (date) => Math.floor(date.ms / 1000)),
  toMillis: written('toMillis', 'Milliseconds since 1970.', (date) => date.ms),
  addDays: shift('addDays', 'Moves by days and keeps the time on the clock.', addDays),
  addHours: shift('addHours', 'Moves by hours.', (date, by) => addMilliseconds(date, by * HOUR_MS)),
  addMinutes: shift('addMinutes', 'Moves by minutes.', (date, by) => addMilliseconds(date, by * MINUTE_MS)),
  addSeconds: shift('addSeconds', 'Moves by seconds.', (date, by) => addMilliseconds(date, by * SECOND_MS)),
  addMilliseconds: shift('addMilliseconds', 'Moves by milliseconds.', addMilliseconds),
  addWeeks: shift('addWeeks', 'Moves by weeks and keeps the time on the clock.', (date, by) =>
    addDays(date, Math.trunc(by) * 7),
  ),
  addMonths: shift('addMonths', 'Moves by months; a day that the month lacks becomes its last.', addMonths),
  addQuarters: shift('addQuarters', 'Moves by quarters, which are three months each.', (date, by) =>
    addMonths(date, Math.trunc(by) * 3),
  ),
  addYears: shift('addYears', 'Moves by years; 29 February becomes the 28th.', (date, by) =>
    addMonths(date, Math.trunc(by) * 12),
  ),
  add: shiftByUnits('add', 'Moves by an amount of a unit, or by an object of them; null moves nothing.', 1),
  subtract: shiftByUnits('subtract', 'Moves back by an amount of a unit, or by an object of them.', -1),
  set: {
    signature: 'set(fields)',
    doc: 'With other fields: year, month, day, hour, minute, second, millisecond; null for a time that does not exist.',
    example: '$now.set({"hour": 9, "minute": 0})',
    call: (context, self, [fields]) => {
      const read = readFields(context, fields);
      return read === null ? null : produceDate(context, withFields(self, read));
    },
  },
  inZone: {
    signature: 'inZone(zone?)',
    doc: 'The same instant in a time zone, or in that of the workflow; null for a zone that is not known.',
    example: '$now.inZone("America/New_York")',
    call: (context, self, [zone = context.scope.timezone]) => {
      const known = readZone(zone);
      return known === null ? null : produceDate(context, inZone(self, known));
    },
  },
  diff: {
    signature: 'diff(other, unit?)',
    doc: 'Time from another date to this one: in milliseconds, or in days and other units with a fraction.',
    example: '$now.diff("2026-01-01", "days")',
    call: (context, self, [other, unit = 'millisecond']) => {
      const [from, known] = [parseDate(other, context.scope.timezone), readUnit(unit)];
      if (from === null || known === null) return null;
      for (let turn = 0; turn < 2; turn++) spendDate(context, self);
      return countBetween(from, self, known);
    },
  },
  isSame: {
    signature: 'isSame(other, unit)',
    doc: 'Whether both are in the same year, quarter, month, week or day on their own calendars.',
    example: '$now.isSame("2026-01-01", "month")',
    call: (context, self, [other, unit]) => {
      const date = parseDate(other, context.scope.timezone);
      spendDate(context, self);
      return date === null ? null : isSamePeriod(self, date, readUnit(unit));
    },
  },
  startOf: edgeOfUnit(
    'startOf',
    'First instant of the year, quarter, month, week, day, hour, minute or second.',
    findStart,
  ),
  endOf: edgeOfUnit(
    'endOf',
    'Last microsecond of the year, quarter, month, week, day, hour, minute or second.',
    findEnd,
  ),
  startOfDay: edge('startOfDay', 'First instant of the day.', [findStart, 'day']),
  endOfDay: edge('endOfDay', 'Last microsecond of the day.', [findEnd, 'day']),
  startOfMonth: edge('startOfMonth', 'First instant of the month.', [findStart, 'month']),
  endOfMonth: edge('endOfMonth', 'Last microsecond of the month.', [findEnd, 'month']),
  toString: written('toString', 'ISO 8601 text with offset.', isoText),
};

const byName = indexByName(dateMethods);

export function dateMember(context: Context, date: DateValue, name: string): unknown {
  const member = byName.get(name);
  if (member?.property !== true) return null;
  spendDate(context, date);
  return member.call(context, date, []);
}

export function dateMethodNamed(name: string): DateMethod | undefined {
  const method = byName.get(name);
  return method?.property === true ? undefined : method;
}
