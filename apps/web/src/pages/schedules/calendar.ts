import type { ScheduleEvent } from '@millrace/contracts';

export const VIEWS = ['month', 'week', 'day'] as const;
export type View = (typeof VIEWS)[number];

/** Days of the user's zone, from the first one up to the one before the end. */
export interface Period {
  readonly start: Date;
  readonly end: Date;
}

const WEEK = 7;

/** The start of a day that is some days away; days at which the clocks change count like others. */
export const dayAt = (date: Date, days = 0): Date =>
  new Date(date.getFullYear(), date.getMonth(), date.getDate() + days);

/** Monday is the first day of a week (ISO 8601). */
const toMonday = (date: Date): Date => dayAt(date, -((date.getDay() + WEEK - 1) % WEEK));

/** The period that a view shows around a date: a month is filled up to whole weeks. */
export function computePeriod(view: View, date: Date): Period {
  switch (view) {
    case 'day':
      return { start: dayAt(date), end: dayAt(date, 1) };
    case 'week':
      return { start: toMonday(date), end: dayAt(toMonday(date), WEEK) };
    case 'month': {
      const last = new Date(date.getFullYear(), date.getMonth() + 1, 0);
      return {
        start: toMonday(new Date(date.getFullYear(), date.getMonth(), 1)),
        end: dayAt(toMonday(last), WEEK),
      };
    }
  }
}

/** The date that the next or the former view is around; a month leads to its first day. */
export function stepped(view: View, date: Date, by: 1 | -1): Date {
  if (view === 'month') return new Date(date.getFullYear(), date.getMonth() + by, 1);
  return dayAt(date, view === 'week' ? by * WEEK : by);
}

export function listDays({ start, end }: Period): Date[] {
  const days: Date[] = [];
  for (let day = start; day < end; day = dayAt(day, 1)) days.push(day);
  return days;
}

/** `2026-11-22` of the user's zone. */
export function dateText(date: Date): string {
  const two = (number: number) => String(number).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** The day that such a text names; undefined when there is no such day. */
export function parseDate(text: string): Date | undefined {
  const [year = 0, month = 0, day = 0] = text.split('-').map(Number);
  const date = new Date(year, month - 1, day);
  return dateText(date) === text ? date : undefined;
}

/** Due times of one schedule on one day, oldest first. */
export interface DayEntry {
  readonly key: string;
  readonly events: readonly [ScheduleEvent, ...ScheduleEvent[]];
}

/** Entries by day, in the order of their first time. */
export function entriesByDay(events: readonly ScheduleEvent[]): ReadonlyMap<string, readonly DayEntry[]> {
  const days = new Map<string, Map<string, [ScheduleEvent, ...ScheduleEvent[]]>>();
  for (const event of events) {
    const day = dateText(new Date(event.scheduled_at));
    const key = `${event.workflow_id} ${event.node_id}`;
    const entries = days.get(day) ?? new Map<string, [ScheduleEvent, ...ScheduleEvent[]]>();
    days.set(day, entries);
    const entry = entries.get(key);
    if (entry) entry.push(event);
    else entries.set(key, [event]);
  }
  const listed = new Map<string, readonly DayEntry[]>();
  for (const [day, entries] of days)
    listed.set(
      day,
      [...entries].map(([key, own]) => ({ key, events: own })),
    );
  return listed;
}

/** The status that stands for several due times in a few letters: a failure counts most, then what has not ended. */
export function pickStatus(events: readonly ScheduleEvent[]): string | undefined {
  const statuses = events.flatMap(({ status }) => status ?? []);
  return (
    statuses.find((status) => status === 'error') ??
    statuses.find((status) => status !== 'success') ??
    statuses[0]
  );
}
