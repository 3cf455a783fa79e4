import type { HistoryEntry } from '@millrace/contracts';
import { clsx } from 'clsx';
import { useLocale } from 'use-intl';
import { durationText } from '../../../ui/display/duration.ts';
import { StatusChip } from '../../../ui/display/status-chip.tsx';
import { useRunsTexts } from '../texts/use-runs-texts.ts';
import { type Bar, buildTimeline, ticksFor } from './timeline.ts';

const BAR: Record<Bar['status'], string> = {
  success: 'bg-success',
  error: 'bg-danger',
  pending: 'bg-warning',
  cancelled: 'bg-line-strong',
  skipped: 'bg-line-strong',
};

const percent = (part: number, whole: number) => `${(100 * part) / whole}%`;

/** A Gantt chart of the run. Each line says in words what its bar shows. */
export function TimelineView({ run }: { run: HistoryEntry }) {
  const t = useRunsTexts();
  const locale = useLocale();
  const { bars, total_ms } = buildTimeline(run.node_results, run.started_at, run.execution_time_ms);
  if (bars.length === 0) return <p className="px-4 py-8 text-center text-soft">{t('timeline_none')}</p>;
  const ticks = ticksFor(total_ms);
  return (
    <div className="min-w-[440px] px-4 pt-2 pb-4">
      <div className="grid grid-cols-[minmax(120px,26%)_1fr] text-sm">
        <span />
        <div className="relative h-6" aria-hidden>
          {ticks.map((tick) => (
            <span
              key={tick}
              className="tabular absolute -translate-x-1/2 text-xs whitespace-nowrap text-faint first:translate-x-0 last:-translate-x-full"
              style={{ left: percent(tick, total_ms) }}
            >
              {durationText(tick, locale)}
            </span>
          ))}
        </div>
      </div>
      <ol>
        {bars.map((bar) => (
          <li
            key={bar.key}
            className="grid h-7 grid-cols-[minmax(120px,26%)_1fr] items-center border-t border-line text-sm hover:bg-hover"
          >
            <span className="flex min-w-0 items-center gap-1.5 pr-3">
              <StatusChip status={bar.status} look="icon" />
              <span className="truncate">{bar.label}</span>
            </span>
            <span className="relative h-full">
              {ticks.map((tick) => (
                <span
                  key={tick}
                  aria-hidden
                  className="absolute inset-y-0 w-px bg-line"
                  style={{ left: percent(tick, total_ms) }}
                />
              ))}
              <span
                className={clsx(
                  'absolute top-1/2 h-3 min-w-[3px] -translate-y-1/2 rounded-[3px]',
                  BAR[bar.status],
                )}
                style={{
                  // A bar without length at the very end is still within the axis.
                  left: `min(${percent(bar.start_ms, total_ms)}, 100% - 3px)`,
                  width: percent(bar.length_ms, total_ms),
                }}
                title={t('bar', {
                  node: bar.label,
                  start: durationText(bar.start_ms, locale),
                  length: durationText(bar.length_ms, locale),
                })}
              />
              <span className="sr-only">
                {t('bar', {
                  node: bar.label,
                  start: durationText(bar.start_ms, locale),
                  length: durationText(bar.length_ms, locale),
                })}
              </span>
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}
