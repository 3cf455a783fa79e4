import { hostname } from 'node:os';
import type { Logger } from 'pino';
import type { Database } from '../../database/database.ts';
import type { Lease } from '../../ports/coordination/lease.ts';
import { addWorker } from '../store/workers.ts';
import { createSignal } from './signal.ts';

export interface MembershipOptions {
  readonly database: Database;
  readonly log: Logger;
  readonly worker_id: string;
  readonly lease_ms: number;
  /** A process whose main thread is stuck for so long is ended; absent: it is not. */
  readonly stuck_ms?: number;
}

/** This process among those that execute runs: its row, its lease, and whether it has lost them. */
export interface Membership {
  /** Writes the row. The lease is renewed from `keep` on. */
  register(): Promise<void>;
  keep(): Promise<void>;
  /** The lease is gone; heard once. */
  fence(): void;
  readonly is_fenced: boolean;
  leaseIsSafe(): boolean;
  onFenced(receive: () => void): void;
  /** From now on the lease counts as given up, not lost: `onFenced` is not called when a runner that is still active finds it gone. */
  leave(): void;
  stopKeeping(): Promise<void>;
}

/** Until its first renewal a process that starts has at least this long; it owns nothing yet. */
const START_SECONDS = 15;

export function createMembership(options: MembershipOptions): Membership {
  const { database, worker_id, lease_ms } = options;
  const sql = database.journal;
  const fenced = createSignal<[]>();
  let lease: Lease | undefined;
  let is_fenced = false;
  let is_leaving = false;

  function fence(): void {
    if (is_fenced) return;
    is_fenced = true;
    if (!is_leaving) fenced.send();
  }

  return {
    fence,
    async register() {
      await addWorker(sql, {
        worker_id,
        host: `${hostname()}:${process.pid}`,
        lease_seconds: Math.max(START_SECONDS, lease_ms / 1000),
      });
    },
    async keep() {
      const stuck = options.stuck_ms === undefined ? {} : { stuck_ms: options.stuck_ms };
      lease = await database.keepLease({ worker_id, lease_ms, ...stuck });
      lease.onLost(fence);
    },
    get is_fenced() {
      return is_fenced;
    },
    leaseIsSafe: () => !is_fenced && (lease?.isSafe() ?? false),
    onFenced: (receive) => void fenced.receive(receive),
    leave() {
      is_leaving = true;
    },
    stopKeeping: async () => {
      await lease?.stop();
    },
  };
}
