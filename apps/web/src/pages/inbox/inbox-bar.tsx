import { Archive, ArchiveRestore, RotateCw, StepForward, X } from 'lucide-react';
import { useTranslations } from 'use-intl';
import { Button } from '../../ui/actions/button.tsx';
import { IconButton } from '../../ui/actions/icon-button.tsx';
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
  const ui = useTranslations('ui');
  const runsText = useRunsTexts();
  const t = useInboxTexts();
  if (count === 0) return null;
  return (
    <div
      role="toolbar"
      aria-label={ui('selected', { count })}
      className="absolute inset-x-0 bottom-4 z-20 mx-auto flex w-fit max-w-[calc(100%-24px)] animate-lift flex-wrap items-center gap-1.5 rounded-l border border-line-strong bg-raised px-2.5 py-1.5 shadow-m"
    >
      <span className="tabular px-1.5 text-sm font-medium">{ui('selected', { count })}</span>
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
      <IconButton
        label={runsText('clear_selection')}
        icon={<X aria-hidden />}
        size="small"
        onClick={onDone}
      />
    </div>
  );
}
