import type { WorkflowNode } from '@millrace/engine';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { Suspense, useState } from 'react';
import { lazy } from '../../lib/code/lazy.ts';
import { getNodeLabel } from '../../lib/graph/node-label.ts';
import { getRound, roundText } from '../../lib/run/rounds.ts';
import { IconButton } from '../../ui/actions/icon-button.tsx';
import { Skeleton } from '../../ui/display/skeleton.tsx';
import { StatusChip } from '../../ui/display/status-chip.tsx';
import { Duration } from '../../ui/display/time.tsx';
import { ResultView } from '../../ui/results/result-view.tsx';
import { StepList } from '../../ui/results/step-list.tsx';
import { unresolvedIn } from '../../ui/results/unresolved.ts';
import { UnresolvedList } from '../../ui/results/unresolved-list.tsx';
import { useRun } from '../document/context.ts';
import type { NodeRecord } from '../run-view/run-store.ts';
import { GrowingTextView } from './growing-text-view.tsx';
import { useRanNodeTexts } from './texts/use-ran-node-texts.ts';

/** Brings the explanation of expressions along, which only a failure needs. */
const FailureCard = lazy(() =>
  import('./failure-card.tsx').then((module) => ({ default: module.FailureCard })),
);

const numberIn = (record: NodeRecord, name: string): number | undefined => {
  const value = record.metadata?.[name];
  return typeof value === 'number' ? value : undefined;
};

interface NodeOutputProps {
  node: WorkflowNode;
  /** Which of its results is shown, where that is chosen outside; the newest by default. */
  shown?: number | undefined;
  onShow?: (index: number) => void;
}

/** The results of one node in the run on the canvas, round by round. */
export function NodeOutput({ node, shown, onShow }: NodeOutputProps) {
  const t = useRanNodeTexts();
  const run = useRun((state) => state.nodes.get(node.id));
  const isWriting = useRun((state) => state.texts.some((text) => text.node_id === node.id));
  const [own, setOwn] = useState<number>();
  const [chosen, setChosen] = onShow ? [shown, onShow] : [own, setOwn];
  if (!run || run.records.length === 0) {
    const steps = run?.steps ?? [];
    return isWriting || steps.length > 0 ? (
      <>
        <GrowingTextView node_id={node.id} />
        <StepList steps={steps} />
      </>
    ) : (
      <p className="p-6 text-center text-faint">{t('no_output')}</p>
    );
  }
  const index = Math.min(chosen ?? run.records.length - 1, run.records.length - 1);
  const record = run.records[index];
  if (!record) return null;
  const attempts = numberIn(record, 'retry_max_attempts') ?? run.max_attempts;
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex min-h-10 items-center gap-2 border-b border-line px-3.5 py-1">
        <StatusChip status={record.status} look="line" />
        <Duration ms={record.execution_time_ms} className="text-sm text-faint" />
        {getRound(record) === '' ? null : (
          <span className="text-sm text-soft">{t('round', { round: roundText(getRound(record)) })}</span>
        )}
        <span className="grow" />
        {run.records.length > 1 ? (
          <>
            <IconButton
              label={t('earlier_round')}
              icon={<ChevronLeft />}
              disabled={index === 0}
              onClick={() => setChosen(index - 1)}
            />
            <span className="tabular text-sm text-soft">
              {t('round_of', { round: index + 1, total: run.records.length })}
            </span>
            <IconButton
              label={t('later_round')}
              icon={<ChevronRight />}
              disabled={index === run.records.length - 1}
              onClick={() => setChosen(index + 1)}
            />
          </>
        ) : null}
      </div>
      {record.status === 'error' ? (
        <Suspense fallback={<Skeleton className="h-24" />}>
          <FailureCard
            node={node}
            record={record}
            attempt={numberIn(record, 'retry_attempt') ?? attempts}
            attempts={attempts}
            round={getRound(record)}
          />
        </Suspense>
      ) : null}
      <UnresolvedList references={unresolvedIn(record.metadata)} className="shrink-0 border-b border-line" />
      <GrowingTextView node_id={node.id} />
      <ResultView
        value={record.output}
        label={t('output_of', { label: getNodeLabel(node) })}
        className="min-h-40 grow"
      />
      <StepList
        steps={record.metadata?.['steps'] ?? (index === run.records.length - 1 ? run.steps : undefined)}
        className="max-h-[45%] shrink-0 overflow-y-auto border-t border-line"
      />
    </div>
  );
}
