import { hostname } from 'node:os';
import type { Logger } from 'pino';
import type { Database } from '../../database/database.ts';
import type { Lease } from '../../ports/lease.ts';
import { ENGINE_VERSION } from '../store/run-state.ts';
import { persist } from './persist.ts';
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
  /** Marks the row as gone, so that no other process waits for the lease to expire. */
  resign(): Promise<void>;
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

  function fence(): void {
    if (is_fenced) return;
    is_fenced = true;
    fenced.send();
  }

  return {
    fence,
    async register() {
      await sql.query({
        text: `INSERT INTO workers (id, host, lease_until, engine_version)
          VALUES ($1, $2, now() + make_interval(secs => $3), $4)`,
        values: [
          worker_id,
          `${hostname()}:${process.pid}`,
          Math.max(START_SECONDS, lease_ms / 1000),
          ENGINE_VERSION,
        ],
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
    async resign() {
      await persist(() =>
        sql.query({ text: 'UPDATE workers SET alive = false WHERE id = $1', values: [worker_id] }),
      );
    },
    stopKeeping: async () => {
      await lease?.stop();
    },
  };
}
