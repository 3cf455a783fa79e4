import { findN8nExport, type JsonObject, type WorkflowDocument } from '@millrace/engine';
import { useReactFlow, useStoreApi } from '@xyflow/react';
import { useMemo } from 'react';
import { toast } from '../../../ui/overlays/toast.ts';
import { parseClip, readClip, readCurl } from '../../document/clipboard.ts';
import { computeBounds, freePlace, type Position } from '../../document/nodes/add-node.ts';
import { addCanvasReport, createCanvasReport } from '../../state/canvas-reports.ts';
import { useEditor } from '../../state/context.tsx';
import { useEditorTexts } from '../../texts/use-editor-texts.ts';
import { useAddNode } from '../adding/use-add-node.ts';
import { useConvert } from '../use-convert.ts';
import { FIT } from './use-tidy-up.ts';

/**
 * Adds what clipboard text holds, nodes or a curl command, with its upper left corner there, else in the middle of what
 * one sees. False when it holds neither.
 */
export type PasteText = (text: string, at?: Position) => boolean;

/** Nodes of n8n are converted by the service first, which answers what it changed. */
export function usePaste(): PasteText {
  const t = useEditorTexts('canvas');
  const { store, view, catalog } = useEditor();
  const flow = useStoreApi();
  const { fitView } = useReactFlow();
  const addNode = useAddNode();
  const convert = useConvert();
  return useMemo(() => {
    /** Where nodes lie in the middle of what one sees. */
    const middleFor = (clip: WorkflowDocument): Position => {
      const { width, height, transform } = flow.getState();
      const [x, y, zoom] = transform;
      const size = computeBounds(clip.nodes);
      return { x: (width / 2 - x) / zoom - size.width / 2, y: (height / 2 - y) / zoom - size.height / 2 };
    };
    const addClip = async (clip: WorkflowDocument, wish: Position | undefined) => {
      const at = freePlace(store.getState().document, wish ?? middleFor(clip));
      // Renaming references needs the expression language, which the canvas does not load to show itself.
      const { paste } = await import('../../document/paste.ts');
      let ids: string[] = [];
      store.getState().edit((current) => {
        const pasted = paste(catalog, current, { clip, at });
        ids = pasted.ids;
        return pasted.document;
      });
      store.getState().select({ nodes: ids });
      return ids;
    };
    const addConverted = async (exported: JsonObject, wish: Position | undefined) => {
      const converted = await convert(exported);
      if (!converted) return;
      const { document, report } = converted;
      if (document.nodes.length === 0) {
        toast.failed(t('not_converted'));
        return;
      }
      const wasEmpty = store.getState().document.nodes.length === 0;
      const ids = await addClip(document, wish);
      if (wasEmpty) requestAnimationFrame(() => void fitView(FIT));
      const text = t('converted', { count: ids.length });
      if (report === null) {
        toast.done(text);
        return;
      }
      const added = createCanvasReport(report, document.nodes, ids);
      view.getState().set({ canvas_reports: addCanvasReport(view.getState().canvas_reports, added) });
      toast.note(text, {
        detail: t('converted_changes', { count: report.lines.length }),
        action: { label: t('show_report'), run: () => view.getState().show('import') },
      });
    };
    return (text, wish) => {
      const request = readCurl(catalog, text);
      if (request) {
        addNode(request, wish ? { at: wish } : {});
        return true;
      }
      const json = parseClip(text);
      const exported = findN8nExport(json);
      if (exported) {
        void addConverted(exported, wish).catch((error: Error) =>
          toast.failed(t('not_converted'), { detail: error.message }),
        );
        return true;
      }
      const clip = readClip(json);
      if (clip) void addClip(clip, wish);
      return clip !== undefined;
    };
  }, [store, view, catalog, flow, fitView, addNode, convert, t]);
}
