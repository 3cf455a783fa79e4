import { clsx } from 'clsx';
import { useFormatter } from 'use-intl';
import { type DayEntry, dateText } from './calendar.ts';
import { EntryLine } from './entry-line.tsx';
import { useSchedulesTexts } from './texts/use-schedules-texts.ts';

/** Entries that a day of a month shows before it says how many more there are. */
const MOST_IN_MONTH = 4;
const MOST_IN_WEEK = 40;
const WEEK = 7;

interface GridProps {
  days: readonly Date[];
  entries: ReadonlyMap<string, readonly DayEntry[]>;
  /** Days of other months are pale; undefined: a week. */
  month: number | undefined;
  onDay: (day: Date) => void;
}

/** Weeks as rows, days as columns. */
export function Grid({ days, entries, month, onDay }: GridProps) {
  const t = useSchedulesTexts();
  const format = useFormatter();
  const weeks = days
    .filter((_, at) => at % WEEK === 0)
    .map((_, at) => days.slice(at * WEEK, at * WEEK + WEEK));
  return (
    <table className="h-full w-full table-fixed border-collapse">
      <caption className="sr-only">{t('title')}</caption>
      <thead>
        <tr>
          {days.slice(0, WEEK).map((day) => (
            <th
              key={day.getDay()}
              scope="col"
              className="h-8 border-b border-line text-sm font-medium text-faint"
            >
              {format.dateTime(day, { weekday: 'short' })}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((week) => (
          <tr key={dateText(week[0] ?? new Date())} className="align-top">
            {week.map((day) => (
              <DayCell
                key={dateText(day)}
                day={day}
                entries={entries.get(dateText(day)) ?? []}
                most={month === undefined ? MOST_IN_WEEK : MOST_IN_MONTH}
                isPale={month !== undefined && day.getMonth() !== month}
                onOpen={() => onDay(day)}
              />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface DayCellProps {
  day: Date;
  entries: readonly DayEntry[];
  most: number;
  isPale: boolean;
  onOpen: () => void;
}

function DayCell({ day, entries, most, isPale, onOpen }: DayCellProps) {
  const t = useSchedulesTexts();
  const format = useFormatter();
  const isToday = dateText(day) === dateText(new Date());
  const more = entries.length - most;
  return (
    <td className={clsx('h-28 border-r border-b border-line p-1 last:border-r-0', isPale && 'bg-sunken')}>
      <button
        type="button"
        aria-label={format.dateTime(day, { dateStyle: 'full' })}
        aria-current={isToday ? 'date' : undefined}
        className={clsx(
          'tabular mb-0.5 grid size-6 place-items-center rounded-full text-sm hover:bg-hover',
          isToday
            ? 'bg-accent font-semibold text-on-accent hover:bg-accent'
            : isPale
              ? 'text-faint'
              : 'text-soft',
        )}
        onClick={onOpen}
      >
        {day.getDate()}
      </button>
      <ul className="flex flex-col gap-px">
        {entries.slice(0, most).map((entry) => (
          <li key={entry.key}>
            <EntryLine entry={entry} compact />
          </li>
        ))}
      </ul>
      {more > 0 ? (
        <button type="button" className="px-1 text-sm text-soft hover:underline" onClick={onOpen}>
          {t('more', { count: more })}
        </button>
      ) : null}
    </td>
  );
}
