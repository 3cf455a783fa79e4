import { readImport, type WorkflowDocument } from '@millrace/engine';
import { useReactFlow } from '@xyflow/react';
import { type DragEvent, useState } from 'react';
import { withNewAddresses } from '../../lib/graph/node-addresses.ts';
import { confirm } from '../../ui/overlays/confirm-store.ts';
import { toast } from '../../ui/overlays/toast.ts';
import { useEditor } from '../state/context.tsx';
import { useEditorTexts } from '../texts/use-editor-texts.ts';
import { useAddNode } from './adding/use-add-node.ts';

/** Type of what the palette hands over while a node type is dragged. */
export const NODE_TYPE_DATA = 'application/x-millrace-node-type';

const accepts = (event: DragEvent): boolean =>
  event.dataTransfer.types.includes(NODE_TYPE_DATA) || event.dataTransfer.types.includes('Files');

/** A workflow from a file as this or another tool of the field exports it. */
async function readFile(file: File): Promise<{ document: WorkflowDocument; warnings: number }> {
  const { document, warnings } = readImport(JSON.parse(await file.text()));
  if (document.nodes.length === 0) throw new Error('no nodes');
  return { document, warnings: warnings.length };
}

/** Takes what may be dropped on the canvas: a node type from the palette, or the file of a workflow. */
export function useDrop() {
  const t = useEditorTexts('drop');
  const { store, catalog } = useEditor();
  const flow = useReactFlow();
  const add = useAddNode();
  const [isOver, setOver] = useState(false);

  const replace = async (file: File) => {
    let read: Awaited<ReturnType<typeof readFile>>;
    try {
      read = await readFile(file);
    } catch {
      toast.failed(t('not_a_workflow', { file: file.name }));
      return;
    }
    const { document, warnings } = read;
    const count = store.getState().document.nodes.length;
    const sure =
      count === 0 ||
      (await confirm({
        title: t('replace_title'),
        body: t('replace_body', { file: file.name, nodes: document.nodes.length, count }),
        action: t('replace'),
        tone: 'primary',
      }));
    if (!sure) return;
    const own = withNewAddresses(catalog, document);
    store.getState().edit(() => own);
    requestAnimationFrame(() => void flow.fitView({ padding: 0.12, maxZoom: 1 }));
    toast.done(t('replaced', { nodes: document.nodes.length }), {
      ...(warnings > 0 ? { detail: t('warnings', { count: warnings }) } : {}),
      undo: { label: t('undo'), run: () => store.getState().undo() },
    });
  };

  return {
    isOver,
    handlers: {
      onDragOver: (event: DragEvent) => {
        if (!accepts(event)) return;
        event.preventDefault();
        event.dataTransfer.dropEffect = 'copy';
        setOver(event.dataTransfer.types.includes('Files'));
      },
      onDragLeave: (event: DragEvent) => {
        if (!(event.relatedTarget instanceof Node) || !event.currentTarget.contains(event.relatedTarget))
          setOver(false);
      },
      onDrop: (event: DragEvent) => {
        setOver(false);
        if (!accepts(event)) return;
        event.preventDefault();
        const definition = catalog.get(event.dataTransfer.getData(NODE_TYPE_DATA));
        const [file] = event.dataTransfer.files;
        if (definition) {
          const at = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY });
          add(definition, { at: { x: at.x - 24, y: at.y - 28 }, loose: true });
        } else if (file) {
          void replace(file);
        }
      },
    },
  };
}
