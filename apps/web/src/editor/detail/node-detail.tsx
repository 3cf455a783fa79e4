import type { WorkflowNode } from '@millrace/engine';
import { useReactFlow } from '@xyflow/react';
import { ChevronLeft, ChevronRight, X } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { type KeyboardEvent, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { keepsEscape } from '../../lib/keyboard/typing.ts';
import { IconButton } from '../../ui/actions/icon-button.tsx';
import { PanelBoundary } from '../../ui/layout/panel-boundary.tsx';
import { useOpenNode } from '../canvas/commands/use-open-node.ts';
import { flowOrder } from '../document/edges/flow-order.ts';
import { labelOf, nodeById } from '../document/edit.ts';
import { closeOpenCompletion } from '../fields/expression/expression-extensions.ts';
import { Configure } from '../panel/configure.tsx';
import { NodeHeader } from '../panel/frame/node-header.tsx';
import { useDocument, useEditor, useView } from '../state/context.tsx';
import { InputPane } from './input-pane.tsx';
import { OutputPane, useRunNode } from './output-pane.tsx';
import { type PaneName, Panes } from './panes.tsx';
import { useDetailTexts } from './texts/use-detail-texts.ts';

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

/** The nodes before and behind this one, in the order in which runs pass them. */
function useNeighbours(node: WorkflowNode) {
  const { catalog } = useEditor();
  const document = useDocument((state) => state.document);
  return useMemo(() => {
    const order = flowOrder(catalog, document);
    const at = order.indexOf(node.id);
    const named = (id: string | undefined) => (id === undefined ? undefined : nodeById(document, id));
    return { previous: at < 0 ? undefined : named(order[at - 1]), next: named(order[at + 1]) };
  }, [catalog, document, node.id]);
}

/** Puts the focus into the first field that belongs to this node alone; on touch screens that would open the keyboard. */
function focusFirst(content: HTMLElement | null): void {
  const pane = content?.querySelector<HTMLElement>('[data-pane="parameters"]');
  const field = pane?.querySelector<HTMLElement>('.cm-content') ?? pane?.querySelector<HTMLElement>('input');
  (matchMedia('(pointer: coarse)').matches ? content : (field ?? content))?.focus();
}

/** Fields that are stored when they are left are stored before they are gone. */
function leaveField(): void {
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
}

/** Back to the node on the canvas, which may have been out of view. */
function useReturnFocus() {
  const flow = useReactFlow();
  return (id: string) => {
    // It was deleted: there is nothing to bring into view.
    if (!flow.getNode(id)) return;
    const find = () => document.querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(id)}"]`);
    const pane = document.querySelector('.react-flow')?.getBoundingClientRect();
    const place = find()?.getBoundingClientRect();
    const isSeen =
      pane !== undefined &&
      place !== undefined &&
      place.left >= pane.left &&
      place.right <= pane.right &&
      place.top >= pane.top &&
      place.bottom <= pane.bottom;
    find()?.focus({ preventScroll: true });
    if (isSeen) return;
    void flow
      .fitView({ nodes: [{ id }], minZoom: flow.getZoom(), maxZoom: flow.getZoom(), duration: 150 })
      .then(() => {
        // It may not have been rendered before. Whoever has moved on meanwhile keeps the focus.
        if (document.activeElement === document.body) find()?.focus({ preventScroll: true });
      });
  };
}

/** After another node was opened by a key, the field that had the focus is gone. */
function useKeepFocus(content: RefObject<HTMLElement | null>, node_id: string): void {
  const shown = useRef(node_id);
  useEffect(() => {
    if (shown.current === node_id) return;
    shown.current = node_id;
    const focused = document.activeElement;
    if (focused === null || focused === document.body || focused === content.current)
      focusFirst(content.current);
  }, [content, node_id]);
}

function Opened({ node }: { node: WorkflowNode }) {
  const t = useDetailTexts();
  const { view, catalog } = useEditor();
  const openNode = useOpenNode();
  const definition = catalog.get(node.type);
  const { previous, next } = useNeighbours(node);
  const { run } = useRunNode(node);
  const content = useRef<HTMLDivElement>(null);
  const [front, setFront] = useState<PaneName>('parameters');
  const returnFocus = useReturnFocus();
  useKeepFocus(content, node.id);

  const open = (id: string | undefined) => {
    if (id === undefined) return;
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
    if (isRun) run();
    else open((event.key === 'PageUp' ? previous : next)?.id);
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
          <div className="shrink-0 border-b border-line">
            <NodeHeader
              node={node}
              definition={definition}
              hasKeys={false}
              heading={
                <div className="flex min-w-0 items-baseline gap-2">
                  <Dialog.Title className="truncate font-mono text-base">{labelOf(node)}</Dialog.Title>
                  <span className="shrink-0 text-sm text-soft">{definition?.title ?? node.type}</span>
                </div>
              }
            >
              <IconButton
                label={previous ? t('previous_named', { label: labelOf(previous) }) : t('previous')}
                keys="alt+PageUp"
                icon={<ChevronLeft aria-hidden />}
                disabled={!previous}
                onClick={() => open(previous?.id)}
              />
              <IconButton
                label={next ? t('next_named', { label: labelOf(next) }) : t('next')}
                keys="alt+PageDown"
                icon={<ChevronRight aria-hidden />}
                disabled={!next}
                onClick={() => open(next?.id)}
              />
              <Dialog.Close asChild>
                <IconButton label={t('close')} keys="escape" icon={<X aria-hidden />} />
              </Dialog.Close>
            </NodeHeader>
          </div>
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
