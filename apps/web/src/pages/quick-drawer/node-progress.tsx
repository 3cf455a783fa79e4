import type { GraphNode } from '@millrace/contracts';
import { useStore } from 'zustand';
import { lastRecord, type NodeRun, type RunStore } from '../../features/run-view/run-store.ts';
import { getNodeLabel } from '../../lib/graph/node-label.ts';
import { StatusChip } from '../../ui/display/status-chip.tsx';
import { Duration } from '../../ui/display/time.tsx';
import { StepList } from '../../ui/results/step-list.tsx';
import { useQuickDrawerTexts } from './texts/use-quick-drawer-texts.ts';

/** Shows what each node of the run does or did, in the order in which they started. */
export function NodeProgress({ run, nodes }: { run: RunStore; nodes: readonly GraphNode[] }) {
  const t = useQuickDrawerTexts();
  const runs = useStore(run, (state) => state.nodes);
  const labels = new Map(nodes.map((node) => [node.id, getNodeLabel(node)]));
  if (runs.size === 0) return null;
  return (
    <ol aria-label={t('progress')} className="shrink-0 border-b border-line py-1">
      {[...runs].map(([id, node]) => (
        <li key={id}>
          <NodeLine label={labels.get(id) ?? id} node={node} />
        </li>
      ))}
    </ol>
  );
}

function NodeLine({ label, node }: { label: string; node: NodeRun }) {
  const record = lastRecord(node);
  const isOver = node.status !== 'running' && node.status !== 'retrying';
  return (
    <>
      <p className="flex items-center gap-2 px-3.5 py-1 text-sm">
        <StatusChip status={isOver ? node.status : 'running'} look="icon" />
        <span className="min-w-0 shrink-0 truncate font-medium">{label}</span>
        <span className="min-w-0 grow truncate text-soft">{node.progress}</span>
        {isOver && record ? <Duration ms={record.execution_time_ms} className="text-faint" /> : null}
      </p>
      {record?.error ? <p className="px-3.5 pb-1.5 text-sm break-words text-danger">{record.error}</p> : null}
      {isOver ? null : <StepList steps={node.steps} />}
    </>
  );
}
