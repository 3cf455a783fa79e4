import { toInstant, wallClockAt } from '@millrace/engine/expression';
import { DAY_MS } from '@millrace/engine/units';

const HOUR_MINUTES = 60;
/** Days that a sum of active time goes back. */
const MOST_DAYS = 366;

const COUNTED_WEEKS = Math.floor(MOST_DAYS / 7);

/** When an alert is checked. */
export interface ActiveTime {
  /** ISO days of the week, 1 for Monday. */
  readonly days: readonly number[];
  /** Minutes of the day. */
  readonly from_minute: number;
  readonly until_minute: number;
  readonly zone: string;
}

/** Minutes of `HH:MM`. */
export function parseMinutes(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * HOUR_MINUTES + minutes;
}

export function formatTime(minute: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(Math.floor(minute / HOUR_MINUTES))}:${two(minute % HOUR_MINUTES)}`;
}

/** The active time of the local day that is `before` days before that of an instant; undefined when there is none. */
function activeOfDay(
  { days, from_minute, until_minute, zone }: ActiveTime,
  at_ms: number,
  before: number,
): readonly [number, number] | undefined {
  const { year, month, day } = wallClockAt(at_ms, zone);
  const date = new Date(Date.UTC(year, month - 1, day - before));
  if (!days.includes(date.getUTCDay() || 7)) return undefined;
  const instant = (minute: number) =>
    toInstant(
      {
        year: date.getUTCFullYear(),
        month: date.getUTCMonth() + 1,
        day: date.getUTCDate(),
        hour: 0,
        minute,
        second: 0,
        millisecond: 0,
      },
      zone,
    );
  return [instant(from_minute), instant(until_minute)];
}

/** The longest silence that can be counted, in minutes. Clocks that change are left out. */
export const mostSilentMinutes = ({
  days,
  from_minute,
  until_minute,
}: Pick<ActiveTime, 'days' | 'from_minute' | 'until_minute'>): number =>
  COUNTED_WEEKS * days.length * (until_minute - from_minute);

export function isActive(time: ActiveTime, at_ms: number): boolean {
  const today = activeOfDay(time, at_ms, 0);
  return today !== undefined && today[0] <= at_ms && at_ms < today[1];
}

/** How much of the time between two instants is active, in milliseconds; not counted further than `most_ms`. */
export function activeBetween(
  time: ActiveTime,
  { from_ms, to_ms, most_ms }: { from_ms: number; to_ms: number; most_ms: number },
): number {
  let total = 0;
  const days = Math.min(MOST_DAYS, Math.ceil((to_ms - from_ms) / DAY_MS) + 1);
  for (let before = 0; before <= days && total < most_ms; before++) {
    const active = activeOfDay(time, to_ms, before);
    if (active) total += Math.max(0, Math.min(active[1], to_ms) - Math.max(active[0], from_ms));
  }
  return Math.min(total, most_ms);
}
