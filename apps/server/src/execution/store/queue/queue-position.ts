import { isInState } from '../run-state.ts';

/**
 * Start-time fair queueing over workflows with one number per run. A run is queued behind the last of its own workflow,
 * but never before the point that the queue has reached; so a workflow with fifty thousand queued runs delays another
 * one's single run by at most the runs under way.
 */

/** Distance between two runs of one workflow. */
const COST = 1000;

/** The point that the queue has reached: the furthest run under way, or the head of the queue. */
export const REACHED = `coalesce(
  (SELECT max(virtual_time) FROM runs WHERE ${isInState('running')}),
  (SELECT min(virtual_time) FROM runs WHERE ${isInState('queued')}),
  0)`;

/** Place of a new run of the workflow that the expression names. */
export const placeOf = (workflow: string) => `greatest(${REACHED},
  (SELECT max(virtual_time) + ${COST} FROM runs WHERE ${isInState('queued')} AND workflow_id = ${workflow}))`;
