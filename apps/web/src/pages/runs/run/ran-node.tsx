import type { HistoryEntry } from '@millrace/contracts';
import type { WorkflowNode } from '@millrace/engine';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useMemo, useState } from 'react';
import { isOpen } from '../../../data/runs.ts';
import { NodeTile } from '../../../features/canvas-view/elements/node-icons.tsx';
import { useDocument, useOpenDocument, useRun } from '../../../features/document/context.ts';
import { useKnown } from '../../../features/known-values/use-known.ts';
import { GrowingTextView } from '../../../features/ran-node/growing-text-view.tsx';
import { NodeOutput } from '../../../features/ran-node/node-output.tsx';
import { getNodeLabel } from '../../../lib/graph/node-label.ts';
import { getRound } from '../../../lib/run/rounds.ts';
import { IconButton } from '../../../ui/actions/icon-button.tsx';
import { ResultView } from '../../../ui/results/result-view.tsx';
import { useRunsTexts } from '../texts/use-runs-texts.ts';
import { nodeInput } from './node-input.ts';

interface RanNodeProps {
  run: HistoryEntry;
  node: WorkflowNode;
  /** Ids of the nodes that ran, in their order. */
  order: readonly string[];
  onStep: (step: 1 | -1) => void;
}

/** One node of a run: what it was given and what it gave, round by round. */
export function RanNode({ run, node, order, onStep }: RanNodeProps) {
  const t = useRunsTexts();
  const { catalog } = useOpenDocument();
  const records = useRun((state) => state.nodes.get(node.id)?.records);
  const [shown, setShown] = useState<number>();
  const definition = catalog.get(node.type);
  const at = order.indexOf(node.id);
  const count = records?.length ?? 0;
  const record = records?.[Math.min(shown ?? count - 1, count - 1)];
  const hasRun = at >= 0 || count > 0;
  return (
    <section aria-label={getNodeLabel(node)} className="flex h-full min-h-0 flex-col">
      <header className="flex shrink-0 items-center gap-2.5 border-b border-line px-3.5 py-2">
        <NodeTile icon={definition?.icon} family={definition?.family} small />
        <div className="min-w-0 grow" aria-live="polite">
          <h2 className="truncate text-base font-medium">{getNodeLabel(node)}</h2>
          <p className="truncate text-sm text-faint">{definition?.title ?? node.type}</p>
        </div>
        <IconButton
          label={t('earlier_node')}
          keys="←"
          icon={<ChevronLeft />}
          disabled={at === 0 || order.length === 0}
          onClick={() => onStep(-1)}
        />
        {at < 0 ? null : (
          <span className="tabular text-sm text-soft">
            {t('node_of', { at: at + 1, count: order.length })}
          </span>
        )}
        <IconButton
          label={t('later_node')}
          keys="→"
          icon={<ChevronRight />}
          disabled={at === order.length - 1}
          onClick={() => onStep(1)}
        />
      </header>
      {hasRun ? (
        <div className="flex min-h-0 grow flex-col overflow-y-auto">
          <div className="shrink-0 overflow-y-auto max-md:h-96 md:min-h-0 md:shrink md:grow-[3] md:basis-0">
            <NodeOutput node={node} shown={shown} onShow={setShown} />
          </div>
          <div className="flex shrink-0 flex-col border-t border-line-strong max-md:h-72 md:min-h-0 md:shrink md:grow-[2] md:basis-0">
            <NodeInput run={run} node={node} round={getRound(record)} />
          </div>
        </div>
      ) : (
        <>
          <GrowingTextView node_id={node.id} />
          <p className="p-6 text-center text-soft">{t(isOpen(run.status) ? 'not_ended' : 'not_run')}</p>
        </>
      )}
    </section>
  );
}

interface NodeInputProps {
  run: HistoryEntry;
  node: WorkflowNode;
  /** Rounds of the loops around the result that is shown. */
  round: string;
}

/** The data that the nodes before gave, or that started the run. */
function NodeInput({ run, node, round }: NodeInputProps) {
  const t = useRunsTexts();
  const document = useDocument((state) => state.document);
  const { values } = useKnown(node.id, round);
  const { from, value } = useMemo(
    () => nodeInput(document, node.id, { values, inputs: run.inputs }),
    [document, node.id, values, run.inputs],
  );
  return (
    <>
      <h3 className="shrink-0 px-3.5 pt-2 pb-1 text-sm font-medium text-soft">
        {from.length === 0 ? t('input_of_run') : t('input_from', { nodes: from.join(', ') })}
      </h3>
      <ResultView
        value={value}
        label={t('input_of', { node: getNodeLabel(node) })}
        className="min-h-0 grow"
      />
    </>
  );
}
