import { DAY_MS } from '@millrace/engine/units';
/** The day that a daily job belongs to, and how long its time has passed. */
export interface Slot {
  /** Local date, `2026-11-21`. */
  readonly day: string;
  readonly age_minutes: number;
}

const DAY_MINUTES = 1440;

const formats = new Map<string, Intl.DateTimeFormat>();

function localFormat(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  formats.set(zone, format);
  return format;
}

/**
 * The latest slot whose time has come, by the wall clock of the zone.
 *
 * @param at `HH:MM` @param now_ms epoch milliseconds
 */
export function latestSlot(at: string, now_ms: number, zone: string): Slot {
  const parts = Object.fromEntries(
    localFormat(zone)
      .formatToParts(now_ms)
      .map(({ type, value }) => [type, value]),
  );
  const today = `${parts['year']}-${parts['month']}-${parts['day']}`;
  const minute = Number(parts['hour']) * 60 + Number(parts['minute']);
  const [hours = '0', minutes = '0'] = at.split(':');
  const due = Number(hours) * 60 + Number(minutes);
  if (minute >= due) return { day: today, age_minutes: minute - due };
  const yesterday = new Date(Date.parse(`${today}T00:00:00Z`) - DAY_MS).toISOString().slice(0, 10);
  return { day: yesterday, age_minutes: minute + DAY_MINUTES - due };
}
