import { Link } from '@tanstack/react-router';
import { clsx } from 'clsx';
import { useFormatter } from 'use-intl';
import { StatusChip } from '../../ui/display/status-chip.tsx';
import { type DayEntry, pickStatus } from './calendar.ts';
import { useSchedulesTexts } from './texts/use-schedules-texts.ts';

interface EntryLineProps {
  entry: DayEntry;
  /** In a cell of the calendar, where there is little room. */
  compact?: boolean;
}

/** Due times of one schedule: leads to the run when there is just one, else to the workflow. */
export function EntryLine({ entry: { events }, compact = false }: EntryLineProps) {
  const t = useSchedulesTexts();
  const format = useFormatter();
  const [first] = events;
  const status = pickStatus(events);
  const time = (at: string) => format.dateTime(new Date(at), { hour: '2-digit', minute: '2-digit' });
  const style = clsx(
    'flex min-w-0 items-center gap-1.5 rounded-s px-1 text-sm hover:bg-hover',
    compact ? 'h-[22px]' : 'h-9 px-2',
    first.is_planned && 'text-soft',
  );
  const content = (
    <>
      <span className="tabular shrink-0 text-faint">{time(first.scheduled_at)}</span>
      {status ? <StatusChip status={status} look={compact ? 'icon' : 'line'} /> : null}
      <span className="truncate">{first.workflow_name}</span>
      {events.length > 1 ? (
        <span className="tabular ml-auto shrink-0 text-faint">{t('times', { count: events.length })}</span>
      ) : null}
    </>
  );
  const title = first.description ?? undefined;
  return events.length === 1 && first.run_id ? (
    <Link to="/runs/$id" params={{ id: first.run_id }} className={style} title={title}>
      {content}
    </Link>
  ) : (
    <Link to="/workflows/$id" params={{ id: first.workflow_id }} className={style} title={title}>
      {content}
    </Link>
  );
}
