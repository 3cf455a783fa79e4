import {
  addDays,
  addMilliseconds,
  addMonths,
  DateValue,
  findEnd,
  findStart,
  formatDate,
  isoText,
  isTimeZone,
  parseDate,
} from '@millrace/engine';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '@millrace/engine/units';
import type { z } from 'zod';
import { implement, type NodeCall } from '../implement.ts';
import { refusedParam } from '../kit/refused-param.ts';
import { date } from './definition.ts';

type Params = z.output<typeof date.params>;
type Call = NodeCall<Params>;

const LONGEST_PATTERN = 200;
/** The zone of dates that name no offset, when the field is empty. */
const ZONE = 'UTC';

export const runDate = implement(date, (call: Call) => {
  const { params } = call;
  const zone = readZone(params);
  if (params.operation === 'difference') {
    return { output: between(dateIn(params, 'value', zone), dateIn(params, 'until', zone), zone) };
  }
  const moved = computeDate(call, zone);
  if (moved === null) throw refusedParam('amount', 'leads to a date that cannot be written');
  const written = zone === undefined ? moved : inZone(moved, zone);
  return { output: { value: formatValue(params, written), unix: Math.floor(moved.ms / SECOND_MS) } };
});

function readZone({ timeZone }: Params): string | undefined {
  const zone = timeZone.trim();
  if (zone === '') return undefined;
  if (isTimeZone(zone)) return zone;
  throw refusedParam('timeZone', `must be a time zone such as Europe/Berlin, not "${zone.slice(0, 40)}"`);
}

const inZone = ({ ms, micros }: DateValue, zone: string): DateValue => new DateValue(ms, zone, micros);

/** A date with the zone of the field, for days and months begin there; without one with its own offset. */
function dateIn(params: Params, name: 'value' | 'until', zone: string | undefined): DateValue {
  const value = params[name];
  const found = parseDate(value, zone ?? ZONE);
  if (found) return zone === undefined ? found : inZone(found, zone);
  const words = value === null || value === undefined || value === '' ? 'is empty' : 'is no date';
  throw refusedParam(name, `${words}; enter one such as 2026-03-01 or 2026-03-01T08:30:00+01:00`);
}

function computeDate({ params, services }: Call, zone: string | undefined): DateValue | null {
  const { operation } = params;
  switch (operation) {
    case 'now':
      return new DateValue(services.now(), zone ?? ZONE);
    case 'format':
      return dateIn(params, 'value', zone);
    case 'add':
      return added(dateIn(params, 'value', zone), params);
    case 'startOf':
      return findStart(dateIn(params, 'value', zone), params.period);
    case 'endOf':
      return findEnd(dateIn(params, 'value', zone), params.period);
    case 'difference':
      return null;
    default:
      return operation satisfies never;
  }
}

/** Days and longer move the calendar and keep the time on the clock; hours and shorter are elapsed time. */
function added(value: DateValue, { amount, unit }: Params): DateValue | null {
  const isWhole = Number.isInteger(amount);
  switch (unit) {
    case 'seconds':
      return addMilliseconds(value, amount * SECOND_MS);
    case 'minutes':
      return addMilliseconds(value, amount * MINUTE_MS);
    case 'hours':
      return addMilliseconds(value, amount * HOUR_MS);
    case 'days':
    case 'weeks':
    case 'months':
    case 'years':
      if (!isWhole) throw refusedParam('amount', `must be a whole number of ${unit}`);
      if (unit === 'days' || unit === 'weeks') return addDays(value, unit === 'days' ? amount : amount * 7);
      return addMonths(value, unit === 'months' ? amount : amount * 12);
    default:
      return unit satisfies never;
  }
}

function formatValue({ format }: Params, value: DateValue): string {
  if (format.trim() === '') return isoText(value);
  if (format.length > LONGEST_PATTERN) {
    throw refusedParam('format', `is longer than ${LONGEST_PATTERN} characters`);
  }
  return formatDate(value.ms, value.zone, format);
}

/** From the first to the other date; less than zero when the other is earlier. */
function between(first: DateValue, other: DateValue, zone: string | undefined) {
  const milliseconds = other.ms - first.ms + (other.micros - first.micros) / 1000;
  // Dates with different offsets have different days; those of the first one count.
  const calendar = inZone(other, zone ?? first.zone);
  return {
    milliseconds,
    seconds: milliseconds / SECOND_MS,
    minutes: milliseconds / MINUTE_MS,
    hours: milliseconds / HOUR_MS,
    days: milliseconds / DAY_MS,
    calendar_days: (dayNumber(calendar) - dayNumber(first)) / DAY_MS,
  };
}

/** The day of a date as if its zone were UTC, where every day is as long. */
const dayNumber = ({ ms, zone }: DateValue): number => Date.parse(formatDate(ms, zone, 'YYYY-MM-DD'));
