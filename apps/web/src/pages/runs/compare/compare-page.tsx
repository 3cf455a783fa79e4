import type { HistoryEntry } from '@millrace/contracts';
import { getRouteApi, Link } from '@tanstack/react-router';
import { clsx } from 'clsx';
import { ArrowLeft, ChevronRight, Equal, EqualNot } from 'lucide-react';
import { useState } from 'react';
import { isNotFound } from '../../../data/refusal.ts';
import { useRun } from '../../../data/runs.ts';
import { jsonDiff } from '../../../lib/json/json-diff.ts';
import { readNodeStatus } from '../../../lib/run/node-status.ts';
import { buttonStyle } from '../../../ui/actions/button.tsx';
import { FoldButton, FoldMark } from '../../../ui/actions/fold-button.tsx';
import { EmptyState, LoadFailed } from '../../../ui/display/empty-state.tsx';
import { SkeletonRows } from '../../../ui/display/skeleton.tsx';
import { StatusChip } from '../../../ui/display/status-chip.tsx';
import { DateTime, Duration } from '../../../ui/display/time.tsx';
import { Switch } from '../../../ui/forms/toggles.tsx';
import { WorkflowGlyph } from '../../../ui/graph/workflow-glyph.tsx';
import { Page } from '../../../ui/layout/page.tsx';
import { NotFoundPage } from '../../errors/not-found-page.tsx';
import { useRunsTexts } from '../texts/use-runs-texts.ts';
import { ChangeList } from './change-list.tsx';
import { compareRuns, type NodeComparison } from './compare.ts';
import { withoutNoise } from './noise.ts';

const route = getRouteApi('/app/runs/$id/compare/$other');

function Head({ run, name }: { run: HistoryEntry; name: string }) {
  const t = useRunsTexts();
  return (
    <div className="min-w-0 px-4 py-3">
      <p className="flex flex-wrap items-center gap-2">
        <span className="text-sm font-semibold text-faint">{name}</span>
        <Link to="/runs/$id" params={{ id: run.id }} className="truncate font-medium hover:underline">
          {run.workflow_name}
        </Link>
        <StatusChip status={run.status} />
      </p>
      <p className="mt-1 flex flex-wrap gap-x-3 text-sm text-soft">
        <DateTime at={run.started_at} seconds />
        <span>
          {t('duration')}: <Duration ms={run.execution_time_ms} />
        </span>
      </p>
    </div>
  );
}

/** Two runs node by node: what differs in status, time and output. */
export function ComparePage() {
  const t = useRunsTexts();
  const { id, other } = route.useParams();
  const left = useRun(id);
  const right = useRun(other);
  const [onlyChanges, setOnlyChanges] = useState(true);
  const failed = left.error ?? right.error;
  if (isNotFound(failed)) return <NotFoundPage />;
  return (
    <Page
      title={t('compare_title')}
      lead={
        <Link
          to="/runs"
          aria-label={t('title')}
          className={buttonStyle({ tone: 'quiet', size: 'small', square: true })}
        >
          <ArrowLeft aria-hidden />
        </Link>
      }
      actions={<Switch label={t('only_changes')} checked={onlyChanges} onChange={setOnlyChanges} />}
    >
      {left.data && right.data ? (
        <Comparison left={left.data} right={right.data} onlyChanges={onlyChanges} />
      ) : failed ? (
        <LoadFailed error={failed} onRetry={() => void Promise.all([left.refetch(), right.refetch()])} />
      ) : (
        <SkeletonRows />
      )}
    </Page>
  );
}

function Comparison({
  left,
  right,
  onlyChanges,
}: {
  left: HistoryEntry;
  right: HistoryEntry;
  onlyChanges: boolean;
}) {
  const t = useRunsTexts();
  const nodes = compareRuns(left.node_results, right.node_results);
  const { changes: inputs, noise } = withoutNoise(jsonDiff(left.inputs, right.inputs));
  const left_out = nodes.reduce((sum, node) => sum + node.noise, noise);
  const shown = onlyChanges ? nodes.filter((node) => !node.same) : nodes;
  return (
    <>
      <div className="grid divide-line border-b border-line max-sm:divide-y sm:grid-cols-2 sm:divide-x">
        <Head run={left} name="A" />
        <Head run={right} name="B" />
      </div>
      {left_out > 0 ? (
        <p className="border-b border-line px-4 py-1.5 text-sm text-faint">
          {t('noise', { count: left_out })}
        </p>
      ) : null}
      {inputs.length > 0 ? (
        <details className="group border-b border-line">
          <summary className="flex items-center gap-2 px-4 py-2.5 font-medium hover:bg-hover">
            <ChevronRight className="size-3.5 text-faint group-open:rotate-90" aria-hidden />
            {t('inputs_differ')}
            <span className="text-sm font-normal text-faint">{t('differs', { count: inputs.length })}</span>
          </summary>
          <div className="px-4 pb-4">
            <ChangeList changes={inputs} />
          </div>
        </details>
      ) : null}
      {shown.length === 0 ? (
        <EmptyState icon={<Equal aria-hidden />} title={t('no_differences')}>
          {t('no_differences_hint', { count: nodes.length })}
        </EmptyState>
      ) : (
        <ol>
          {shown.map((node) => (
            <Row key={node.key} node={node} />
          ))}
        </ol>
      )}
    </>
  );
}

function Side({ result }: { result: NodeComparison['left'] }) {
  const t = useRunsTexts();
  if (!result) return <span className="text-sm text-faint">{t('not_reached')}</span>;
  return (
    <span className="flex items-center gap-3">
      <StatusChip status={readNodeStatus(result)} look="line" className="w-24" />
      <Duration ms={result.execution_time_ms} className="tabular text-sm text-faint" />
    </span>
  );
}

function Row({ node }: { node: NodeComparison }) {
  const t = useRunsTexts();
  const [open, setOpen] = useState(false);
  const errors = [node.left?.error, node.right?.error];
  return (
    <li className="border-b border-line">
      <FoldButton
        open={open}
        onToggle={() => setOpen(!open)}
        className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1 px-4 py-2 sm:grid-cols-[minmax(0,1.2fr)_1fr_1fr_90px]"
      >
        <span className="flex min-w-0 items-center gap-2">
          <FoldMark open={open} />
          <WorkflowGlyph type={node.type} size="small" />
          <span className="truncate font-medium">{node.label}</span>
        </span>
        <Side result={node.left} />
        <Side result={node.right} />
        <span
          className={clsx(
            'flex items-center gap-1.5 text-sm',
            node.same ? 'text-faint' : 'font-medium text-warning',
          )}
        >
          {node.same ? (
            <Equal className="size-3.5" aria-hidden />
          ) : (
            <EqualNot className="size-3.5" aria-hidden />
          )}
          {node.same ? t('same') : t('differs', { count: node.changes.length })}
        </span>
      </FoldButton>
      {open ? (
        <div className="border-t border-line bg-canvas px-4 py-3">
          {errors.map((error, index) =>
            error ? (
              <p key={index === 0 ? 'A' : 'B'} className="pb-2 text-danger">
                {index === 0 ? 'A' : 'B'}: {error}
              </p>
            ) : null,
          )}
          {node.changes.length > 0 ? (
            <ChangeList changes={node.changes} />
          ) : (
            <p className="text-soft">{t('outputs_equal')}</p>
          )}
        </div>
      ) : null}
    </li>
  );
}
