import type { Journal } from '../journal/journal.ts';
import type { RunMetrics } from '../metrics.ts';
import type { Ownership } from '../ownership/ownership.ts';
import type { WaitAddresses } from '../store/waiting/wait-addresses.ts';
import type { LiveRuns } from './live-runs.ts';
import type { LoggedVault } from './secrets/vault.ts';

/** Where a run is kept from its first step to its end: stored, owned, listed and counted. */
export interface RunKeeping extends LoggedVault {
  readonly journal: Journal;
  readonly ownership: Ownership;
  readonly live: LiveRuns;
  readonly addresses: WaitAddresses;
  readonly metrics: RunMetrics;
  /** Epoch milliseconds. */
  readonly now: () => number;
}
