import type { HistoryEntry } from '@millrace/contracts';
import type { Json } from '@millrace/engine';
import { isOpen } from '../../data/runs.ts';
import type { RunStore, StoredResult, StoredRun } from './run-store.ts';
import { attachRun } from './start-run.ts';

/** A run from history in the form in which a canvas shows it. */
export const storedRun = (entry: HistoryEntry): StoredRun => ({
  execution_id: entry.id,
  status: entry.status,
  outputs: entry.outputs as Json,
  inputs: entry.inputs as Json,
  started_at: entry.started_at,
  execution_time_ms: entry.execution_time_ms ?? 0,
  node_results: entry.node_results as StoredResult[],
});

/** Shows a run that has ended as history has it, and follows one that has not. */
export async function showRun(
  run: RunStore,
  { entry, workflow_id, signal }: { entry: HistoryEntry; workflow_id: string; signal: AbortSignal },
): Promise<void> {
  if (isOpen(entry.status)) await attachRun(run, { workflow_id, execution_id: entry.id, signal });
  else run.getState().show(storedRun(entry));
}
