import { TOOL_INPUT } from '@millrace/engine';
import { BaseEdge, EdgeLabelRenderer, type EdgeProps } from '@xyflow/react';
import { clsx } from 'clsx';
import { Plus } from 'lucide-react';
import { memo } from 'react';
import { useRun } from '../../context.tsx';
import { edgeItems } from '../../run/edge-items.ts';
import { useEditorTexts } from '../../texts/use-editor-texts.ts';
import { useOptionalCanvasActions } from '../canvas-actions.tsx';
import { edgePath } from './edge-path.ts';
import type { CanvasEdge } from './flow-elements.ts';

/** A connection; it shows whether the last run passed it and offers to put a node in between. */
export const EdgeView = memo(function EdgeView(edge: EdgeProps<CanvasEdge>) {
  const t = useEditorTexts('canvas');
  const actions = useOptionalCanvasActions();
  const target = useRun((state) => state.nodes.get(edge.target));
  const source = useRun((state) => state.nodes.get(edge.source));
  const [reached, left] = [target?.status, source?.status];
  const passed = left === 'success' && reached !== undefined && reached !== 'skipped';
  const [path, x, y] = edgePath(edge);
  const isError = edge.data?.handle === 'error';
  const items = edgeItems({
    source_handle: edge.sourceHandleId ?? '',
    target_handle: edge.targetHandleId ?? '',
    source,
    target,
  });
  const isTool = edge.targetHandleId === TOOL_INPUT;
  return (
    <>
      <BaseEdge
        id={edge.id}
        path={path}
        interactionWidth={18}
        className={clsx(
          'canvas-edge',
          isError && 'canvas-edge-error',
          isTool && 'canvas-edge-tool',
          passed && 'canvas-edge-passed',
          reached === 'running' && 'canvas-edge-running',
          edge.selected && 'canvas-edge-selected',
        )}
      />
      {items === undefined ? null : (
        <EdgeLabelRenderer>
          <span
            style={{ transform: `translate(-50%, -130%) translate(${x}px, ${y}px)` }}
            className="canvas-edge-items tabular absolute rounded-s bg-canvas px-1 text-xs text-soft"
          >
            <span className="canvas-edge-items-near">{t('items', { count: items })}</span>
            <span className="canvas-edge-items-far" aria-hidden>
              {items}
            </span>
          </span>
        </EdgeLabelRenderer>
      )}
      {isTool || !actions ? null : (
        <EdgeLabelRenderer>
          <button
            type="button"
            aria-label={t('insert_here')}
            onClick={() => actions.insertOnEdge(edge.id)}
            style={{ transform: `translate(-50%, -50%) translate(${x}px, ${y}px)` }}
            className="canvas-edge-add nodrag nopan absolute flex size-5 items-center justify-center rounded-full border border-line-strong bg-surface text-soft hover:border-accent hover:text-accent-text"
          >
            <Plus className="size-3" aria-hidden />
          </button>
        </EdgeLabelRenderer>
      )}
    </>
  );
});
