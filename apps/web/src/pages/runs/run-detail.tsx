import type { HistoryEntry } from '@millrace/contracts';
import { useState } from 'react';
import { isNotFound } from '../../data/refusal.ts';
import { useRun } from '../../data/runs.ts';
import { LoadFailed } from '../../ui/display/empty-state.tsx';
import { SkeletonRows } from '../../ui/display/skeleton.tsx';
import { Tabs } from '../../ui/layout/tabs.tsx';
import { NotFoundPage } from '../errors/not-found-page.tsx';
import { RunActions } from './run/run-actions.tsx';
import { RunBadges, RunFacts } from './run/run-facts.tsx';
import { RunDropped, RunFailure, RunUnresolved } from './run/run-failure.tsx';
import { type RunTab, useRunTabs } from './run/run-tabs.tsx';
import { useRunFailure } from './run/use-run-failure.ts';
import { useRunsTexts } from './texts/use-runs-texts.ts';

/** Everything about one run, for the panel beside the list. */
export function RunDetail({ id }: { id: string }) {
  const query = useRun(id);
  if (query.isPending) return <SkeletonRows rows={6} />;
  if (isNotFound(query.error)) return <NotFoundPage />;
  if (query.isLoadingError) return <LoadFailed error={query.error} onRetry={() => void query.refetch()} />;
  return <LoadedRun run={query.data} />;
}

function LoadedRun({ run }: { run: HistoryEntry }) {
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex shrink-0 flex-wrap items-center gap-x-2 gap-y-1 px-4 pt-3">
        <h2 className="min-w-0 truncate text-lg">{run.workflow_name}</h2>
        <RunBadges run={run} />
      </div>
      <RunBody run={run} />
    </div>
  );
}

/** Everything about a run apart from its name and its graph. */
export function RunBody({ run }: { run: HistoryEntry }) {
  const t = useRunsTexts();
  const { actions } = useRunFailure(run);
  const [tab, setTab] = useState<RunTab>('nodes');
  const [node, setNode] = useState<number>();
  const show = (index: number) => {
    setTab('nodes');
    setNode(index);
  };
  const tabs = useRunTabs({ run, open: node, onOpen: setNode });
  return (
    <>
      <div className="flex shrink-0 flex-col gap-3 px-4 py-3">
        <RunFacts run={run} />
        <RunActions run={run} resume={actions} />
        <RunDropped run={run} />
        <RunFailure run={run} onShow={show} />
        <RunUnresolved run={run} onShow={show} />
      </div>
      <Tabs
        className="grow border-t border-line"
        label={t('details')}
        value={tab}
        onChange={setTab}
        tabs={tabs}
      />
    </>
  );
}
