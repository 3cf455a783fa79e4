import type { WorkflowNode } from '@millrace/engine';
import { Play, Square } from 'lucide-react';
import { useMemo } from 'react';
import { useHasEndedRun } from '../../data/runs.ts';
import { useDocument, useRun } from '../../features/document/context.ts';
import { nodeById } from '../../features/document/edit.ts';
import { findParents } from '../../features/document/flow-order.ts';
import { NodeOutput } from '../../features/ran-node/node-output.tsx';
import { getNodeLabel } from '../../lib/graph/node-label.ts';
import { Button } from '../../ui/actions/button.tsx';
import { FormProblem } from '../../ui/forms/form-problem.tsx';
import { ResultView } from '../../ui/results/result-view.tsx';
import { type RunControls, useRunControls } from '../run/run-controls.tsx';
import { useEditor } from '../state/context.tsx';
import { useDetailTexts } from './texts/use-detail-texts.ts';

/** `only`: the node alone. `until`: with all that leads to it. `all`: the whole workflow, for a node that starts it. */
type NodeRun = 'only' | 'until' | 'all';

/** Whether the nodes before this one gave it something to run with in the run on the canvas, or have pinned data for it. */
function useIsFed({ id }: WorkflowNode): boolean {
  const document = useDocument((state) => state.document);
  const runs = useRun((state) => state.nodes);
  return useMemo(() => {
    const parents = findParents(document, id);
    const isPinned = (parent: string) => (nodeById(document, parent)?.data['pinnedData'] ?? null) !== null;
    const given = parents.filter((parent) => isPinned(parent) || runs.get(parent)?.status === 'success');
    const isSettled = (parent: string) => given.includes(parent) || runs.get(parent)?.status === 'skipped';
    return parents.length === 0 || (given.length > 0 && parents.every(isSettled));
  }, [document, runs, id]);
}

/** How the node is run: alone after a run on the canvas or an earlier one, whose results it is given. */
export function useRunNode(node: WorkflowNode): {
  kind: NodeRun;
  /** Not while it is unknown what would run. */
  canRun: boolean;
  run: () => void;
  controls: RunControls;
} {
  const { catalog, workflow_id } = useEditor();
  const controls = useRunControls();
  const isShown = useRun((state) => state.execution_id !== undefined);
  const isFed = useIsFed(node);
  const takesInput = (catalog.get(node.type)?.ports(node.data).inputs.length ?? 1) > 0;
  const asks = takesInput && !isShown;
  const earlier = useHasEndedRun(workflow_id, asks);
  // Where the history cannot be read, a run of the node alone asks again, and says why it cannot begin.
  const isAlone = isShown ? isFed : earlier.data !== false;
  const kind = takesInput ? (isAlone ? 'only' : 'until') : 'all';
  const canRun = !(asks && earlier.isPending) && (kind === 'only' || controls.input !== undefined);
  const run = () => {
    if (controls.busy || !canRun) return;
    if (kind === 'only') void controls.startPart(node.id, 'only');
    else void controls.start(kind === 'until' ? { until: node.id } : {});
  };
  return { kind, canRun, run, controls };
}

/** The output of the node in the shown run, and the button that runs it again. */
export function OutputPane({ node }: { node: WorkflowNode }) {
  const t = useDetailTexts();
  const { kind, canRun, run, controls } = useRunNode(node);
  const hasRun = useRun((state) => (state.nodes.get(node.id)?.records.length ?? 0) > 0);
  const pinned = node.data['pinnedData'] ?? null;
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex shrink-0 flex-col gap-2 border-b border-line p-2">
        {controls.busy ? (
          <Button size="small" tone="danger" onClick={controls.stop}>
            <Square aria-hidden />
            {t('stop')}
          </Button>
        ) : (
          <Button size="small" disabled={!canRun} onClick={run}>
            <Play aria-hidden />
            {kind === 'all' ? t('run') : t(`run_${kind}`)}
          </Button>
        )}
        <FormProblem text={controls.problem} />
      </div>
      <div className="min-h-0 grow overflow-auto">
        {pinned !== null && !hasRun ? (
          <div className="flex h-full min-h-0 flex-col">
            <p className="px-3.5 py-2 text-sm text-faint">{t('pinned_output')}</p>
            <ResultView
              value={pinned}
              label={t('data_of', { label: getNodeLabel(node) })}
              className="min-h-40 grow"
            />
          </div>
        ) : (
          <NodeOutput key={node.id} node={node} />
        )}
      </div>
    </div>
  );
}
