import type { HistoryItem } from '@millrace/contracts';
import { Hourglass } from 'lucide-react';
import { Badge } from '../../ui/display/status-chip.tsx';
import { useRunsTexts } from './texts/use-runs-texts.ts';

/** Says that the limit of its workflow keeps a run waiting, and for how many others. */
export function PlaceBadge({ run: { waits_behind } }: { run: Pick<HistoryItem, 'waits_behind'> }) {
  const t = useRunsTexts();
  if (waits_behind === null) return null;
  return (
    <Badge tone="warning">
      <Hourglass aria-hidden />
      {t('waits_for_place', { count: waits_behind })}
    </Badge>
  );
}
