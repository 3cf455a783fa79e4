import type { HistoryItem } from '@millrace/contracts';
import { Hourglass, LifeBuoy, TriangleAlert } from 'lucide-react';
import { Badge } from '../../../ui/display/status-chip.tsx';
import { useRunsTexts } from '../texts/use-runs-texts.ts';

interface UnusualBadgesProps {
  run: Pick<HistoryItem, 'recovered' | 'waits_behind' | 'unresolved_references'>;
}

/** Unresolved references; phones show only the number. */
export function UnresolvedBadge({ count }: { count: number }) {
  const t = useRunsTexts();
  return (
    <Badge tone="warning">
      <TriangleAlert aria-hidden />
      <span className="max-md:sr-only">{t('unresolved_badge', { count })}</span>
      <span className="md:hidden" aria-hidden>
        {count}
      </span>
    </Badge>
  );
}

/** Badges for recovery after a crash, unresolved references, and waiting for the concurrency limit (with the queue position). */
export function UnusualBadges({
  run: { recovered, waits_behind, unresolved_references },
}: UnusualBadgesProps) {
  const t = useRunsTexts();
  return (
    <>
      {recovered ? (
        <Badge tone="info">
          <LifeBuoy aria-hidden />
          {t('recovered')}
        </Badge>
      ) : null}
      {unresolved_references === 0 ? null : <UnresolvedBadge count={unresolved_references} />}
      {waits_behind === null ? null : (
        <Badge tone="warning">
          <Hourglass aria-hidden />
          {t('waits_for_place', { count: waits_behind })}
        </Badge>
      )}
    </>
  );
}
