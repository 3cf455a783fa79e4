import { HOUR_MS, MINUTE_MS } from '../../units.ts';
import {
  addDays,
  addMilliseconds,
  addMonths,
  type DateValue,
  dayOfWeek,
  endOfDay,
  endOfMonth,
  isoText,
  startOfDay,
  startOfMonth,
} from '../dates/date-value.ts';
import { formatDate } from '../dates/format.ts';
import { wallClockAt } from '../dates/zone.ts';
import { type Context, produceDate, produceText, spendDate, spendText } from '../evaluate/context.ts';
import { indexByName, type MethodDefinition } from '../functions/definition.ts';

type DateMethod = MethodDefinition<DateValue>;
const DEFAULT_PATTERN = 'YYYY-MM-DD HH:mm:ss';

function field(name: 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second', doc: string): DateMethod {
  return {
    signature: name,
    doc,
    example: `$now.${name}`,
    property: true,
    call: (_, self) => wallClockAt(self.ms, self.zone)[name],
  };
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

function edge(name: string, doc: string, move: (date: DateValue) => DateValue | null): DateMethod {
  return {
    signature: `${name}()`,
    doc,
    example: `$now.${name}()`,
    call: (context, self) => produceDate(context, move(self)),
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
  dayOfWeek: {
    signature: 'dayOfWeek',
    doc: 'Day of the week, 0 is Monday.',
    example: '$now.dayOfWeek',
    property: true,
    call: (_, self) => dayOfWeek(self),
  },
  format: {
    signature: 'format(pattern?)',
    doc: 'Text by tokens: YYYY YY MMMM MMM MM M dddd ddd DD D HH H hh h mm m ss s A a.',
    example: '$now.format("DD.MM.YYYY")',
    call: (context, self, [pattern]) => {
      const chosen = typeof pattern === 'string' ? pattern : DEFAULT_PATTERN;
      spendDate(context, self);
      spendText(context, chosen.length * 64);
      return produceText(context, formatDate(self.ms, self.zone, chosen));
    },
  },
  toISO: written('toISO', 'ISO 8601 text with offset.', isoText),
  toDate: written('toDate', 'The date as YYYY-MM-DD.', (date) =>
    formatDate(date.ms, date.zone, 'YYYY-MM-DD'),
  ),
  toTime: written('toTime', 'The time as HH:mm:ss.', (date) => formatDate(date.ms, date.zone, 'HH:mm:ss')),
  toUnix: written('toUnix', 'Seconds since 1970.', (date) => Math.floor(date.ms / 1000)),
  toMillis: written('toMillis', 'Milliseconds since 1970.', (date) => date.ms),
  addDays: shift('addDays', 'Moves by days and keeps the time on the clock.', addDays),
  addHours: shift('addHours', 'Moves by hours.', (date, by) => addMilliseconds(date, by * HOUR_MS)),
  addMinutes: shift('addMinutes', 'Moves by minutes.', (date, by) => addMilliseconds(date, by * MINUTE_MS)),
  addMonths: shift('addMonths', 'Moves by months; a day that the month lacks becomes its last.', addMonths),
  addYears: shift('addYears', 'Moves by years; 29 February becomes the 28th.', (date, by) =>
    addMonths(date, Math.trunc(by) * 12),
  ),
  startOfDay: edge('startOfDay', 'First instant of the day.', startOfDay),
  endOfDay: edge('endOfDay', 'Last microsecond of the day.', endOfDay),
  startOfMonth: edge('startOfMonth', 'First instant of the month.', startOfMonth),
  endOfMonth: edge('endOfMonth', 'Last microsecond of the month.', endOfMonth),
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
