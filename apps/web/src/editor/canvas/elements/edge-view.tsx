import { TOOL_INPUT } from '@millrace/engine';
import { BaseEdge, EdgeLabelRenderer, type EdgeProps } from '@xyflow/react';
import { clsx } from 'clsx';
import { Plus } from 'lucide-react';
import { memo } from 'react';
import { useRun } from '../../context.tsx';
import { useEditorTexts } from '../../texts/use-editor-texts.ts';
import { useCanvasActions } from '../canvas-actions.tsx';
import { edgePath } from './edge-path.ts';
import type { CanvasEdge } from './flow-elements.ts';

/** A connection; it shows whether the last run passed it and offers to put a node in between. */
export const EdgeView = memo(function EdgeView(edge: EdgeProps<CanvasEdge>) {
  const t = useEditorTexts('canvas');
  const { insertOnEdge } = useCanvasActions();
  const reached = useRun((state) => state.nodes.get(edge.target)?.status);
  const left = useRun((state) => state.nodes.get(edge.source)?.status);
  const passed = left === 'success' && reached !== undefined && reached !== 'skipped';
  const [path, x, y] = edgePath(edge);
  const isError = edge.data?.handle === 'error';
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
      {isTool ? null : (
        <EdgeLabelRenderer>
          <button
            type="button"
            aria-label={t('insert_here')}
            onClick={() => insertOnEdge(edge.id)}
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
