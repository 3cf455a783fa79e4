import type { WorkflowDocument } from '@millrace/engine';
import { useMemo } from 'react';
import { setParameter, toggleActive } from '../../../features/document/change.ts';
import { nodeById } from '../../../features/document/edit.ts';
import { lastRecord } from '../../../features/run-view/run-store.ts';
import { copyText } from '../../../ui/actions/copy-text.ts';
import { toast } from '../../../ui/overlays/toast.ts';
import { copy } from '../../document/clipboard.ts';
import { remove } from '../../document/edges/remove.ts';
import { computeBounds, type Position } from '../../document/nodes/add-node.ts';
import { useEditor } from '../../state/context.tsx';
import { useEditorTexts } from '../../texts/use-editor-texts.ts';
import { findNeighbour, keepFocus } from './keep-focus.ts';
import { type PasteText, usePaste } from './use-paste.ts';

const PASTE_OFFSET = 40;

interface NodeActions {
  chosen(): ReadonlySet<string>;
  /** The chosen nodes as clipboard text. */
  clipText(): string;
  copy(): Promise<void>;
  readonly paste: PasteText;
  /** The same from the system clipboard, which the browser may ask about. */
  pasteClipboard(at?: Position): Promise<void>;
  duplicate(): void;
  remove(): void;
  toggle(): void;
  /** Pins the last outputs of the chosen nodes, or takes their pins off. */
  pin(): void;
  selectAll(): void;
}

/** Actions on the chosen nodes, shared by keys, menus and buttons. */
export function useNodeActions(): NodeActions {
  const t = useEditorTexts('canvas');
  const { store, catalog, run } = useEditor();
  const pasteText = usePaste();
  return useMemo(() => {
    const chosen = () => store.getState().selection.nodes;
    const clipText = () => copy(store.getState().document, chosen());
    const duplicate = () => {
      const { document } = store.getState();
      const nodes = document.nodes.filter((node) => chosen().has(node.id));
      if (nodes.length === 0) return;
      const { x, y } = computeBounds(nodes);
      pasteText(clipText(), { x: x + PASTE_OFFSET, y: y + PASTE_OFFSET });
    };
    const pinOne = (id: string) => {
      const pinned = nodeById(store.getState().document, id)?.data['pinnedData'] ?? null;
      const output = lastRecord(run.getState().nodes.get(id))?.output ?? null;
      if (pinned === null && output === null) return false;
      const value = pinned === null ? output : null;
      return store.getState().edit((current) => setParameter(current, id, { name: 'pinnedData', value }));
    };
    /** Reading expressions is loaded when it is first needed. */
    const noteMovedInput = async (before: WorkflowDocument, after: WorkflowDocument) => {
      const { movedInput } = await import('../../document/edges/moved-input.ts');
      const moved = movedInput(catalog, before, after);
      if (moved) toast.note(t('input_moved', { label: moved.label, reads: moved.reads }));
    };
    return {
      chosen,
      clipText,
      copy: async () => {
        if (await copyText(clipText())) toast.done(t('copied', { count: chosen().size }));
      },
      paste: pasteText,
      pasteClipboard: async (at) => {
        const text = await navigator.clipboard.readText().catch(() => '');
        if (!pasteText(text, at)) toast.note(t('nothing_to_paste'));
      },
      duplicate,
      remove: () => {
        const { nodes, edges } = store.getState().selection;
        if (nodes.size + edges.size === 0) return;
        const { document: before } = store.getState();
        store.getState().edit((current) => remove(catalog, current, { nodes, edges }));
        keepFocus(findNeighbour(before, { nodes, edges }));
        void noteMovedInput(before, store.getState().document);
      },
      toggle: () => store.getState().edit((current) => toggleActive(current, chosen())),
      pin: () => {
        const done = [...chosen()].map(pinOne);
        if (done.length > 0 && !done.includes(true)) toast.note(t('nothing_to_pin'));
      },
      selectAll: () =>
        store.getState().select({ nodes: store.getState().document.nodes.map((node) => node.id) }),
    };
  }, [store, catalog, run, pasteText, t]);
}
