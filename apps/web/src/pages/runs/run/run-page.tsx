import type { HistoryEntry } from '@millrace/contracts';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import { Suspense, useState } from 'react';
import { isNotFound } from '../../../data/refusal.ts';
import { useRun, useRunGraph } from '../../../data/runs.ts';
import { lazy } from '../../../lib/code/lazy.ts';
import { useIsPhone } from '../../../lib/use-media.ts';
import { buttonStyle } from '../../../ui/actions/button.tsx';
import { LoadFailed } from '../../../ui/display/empty-state.tsx';
import { SkeletonRows } from '../../../ui/display/skeleton.tsx';
import { Page } from '../../../ui/layout/page.tsx';
import { NotFoundPage } from '../../errors/not-found-page.tsx';
import { RunBody } from '../run-detail.tsx';
import { useRunsTexts } from '../texts/use-runs-texts.ts';
import { FailureSteps } from './failure-steps.tsx';
import { RunActions } from './run-actions.tsx';
import { RunBadges, RunFacts } from './run-facts.tsx';
import { RunDropped, RunFailure, RunUnresolved } from './run-failure.tsx';
import { failedNode } from './run-order.ts';
import { useRunFailure } from './use-run-failure.ts';

const route = getRouteApi('/app/runs/$id');

/** Brings the canvas along, which the list of runs does not need. */
const RunGraph = lazy(() => import('./run-graph.tsx').then((module) => ({ default: module.RunGraph })));

export function RunPage() {
  const t = useRunsTexts();
  const { id } = route.useParams();
  const { list, ...filters } = route.useSearch();
  const query = useRun(id);
  if (isNotFound(query.error)) return <NotFoundPage />;
  const run = query.data;
  return (
    <Page
      fill
      title={run?.workflow_name ?? t('details')}
      badge={run ? <RunBadges run={run} /> : null}
      lead={
        <Link
          to="/runs"
          search={list === undefined ? {} : filters}
          aria-label={t('title')}
          className={buttonStyle({ tone: 'quiet', size: 'small', square: true })}
        >
          <ArrowLeft aria-hidden />
        </Link>
      }
      actions={run ? <FailureSteps run={run} /> : null}
    >
      {run ? (
        <LoadedRun key={id} run={run} />
      ) : query.isLoadingError ? (
        <LoadFailed error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <SkeletonRows rows={6} />
      )}
    </Page>
  );
}

function LoadedRun({ run }: { run: HistoryEntry }) {
  const t = useRunsTexts();
  const graph = useRunGraph(run.id);
  const failure = useRunFailure(run);
  const [node, setNode] = useState<string>();
  const phone = useIsPhone();
  if (graph.isPending) return <SkeletonRows rows={6} />;
  if (graph.isLoadingError)
    return (
      <>
        <p role="status" className="shrink-0 border-b border-line px-4 py-1.5 text-sm text-soft">
          {isNotFound(graph.error) ? t('graph_gone') : t('graph_failed', { reason: graph.error.message })}
        </p>
        <RunBody run={run} />
      </>
    );
  return (
    <>
      <div className="flex shrink-0 flex-wrap items-start justify-between gap-x-6 gap-y-2 border-b border-line px-4 py-2">
        <details open={!phone} className="group min-w-0 grow">
          <summary className="text-sm text-soft md:hidden">{t('about')}</summary>
          <RunFacts run={run} className="max-md:pt-1 xl:flex xl:flex-wrap" />
        </details>
        <RunActions run={run} node={node} resume={failure.actions} />
        <RunDropped run={run} />
        {failedNode(run.node_results) === undefined ? <RunFailure run={run} /> : null}
        <RunUnresolved run={run} />
      </div>
      <Suspense fallback={<SkeletonRows rows={6} />}>
        <RunGraph run={run} graph={graph.data} failure={failure} onChoose={setNode} />
      </Suspense>
    </>
  );
}
