import { createWorkflow, deleteWorkflow } from '@millrace/contracts';
import { addressOf } from '@millrace/contracts/client';
import type { Json } from '@millrace/engine';
import { useCallback } from 'react';
import { useTranslations } from 'use-intl';
import { api, sessionFetch } from '../../data/api.ts';
import { DRAFT } from '../../data/workflows.ts';
import { confirm } from '../../ui/overlays/confirm-store.ts';
import { useEditor } from '../context.tsx';
import { labelOf } from '../document/edit.ts';
import { type PartMode, partOf } from '../document/part.ts';
import { lastRecord, type RunState } from './run-store.ts';
import { startRun } from './start-run.ts';

interface PartRequest {
  node_id: string;
  mode: PartMode;
  signal: AbortSignal;
  /** Told the workflow that runs, for stopping it. */
  onStart: (workflow_id: string) => void;
}

function lastOutputs(nodes: RunState['nodes']): Map<string, Json> {
  return new Map(
    [...nodes].flatMap(([id, node]): [string, Json][] => {
      const record = lastRecord(node);
      return record && record.status === 'success' ? [[id, record.output]] : [];
    }),
  );
}

/**
 * Runs a part of the drawn workflow as a test run: what lies before it is replaced by what it gave last. The part is a
 * workflow of its own for as long as it runs, so that nothing is saved here. Asks first when it may act on the world.
 */
export function useRunPart(): (request: PartRequest) => Promise<string | undefined> {
  const t = useTranslations('editor.part');
  const { store, run, catalog, view, workflow_name } = useEditor();
  return useCallback(
    async ({ node_id, mode, signal, onStart }) => {
      const { document } = store.getState();
      const outputs = lastOutputs(run.getState().nodes);
      for (const node of document.nodes) {
        const pinned = node.data['pinnedData'] ?? null;
        if (pinned !== null) outputs.set(node.id, pinned);
      }
      const part = partOf(catalog, document, { id: node_id, mode, outputs });
      if (!part) {
        view.getState().show('run');
        return t('no_data');
      }
      if (part.acting.length > 0) {
        const names = part.acting.map(labelOf).join(', ');
        const sure = await confirm({
          title: t('title'),
          body: t('body', { names }),
          action: t('run'),
          tone: 'primary',
        });
        if (!sure) return undefined;
      }
      const body = { name: t('name', { name: workflow_name }).slice(0, 255), ...part.document };
      const made = await api(createWorkflow, { query: DRAFT, body }).catch((error: unknown) => String(error));
      if (typeof made === 'string') return made;
      onStart(made.id);
      const remove = (keepalive = false) =>
        sessionFetch(addressOf(deleteWorkflow, { params: { id: made.id } }), {
          method: deleteWorkflow.method,
          keepalive,
        }).catch(() => undefined);
      // Also when the page is closed in the middle, nothing of it is left behind.
      const onLeave = () => void remove(true);
      window.addEventListener('pagehide', onLeave);
      try {
        view.getState().showNode('output');
        return await startRun(run, { workflow_id: made.id, input: {}, test_run: true, signal });
      } finally {
        window.removeEventListener('pagehide', onLeave);
        await remove();
      }
    },
    [t, store, run, catalog, view, workflow_name],
  );
}
