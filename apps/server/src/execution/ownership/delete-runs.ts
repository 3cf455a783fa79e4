import type { Logger } from 'pino';
import { startPolling } from '../../core/polling.ts';
import type { SqlClient } from '../../database/sql-client.ts';
import { countDoomedRuns, deleteSlice, finishDeletion, openDeletions } from '../store/jobs/run-deletions.ts';

/** Runs per statement: with their rows and references well under a second, so that other work hardly waits. */
const SLICE = 1_000;
const LOOK_EVERY_MS = 2_000;

export interface DeleteRunsOptions {
  readonly sql: SqlClient;
  readonly log: Pick<Logger, 'info' | 'error'>;
  readonly slice?: number;
  /** Ends the work after the slice that is under way; what is left is found again by any process. */
  readonly signal?: AbortSignal;
}

async function deleteWorkflowRuns(
  workflow_id: string,
  { sql, log, slice = SLICE, signal }: DeleteRunsOptions,
): Promise<void> {
  await countDoomedRuns(sql, workflow_id);
  let total = 0;
  for (;;) {
    if (signal?.aborted) return;
    const deleted = await deleteSlice(sql, { workflow_id, slice });
    if (deleted === undefined) return;
    total += deleted;
    if (deleted > 0) continue;
    await finishDeletion(sql, workflow_id);
    log.info({ workflow_id, rows: total }, 'the runs of a deleted workflow were deleted');
    return;
  }
}

/**
 * Deletes the runs of deleted workflows, slice by slice. Processes share the work; one deletion that fails does not keep
 * the others and is tried again at the next call.
 */
export async function deleteRunsOfDeleted(options: DeleteRunsOptions): Promise<void> {
  for (const workflow_id of await openDeletions(options.sql)) {
    if (options.signal?.aborted) return;
    try {
      await deleteWorkflowRuns(workflow_id, options);
    } catch (error) {
      options.log.error({ err: error, workflow_id }, 'runs of a deleted workflow could not be deleted');
    }
  }
}

/** Looks for deleted workflows until the returned function is called, which also waits for the slice under way. */
export function startRunDeletion(options: Omit<DeleteRunsOptions, 'signal'>): () => Promise<void> {
  return startPolling({
    every_ms: LOOK_EVERY_MS,
    at_once: true,
    work: (signal) => deleteRunsOfDeleted({ ...options, signal }),
    onError: (error) => options.log.error({ err: error }, 'deleted workflows could not be listed'),
  });
}
