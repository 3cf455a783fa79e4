import type { Logger } from 'pino';
import type { Config } from '../../config.ts';
import { AppError } from '../../core/app-error.ts';
import { startPolling } from '../../core/polling.ts';
import { isConnectionLoss } from '../../database/connection-loss.ts';
import type { SqlClient } from '../../database/sql-client.ts';
import {
  type Claim,
  type ClaimTable,
  claimNext,
  findDue,
  LEASE_SECONDS,
  type Postponement,
  postpone,
} from './claims.ts';
import { workInPool } from './work-in-pool.ts';

const LOOK_EVERY_MS = 500;
/** Also the longest time until cancelled work ends. */
const RENEW_EVERY_MS = 2_000;
/** After a failure. */
const REST_SECONDS = 5;
/** A row is given up after this many unexpected failures in a row. */
const MOST_FAILURES = 3;

interface Needed {
  readonly database: { readonly sql: SqlClient };
  readonly config: Pick<Config, 'DRAIN_SECONDS'>;
  readonly log: Pick<Logger, 'warn' | 'error'>;
}

export interface Held {
  readonly claim: Claim;
  /** The process stops: what is begun may be finished. */
  readonly stopping: AbortSignal;
  /** Aborts when the claim is lost, and `DRAIN_SECONDS` after the process is asked to stop. */
  readonly ended: AbortSignal;
}

/** Rows of a table that any process works on; one whose process is lost is continued by another when its claim ends. */
export interface ClaimedWork<Services> {
  /** A row, in logs. */
  readonly name: string;
  readonly table: ClaimTable;
  /** Rows under way in one process, so that one that takes long does not hold up the others. */
  readonly most_at_once: number;
  /** Work that takes longer hangs, and another process may begin it; absent where work may take hours. */
  readonly most_seconds?: number;
  /** Takes a row as far as it gets. Resolves to the seconds after which it is due again, unless it is over. */
  readonly work: (services: Services, held: Held) => Promise<number>;
  /** Ends a row that fails again and again; without it, failures are not counted. */
  readonly giveUp?: (services: Services, claim: Claim) => Promise<void>;
}

/** Whether an error says nothing about the work: it fails as long as the database, or another service, is away. */
export const isOutage = (error: unknown): boolean =>
  isConnectionLoss(error) || (error instanceof AppError && error.code === 'unavailable');

async function workWhileHeld<S extends Needed>(
  services: S,
  { name, table, work, most_seconds }: ClaimedWork<S>,
  { claim, stopping }: Omit<Held, 'ended'>,
): Promise<number> {
  const { database, config, log } = services;
  const [ended, over] = [new AbortController(), new AbortController()];
  const drain = () => setTimeout(() => ended.abort(), config.DRAIN_SECONDS * 1_000).unref();
  if (stopping.aborted) drain();
  else stopping.addEventListener('abort', drain, { signal: over.signal });
  const hangs = most_seconds && setTimeout(() => ended.abort(), most_seconds * 1_000).unref();
  const stopRenewing = startPolling({
    every_ms: RENEW_EVERY_MS,
    work: async () => {
      if (ended.signal.aborted) return;
      if (!(await postpone(database.sql, table, claim, { seconds: LEASE_SECONDS }))) ended.abort();
    },
    onError: (error) => log.warn({ err: error, id: claim.id }, `the claim of ${name} could not be renewed`),
  });
  try {
    return await work(services, { claim, stopping, ended: ended.signal });
  } finally {
    over.abort();
    if (hangs) clearTimeout(hangs);
    await stopRenewing();
  }
}

/** Resolves to the seconds after which the row is due again; undefined when it is over or was taken over. */
async function workOnClaim<S extends Needed>(
  services: S,
  of: ClaimedWork<S>,
  at: Omit<Held, 'ended'>,
): Promise<number | undefined> {
  const { database, log } = services;
  const giveBack = (seconds: number, failures?: Postponement['failures']) =>
    postpone(database.sql, of.table, at.claim, { seconds, ...(of.giveUp && failures ? { failures } : {}) });
  try {
    const seconds = await workWhileHeld(services, of, at);
    return (await giveBack(seconds, '0')) && seconds;
  } catch (error) {
    log.warn({ err: error, id: at.claim.id }, `${of.name} could not be continued; trying again`);
    const row = await giveBack(REST_SECONDS, isOutage(error) ? undefined : 'failures + 1');
    // Held on to, so that no other process takes it in between.
    if ((row?.failures ?? 0) >= MOST_FAILURES && (await giveBack(LEASE_SECONDS)))
      await of.giveUp?.(services, at.claim);
    return row && REST_SECONDS;
  }
}

/**
 * Works on the rows that are due until none is; resolves when all that was claimed has been worked on.
 *
 * @param onRest called with the seconds after which a row is due again
 */
export function workOnDue<S extends Needed>(
  services: S,
  of: ClaimedWork<S>,
  { stopping, onRest }: { stopping: AbortSignal; onRest?: (seconds: number) => void },
): Promise<void> {
  const { database, log } = services;
  return workInPool({
    most_at_once: of.most_at_once,
    // Work under way continues; the next look tries again.
    next: () =>
      claimNext(database.sql, of.table).catch((error: unknown) => {
        log.error({ err: error }, `${of.name} could not be claimed`);
        return undefined;
      }),
    work: async (claim) => {
      try {
        const seconds = await workOnClaim(services, of, { claim, stopping });
        if (seconds) onRest?.(seconds);
      } catch (error) {
        // The claim ends when its time is over.
        log.warn({ err: error, id: claim.id }, `${of.name} could not be given back or given up`);
      }
    },
    signal: stopping,
  });
}

/**
 * Looks for due rows of every kind until the returned function is called, which also waits for what is under way. Where nothing
 * is due, a look is one statement for all kinds.
 */
export function startClaimedWork<S extends Needed>(
  services: S,
  kinds: readonly ClaimedWork<S>[],
): () => Promise<void> {
  const { database, log } = services;
  const under_way = new Map<ClaimedWork<S>, Promise<void>>();
  const isIdle = (kind: ClaimedWork<S>) => !under_way.has(kind);
  function begin(kind: ClaimedWork<S>, stopping: AbortSignal): void {
    if (stopping.aborted || !isIdle(kind)) return;
    // On time: a slice that waited for the next look would come half a second late.
    const onRest = (seconds: number) => void setTimeout(() => begin(kind, stopping), seconds * 1_000).unref();
    const work = workOnDue(services, kind, { stopping, onRest }).finally(() => under_way.delete(kind));
    under_way.set(kind, work);
  }
  const stop = startPolling({
    every_ms: LOOK_EVERY_MS,
    work: async (signal) => {
      const idle = kinds.filter(isIdle);
      if (idle.length === 0) return;
      for (const kind of await findDue(database.sql, idle)) begin(kind, signal);
    },
    onError: (error) => log.error({ err: error }, 'work that is due could not be looked for'),
  });
  return async () => {
    await stop();
    await Promise.all(under_way.values());
  };
}
