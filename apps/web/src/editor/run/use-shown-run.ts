import type { Json } from '@millrace/engine';
import { useQueryClient } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect } from 'react';
import { keys } from '../../data/keys.ts';
import { isOpen, runQuery } from '../../data/runs.ts';
import { useEditor } from '../context.tsx';
import type { StoredResult } from './run-store.ts';
import { attachRun } from './start-run.ts';

const runIn = (search: object): string | undefined => {
  const value = 'run' in search ? search.run : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/** The address names the run on the canvas, so that a reload or a link shows it again; an open one is followed. */
export function useShownRun(): { follow: () => () => void } {
  const { run, workflow_id } = useEditor();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const wanted = useLocation({ select: (location) => runIn(location.search) });

  useEffect(() => {
    if (!wanted || run.getState().execution_id === wanted) return;
    const abort = new AbortController();
    const show = async () => {
      const entry = await queries.fetchQuery({ ...runQuery(wanted), staleTime: 0 });
      if (abort.signal.aborted || entry.workflow_id !== workflow_id) return;
      if (isOpen(entry.status)) {
        await attachRun(run, { workflow_id, execution_id: wanted, signal: abort.signal });
        return;
      }
      run.getState().show({
        execution_id: entry.id,
        status: entry.status,
        outputs: entry.outputs as Json,
        inputs: entry.inputs as Json,
        started_at: entry.started_at,
        execution_time_ms: entry.execution_time_ms ?? 0,
        node_results: entry.node_results as StoredResult[],
      });
    };
    show().catch(() => undefined);
    return () => abort.abort();
  }, [wanted, run, queries, workflow_id]);

  /** Until the returned function is called, a started run is written into the address as soon as it has an id. */
  const follow = useCallback(() => {
    const stop = run.subscribe((state, before) => {
      if (!state.execution_id || state.execution_id === before.execution_id) return;
      void navigate({ to: '.', search: { run: state.execution_id } as never, replace: true });
    });
    return () => {
      stop();
      void queries.invalidateQueries({ queryKey: keys.runs });
    };
  }, [run, navigate, queries]);
  return { follow };
}

/** Takes the run off the canvas and out of the address. */
export function useLeaveShownRun(): () => void {
  const { run } = useEditor();
  const navigate = useNavigate();
  return useCallback(() => {
    run.getState().clear();
    void navigate({ to: '.', search: {} as never, replace: true });
  }, [run, navigate]);
}
