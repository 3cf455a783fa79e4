import { newRunId } from '../../core/ids.ts';
import type { QueuedRun } from '../ownership/ownership.ts';
import type { PublishedWorkflow, WorkflowSettings } from '../workflows/published-workflow.ts';

/** When a run has to be over, as epoch milliseconds; null where the workflow sets no time. */
export const deadlineOf = ({ timeout_ms }: WorkflowSettings, started_at_ms: number): number | null =>
  timeout_ms === undefined ? null : started_at_ms + timeout_ms;

type Given = Pick<QueuedRun, 'trigger_source' | 'actor_id' | 'input' | 'started_at_ms'> & Partial<QueuedRun>;

/** A run of the workflow's version that nobody waits for: stored, and executed by whoever claims it. */
export function queuedRun({ settings, version }: PublishedWorkflow, given: Given): QueuedRun {
  return {
    run_id: newRunId(given.started_at_ms),
    workflow_id: settings.id,
    version_id: version.id,
    trigger_node_id: null,
    parent_run_id: null,
    root_run_id: null,
    depth: 0,
    idempotency_key: null,
    options: {},
    deadline_at_ms: deadlineOf(settings, given.started_at_ms),
    ...given,
  };
}
