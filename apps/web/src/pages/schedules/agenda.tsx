import { useFormatter } from 'use-intl';
import { type DayEntry, dateText } from './calendar.ts';
import { EntryLine } from './entry-line.tsx';

interface AgendaProps {
  days: readonly Date[];
  entries: ReadonlyMap<string, readonly DayEntry[]>;
  /** Times of one schedule on one day are one line. */
  folds: boolean;
}

const byTime = (a: DayEntry, b: DayEntry) => (a.events[0].scheduled_at < b.events[0].scheduled_at ? -1 : 1);

/** Each due time as an entry of its own, in order. */
const unfolded = (entries: readonly DayEntry[]): DayEntry[] =>
  entries
    .flatMap(({ key, events }) =>
      events.map((event): DayEntry => ({ key: `${key} ${event.scheduled_at}`, events: [event] })),
    )
    .sort(byTime);

/** Days with their due times as a list; days without any are left out. */
export function Agenda({ days, entries, folds }: AgendaProps) {
  const format = useFormatter();
  const filled = days.filter((day) => entries.has(dateText(day)));
  return (
    <div className="mx-auto flex w-full max-w-3xl flex-col gap-5 p-4">
      {filled.map((day) => {
        const own = entries.get(dateText(day)) ?? [];
        return (
          <section key={dateText(day)} aria-label={format.dateTime(day, { dateStyle: 'full' })}>
            {folds ? (
              <h3 className="mb-1 px-2 text-sm font-medium text-faint">
                {format.dateTime(day, { weekday: 'long', day: 'numeric', month: 'long' })}
              </h3>
            ) : null}
            <ul className="flex flex-col divide-y divide-line">
              {(folds ? own : unfolded(own)).map((entry) => (
                <li key={entry.key}>
                  <EntryLine entry={entry} />
                </li>
              ))}
            </ul>
          </section>
        );
      })}
    </div>
  );
}
