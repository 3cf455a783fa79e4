import type { SqlClient } from '../../../database/sql-client.ts';
import { isInState } from '../run-state.ts';
import { MAY_BE_CLAIMED } from './queue-position.ts';

const PRIORITY = `UPDATE runs SET priority = $2 WHERE ${isInState('queued')} AND workflow_id = $1 AND priority <> $2`;

/** Those that a process has executed before, and runs that others have started, continue without a place. */
const HOLD = `UPDATE runs SET ready_at = 'infinity'
WHERE ${MAY_BE_CLAIMED} AND workflow_id = $1 AND attempt = 0 AND parent_run_id IS NULL AND root_run_id IS NULL
  AND NOT EXISTS (SELECT 1 FROM run_places p WHERE p.run_id = runs.id)`;

interface QueueSettings {
  readonly concurrency_limit: number | null;
  readonly priority: number;
}

/**
 * Lets the queued runs of a workflow follow its settings, as a part of the transaction that changes them: a limit also holds
 * what is queued already. What it no longer holds, the next sweep admits. Without the lock of places, which others take before
 * they touch the row of the workflow.
 */
export async function followSettings(
  tx: SqlClient,
  workflow_id: string,
  { concurrency_limit, priority }: QueueSettings,
): Promise<void> {
  await tx.query({ text: PRIORITY, values: [workflow_id, queuePriority(priority)] });
  if (concurrency_limit !== null) await tx.query({ text: HOLD, values: [workflow_id] });
}

/** In the queue the smaller number goes first, in settings the higher. */
export const queuePriority = (priority: number): number => 0 - priority;
