import { cancelledOutcome } from '@millrace/engine';
import type { ParkedReason } from '../../../model/queue.ts';
import type { StoredFinal } from '../../../model/run.ts';
import { endedColumns, insertEnds } from '../../analytics/run-ends.ts';
import { setDuration } from '../../encoding/duration.ts';
import { outcomeText } from '../../encoding/outcome.ts';
import { isInState, STATE } from '../../run-state.ts';

/** A run is given up after so many takeovers without a new fact in its journal, or so many in all. */
export const MOST_STALLS = 3;
export const MOST_TAKEOVERS = 5;
/**
 * A run is given up when it was claimed and given back so often without a new fact. More than takeovers: the database may
 * have been away, which is not the run's fault. From the second time on it waits longer each time, up to a minute.
 */
export const MOST_RELEASES = 10;
const LONGEST_PAUSE_SECONDS = 60;

const REASONS: Readonly<Record<ParkedReason['reason'], string>> = {
  worker_lost:
    'The process that executed this run was lost repeatedly, so the run was given up. Its input is kept.',
  no_progress:
    'This run was restarted repeatedly without making progress and was given up. Its input is kept. The server log has the cause.',
};

/** Columns `outputs` and `outcome` of a run that is given up. */
export function parkedTexts(reason: ParkedReason['reason']): { outputs: string; outcome: string | null } {
  const parked: ParkedReason = { error: REASONS[reason], reason };
  return {
    outputs: JSON.stringify(parked),
    outcome: outcomeText({
      shape: 'labels',
      failure: { kind: 'internal', message: parked.error, details: { reason } },
    }),
  };
}

/**
 * Parts of a statement that ends runs: their own waits are over, and the waits of others for them are decided, whose runs
 * the next sweep queues.
 *
 * @param ended part of the statement with a column `run_id`
 */
export const closeWaits = (ended: string): string => `own_waits AS (
  UPDATE waits SET applied = true, decided_at = coalesce(decided_at, now())
  WHERE NOT applied AND run_id = ANY(ARRAY(SELECT run_id FROM ${ended}))),
waits_for_them AS (
  UPDATE waits SET decided_at = now(), decision = 'ended'
  WHERE decided_at IS NULL AND child_run_id = ANY(ARRAY(SELECT run_id FROM ${ended}))
    AND run_id <> ALL(ARRAY(SELECT run_id FROM ${ended})))`;

const CANCELLED = cancelledOutcome();
/** Columns `outcome` and `outputs` of a run that no process executes when it is asked to end; the latter as an SQL literal. */
export const CANCELLED_OUTCOME = outcomeText(CANCELLED);
export const CANCELLED_OUTPUTS = `'${JSON.stringify(CANCELLED.outputs)}'`;

/** Whether a run was given up by a statement of this folder, without what its process does at the end of a run. */
export function wasGivenUp({ failure }: Pick<StoredFinal, 'failure'>): boolean {
  const reason = failure?.details?.['reason'];
  return typeof reason === 'string' && Object.hasOwn(REASONS, reason);
}

const GIVEN_UP = Object.keys(REASONS)
  .map((reason) => `'%"details":{"reason":"${reason}"}%'`)
  .join(', ');

/**
 * The same for SQL, by the text that `parkedTexts` writes: within a text of JSON a quotation mark of users is escaped.
 *
 * @param outcome the column
 */
export const isGivenUp = (outcome: string): string =>
  `coalesce(${outcome} LIKE ANY (ARRAY[${GIVEN_UP}]), false)`;

export const ELAPSED_MS = 'greatest(0, extract(epoch FROM now() - runs.started_at) * 1000)::bigint';

/** New facts of the run `r` since the last takeover or release. */
export const COUNT_FACTS = `(SELECT count(*) FROM steps s WHERE s.run_id = r.id AND s.kind <> 'intent')::int`;

export const PAUSE_BEFORE_NEXT = `CASE WHEN j.releases > 1
    THEN now() + make_interval(secs => least(${LONGEST_PAUSE_SECONDS}, 2 ^ (j.releases - 2))) END`;

interface Requeue {
  /** Columns besides those that follow from the verdict. */
  readonly set: string;
  /** Parameters: outputs and outcome of a parked run, outcome of a cancelled one. */
  readonly outputs: string;
  readonly parked: string;
  readonly cancelled: string;
}

/** The rest of a statement with a part `judged`: puts its runs back into the queue, at their original position, or ends them. */
export const requeueJudged = ({ set, outputs, parked, cancelled }: Requeue): string => `,
requeued AS (
UPDATE runs SET owner = NULL, progress = j.facts, stalls = j.stalls, releases = j.releases, ${set},
  state = CASE j.verdict WHEN 'queued' THEN ${STATE.queued} ELSE ${STATE.done} END,
  status = CASE j.verdict WHEN 'queued' THEN 'running' WHEN 'parked' THEN 'error' ELSE 'cancelled' END,
  outputs = CASE j.verdict WHEN 'parked' THEN ${outputs} WHEN 'cancelled' THEN ${CANCELLED_OUTPUTS} END,
  outcome = CASE j.verdict WHEN 'parked' THEN ${parked} WHEN 'cancelled' THEN ${cancelled} END,
  ${setDuration(`CASE WHEN j.verdict <> 'queued' THEN ${ELAPSED_MS} END`)},
  finished_at = CASE WHEN j.verdict <> 'queued' THEN now() END,
  error_run_due = CASE WHEN j.verdict = 'parked' THEN true END
FROM judged j WHERE runs.id = j.id AND ${isInState('running', 'runs.state')}
RETURNING runs.id AS run_id, j.verdict, ${endedColumns('runs.')}),
counted AS (${insertEnds('requeued')}),
ended AS (SELECT run_id FROM requeued WHERE verdict <> 'queued'),
${closeWaits('ended')}
SELECT run_id, verdict FROM requeued`;

export interface JudgedRun {
  readonly run_id: string;
  readonly verdict: 'queued' | 'parked' | 'cancelled';
}
