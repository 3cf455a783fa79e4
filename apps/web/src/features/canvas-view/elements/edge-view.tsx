import { TOOL_INPUT } from '@millrace/engine';
import { BaseEdge, type EdgeProps } from '@xyflow/react';
import { clsx } from 'clsx';
import { Plus } from 'lucide-react';
import { memo, useMemo } from 'react';
import { useRun } from '../../document/context.ts';
import { useOptionalCanvasActions } from '../canvas-actions.tsx';
import { useCanvasViewTexts } from '../texts/use-canvas-view-texts.ts';
import { edgeItems } from './edge-items.ts';
import { EdgeLabel } from './edge-label.tsx';
import { arrowPath, edgePath } from './edge-path.ts';
import type { CanvasEdge } from './flow-elements.ts';

/** A connection; it shows whether the last run passed it and offers to put a node in between. */
export const EdgeView = memo(function EdgeView(edge: EdgeProps<CanvasEdge>) {
  const t = useCanvasViewTexts();
  const actions = useOptionalCanvasActions();
  const reached = useRun((state) => state.nodes.get(edge.target)?.status);
  const left = useRun((state) => state.nodes.get(edge.source)?.status);
  const target = useRun((state) => state.nodes.get(edge.target)?.records);
  const source = useRun((state) => state.nodes.get(edge.source)?.records);
  const passed = left === 'success' && reached !== undefined && reached !== 'skipped';
  const [path, x, y] = edgePath(edge);
  const isError = edge.data?.handle === 'error';
  const [source_handle, target_handle] = [edge.sourceHandleId ?? '', edge.targetHandleId ?? ''];
  // A node that is dragged draws its edges for each step of the pointer.
  const items = useMemo(
    () => edgeItems({ source_handle, target_handle, source, target }),
    [source_handle, target_handle, source, target],
  );
  const isTool = target_handle === TOOL_INPUT;
  return (
    <>
      <g
        className={clsx(
          'canvas-edge',
          isError && 'canvas-edge-error',
          isTool && 'canvas-edge-tool',
          passed && 'canvas-edge-passed',
          reached === 'running' && 'canvas-edge-running',
          edge.selected && 'canvas-edge-selected',
        )}
      >
        <BaseEdge id={edge.id} path={path} interactionWidth={18} className="canvas-edge-line" />
        <path d={arrowPath(edge)} className="canvas-edge-arrow" />
      </g>
      {items === undefined ? null : (
        <EdgeLabel>
          <span
            style={{ transform: `translate(-50%, -130%) translate(${x}px, ${y}px)` }}
            className="canvas-edge-items tabular absolute rounded-s bg-canvas px-1 text-xs text-soft"
          >
            <span className="canvas-edge-items-near">{t('items', { count: items })}</span>
            <span className="canvas-edge-items-far" aria-hidden>
              {items}
            </span>
          </span>
        </EdgeLabel>
      )}
      {isTool || !actions ? null : (
        <EdgeLabel>
          <button
            type="button"
            aria-label={t('insert_here')}
            onClick={() => actions.insertOnEdge(edge.id)}
            style={{ transform: `translate(-50%, -50%) translate(${x}px, ${y}px)` }}
            className="canvas-edge-add nodrag nopan absolute flex size-5 items-center justify-center rounded-full border border-line-strong bg-surface text-soft hover:border-accent hover:text-accent-text"
          >
            <Plus className="size-3" aria-hidden />
          </button>
        </EdgeLabel>
      )}
    </>
  );
});
