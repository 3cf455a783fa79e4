import type { HistoryItem } from '@millrace/contracts';
import { Badge } from '../../ui/display/status-chip.tsx';
import { useRunsTexts } from './texts/use-runs-texts.ts';

interface RanVersionProps {
  run: Pick<HistoryItem, 'version_number' | 'is_draft'>;
  /** For dense lists. */
  short?: boolean;
}

/** The published version that a run was of, or that it tried the draft out. */
export function RanVersion({ run, short = false }: RanVersionProps) {
  const t = useRunsTexts();
  const { version_number, is_draft } = run;
  if (is_draft) return <Badge tone="neutral">{t('draft')}</Badge>;
  if (version_number === null) return short ? null : <span className="text-faint">{t('version_gone')}</span>;
  return short ? (
    <span className="shrink-0 text-sm text-faint" title={t('version', { number: version_number })}>
      {t('version_short', { number: version_number })}
    </span>
  ) : (
    <span>{t('version', { number: version_number })}</span>
  );
}
