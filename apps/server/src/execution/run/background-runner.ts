import type { Logger } from 'pino';
import type { ClaimedRun } from '../model/queue.ts';
import type { RunBegin, StoredRun } from '../model/run.ts';
import type { Ownership } from '../ownership/ownership.ts';
import type { PublishedWorkflow } from '../workflows/published-workflow.ts';
import type { WorkflowCache } from '../workflows/workflow-cache.ts';
import { type LiveRuns, roomFor } from './live-runs.ts';
import type { RunKeeping } from './run-keeping.ts';
import type { RunHandle } from './start/run-request.ts';

/** Claims queued runs and executes them beside those that requests wait for. */
export interface BackgroundRunner {
  start(): void;
  /** Claims no more; runs in progress continue. */
  stopClaiming(): void;
}

export interface BackgroundRunnerOptions extends Pick<RunKeeping, 'journal' | 'ownership' | 'live' | 'log'> {
  readonly workflows: WorkflowCache;
  resume(stored: StoredRun, workflow: PublishedWorkflow): Promise<RunHandle>;
  /** Runs that this process executes at once, regardless of what started them. */
  readonly concurrency: number;
}

/** Backstop for lost wake hints. */
const LOOK_EVERY_MS = 1_000;
const MAX_BATCH = 50;
/** No workflow takes more than this share of the slots while others wait. */
const WORKFLOW_SHARE = 0.5;

function releaseLater(ownership: Ownership, log: Logger, run_id: string): void {
  ownership
    .release([run_id], 'failed')
    .catch((error: unknown) => log.warn({ err: error, run_id }, 'a run could not be released'));
}

/** Resumes a claimed run; undefined when there is nothing left to do. */
async function resumeClaimed(
  { journal, ownership, workflows, resume }: BackgroundRunnerOptions,
  claimed: ClaimedRun,
): Promise<RunHandle | undefined> {
  const stored = await journal.loadOwned(claimed.run_id);
  if (!stored || stored.final) return undefined;
  const { workflow_id, version_id } = stored.begin;
  const workflow = version_id === null ? undefined : await workflows.pinned(workflow_id, version_id);
  if (!workflow) {
    await endUnknown({ journal, ownership }, stored.begin);
    return undefined;
  }
  return resume(stored, workflow);
}

/** The version is gone with its workflow: there is nothing to run any more. */
async function endUnknown(
  { journal, ownership }: Pick<RunKeeping, 'journal' | 'ownership'>,
  begin: RunBegin,
): Promise<void> {
  const failure = {
    kind: 'internal' as const,
    message: 'The workflow version of this run no longer exists',
  };
  await journal.finish(begin, {
    status: 'error',
    outputs: { error: failure.message },
    shape: 'labels',
    failure,
    execution_time_ms: 0,
    ended_at_ms: begin.started_at_ms,
  });
  if (begin.parent_run_id !== null) await ownership.decideByEnd(begin.run_id);
}

/** Where the settings cannot be read, the sweep passes the place on. */
async function passPlaceOn(
  { workflows, ownership, log }: BackgroundRunnerOptions,
  claimed: ClaimedRun,
): Promise<void> {
  try {
    const workflow = await workflows.published(claimed.workflow_id);
    if (workflow?.settings.concurrency_limit !== undefined) await ownership.placeLeft(claimed);
  } catch (error) {
    log.warn(
      { err: error, workflow_id: claimed.workflow_id },
      'the settings of a workflow could not be read',
    );
  }
}

/** Workflows that have as many slots as one may have. */
function busyWorkflows(live: LiveRuns, concurrency: number): string[] {
  const most = Math.max(1, Math.floor(concurrency * WORKFLOW_SHARE));
  const counts = new Map<string, number>();
  for (const { workflow_id } of live.all) counts.set(workflow_id, live.countSlots(workflow_id));
  return [...counts].filter(([, count]) => count >= most).map(([id]) => id);
}

/**
 * Claims until nothing is left or nothing fits, and again when it was woken meanwhile; one look at a time.
 *
 * @param claimBatch returns how many were claimed
 */
function createLooking(claimBatch: () => Promise<number>, log: Logger) {
  let isLooking = false;
  let wasWoken = false;

  async function lookOnce(): Promise<void> {
    wasWoken = false;
    const claimed = looking.isOn ? await claimBatch() : 0;
    if (claimed > 0 || (looking.isOn && wasWoken)) await lookOnce();
  }

  const looking = {
    isOn: false,
    look(): void {
      wasWoken = true;
      if (!looking.isOn || isLooking) return;
      isLooking = true;
      lookOnce()
        .catch((error: unknown) => log.warn({ err: error }, 'queued runs could not be claimed'))
        .finally(() => {
          isLooking = false;
        });
    },
  };
  return looking;
}

export function createBackgroundRunner(options: BackgroundRunnerOptions): BackgroundRunner {
  const { live, ownership, log, concurrency } = options;
  let starting = 0;
  let timer: NodeJS.Timeout | undefined;
  let unsubscribe: (() => void) | undefined;

  /** From claimed to live; from then on the run takes a slot of its own. */
  async function begin(claimed: ClaimedRun): Promise<RunHandle | undefined> {
    starting += 1;
    try {
      return await resumeClaimed(options, claimed);
    } catch (error) {
      log.error({ err: error, run_id: claimed.run_id }, 'a claimed run could not be executed');
      releaseLater(ownership, log, claimed.run_id);
      return undefined;
    } finally {
      starting -= 1;
    }
  }

  async function execute(claimed: ClaimedRun): Promise<void> {
    const handle = await begin(claimed);
    await handle?.finished.catch((error: unknown) => {
      log.warn({ err: error, run_id: claimed.run_id }, 'a run stopped here and continues on another process');
    });
    look();
    await passPlaceOn(options, claimed);
  }

  async function claimBatch(): Promise<number> {
    const room = Math.min(MAX_BATCH, roomFor(live, concurrency) - starting);
    if (room <= 0) return 0;
    const claimed = await ownership.claim(room, busyWorkflows(live, concurrency));
    for (const run of claimed) void execute(run);
    return claimed.length;
  }

  const looking = createLooking(claimBatch, log);
  const { look } = looking;

  return {
    start() {
      looking.isOn = true;
      unsubscribe = ownership.onWake(look);
      timer = setInterval(look, LOOK_EVERY_MS);
      timer.unref();
      look();
    },
    stopClaiming() {
      looking.isOn = false;
      clearInterval(timer);
      unsubscribe?.();
    },
  };
}
