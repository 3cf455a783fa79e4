import type { HistoryEntry } from '@millrace/contracts';
import { readText } from '@millrace/engine/json';
import { clsx } from 'clsx';
import { isOpen, useRunGraph } from '../../../data/runs.ts';
import { CopyButton } from '../../../ui/actions/copy-button.tsx';
import { StatusChip } from '../../../ui/display/status-chip.tsx';
import { DateTime, Duration, Elapsed } from '../../../ui/display/time.tsx';
import { Lineage } from '../lineage.tsx';
import { SourceLabel } from '../list/source-label.tsx';
import { UnusualBadges } from '../list/unusual-badges.tsx';
import { RanVersion } from '../ran-version.tsx';
import { useRunsTexts } from '../texts/use-runs-texts.ts';

/** How the run ended, and what was unusual about it. */
export function RunBadges({ run }: { run: HistoryEntry }) {
  return (
    <>
      <StatusChip status={run.status} />
      <UnusualBadges run={run} />
    </>
  );
}

/** The node at which a run of a part of the workflow was asked to end. */
function RanUntil({ run: { id, until_node_id, node_results } }: { run: HistoryEntry }) {
  const t = useRunsTexts();
  const graph = useRunGraph(until_node_id === null ? undefined : id);
  if (until_node_id === null) return null;
  const node = graph.data?.nodes.find((one) => one.id === until_node_id);
  const ran = node_results.find(({ node_id }) => node_id === until_node_id);
  const label = readText(node?.data['label']) || ran?.node_label || until_node_id;
  return (
    <>
      <dt>{t('until')}</dt>
      <dd className="truncate" title={label}>
        {label}
      </dd>
    </>
  );
}

export function RunFacts({ run, className }: { run: HistoryEntry; className?: string }) {
  const t = useRunsTexts();
  return (
    <dl
      className={clsx(
        'grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-4 gap-y-1 text-sm sm:grid-cols-[auto_minmax(0,1fr)_auto_minmax(0,1fr)] [&_dt]:text-faint',
        className,
      )}
    >
      <dt>{t('started')}</dt>
      <dd>
        <DateTime at={run.started_at} seconds />
      </dd>
      <dt>{t('duration')}</dt>
      <dd>
        {isOpen(run.status) ? <Elapsed since={run.started_at} /> : <Duration ms={run.execution_time_ms} />}
      </dd>
      <dt>{t('source')}</dt>
      <dd>
        <SourceLabel source={run.trigger_source} />
      </dd>
      <dt>{t('ran')}</dt>
      <dd>
        <RanVersion run={run} />
      </dd>
      <RanUntil run={run} />
      <Lineage run={run} />
      <dt>{t('run_id')}</dt>
      <dd className="flex min-w-0 items-center">
        <code className="truncate text-xs">{run.id}</code>
        <CopyButton text={run.id} label={t('copy_id')} />
      </dd>
    </dl>
  );
}
