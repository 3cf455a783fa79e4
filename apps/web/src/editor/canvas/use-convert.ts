import type { ImportReport } from '@millrace/contracts';
import type { WorkflowDocument } from '@millrace/engine';
import { useCallback, useEffect, useRef } from 'react';
import { convertWorkflow } from '../../data/import-reports.ts';
import { toast } from '../../ui/overlays/toast.ts';
import { useEditor } from '../state/context.tsx';
import { useEditorTexts } from '../texts/use-editor-texts.ts';

export interface Converted {
  readonly document: WorkflowDocument;
  readonly report: ImportReport | null;
}

/**
 * Has an exported workflow read by the service, one at a time, while the canvas says so. Resolves to undefined when
 * another one is being read, or the person has left this workflow meanwhile; rejects with the reason of a refusal.
 */
export function useConvert(): (exported: Record<string, unknown>) => Promise<Converted | undefined> {
  const t = useEditorTexts('canvas');
  const { view } = useEditor();
  const presence = useRef<AbortController>(undefined);
  useEffect(() => {
    const present = new AbortController();
    presence.current = present;
    return () => present.abort();
  }, []);
  return useCallback(
    async (exported) => {
      const signal = presence.current?.signal;
      if (!signal) return undefined;
      if (view.getState().converting) {
        toast.note(t('still_converting'));
        return undefined;
      }
      view.getState().set({ converting: true });
      try {
        const { nodes, edges, report } = await convertWorkflow(exported, signal);
        return signal.aborted ? undefined : { document: { nodes, edges } as WorkflowDocument, report };
      } catch (error) {
        if (signal.aborted) return undefined;
        throw error;
      } finally {
        view.getState().set({ converting: false });
      }
    },
    [view, t],
  );
}
