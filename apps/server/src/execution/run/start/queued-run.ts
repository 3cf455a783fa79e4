import { newOrderedId } from '../../../core/ids.ts';
import type { AdmittedRun } from '../../admission/admission.ts';
import type { Principal } from '../../admission/principal.ts';
import type { QueuedRun } from '../../model/queue.ts';
import { queuePriority } from '../../store/queue/follow-settings.ts';
import { HELD_MS } from '../../store/queue/places.ts';
import type { WorkflowSettings } from '../../workflows/published-workflow.ts';

/** When a run has to be over, as epoch milliseconds; null where the workflow sets no time. */
export const computeDeadline = ({ timeout_ms }: WorkflowSettings, started_at_ms: number): number | null =>
  timeout_ms === undefined ? null : started_at_ms + timeout_ms;

type Place = Pick<QueuedRun, 'trigger_node_id' | 'parent_run_id' | 'root_run_id' | 'depth'>;

function toPlace(principal: Principal): Place {
  const trigger_node_id = principal.kind === 'trigger' ? principal.node_id : null;
  if (principal.kind !== 'parent_run')
    return { trigger_node_id, parent_run_id: null, root_run_id: null, depth: 0 };
  const { run_id, root_run_id, depth } = principal.run;
  return { trigger_node_id, parent_run_id: run_id, root_run_id, depth };
}

/** Runs of triggers and replays are refused to their source, or to the person. What boards and failures start always waits. */
function buildQueue({ workflow, principal }: AdmittedRun): QueuedRun['queue'] {
  const {
    concurrency_limit: places,
    queue_limit: most_waiting,
    queue_overflow: overflow,
  } = workflow.settings;
  const isAnswered = principal.kind === 'trigger' || principal.kind === 'user';
  if (!isAnswered || places === undefined || most_waiting === undefined) return undefined;
  return { places, most_waiting, overflow };
}

/** A run that another has started takes part in the place of that one: it must not wait for a place that its parent has. */
const buildHold = (admitted: AdmittedRun): Pick<QueuedRun, 'ready_at_ms' | 'place_key' | 'queue'> =>
  admitted.workflow.settings.concurrency_limit === undefined || admitted.principal.kind === 'parent_run'
    ? {}
    : { ready_at_ms: HELD_MS, place_key: admitted.place_key, queue: buildQueue(admitted) };

type Given = Pick<QueuedRun, 'started_at_ms'> & Partial<QueuedRun>;

/** An admitted run as the queue stores it: of the workflow version that was admitted, for whichever process claims it. */
export function queuedRun(admitted: AdmittedRun, given: Given): QueuedRun {
  const { settings, version } = admitted.workflow;
  return {
    run_id: newOrderedId(given.started_at_ms),
    workflow_id: settings.id,
    version_id: version.id,
    trigger_source: admitted.trigger_source,
    actor_id: admitted.run_as,
    input: admitted.input,
    ...toPlace(admitted.principal),
    idempotency_key: null,
    options: {},
    deadline_at_ms: computeDeadline(settings, given.started_at_ms),
    priority: queuePriority(settings.priority),
    ...buildHold(admitted),
    ...given,
  };
}
