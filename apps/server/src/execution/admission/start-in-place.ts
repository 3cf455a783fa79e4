import { AppError } from '../../core/app-error.ts';
import type { Place } from '../ownership/ownership.ts';
import type { RunEnvironment } from '../run/environment.ts';
import type { RunHandle, RunRequest } from '../run/run-request.ts';
import { sleep } from '../run/sleep.ts';
import { type ClientLeft, clientLeft } from './client-left.ts';

/** Checks again after this: processes do not notify each other of ended runs. */
const LOOK_EVERY_MS = 100;
const NEVER_LEFT: ClientLeft = () => new AbortController().signal;

/** Starts a run that a caller waits for, once it has a place among the runs of its workflow that may be under way. */
export type StartInPlace = (request: RunRequest, left?: ClientLeft) => RunHandle | Promise<RunHandle>;

type Needs = Pick<RunEnvironment, 'start' | 'ownership' | 'metrics'> & {
  /** How long a caller waits for a place before it is refused. */
  readonly patience_ms: number;
};

function refusal(limit: number): AppError {
  const runs = limit === 1 ? 'one run' : `${limit} runs`;
  return new AppError('rate_limited', `The workflow may have ${runs} under way at once; try again later`, {
    headers: { 'Retry-After': '1' },
  });
}

async function waitForPlace(
  { ownership, metrics, patience_ms }: Needs,
  { request, limit, left }: { request: RunRequest; limit: number; left: ClientLeft },
): Promise<Place> {
  const until = performance.now() + patience_ms;
  for (;;) {
    const place = await ownership.takePlace(request.workflow.settings.id, limit);
    if (place) return place;
    if (performance.now() + LOOK_EVERY_MS > until) {
      metrics.refused('busy', request.trigger_source);
      throw refusal(limit);
    }
    if ((await sleep(LOOK_EVERY_MS, left())) === 'cancelled') throw clientLeft();
  }
}

/** The verb rejects with AppError 429 where no place gets free in time. */
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
