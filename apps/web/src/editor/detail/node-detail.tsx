import type { WorkflowNode } from '@millrace/engine';
import { Dialog } from 'radix-ui';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useDocument } from '../../features/document/context.ts';
import { nodeById } from '../../features/document/edit.ts';
import { keepsEscape } from '../../lib/keyboard/typing.ts';
import { PanelBoundary } from '../../ui/layout/panel-boundary.tsx';
import { useOpenNode } from '../canvas/commands/use-open-node.ts';
import { closeOpenCompletion } from '../fields/expression/expression-extensions.ts';
import { Configure } from '../panel/configure.tsx';
import { useEditor, useView } from '../state/context.tsx';
import { DetailHeader } from './detail-header.tsx';
import { focusFirst, leaveField, useKeepFocus, useReturnFocus } from './focus.ts';
import { InputPane } from './input-pane.tsx';
import { OutputPane, useRunNode } from './output-pane.tsx';
import { type PaneName, Panes } from './panes.tsx';
import { useNeighbours } from './use-neighbours.ts';

/** One node over the canvas: what it is given, its parameters, what it gave. */
export function NodeDetail() {
  const { view } = useEditor();
  const id = useView((state) => state.detail);
  const node = useDocument((state) => (id === undefined ? undefined : nodeById(state.document, id)));
  const isGone = id !== undefined && node === undefined;
  useEffect(() => {
    if (isGone) view.getState().set({ detail: undefined });
  }, [isGone, view]);
  return node ? <Opened node={node} /> : null;
}

function Opened({ node }: { node: WorkflowNode }) {
  const { view, catalog } = useEditor();
  const openNode = useOpenNode();
  const definition = catalog.get(node.type);
  const neighbours = useNeighbours(node);
  const { run } = useRunNode(node);
  const content = useRef<HTMLDivElement>(null);
  const [front, setFront] = useState<PaneName>('parameters');
  const returnFocus = useReturnFocus();
  useKeepFocus(content, node.id);

  const open = (id: string) => {
    leaveField();
    openNode(id);
  };
  const close = () => {
    leaveField();
    view.getState().set({ detail: undefined });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Dialogs and menus that were opened from here have keys of their own.
    if (!(event.target instanceof Node && event.currentTarget.contains(event.target))) return;
    const isRun = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
    const isMove = event.altKey && (event.key === 'PageUp' || event.key === 'PageDown');
    if (!isRun && !isMove) return;
    event.preventDefault();
    event.stopPropagation();
    const there = neighbours[event.key === 'PageUp' ? 'previous' : 'next'];
    if (isRun) run();
    else if (there) open(there.id);
  };

  return (
    <Dialog.Root open onOpenChange={(isOpen) => (isOpen ? undefined : close())}>
      <Dialog.Portal>
        <Dialog.Overlay data-scrim className="fixed inset-0 z-40 animate-enter bg-scrim" />
        <Dialog.Content
          ref={content}
          aria-describedby={undefined}
          onKeyDown={onKeyDown}
          onEscapeKeyDown={(event) => {
            if (closeOpenCompletion() || keepsEscape(event.target)) event.preventDefault();
          }}
          onInteractOutside={(event) => {
            const isBeside = event.target instanceof Element && event.target.matches('[data-scrim]');
            if (!isBeside) event.preventDefault();
          }}
          onOpenAutoFocus={(event) => {
            event.preventDefault();
            focusFirst(content.current);
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            returnFocus(node.id);
          }}
          className="fixed inset-0 z-40 flex animate-enter flex-col overflow-hidden border border-line-strong bg-surface shadow-l outline-none sm:inset-x-4 sm:inset-y-3 sm:rounded-l lg:inset-x-8 lg:inset-y-6"
        >
          <DetailHeader node={node} definition={definition} neighbours={neighbours} onOpen={open} />
          <PanelBoundary resetKeys={[node.id]}>
            <Panes
              front={front}
              onFront={setFront}
              panes={{
                input: (
                  <InputPane
                    key={node.id}
                    node={node}
                    onOpen={open}
                    // The field must be in sight to take the focus.
                    onInsert={() => flushSync(() => setFront('parameters'))}
                  />
                ),
                parameters: <Configure key={node.id} node={node} definition={definition} hasPicker={false} />,
                output: <OutputPane node={node} />,
              }}
            />
          </PanelBoundary>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
