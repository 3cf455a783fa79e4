import { Archive, ArchiveRestore, RotateCw, StepForward } from 'lucide-react';
import { Button } from '../../ui/actions/button.tsx';
import { SelectionToolbar } from '../../ui/layout/selection-toolbar.tsx';
import { useRunsTexts } from '../runs/texts/use-runs-texts.ts';
import { useInboxTexts } from './texts/use-inbox-texts.ts';

interface InboxBarProps {
  count: number;
  dismissed: boolean;
  /** A refused delivery has no run that failed somewhere. */
  hasRuns: boolean;
  onReplay: (from: 'start' | 'failed') => void;
  onMove: () => void;
  onDone: () => void;
}

/** Actions on the ticked entries. */
export function InboxBar({ count, dismissed, hasRuns, onReplay, onMove, onDone }: InboxBarProps) {
  const runsText = useRunsTexts();
  const t = useInboxTexts();
  if (count === 0) return null;
  return (
    <SelectionToolbar count={count} onClear={onDone}>
      <Button size="small" onClick={() => onReplay('start')}>
        <RotateCw aria-hidden />
        {runsText('run_again')}
      </Button>
      {hasRuns ? (
        <Button size="small" onClick={() => onReplay('failed')}>
          <StepForward aria-hidden />
          {runsText('from_failure')}
        </Button>
      ) : null}
      <Button size="small" onClick={onMove}>
        {dismissed ? <ArchiveRestore aria-hidden /> : <Archive aria-hidden />}
        {dismissed ? t('restore') : t('dismiss')}
      </Button>
    </SelectionToolbar>
  );
}
