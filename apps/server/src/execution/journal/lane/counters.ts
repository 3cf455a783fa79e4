/** Counts of what all lanes of a process have done, and of what waits in them now. */
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
