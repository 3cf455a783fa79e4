import type { PortalUsage as Usage } from '@millrace/contracts';
import { useFormatter, useLocale } from 'use-intl';
import { usePortalUsage } from '../../../data/portal-conversations.ts';
import { costText } from '../../../lib/cost-text.ts';
import { LoadFailed } from '../../../ui/display/empty-state.tsx';
import { SkeletonRows } from '../../../ui/display/skeleton.tsx';
import { usePortalTexts } from './texts/use-portal-texts.ts';

type Counts = Omit<Usage['total'], 'visitors'>;

const COLUMNS = ['messages', 'runs', 'failures', 'refused', 'tokens', 'cost'] as const;
const hasAny = ({ messages, runs, refused }: Counts): boolean => messages + runs + refused > 0;

/** The use of the chat, day by day. */
export function PortalUsage({ id }: { id: string }) {
  const t = usePortalTexts();
  const format = useFormatter();
  const locale = useLocale();
  const usage = usePortalUsage(id);
  if (usage.isLoadingError) return <LoadFailed error={usage.error} onRetry={() => void usage.refetch()} />;
  if (!usage.data) return <SkeletonRows rows={6} />;
  const { days, total } = usage.data;
  if (!hasAny(total)) return <p className="pt-4 text-base text-soft">{t('no_usage')}</p>;
  const most = Math.max(...days.map(({ runs }) => runs), 1);
  const formatCount = (column: (typeof COLUMNS)[number], counts: Counts): string => {
    if (column === 'cost') return counts.cost_usd === null ? '–' : costText(counts.cost_usd, locale);
    if (column === 'tokens') return format.number(counts.prompt_tokens + counts.completion_tokens);
    return format.number(counts[column]);
  };
  const renderCells = (counts: Counts) =>
    COLUMNS.map((column) => (
      <td key={column} className="px-2 py-1">
        {formatCount(column, counts)}
      </td>
    ));
  const used = days.filter(hasAny).reverse();
  return (
    <div className="flex flex-col gap-4 pt-4">
      <p className="text-sm text-soft">
        {t('usage_hint')} {t('visitor_count', { count: total.visitors })}
      </p>
      <div aria-hidden className="flex h-24 items-end gap-[2px] border-b border-line">
        {days.map(({ date, runs, failures }) => (
          <div key={date} className="flex h-full min-w-0 flex-1 flex-col justify-end" title={date}>
            <div className="bg-danger" style={{ height: `${(failures / most) * 100}%` }} />
            <div className="bg-accent" style={{ height: `${((runs - failures) / most) * 100}%` }} />
          </div>
        ))}
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard */}
      <div role="region" aria-label={t('usage')} tabIndex={0} className="overflow-x-auto">
        <table className="tabular w-full text-right text-base">
          <thead className="text-sm text-soft">
            <tr>
              <th scope="col" className="py-1 pr-3 text-left font-medium">
                {t('day')}
              </th>
              {COLUMNS.map((column) => (
                <th key={column} scope="col" className="px-2 py-1 font-medium">
                  {t(column)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="divide-y divide-line">
            {used.map((day) => (
              <tr key={day.date}>
                <th scope="row" className="py-1 pr-3 text-left font-normal whitespace-nowrap">
                  {format.dateTime(new Date(day.date), { dateStyle: 'medium', timeZone: 'UTC' })}
                </th>
                {renderCells(day)}
              </tr>
            ))}
            <tr className="font-medium">
              <th scope="row" className="py-1 pr-3 text-left">
                {t('total')}
              </th>
              {renderCells(total)}
            </tr>
          </tbody>
        </table>
      </div>
    </div>
  );
}
