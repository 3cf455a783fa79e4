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
/** Also how soon work ends that a person has cancelled. */
const RENEW_EVERY_MS = 2_000;
/** After a failure. */
const REST_SECONDS = 5;
/** So many unexpected failures in a row are enough to give a row up. */
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
  /** Aborts when the claim is lost, and some time after the process was asked to stop. */
  readonly ended: AbortSignal;
}

/** Rows of a table that any process works on; one whose process is lost is continued by another when its claim ends. */
export interface ClaimedWork<Services> {
  /** A row, in logs. */
  readonly name: string;
  readonly table: ClaimTable;
  /** Rows under way in one process, so that one that takes long does not hold up the others. */
  readonly most_at_once: number;
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
  { name, table, work }: ClaimedWork<S>,
  { claim, stopping }: Omit<Held, 'ended'>,
): Promise<number> {
  const { database, config, log } = services;
  const [ended, over] = [new AbortController(), new AbortController()];
  const drain = () => setTimeout(() => ended.abort(), config.DRAIN_SECONDS * 1_000).unref();
  stopping.addEventListener('abort', drain, { signal: over.signal });
  const stopRenewing = startPolling({
    every_ms: RENEW_EVERY_MS,
    work: async () => {
      if (!(await postpone(database.sql, table, claim, { seconds: LEASE_SECONDS }))) ended.abort();
    },
    onError: (error) => log.warn({ err: error, id: claim.id }, `the claim of ${name} could not be renewed`),
  });
  try {
    return await work(services, { claim, stopping, ended: ended.signal });
  } finally {
    over.abort();
    await stopRenewing();
  }
}

async function workOnClaim<S extends Needed>(
  services: S,
  of: ClaimedWork<S>,
  at: Omit<Held, 'ended'>,
): Promise<void> {
  const { database, log } = services;
  const giveBack = (seconds: number, failures?: Postponement['failures']) =>
    postpone(database.sql, of.table, at.claim, { seconds, ...(of.giveUp && failures ? { failures } : {}) });
  try {
    await giveBack(await workWhileHeld(services, of, at), '0');
  } catch (error) {
    log.warn({ err: error, id: at.claim.id }, `${of.name} could not be continued; trying again`);
    const row = await giveBack(REST_SECONDS, isOutage(error) ? undefined : 'failures + 1');
    if ((row?.failures ?? 0) >= MOST_FAILURES) await of.giveUp?.(services, at.claim);
  }
}

/** Works on the rows that are due until none is; resolves when all that was claimed has been worked on. */
export const workOnDue = <S extends Needed>(
  services: S,
  of: ClaimedWork<S>,
  stopping: AbortSignal,
): Promise<void> =>
  workInPool({
    most_at_once: of.most_at_once,
    next: () => claimNext(services.database.sql, of.table),
    // Where not even the claim can be given back, it ends by itself.
    work: (claim) =>
      workOnClaim(services, of, { claim, stopping }).catch((error: unknown) =>
        services.log.warn({ err: error, id: claim.id }, `the claim of ${of.name} could not be given back`),
      ),
    signal: stopping,
  });

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
  const stop = startPolling({
    every_ms: LOOK_EVERY_MS,
    work: async (signal) => {
      for (const kind of await findDue(database.sql, kinds)) {
        if (under_way.has(kind)) continue;
        const work = workOnDue(services, kind, signal)
          .catch((error: unknown) => log.error({ err: error }, `${kind.name} could not be claimed`))
          .finally(() => under_way.delete(kind));
        under_way.set(kind, work);
      }
    },
    onError: (error) => log.error({ err: error }, 'work that is due could not be looked for'),
  });
  return async () => {
    await stop();
    await Promise.all(under_way.values());
  };
}
