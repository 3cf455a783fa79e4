import type { HistoryItem } from '@millrace/contracts';
import { Hourglass, LifeBuoy } from 'lucide-react';
import { Badge } from '../../ui/display/status-chip.tsx';
import { useRunsTexts } from './texts/use-runs-texts.ts';

interface UnusualBadgesProps {
  run: Pick<HistoryItem, 'recovered' | 'waits_behind'>;
}

/** That a run went on after a crash, or that the limit of its workflow keeps it waiting, and for how many others. */
export function UnusualBadges({ run: { recovered, waits_behind } }: UnusualBadgesProps) {
  const t = useRunsTexts();
  return (
    <>
      {recovered ? (
        <Badge tone="info">
          <LifeBuoy aria-hidden />
          {t('recovered')}
        </Badge>
      ) : null}
      {waits_behind === null ? null : (
        <Badge tone="warning">
          <Hourglass aria-hidden />
          {t('waits_for_place', { count: waits_behind })}
        </Badge>
      )}
    </>
  );
}
