import { useStore as useFlowStore, useReactFlow } from '@xyflow/react';
import { clsx } from 'clsx';
import { ChevronDown, ChevronUp } from 'lucide-react';
import { memo, Suspense, useEffect } from 'react';
import { Group, Panel, Separator } from 'react-resizable-panels';
import { useDocument } from '../../features/document/context.ts';
import { lazy } from '../../lib/code/lazy.ts';
import { useIsNarrow } from '../../lib/use-media.ts';
import { IconButton } from '../../ui/actions/icon-button.tsx';
import { PanelBoundary } from '../../ui/layout/panel-boundary.tsx';
import { Palette } from '../canvas/adding/palette.tsx';
import { Canvas } from '../canvas/canvas.tsx';
import { Timeline } from '../run/timeline/timeline.tsx';
import { useEditor, useView } from '../state/context.tsx';
import { useEditorTexts } from '../texts/use-editor-texts.ts';
import { Side } from './side.tsx';

/** Brings the code editor, the expression language and the tree of inputs along. */
const NodeDetail = lazy(() =>
  import('../detail/node-detail.tsx').then((module) => ({ default: module.NodeDetail })),
);

/** Selecting one node brings its panel to the front; the outline stays, for it is a way of working of its own. */
function useFollowSelection(): void {
  const { view } = useEditor();
  const chosen = useDocument((state) =>
    state.selection.nodes.size === 1 ? [...state.selection.nodes][0] : undefined,
  );
  useEffect(() => {
    if (chosen !== undefined && view.getState().side !== 'outline') view.setState({ side: 'node' });
  }, [chosen, view]);
}

function CanvasArea({ withTimeline = true }: { withTimeline?: boolean }) {
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="min-h-0 grow">
        <PanelBoundary>
          <Canvas />
        </PanelBoundary>
      </div>
      {withTimeline ? <Timeline /> : null}
    </div>
  );
}

/** Keeps the chosen nodes, or all of them, in the part of the canvas that the sheet leaves free. */
function useSeeSelection(sheet: boolean): void {
  const { store } = useEditor();
  const flow = useReactFlow();
  const height = useFlowStore((state) => state.height);
  useEffect(() => {
    const nodes = [...store.getState().selection.nodes].map((id) => ({ id }));
    if (!sheet || height === 0) return;
    const frame = requestAnimationFrame(
      () =>
        void flow.fitView({
          ...(nodes.length > 0 ? { nodes } : {}),
          maxZoom: 0.9,
          padding: 0.1,
          duration: 150,
        }),
    );
    return () => cancelAnimationFrame(frame);
  }, [sheet, height, store, flow]);
}

/** Canvas above, panels below: closed to their tabs until one is asked for. */
function NarrowWorkspace() {
  const t = useEditorTexts();
  const { view } = useEditor();
  const sheet = useView((state) => state.sheet);
  useSeeSelection(sheet);
  return (
    <div className="flex min-h-0 grow flex-col">
      <div className="min-h-0 grow">
        <CanvasArea withTimeline={!sheet} />
      </div>
      <div
        className={clsx(
          'shrink-0 overflow-hidden border-t border-line-strong bg-surface shadow-m',
          sheet ? 'h-[58%]' : 'h-[37px]',
        )}
      >
        <Side
          aside={
            <IconButton
              label={sheet ? t('fold') : t('unfold')}
              aria-expanded={sheet}
              icon={sheet ? <ChevronDown /> : <ChevronUp />}
              onClick={() => view.getState().set({ sheet: !sheet })}
            />
          }
        />
      </div>
    </div>
  );
}

/** The node that is open over the canvas. */
function Detail() {
  const isOpen = useView((state) => state.detail !== undefined);
  return <Suspense>{isOpen ? <NodeDetail /> : null}</Suspense>;
}

/** Not drawn again when the state of saving changes, as it does at the first change of a saved workflow. */
export const Workspace = memo(function Workspace() {
  const narrow = useIsNarrow();
  useFollowSelection();
  return (
    <>
      {narrow ? <NarrowWorkspace /> : <WideWorkspace />}
      <Detail />
    </>
  );
});

function WideWorkspace() {
  const t = useEditorTexts();
  return (
    <div className="flex min-h-0 grow">
      <Palette />
      <Group orientation="horizontal" className="min-h-0 grow">
        <Panel minSize="35%">
          <CanvasArea />
        </Panel>
        <Separator
          className="w-px bg-line transition-colors hover:bg-accent focus-visible:bg-accent"
          aria-label={t('resize')}
        />
        <Panel defaultSize="340px" minSize="300px" maxSize="60%" className="bg-surface">
          <Side />
        </Panel>
      </Group>
    </div>
  );
}
