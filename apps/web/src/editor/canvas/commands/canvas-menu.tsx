import { useReactFlow } from '@xyflow/react';
import { ClipboardPaste, LayoutDashboard, Maximize, Plus, SquareMousePointer, Trash2 } from 'lucide-react';
import { type MouseEvent, type ReactNode, useState } from 'react';
import { useCanvasActions } from '../../../features/canvas-view/canvas-actions.tsx';
import { ContextMenu, type MenuItem } from '../../../ui/actions/menu.tsx';
import type { Position } from '../../document/nodes/add-node.ts';
import { useEditor } from '../../state/context.tsx';
import { useEditorTexts } from '../../texts/use-editor-texts.ts';
import { useNodeMenu } from './node-menu.tsx';
import { useNodeActions } from './use-node-actions.ts';
import { FIT, useTidyUp } from './use-tidy-up.ts';

type Target = { kind: 'node' } | { kind: 'edge'; id: string } | { kind: 'pane'; at: Position };

/** The menu of a right click or a long press: of nodes, of a connection, or of the empty canvas. */
export function CanvasMenu({ children }: { children: ReactNode }) {
  const { store } = useEditor();
  const flow = useReactFlow();
  const [target, setTarget] = useState<Target>();

  const aim = (event: MouseEvent) => {
    if (!(event.target instanceof Element)) return;
    const node = event.target.closest('.react-flow__node')?.getAttribute('data-id');
    const edge = event.target.closest('.react-flow__edge')?.getAttribute('data-id');
    if (node) {
      if (!store.getState().selection.nodes.has(node)) store.getState().select({ nodes: [node] });
      setTarget({ kind: 'node' });
    } else if (edge) {
      store.getState().select({ edges: [edge] });
      setTarget({ kind: 'edge', id: edge });
    } else {
      setTarget({
        kind: 'pane',
        at: flow.screenToFlowPosition({ x: event.clientX, y: event.clientY }),
      });
    }
  };
  const items = useItems(target);
  return (
    <ContextMenu items={items}>
      <div className="size-full" onContextMenuCapture={aim}>
        {children}
      </div>
    </ContextMenu>
  );
}

function useItems(target: Target | undefined): MenuItem[] {
  const t = useEditorTexts('menu');
  const { openSearch, insertOnEdge } = useCanvasActions();
  const flow = useReactFlow();
  const actions = useNodeActions();
  const tidyUp = useTidyUp();
  const nodeItems = useNodeMenu();
  switch (target?.kind) {
    case 'node':
      return nodeItems;
    case 'edge':
      return [
        { label: t('insert'), icon: <Plus />, onSelect: () => insertOnEdge(target.id) },
        { label: t('disconnect'), keys: 'Del', tone: 'danger', icon: <Trash2 />, onSelect: actions.remove },
      ];
    case 'pane':
      return [
        { label: t('add'), keys: 'n', icon: <Plus />, onSelect: () => openSearch({ at: target.at }) },
        {
          label: t('paste'),
          keys: 'mod+v',
          icon: <ClipboardPaste />,
          onSelect: () => void actions.pasteClipboard(target.at),
        },
        { kind: 'separator' },
        {
          label: t('select_all'),
          keys: 'mod+a',
          icon: <SquareMousePointer />,
          onSelect: actions.selectAll,
        },
        { label: t('tidy_up'), keys: 'Shift+T', icon: <LayoutDashboard />, onSelect: tidyUp },
        {
          label: t('zoom_to_fit'),
          keys: 'Shift+Digit1',
          icon: <Maximize />,
          onSelect: () => void flow.fitView(FIT),
        },
      ];
    default:
      return [];
  }
}
