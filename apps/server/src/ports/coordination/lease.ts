/** A process' claim to its runs, kept by the database and renewed apart from the event loop. */
export interface Lease {
  /** Whether at least a quarter of the lease is left; false as soon as renewing has failed for too long. */
  isSafe(): boolean;
  /** Called once when the database says that the lease is gone for good. */
  onLost(receive: () => void): void;
  /** Ends renewing; the row stays as it is. */
  stop(): Promise<void>;
}

export interface LeaseTerms {
  readonly worker_id: string;
  readonly lease_ms: number;
  /** A process whose main thread does nothing for so long is ended from another thread; absent: it is not. */
  readonly stuck_ms?: number;
}

/**
 * Exit status of a process that has lost its lease or whose main thread is stuck. It asks a supervisor for a fresh start
 * (`EX_TEMPFAIL` of sysexits).
 */
export const FRESH_START_EXIT = 75;
