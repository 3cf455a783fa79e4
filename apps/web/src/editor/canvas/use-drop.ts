import { isJsonObject } from '@millrace/engine';
import { useReactFlow } from '@xyflow/react';
import { type DragEvent, useState } from 'react';
import { withNewAddresses } from '../../lib/graph/node-addresses.ts';
import { confirm } from '../../ui/overlays/confirm-store.ts';
import { toast } from '../../ui/overlays/toast.ts';
import { parseClip } from '../document/clipboard.ts';
import { addCanvasReport, createCanvasReport } from '../state/canvas-reports.ts';
import { useEditor } from '../state/context.tsx';
import { useEditorTexts } from '../texts/use-editor-texts.ts';
import { useAddNode } from './adding/use-add-node.ts';
import { FIT } from './commands/use-tidy-up.ts';
import { type Converted, useConvert } from './use-convert.ts';

/** Type of what the palette hands over while a node type is dragged. */
export const NODE_TYPE_DATA = 'application/x-millrace-node-type';

const accepts = (event: DragEvent): boolean =>
  event.dataTransfer.types.includes(NODE_TYPE_DATA) || event.dataTransfer.types.includes('Files');

/** Takes what may be dropped on the canvas: a node type from the palette, or the file of a workflow. */
export function useDrop() {
  const t = useEditorTexts('drop');
  const { store, view, catalog } = useEditor();
  const flow = useReactFlow();
  const add = useAddNode();
  const convert = useConvert();
  const [isOver, setOver] = useState(false);

  const replace = async (file: File) => {
    const refuse = (detail: object) => toast.failed(t('not_a_workflow', { file: file.name }), detail);
    const json = parseClip(await file.text());
    if (!isJsonObject(json)) {
      refuse({});
      return;
    }
    let converted: Converted | undefined;
    try {
      converted = await convert(json);
    } catch (error) {
      refuse({ detail: error instanceof Error ? error.message : String(error) });
      return;
    }
    if (!converted) return;
    const { document, report } = converted;
    if (document.nodes.length === 0) {
      refuse({});
      return;
    }
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
    requestAnimationFrame(() => void flow.fitView(FIT));
    const ids = own.nodes.map(({ id }) => id);
    if (report) {
      const added = createCanvasReport(report, document.nodes, ids);
      view.getState().set({ canvas_reports: addCanvasReport(view.getState().canvas_reports, added) });
      view.getState().show('import');
    }
    toast.done(t('replaced', { nodes: document.nodes.length }), {
      ...(report ? { detail: t('warnings', { count: report.lines.length }) } : {}),
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
