import type { VersionDiff } from '@millrace/contracts';
import type { WorkflowDocument } from '@millrace/engine';
import {
  Background,
  type Edge,
  Handle,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useStore,
} from '@xyflow/react';
import { clsx } from 'clsx';
import { Minus, Pencil, Plus } from 'lucide-react';
import { memo, useMemo } from 'react';
import { distance } from '../../../features/canvas-view/elements/distance.ts';
import { NodeTile } from '../../../features/canvas-view/elements/node-icons.tsx';
import { useFitAfterResize } from '../../../features/canvas-view/use-fit-after-resize.ts';
import { getNodeLabel } from '../../../lib/graph/node-label.ts';
import { useEditor } from '../../state/context.tsx';
import { isSmall } from './small-graph.ts';
import { useVersionsTexts } from './texts/use-versions-texts.ts';

type Change = 'added' | 'removed' | 'modified' | 'same';

const LOOK: Readonly<Record<Change, string>> = {
  added: 'border-success bg-success-tint',
  removed: 'border-danger bg-danger-tint border-dashed',
  modified: 'border-warning bg-warning-tint',
  same: 'border-line bg-surface opacity-60',
};

const MARK: Readonly<Record<Change, React.ReactNode>> = {
  added: <Plus className="size-4 text-success" aria-hidden />,
  removed: <Minus className="size-4 text-danger" aria-hidden />,
  modified: <Pencil className="size-3.5 text-warning" aria-hidden />,
  same: null,
};

const LINE: Readonly<Record<Change, React.CSSProperties>> = {
  added: { stroke: 'var(--success)', strokeWidth: 2 },
  removed: { stroke: 'var(--danger)', strokeWidth: 2, strokeDasharray: '5 4' },
  modified: { stroke: 'var(--warning)', strokeWidth: 2 },
  same: {},
};

interface DiffNodeData extends Record<string, unknown> {
  label: string;
  type: string;
  change: Change;
}
type DiffNode = Node<DiffNodeData>;

const DiffNodeView = memo(function DiffNodeView({ data }: NodeProps<DiffNode>) {
  const t = useVersionsTexts();
  const { catalog } = useEditor();
  const definition = catalog.get(data.type);
  return (
    <div
      data-family={definition?.family ?? 'output'}
      className={clsx(
        'flex w-[200px] items-center gap-2.5 rounded-l border px-2.5 py-2 text-left',
        LOOK[data.change],
      )}
    >
      <Handle type="target" position={Position.Left} className="invisible" />
      <NodeTile icon={definition?.icon} family={definition?.family} small />
      <span
        className={clsx('min-w-0 grow truncate font-medium', data.change === 'removed' && 'line-through')}
      >
        {data.label}
      </span>
      {MARK[data.change]}
      <span className="sr-only">{t(`change.${data.change}`)}</span>
      <Handle type="source" position={Position.Right} className="invisible" />
    </div>
  );
});

const NODE_TYPES = { diff: DiffNodeView };
const FIT = { maxZoom: 0.8, padding: 0.15 };
const PRO = { hideAttribution: true };

/** Nodes and edges of both versions on one canvas, each with what happened to it. */
function buildElements(diff: VersionDiff, current: WorkflowDocument): { nodes: DiffNode[]; edges: Edge[] } {
  const changes = new Map(diff.node_changes.map((change) => [change.node_id, change]));
  const removed = diff.node_changes.flatMap((change) =>
    change.change_type === 'removed' && change.old_node ? [change.old_node] : [],
  );
  const nodes = [...current.nodes, ...removed].map((node): DiffNode => {
    const change: Change = changes.get(node.id)?.change_type ?? 'same';
    return {
      id: node.id,
      type: 'diff',
      position: node.position,
      data: { label: getNodeLabel(node), type: node.type, change },
    };
  });
  const drawn = new Set(nodes.map((node) => node.id));
  const edgeChanges = new Map(diff.edge_changes.map((change) => [change.edge_id, change]));
  const gone = diff.edge_changes.flatMap((change) =>
    change.change_type === 'removed' && change.old_edge ? [change.old_edge] : [],
  );
  const edges = [...current.edges, ...gone]
    .filter((edge) => drawn.has(edge.source) && drawn.has(edge.target))
    .map((edge): Edge => {
      const change: Change = edgeChanges.get(edge.id)?.change_type ?? 'same';
      const id = change === 'removed' ? `removed ${edge.id}` : edge.id;
      return { id, source: edge.source, target: edge.target, style: LINE[change] };
    });
  return { nodes, edges };
}

interface DiffCanvasProps {
  diff: VersionDiff;
  current: WorkflowDocument;
}

export function DiffCanvas({ diff, current }: DiffCanvasProps) {
  const t = useVersionsTexts();
  return (
    <div
      role="img"
      aria-label={t('drawn')}
      className="h-[min(44vh,380px)] overflow-hidden rounded-m border border-line"
    >
      <ReactFlowProvider>
        <Drawn key={diff.version_id} diff={diff} current={current} />
      </ReactFlowProvider>
    </div>
  );
}

function Drawn({ diff, current }: DiffCanvasProps) {
  const { nodes, edges } = useMemo(() => buildElements(diff, current), [diff, current]);
  // The changes of a large graph are in view first; the rest is around them.
  const fit = useMemo(() => {
    if (isSmall(nodes)) return FIT;
    const changed = nodes.filter((node) => node.data.change !== 'same').map(({ id }) => ({ id }));
    return changed.length > 0 ? { ...FIT, nodes: changed } : FIT;
  }, [nodes]);
  const far = useStore(distance);
  useFitAfterResize(fit);
  return (
    <ReactFlow
      className={far}
      nodes={nodes}
      edges={edges}
      nodeTypes={NODE_TYPES}
      fitView
      fitViewOptions={fit}
      nodesDraggable={false}
      nodesConnectable={false}
      nodesFocusable={false}
      edgesFocusable={false}
      elementsSelectable={false}
      minZoom={0.1}
      proOptions={PRO}
    >
      <Background gap={20} color="var(--line-strong)" />
    </ReactFlow>
  );
}
