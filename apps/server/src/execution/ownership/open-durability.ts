import type { Logger } from 'pino';
import { newId } from '../../core/ids.ts';
import type { Database } from '../../database/database.ts';
import type { Broadcast } from '../../ports/coordination/broadcast.ts';
import { FRESH_START_EXIT } from '../../ports/coordination/lease.ts';
import { createJournal } from '../journal/create-journal.ts';
import type { Journal } from '../journal/journal.ts';
import { createWaitAddresses, type WaitAddresses } from '../store/waiting/wait-addresses.ts';
import { createOwnership, type FencedOwnership } from './create-ownership.ts';
import type { Ownership } from './ownership.ts';

export interface DurabilityOptions {
  readonly database: Database;
  readonly broadcast: Broadcast;
  /** One-time addresses of waits; absent: some that only this process knows. */
  readonly addresses?: WaitAddresses;
  readonly log: Logger;
  readonly lease_ms: number;
  /** A process whose main thread is stuck for so long is ended; absent: it is not. */
  readonly stuck_ms?: number;
  /** How often it is looked for what hints have missed. */
  readonly sweep_ms?: number;
  /** False only in the crash harness. */
  readonly fenced?: boolean;
}

export interface Durability {
  readonly journal: Journal;
  readonly ownership: Ownership;
  readonly addresses: WaitAddresses;
}

/** Journal and ownership of this process, under one worker id. `ownership.start()` makes them usable. */
export function openDurability(options: DurabilityOptions): Durability {
  const worker_id = newId();
  const { database, log, addresses = createWaitAddresses(worker_id, '') } = options;
  let ownership: FencedOwnership | undefined;
  const journal = createJournal({
    sql: database.journal,
    worker_id,
    log,
    onFenced: () => ownership?.fence(),
    onAbandoned: (run_id, why) => ownership?.giveBack(run_id, why),
    addresses,
    ...(options.fenced === undefined ? {} : { fenced: options.fenced }),
  });
  ownership = createOwnership({ ...options, worker_id, holds: journal.holds });
  return { journal, ownership, addresses };
}

/**
 * Ends the process when its lease is gone. Its runs continue elsewhere; a supervisor starts it again, under a new id. Nothing
 * that it still holds in memory may be written or sent, so there is nothing to wait for.
 */
export function exitWhenFenced(
  ownership: Ownership,
  log: Logger,
  exit: (status: number) => void = process.exit,
): void {
  ownership.onFenced(() => {
    log.fatal(
      { worker_id: ownership.worker_id },
      'this process was silent for longer than LEASE_SECONDS and lost its runs to others; it ends, so that it can be started afresh',
    );
    exit(FRESH_START_EXIT);
  });
}
