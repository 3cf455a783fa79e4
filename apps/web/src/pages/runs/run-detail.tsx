import type { HistoryEntry } from '@millrace/contracts';
import { Link, useNavigate } from '@tanstack/react-router';
import { CircleAlert, LifeBuoy, Pencil, RotateCw, Square, StepForward } from 'lucide-react';
import { useState } from 'react';
import { ApiError } from '../../data/api.ts';
import { isOpen, useCancelRun, useRun } from '../../data/runs.ts';
import { Button, buttonStyle } from '../../ui/actions/button.tsx';
import { CopyButton } from '../../ui/actions/copy-button.tsx';
import { LoadFailed } from '../../ui/display/empty-state.tsx';
import { SkeletonRows } from '../../ui/display/skeleton.tsx';
import { Badge, StatusChip } from '../../ui/display/status-chip.tsx';
import { DateTime, Duration, Elapsed } from '../../ui/display/time.tsx';
import { Tabs } from '../../ui/layout/tabs.tsx';
import { ResultView } from '../../ui/results/result-view.tsx';
import { NotFoundPage } from '../errors/not-found-page.tsx';
import { Lineage } from './lineage.tsx';
import { NodeResults } from './node-results.tsx';
import { PlaceBadge } from './place-badge.tsx';
import { RanVersion } from './ran-version.tsx';
import { SourceLabel } from './source-label.tsx';
import { useRunsTexts } from './texts/use-runs-texts.ts';
import { TimelineView } from './timeline-view.tsx';
import { useRunAgain } from './use-run-again.ts';

type Tab = 'nodes' | 'timeline' | 'inputs' | 'outputs';

function Facts({ run }: { run: HistoryEntry }) {
  const t = useRunsTexts();
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-4 gap-y-1 text-sm sm:grid-cols-[auto_minmax(0,1fr)_auto_minmax(0,1fr)] [&_dt]:text-faint">
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
      <Lineage run={run} />
      <dt>{t('run_id')}</dt>
      <dd className="flex min-w-0 items-center">
        <code className="truncate text-xs">{run.id}</code>
        <CopyButton text={run.id} label={t('copy_id')} />
      </dd>
    </dl>
  );
}

function Actions({ run }: { run: HistoryEntry }) {
  const t = useRunsTexts();
  const navigate = useNavigate();
  const cancel = useCancelRun();
  const again = useRunAgain();
  const { workflow_id } = run;
  if (!workflow_id) return null;
  const repeat = async (start: (run: HistoryEntry) => Promise<string | undefined>) => {
    const id = await start(run);
    if (id) void navigate({ to: '/runs/$id', params: { id } });
  };
  return (
    <div className="flex flex-wrap gap-2">
      {isOpen(run.status) ? (
        <Button
          size="small"
          busy={cancel.isPending}
          onClick={() => cancel.mutate({ id: run.id, workflow_id })}
        >
          <Square aria-hidden />
          {t('stop')}
        </Button>
      ) : (
        <Button size="small" busy={again.busy} onClick={() => void repeat(again.one)}>
          <RotateCw aria-hidden />
          {t('run_again')}
        </Button>
      )}
      {run.status === 'error' ? (
        <Button size="small" busy={again.busy} onClick={() => void repeat(again.fromFailure)}>
          <StepForward aria-hidden />
          {t('from_failure')}
        </Button>
      ) : null}
      <Link to="/workflows/$id" params={{ id: workflow_id }} className={buttonStyle({ size: 'small' })}>
        <Pencil aria-hidden />
        {t('open_workflow')}
      </Link>
    </div>
  );
}

/** The failed node and what it said, above everything else. */
function Failure({ run, onShow }: { run: HistoryEntry; onShow: (node: number) => void }) {
  const t = useRunsTexts();
  if (run.status !== 'error') return null;
  const index = run.node_results.findLastIndex((result) => result.status === 'error');
  const failed = run.node_results[index];
  const message = failed?.error ?? outputMessage(run.outputs);
  return (
    <div role="status" className="rounded-m border border-danger-line bg-danger-tint px-3 py-2">
      <p className="flex items-center gap-2 font-medium text-danger">
        <CircleAlert className="size-4 shrink-0" aria-hidden />
        {failed ? t('failed_at', { node: failed.node_label }) : t('failed')}
      </p>
      {message ? <p className="mt-1 text-base break-words text-text">{message}</p> : null}
      {failed ? (
        <button
          type="button"
          className="mt-1 text-sm font-medium text-accent-text underline"
          onClick={() => onShow(index)}
        >
          {t('show_node')}
        </button>
      ) : null}
    </div>
  );
}

/** Of cancelled runs, those that no person has stopped. */
function Dropped({ run: { status, outputs } }: { run: HistoryEntry }) {
  const reason = status === 'cancelled' ? (outputs as { reason?: unknown } | null)?.reason : undefined;
  if (reason !== 'queue_full') return null;
  return (
    <p role="status" className="rounded-m border border-line-strong bg-sunken px-3 py-2 text-sm">
      {outputMessage(outputs)}
    </p>
  );
}

function outputMessage(outputs: unknown): string | undefined {
  if (typeof outputs !== 'object' || outputs === null) return undefined;
  const value = (outputs as { error?: unknown }).error;
  return typeof value === 'string' ? value : undefined;
}

/** Everything about one run, for the panel beside the list and for the page of the run. */
export function RunDetail({ id }: { id: string }) {
  const t = useRunsTexts();
  const query = useRun(id);
  const [tab, setTab] = useState<Tab>('nodes');
  const [node, setNode] = useState<number>();
  if (query.isPending) return <SkeletonRows rows={6} />;
  if (query.error instanceof ApiError && query.error.status === 404) return <NotFoundPage />;
  if (query.isError) return <LoadFailed error={query.error} onRetry={() => void query.refetch()} />;
  const run = query.data;
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex shrink-0 flex-col gap-3 px-4 py-3">
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <h2 className="min-w-0 truncate text-lg">{run.workflow_name}</h2>
          <StatusChip status={run.status} />
          {run.recovered ? (
            <Badge tone="info">
              <LifeBuoy aria-hidden />
              {t('recovered')}
            </Badge>
          ) : null}
          <PlaceBadge run={run} />
        </div>
        <Facts run={run} />
        <Actions run={run} />
        <Dropped run={run} />
        <Failure
          run={run}
          onShow={(index) => {
            setTab('nodes');
            setNode(index);
          }}
        />
      </div>
      <Tabs
        className="grow border-t border-line"
        label={t('details')}
        value={tab}
        onChange={setTab}
        tabs={[
          {
            value: 'nodes',
            label: t('nodes'),
            count: run.node_results.length,
            content: (
              <NodeResults
                results={run.node_results}
                open={node}
                onOpen={setNode}
                running={isOpen(run.status)}
              />
            ),
          },
          { value: 'timeline', label: t('timeline'), content: <TimelineView run={run} /> },
          {
            value: 'inputs',
            label: t('inputs'),
            content: <ResultView className="h-full" label={t('inputs')} value={run.inputs} />,
          },
          {
            value: 'outputs',
            label: t('outputs'),
            content: <ResultView className="h-full" label={t('outputs')} value={run.outputs} />,
          },
        ]}
      />
    </div>
  );
}
