import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useCallback, useEffect } from 'react';
import { renew } from '../../data/endpoint.ts';
import { RUNS, runQuery } from '../../data/runs.ts';
import { nodeById } from '../../features/document/edit.ts';
import { showRun } from '../../features/run-view/show-run.ts';
import { useEditor } from '../state/context.tsx';

const route = getRouteApi('/app/workflows/$id');

/** The address names the run on the canvas, so that a reload or a link shows it again; an open one is followed. */
export function useShownRun(): { follow: () => () => void } {
  const { run, store, view, workflow_id } = useEditor();
  const queries = useQueryClient();
  const navigate = route.useNavigate();
  const { run: wanted, node } = route.useSearch();

  useEffect(() => {
    if (!wanted || run.getState().execution_id === wanted) return;
    const abort = new AbortController();
    const show = async () => {
      const entry = await queries.fetchQuery({ ...runQuery(wanted), staleTime: 0 });
      if (abort.signal.aborted || entry.workflow_id !== workflow_id) return;
      await showRun(run, { entry, workflow_id, signal: abort.signal });
    };
    show().catch(() => undefined);
    return () => abort.abort();
  }, [wanted, run, queries, workflow_id]);

  /** A link may name a node of the run as well. */
  useEffect(() => {
    if (!wanted || !node || !nodeById(store.getState().document, node)) return;
    store.getState().select({ nodes: [node] });
    view.getState().showNode('output');
  }, [wanted, node, store, view]);

  /** Until the returned function is called, a started run is written into the address as soon as it has an id. */
  const follow = useCallback(() => {
    const stop = run.subscribe((state, before) => {
      if (!state.execution_id || state.execution_id === before.execution_id) return;
      void navigate({ search: { run: state.execution_id }, replace: true });
    });
    return () => {
      stop();
      void renew(queries, RUNS);
    };
  }, [run, navigate, queries]);
  return { follow };
}

/** Takes the run off the canvas and out of the address. */
export function useLeaveShownRun(): () => void {
  const { run } = useEditor();
  const navigate = route.useNavigate();
  return useCallback(() => {
    run.getState().clear();
    void navigate({ search: {}, replace: true });
  }, [run, navigate]);
}
