import { Cron } from 'croner';

/** Five fields, as the `cron` node has them; anything else would be read in a way that its form does not show. */
const MODE = '5-part';
/** Distinct expressions that are kept parsed. */
const MOST_KEPT = 5_000;

const parsed = new Map<string, Cron | undefined>();

function scheduleOf(expression: string, zone: string): Cron | undefined {
  const key = `${zone} ${expression}`;
  if (parsed.has(key)) return parsed.get(key);
  if (parsed.size >= MOST_KEPT) parsed.clear();
  let schedule: Cron | undefined;
  try {
    schedule = new Cron(expression, { timezone: zone, mode: MODE, paused: true });
  } catch {
    // The editor marks it; nothing can be due at a time that cannot be read.
  }
  parsed.set(key, schedule);
  return schedule;
}

/**
 * Whether an expression fires in a minute (§6.2). Asked for its next time just before, as the editor asks for the times
 * that it shows, so that both agree also where the clocks change.
 *
 * @param minute_ms epoch milliseconds of the minute's start @param zone IANA name
 */
export function isDue(expression: string, minute_ms: number, zone: string): boolean {
  const next = scheduleOf(expression, zone)?.nextRun(new Date(minute_ms - 1));
  return next?.getTime() === minute_ms;
}
