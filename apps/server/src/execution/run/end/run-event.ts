import type { EndStatus } from '@millrace/engine';
import type { RunEventName } from '@millrace/nodes/runtime';
import type { NewPlatformEvent } from '../../../database/platform-events.ts';
import type { WorkflowSettings } from '../../workflows/published-workflow.ts';

/** A run at its end, as its event describes it; masked. */
export interface EndedRun {
  readonly run_id: string;
  readonly settings: WorkflowSettings;
  readonly status: EndStatus;
  readonly trigger_source: string | null;
  readonly error: string | null;
  readonly failed_node: { readonly node_label: string; readonly node_type: string } | null;
  readonly execution_time_ms: number;
  readonly ended_at_ms: number;
}

/** Undefined: such an end is no event. */
export function runEventName(status: EndStatus): RunEventName | undefined {
  if (status === 'success') return 'run.finished';
  return status === 'error' ? 'run.failed' : undefined;
}

/** The event of the end of a run; its time is that of its commit, since an outage may delay that past the dispatch window (§8.3). */
export type RunEndEvent = Omit<NewPlatformEvent, 'at'>;

/**
 * The event of the end of a run; undefined where no other workflow of the owner subscribes to it. The caller checks that
 * the run is one whose end is reported.
 */
export function toRunEvent(run: EndedRun): RunEndEvent | undefined {
  const { settings, run_id, status, trigger_source, error, execution_time_ms } = run;
  const name = runEventName(status);
  if (name === undefined || !settings.reported_ends.has(name)) return undefined;
  const node = run.failed_node;
  return {
    name,
    owner_id: settings.owner_id,
    workflow_id: settings.id,
    payload: {
      workflow_id: settings.id,
      workflow_name: settings.name,
      owner_id: settings.owner_id,
      run_id,
      status,
      trigger_source,
      error,
      failed_node: node && { label: node.node_label, type: node.node_type },
      execution_time_ms,
      ended_at: new Date(run.ended_at_ms).toISOString(),
    },
    // A run ends once.
    dedupe_key: `run:${run_id}`,
  };
}
