import { isInState } from '../run-state.ts';

/**
 * Start-time fair queueing over workflows with one number per run. A run is queued behind the last of its own workflow,
 * but never before the point that the queue has reached; so a workflow with fifty thousand queued runs delays another
 * one's single run by at most the runs under way.
 */

/** Distance between two runs of one workflow. */
const COST = 1000;

/** A run that was asked for and left, and that has no place of its workflow yet; partial indexes are found by exactly this form. */
export const IS_HELD = `${isInState('queued')} AND ready_at = 'infinity'`;
/** Queued runs without those; partial indexes are found by exactly this form. */
export const MAY_BE_CLAIMED = `${isInState('queued')} AND ready_at IS DISTINCT FROM 'infinity'`;

/** The point that the queue has reached among runs of one priority: the furthest run under way, or the head of the queue. */
export const reached = (priority: string) => `coalesce(
  (SELECT max(virtual_time) FROM runs q WHERE ${isInState('running')} AND q.priority = ${priority}),
  (SELECT min(virtual_time) FROM runs q WHERE ${MAY_BE_CLAIMED} AND q.priority = ${priority}),
  0)`;

/** Workflows with a backlog that are looked at to find those of one owner. */
const MOST_BACKLOGS = 100;

/**
 * How many workflows with a backlog belong to the owner of the workflow. Each step from one of them to the next is one look
 * into the index, however long the backlogs are.
 */
const backlogsOfOwner = (workflow: string) => `(WITH RECURSIVE backlog(workflow_id) AS (
    (SELECT workflow_id FROM runs WHERE ${MAY_BE_CLAIMED} ORDER BY workflow_id LIMIT 1)
    UNION ALL
    SELECT (SELECT q.workflow_id FROM runs q WHERE ${MAY_BE_CLAIMED} AND q.workflow_id > backlog.workflow_id
      ORDER BY q.workflow_id LIMIT 1)
    FROM backlog WHERE backlog.workflow_id IS NOT NULL)
  SELECT greatest(1, count(*)) FROM (SELECT workflow_id FROM backlog WHERE workflow_id IS NOT NULL LIMIT ${MOST_BACKLOGS}) b
  WHERE (SELECT owner_id FROM workflows WHERE id = b.workflow_id) = (SELECT owner_id FROM workflows WHERE id = ${workflow}))`;

/**
 * Place of a new run `x` that may be claimed. Behind others of its workflow the distance is as many times as large as the
 * owner has workflows with a backlog, so that the flood of one person gets one share, spread over however many workflows.
 */
const CLAIMABLE_PLACE = `greatest(${reached('x.priority')},
  (SELECT last.virtual_time + ${COST} * ${backlogsOfOwner('x.workflow_id')} FROM (
    SELECT max(virtual_time) AS virtual_time FROM runs WHERE ${MAY_BE_CLAIMED} AND workflow_id = x.workflow_id) last
   WHERE last.virtual_time IS NOT NULL))`;

/** A held run is only behind those that it shares places with, until it has one. */
const HELD_PLACE = `coalesce((SELECT max(virtual_time) + ${COST} FROM runs
  WHERE ${IS_HELD} AND workflow_id = x.workflow_id AND place_key = x.place_key), 0)`;

/** Place of a new run, given by the row `x`. */
export const PLACE_OF_NEW = `CASE WHEN x.ready_at = 'infinity' THEN ${HELD_PLACE} ELSE ${CLAIMABLE_PLACE} END`;

/**
 * Place of a held run that may be claimed from now on, by the same rule as for a new one: the time that it was held counts
 * neither for nor against it.
 *
 * @param nth how many others of its workflow get theirs in the same statement and before it
 */
export const placeOfAdmitted = (workflow: string, { priority, nth }: { priority: string; nth: string }) =>
  `greatest(${reached(priority)}, coalesce((SELECT max(q.virtual_time) + ${COST} FROM run_places p JOIN runs q ON q.id = p.run_id
    WHERE p.workflow_id = ${workflow} AND (${isInState('queued', 'q.state')} OR ${isInState('running', 'q.state')})), 0)) + ${COST} * ${nth}`;
