import { useCallback } from 'react';
import { newestEndedRun, replayRun } from '../../data/runs.ts';
import { attachRun } from '../../features/run-view/start-run.ts';
import { getNodeLabel } from '../../lib/graph/node-label.ts';
import { confirm } from '../../ui/overlays/confirm-store.ts';
import { actingInPart, type PartMode } from '../document/part.ts';
import { useEditor } from '../state/context.tsx';
import { useEditorTexts } from '../texts/use-editor-texts.ts';

interface PartRequest {
  node_id: string;
  mode: PartMode;
  signal: AbortSignal;
}

const buildStart = (node_id: string, mode: PartMode) =>
  mode === 'resume'
    ? ({ from: 'failed' } as const)
    : ({
        from: 'node',
        node_id,
        ...(mode === 'only' ? { only: true, earlier_runs: true } : {}),
      } as const);

/**
 * Runs a part of the draft as a replay of the run on the canvas, whose results are used for what comes before; for one node
 * alone an earlier run will do where that one did not get there. Asks first when it may act on the world. Gives the reason
 * when it could not start.
 */
export function useRunPart(
  save: () => Promise<boolean>,
): (request: PartRequest) => Promise<string | undefined> {
  const t = useEditorTexts('part');
  const { store, run, catalog, view, workflow_id } = useEditor();
  return useCallback(
    async ({ node_id, mode, signal }) => {
      const refuse = (reason: string) => {
        view.getState().show('run');
        return reason;
      };
      try {
        const { execution_id: shown, nodes: runs } = run.getState();
        const earlier = shown ?? (mode === 'only' ? await newestEndedRun(workflow_id) : null);
        if (!earlier) return refuse(t('no_data'));
        const { document } = store.getState();
        // The server begins at every node that failed, whichever was asked for.
        const ids =
          mode === 'resume'
            ? document.nodes.flatMap(({ id }) => (runs.get(id)?.status === 'error' ? [id] : []))
            : [node_id];
        const acting = actingInPart(catalog, document, { ids, mode, done: (id) => runs.has(id) });
        if (acting.length > 0) {
          const names = acting.map(getNodeLabel).join(', ');
          const sure = await confirm({
            title: t('title'),
            body: t('body', { names }),
            action: t('run'),
            tone: 'primary',
          });
          if (!sure) return undefined;
        }
        if (!(await save())) return refuse(t('not_saved'));
        const execution_id = await replayRun(
          { id: earlier, workflow_id },
          { ...buildStart(node_id, mode), version: 'draft', test_run: true },
        );
        view.getState().showNode('output');
        await attachRun(run, { workflow_id, execution_id, signal });
        return undefined;
      } catch (error) {
        return refuse(error instanceof Error ? error.message : String(error));
      }
    },
    [t, store, run, catalog, view, workflow_id, save],
  );
}
