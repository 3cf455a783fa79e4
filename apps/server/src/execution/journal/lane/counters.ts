/** Counts of what the lane of a process has done, and of what waits in it now. */
export interface Counters {
  commits: number;
  records: number;
  retries: number;
  /** Records that could not be stored and were given up. */
  refused: number;
  dropped_refusals: number;
  pending: number;
  pending_bytes: number;
}

export const createCounters = (): Counters => ({
  commits: 0,
  records: 0,
  retries: 0,
  refused: 0,
  dropped_refusals: 0,
  pending: 0,
  pending_bytes: 0,
});
