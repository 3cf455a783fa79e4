import type { NodeResult } from '@millrace/contracts';
import { useVirtualizer } from '@tanstack/react-virtual';
import { clsx } from 'clsx';
import { useEffect, useMemo, useRef } from 'react';
import { readNodeStatus } from '../../lib/run/node-status.ts';
import { getRound, roundText } from '../../lib/run/rounds.ts';
import { FoldButton, FoldMark } from '../../ui/actions/fold-button.tsx';
import { Badge, StatusChip } from '../../ui/display/status-chip.tsx';
import { Duration } from '../../ui/display/time.tsx';
import { useWaitText } from '../../ui/display/wait-text.ts';
import { WorkflowGlyph } from '../../ui/graph/workflow-glyph.tsx';
import { ResultView } from '../../ui/results/result-view.tsx';
import { StepList } from '../../ui/results/step-list.tsx';
import { unresolvedIn } from '../../ui/results/unresolved.ts';
import { UnresolvedList } from '../../ui/results/unresolved-list.tsx';
import { UnresolvedBadge } from './list/unusual-badges.tsx';
import { inRunOrder } from './run/run-order.ts';
import { useRunsTexts } from './texts/use-runs-texts.ts';

interface NodeResultsProps {
  results: readonly NodeResult[];
  /** Its place in `results`. */
  open: number | undefined;
  onOpen: (index: number | undefined) => void;
  running: boolean;
}

/** The results of the nodes, in the order in which they began; one opens at a time. */
export function NodeResults({ results, open, onOpen, running }: NodeResultsProps) {
  const t = useRunsTexts();
  const ordered = useMemo(() => inRunOrder(results), [results]);
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: results.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 38,
    overscan: 10,
  });
  useEffect(() => {
    const row = ordered.findIndex(({ index }) => index === open);
    if (row >= 0) virtual.scrollToIndex(row, { align: 'start' });
  }, [open, ordered, virtual]);
  if (results.length === 0) {
    return (
      <p className="px-4 py-8 text-center text-soft">{running ? t('nodes_waiting') : t('nodes_none')}</p>
    );
  }
  return (
    <div ref={scroller} className="h-full overflow-y-auto">
      <ol className="relative" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map((item) => {
          const placed = ordered[item.index];
          if (!placed) return null;
          const { result, index } = placed;
          return (
            <li
              key={item.index}
              ref={virtual.measureElement}
              data-index={item.index}
              className="absolute inset-x-0 border-b border-line"
              style={{ transform: `translateY(${item.start}px)` }}
            >
              <Row
                result={result}
                open={open === index}
                onToggle={() => onOpen(open === index ? undefined : index)}
              />
            </li>
          );
        })}
      </ol>
    </div>
  );
}

function Row({ result, open, onToggle }: { result: NodeResult; open: boolean; onToggle: () => void }) {
  const t = useRunsTexts();
  const round = getRound(result);
  const status = readNodeStatus(result);
  const unresolved = unresolvedIn(result.metadata);
  const waits = useWaitText()(result.status === 'pending' ? result.metadata : undefined);
  return (
    <>
      <FoldButton open={open} onToggle={onToggle} className="flex h-[37px] items-center gap-2.5 px-3">
        <FoldMark open={open} />
        <WorkflowGlyph type={result.node_type} size="small" />
        <span className="truncate font-medium">{result.node_label}</span>
        {round === '' ? null : (
          <span className="tabular shrink-0 text-sm text-faint">
            {t('round', { round: roundText(round) })}
          </span>
        )}
        <span className="ml-auto flex shrink-0 items-center gap-3">
          {result.metadata['reused'] === true ? (
            <span title={t('reused_hint')}>
              <Badge>{t('reused')}</Badge>
            </span>
          ) : null}
          {waits === undefined ? (
            <Duration ms={result.execution_time_ms} className="tabular text-sm text-faint" />
          ) : (
            <span title={waits} className="max-w-64 truncate text-sm text-soft">
              {waits}
            </span>
          )}
          {unresolved.length === 0 ? null : <UnresolvedBadge count={unresolved.length} />}
          <StatusChip status={status} look="line" className="w-24" />
        </span>
      </FoldButton>
      {open ? (
        <div className="border-t border-line bg-canvas">
          {result.error ? (
            <p
              className={clsx(
                'border-b border-line px-4 py-2 break-words',
                status === 'cancelled' ? 'text-soft' : 'text-danger',
              )}
            >
              {result.error}
            </p>
          ) : null}
          <UnresolvedList references={unresolved} className="border-b border-line" />
          <ResultView
            className="max-h-[420px] min-h-32"
            label={t('output_of', { node: result.node_label })}
            value={result.output}
          />
          <StepList steps={result.metadata['steps']} className="border-t border-line" />
        </div>
      ) : null}
    </>
  );
}
