import { DAY_MS } from '../../units.ts';
import { toUtc, type WallClock } from './zone.ts';

/** The fields with which a year begins. */
export const FIRST = { month: 1, day: 1, hour: 0, minute: 0, second: 0, millisecond: 0 } as const;

export function daysInMonth(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Midnight of the day as if it were in UTC, where every day is as long. */
export const dayNumber = ({ year, month, day }: WallClock): number => toUtc({ ...FIRST, year, month, day });

export const quarterIn = ({ month }: WallClock): number => Math.ceil(month / 3);

/** Day of the year, from 1. */
export const ordinalIn = (clock: WallClock): number =>
  (dayNumber(clock) - dayNumber({ ...clock, ...FIRST })) / DAY_MS + 1;

/** The week of ISO 8601, from 1 to 53, and the year that it belongs to. */
export function isoWeekIn(clock: WallClock): { week: number; year: number } {
  const day = dayNumber(clock);
  const weekday = (((day / DAY_MS + 3) % 7) + 7) % 7;
  const thursday = day + (3 - weekday) * DAY_MS;
  const year = new Date(thursday).getUTCFullYear();
  const first = dayNumber({ ...clock, ...FIRST, year });
  return { week: Math.floor((thursday - first) / DAY_MS / 7) + 1, year };
}
