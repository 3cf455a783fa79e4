import type { Ownership, Place } from '../../ownership/ownership.ts';
import { sleep } from '../../run/sleep.ts';
import type { RunHandle, RunRequest, StartRun } from '../../run/start/run-request.ts';
import type { WorkflowSettings } from '../../workflows/published-workflow.ts';
import { type ClientLeft, clientLeft } from '../client-left.ts';
import { refusePlace } from '../no-place.ts';
import type { RefusalNeeds } from '../record-refusal.ts';

/** Checks again after this: processes do not notify each other of ended runs. */
const LOOK_EVERY_MS = 100;
const NEVER_LEFT: ClientLeft = () => new AbortController().signal;

/** Starts a run that a caller waits for, once it has a place among the runs of its workflow that may be under way. */
export type StartInPlace = (request: RunRequest, left?: ClientLeft) => RunHandle | Promise<RunHandle>;

interface Needs extends RefusalNeeds {
  readonly start: StartRun;
  readonly ownership: Ownership;
  /** How long a caller waits for a place before it is refused. */
  readonly patience_ms: number;
}

/** Without patience where as many runs wait already as may. */
const isFull = ({ queue_limit, queue_overflow }: WorkflowSettings, waiting: number): boolean =>
  queue_limit !== undefined && queue_overflow === 'refuse' && waiting >= queue_limit;

async function waitForPlace(
  needs: Needs,
  { request, limit, left }: { request: RunRequest; limit: number; left: ClientLeft },
): Promise<Place> {
  const { settings } = request.workflow;
  const group = { workflow_id: settings.id, place_key: request.place_key ?? '' };
  const limits = { limit, most_counted: settings.queue_limit ?? 0 };
  const until = performance.now() + needs.patience_ms;
  for (;;) {
    const place = await needs.ownership.takePlace(group, limits);
    if (!('waiting' in place)) return place;
    if (isFull(settings, place.waiting) || performance.now() + LOOK_EVERY_MS > until)
      throw refusePlace(needs, request);
    if ((await sleep(LOOK_EVERY_MS, left())) === 'cancelled') throw clientLeft();
  }
}

/** The verb rejects with NoPlace where no place gets free in time. */
export function createStartInPlace(needs: Needs): StartInPlace {
  async function startLimited(request: RunRequest, limit: number, left: ClientLeft): Promise<RunHandle> {
    const place = await waitForPlace(needs, { request, limit, left });
    try {
      const handle = await needs.start(request);
      handle.finished.then(place.leave, place.leave);
      return handle;
    } catch (error) {
      await place.leave();
      throw error;
    }
  }

  return (request, left = NEVER_LEFT) => {
    const limit = request.workflow.settings.concurrency_limit;
    return limit === undefined ? needs.start(request) : startLimited(request, limit, left);
  };
}
