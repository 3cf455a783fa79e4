import { MEGABYTE } from '@millrace/engine/units';
import { ANSWER_WITHIN_MS } from './committer.ts';
import type { Counters } from './counters.ts';
import { createLane, type Lane, type LaneOptions } from './lane.ts';

/** The writers of this process. */
export interface Lanes {
  /** Where a run that begins now waits least. All operations of a run go through one lane, which keeps their order. */
  leastLoaded(): Lane;
  /** Resolves when nothing is waiting for commit. */
  idle(): Promise<void>;
  /** Whether new runs may come. */
  hasRoom(): boolean;
  /** How long the slowest commit under way has been tried; 0 when there is none. */
  readonly commit_ms: number;
  /** A commit has been tried for so long that callers are turned away. */
  readonly is_stalled: boolean;
  readonly counters: Counters;
}

/** Above this, new runs are refused and history rows of refused calls are dropped. */
const MAX_PENDING_BYTES = 8 * MEGABYTE;
const MAX_PENDING = 20_000;

export function createLanes(options: Omit<LaneOptions, 'counters'>, count: number): Lanes {
  const counters: Counters = {
    commits: 0,
    records: 0,
    retries: 0,
    refused: 0,
    dropped_refusals: 0,
    pending: 0,
    pending_bytes: 0,
  };
  const lanes = Array.from({ length: count }, () => createLane({ ...options, counters }));
  const commitMs = () => lanes.reduce((most, lane) => Math.max(most, lane.commit_ms), 0);
  const isStalled = () => commitMs() >= ANSWER_WITHIN_MS;
  return {
    counters,
    get commit_ms() {
      return commitMs();
    },
    get is_stalled() {
      return isStalled();
    },
    leastLoaded: () => lanes.reduce((best, lane) => (lane.load < best.load ? lane : best)),
    idle: async () => {
      await Promise.all(lanes.map((lane) => lane.idle()));
    },
    hasRoom: () =>
      !isStalled() && counters.pending_bytes < MAX_PENDING_BYTES && counters.pending < MAX_PENDING,
  };
}
