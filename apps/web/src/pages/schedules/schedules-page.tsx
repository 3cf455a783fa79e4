import type { ScheduleEvent } from '@millrace/contracts';
import { getRouteApi, Link } from '@tanstack/react-router';
import { CalendarClock, ChevronLeft, ChevronRight } from 'lucide-react';
import { useMemo } from 'react';
import { useFormatter, useTimeZone } from 'use-intl';
import { useSchedules } from '../../data/triggers.ts';
import { useIsPhone } from '../../lib/use-media.ts';
import { Button, buttonStyle } from '../../ui/actions/button.tsx';
import { IconButton } from '../../ui/actions/icon-button.tsx';
import { EmptyState, LoadFailed } from '../../ui/display/empty-state.tsx';
import { SkeletonRows } from '../../ui/display/skeleton.tsx';
import { Checkbox, Segmented } from '../../ui/forms/toggles.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { Agenda } from './agenda.tsx';
import {
  computePeriod,
  dateText,
  dayAt,
  entriesByDay,
  listDays,
  type Period,
  parseDate,
  stepped,
  VIEWS,
  type View,
} from './calendar.ts';
import { Grid } from './grid.tsx';
import { useSchedulesTexts } from './texts/use-schedules-texts.ts';

const route = getRouteApi('/app/schedules');

/** "November 2026", "Nov 16 – 22, 2026" or "Sunday, November 22, 2026". */
function usePeriodText(view: View, date: Date, { start, end }: Period): string {
  const format = useFormatter();
  if (view === 'month') return format.dateTime(date, { month: 'long', year: 'numeric' });
  if (view === 'day') return format.dateTime(date, { dateStyle: 'full' });
  return format.dateTimeRange(start, dayAt(end, -1), { day: 'numeric', month: 'short', year: 'numeric' });
}

/** The view that the address asks for: of a period, of one's own schedules or of those shared with one, too. */
function useCalendarPlace() {
  const phone = useIsPhone();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const view = search.view ?? (phone ? 'day' : 'month');
  const date = (search.date && parseDate(search.date)) || dayAt(new Date());
  return {
    view,
    date,
    period: computePeriod(view, date),
    isOwn: search.own === 'yes',
    show: (next: { view?: View; date?: Date }) =>
      void navigate({
        search: (former) => ({
          ...former,
          ...(next.view ? { view: next.view } : {}),
          ...(next.date ? { date: dateText(next.date) } : {}),
        }),
      }),
    includeShared: (isShared: boolean) =>
      void navigate({ search: (former) => ({ ...former, own: isShared ? undefined : 'yes' }) }),
  };
}

type CalendarPlace = ReturnType<typeof useCalendarPlace>;

/** When schedules fire: past due times with their runs, and those to come (section 6.2 of the specification). */
export function SchedulesPage() {
  const t = useSchedulesTexts();
  const place = useCalendarPlace();
  const { period } = place;
  const query = useSchedules({
    start: period.start.toISOString(),
    end: period.end.toISOString(),
    include_shared: String(!place.isOwn),
  });
  return (
    <Page title={t('title')} toolbar={<Toolbar place={place} />}>
      {query.isPending ? (
        <SkeletonRows rows={12} />
      ) : query.isLoadingError ? (
        <LoadFailed error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <>
          {query.data.shortened.length > 0 ? (
            <p className="border-b border-line bg-sunken px-5 py-2 text-sm text-soft">
              {t('shortened', {
                names: query.data.shortened.map(({ workflow_name }) => workflow_name).join(', '),
              })}
            </p>
          ) : null}
          <Calendar place={place} events={query.data.events} />
        </>
      )}
    </Page>
  );
}

function Toolbar({ place: { view, date, period, isOwn, show, includeShared } }: { place: CalendarPlace }) {
  const t = useSchedulesTexts();
  const text = usePeriodText(view, date, period);
  const zone = useTimeZone();
  return (
    <>
      <div className="flex items-center gap-1">
        <IconButton
          label={t('former', { view })}
          icon={<ChevronLeft aria-hidden />}
          onClick={() => show({ date: stepped(view, date, -1) })}
        />
        <IconButton
          label={t('next', { view })}
          icon={<ChevronRight aria-hidden />}
          onClick={() => show({ date: stepped(view, date, 1) })}
        />
        <Button onClick={() => show({ date: new Date() })}>{t('today')}</Button>
      </div>
      <h2 className="min-w-0 truncate font-medium" aria-live="polite">
        {text}
      </h2>
      <div className="ml-auto flex flex-wrap items-center gap-3">
        {zone === undefined ? null : <span className="text-sm text-soft">{t('zone', { zone })}</span>}
        <Checkbox label={t('include_shared')} checked={!isOwn} onChange={includeShared} />
        <Segmented
          label={t('view')}
          value={view}
          onChange={(chosen) => show({ view: chosen })}
          choices={VIEWS.map((value) => ({ value, label: t(value) }))}
        />
      </div>
    </>
  );
}

interface CalendarProps {
  place: CalendarPlace;
  events: readonly ScheduleEvent[];
}

/** The due times of a period: a list of one day and on a phone, else a grid. */
function Calendar({ place: { view, date, period, show }, events }: CalendarProps) {
  const t = useSchedulesTexts();
  const phone = useIsPhone();
  const entries = useMemo(() => entriesByDay(events), [events]);
  if (events.length === 0)
    return (
      <EmptyState
        icon={<CalendarClock aria-hidden />}
        title={t('none')}
        actions={
          <Link to="/" className={buttonStyle({ tone: 'primary' })}>
            {t('to_workflows')}
          </Link>
        }
      >
        {t('none_hint')}
      </EmptyState>
    );
  if (view === 'day' || phone)
    return <Agenda days={listDays(period)} entries={entries} folds={view !== 'day'} />;
  return (
    <Grid
      days={listDays(period)}
      entries={entries}
      month={view === 'month' ? date.getMonth() : undefined}
      onDay={(day) => show({ view: 'day', date: day })}
    />
  );
}
