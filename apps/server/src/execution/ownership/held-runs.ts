import type { AbandonReason } from '../model/run.ts';

/** Which runs this process is responsible for: those it executes, has just claimed, or has yet to give back. */
export interface HeldRuns {
  /** Whether the run is executed here, or about to be. */
  holds(run_id: string): boolean;
  claimed(run_ids: readonly string[]): void;
  released(run_ids: readonly string[]): void;
  /** The runner has stopped before the end; the run waits to be released. */
  abandon(run_id: string, why: AbandonReason): void;
  /** Takes runs abandoned for the reason that have no new runner here. */
  takeAbandoned(why: AbandonReason): string[];
}

/** A claimed run has this long until its runner has read it. */
const CLAIM_GRACE_MS = 30_000;

/** @param isExecuted whether the journal has a runner for the run */
export function createHeldRuns(isExecuted: (run_id: string) => boolean): HeldRuns {
  const claimedAt = new Map<string, number>();
  const abandoned = new Map<string, AbandonReason>();

  function holds(run_id: string): boolean {
    if (isExecuted(run_id)) return true;
    const at = claimedAt.get(run_id);
    return at !== undefined && performance.now() - at < CLAIM_GRACE_MS;
  }

  return {
    holds,
    claimed(run_ids) {
      const now = performance.now();
      for (const [run_id, at] of claimedAt) if (now - at > CLAIM_GRACE_MS) claimedAt.delete(run_id);
      for (const run_id of run_ids) claimedAt.set(run_id, now);
    },
    released(run_ids) {
      for (const run_id of run_ids) claimedAt.delete(run_id);
    },
    abandon(run_id, why) {
      claimedAt.delete(run_id);
      abandoned.set(run_id, why);
    },
    takeAbandoned(why) {
      const taken: string[] = [];
      for (const [run_id, reason] of abandoned) if (reason === why && !holds(run_id)) taken.push(run_id);
      for (const run_id of taken) abandoned.delete(run_id);
      return taken;
    },
  };
}
