import { Panel, useReactFlow } from '@xyflow/react';
import { LayoutDashboard, Maximize, Plus, Redo2, Undo2, ZoomIn, ZoomOut } from 'lucide-react';
import { useDocument } from '../../../features/document/context.ts';
import { IconButton } from '../../../ui/actions/icon-button.tsx';
import { useEditor } from '../../state/context.tsx';
import { useEditorTexts } from '../../texts/use-editor-texts.ts';
import { FIT, useTidyUp } from './use-tidy-up.ts';

const Divider = () => <span className="mx-0.5 h-5 w-px bg-line max-sm:hidden" />;

export function CanvasToolbar({ onSearch }: { onSearch: () => void }) {
  const t = useEditorTexts('canvas');
  const { store } = useEditor();
  const flow = useReactFlow();
  const tidyUp = useTidyUp();
  const canUndo = useDocument((state) => state.past.length > 0);
  const canRedo = useDocument((state) => state.future.length > 0);
  return (
    <Panel position="bottom-left" className="canvas-toolbar">
      <div
        role="toolbar"
        aria-label={t('toolbar')}
        className="flex items-center gap-0.5 rounded-l border border-line bg-surface p-1 shadow-m"
      >
        <IconButton label={t('add_node')} keys="n" icon={<Plus />} onClick={onSearch} />
        <Divider />
        <IconButton
          label={t('undo')}
          keys="mod+z"
          icon={<Undo2 />}
          disabled={!canUndo}
          onClick={() => store.getState().undo()}
        />
        <IconButton
          label={t('redo')}
          keys="mod+shift+z"
          icon={<Redo2 />}
          disabled={!canRedo}
          onClick={() => store.getState().redo()}
        />
        <Divider />
        <IconButton
          label={t('zoom_out')}
          icon={<ZoomOut />}
          className="max-sm:hidden"
          onClick={() => void flow.zoomOut({ duration: 120 })}
        />
        <IconButton
          label={t('zoom_in')}
          icon={<ZoomIn />}
          className="max-sm:hidden"
          onClick={() => void flow.zoomIn({ duration: 120 })}
        />
        <IconButton
          label={t('zoom_to_fit')}
          keys="Shift+Digit1"
          icon={<Maximize />}
          onClick={() => void flow.fitView(FIT)}
        />
        <IconButton label={t('tidy_up')} keys="shift+t" icon={<LayoutDashboard />} onClick={tidyUp} />
      </div>
    </Panel>
  );
}
