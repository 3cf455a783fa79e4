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
  type Rest,
  renewClaim,
  restClaimed,
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

/** Renews a claim until it is closed. */
function holdClaim<S extends Needed>(
  { database, config, log }: S,
  { table, name }: ClaimedWork<S>,
  { claim, stopping }: Omit<Held, 'ended'>,
) {
  const ended = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const onStop = () => {
    timer = setTimeout(() => ended.abort(), config.DRAIN_SECONDS * 1_000);
    timer.unref();
  };
  if (stopping.aborted) onStop();
  stopping.addEventListener('abort', onStop, { once: true });
  const stopRenewing = startPolling({
    every_ms: RENEW_EVERY_MS,
    work: async () => {
      if (!(await renewClaim(database.sql, table, claim))) ended.abort();
    },
    onError: (error) => log.warn({ err: error, id: claim.id }, `the claim of ${name} could not be renewed`),
  });
  const close = async () => {
    stopping.removeEventListener('abort', onStop);
    clearTimeout(timer);
    await stopRenewing();
  };
  return { ended: ended.signal, close };
}

async function workOnRow<S extends Needed>(
  services: S,
  of: ClaimedWork<S>,
  { claim, stopping }: Omit<Held, 'ended'>,
): Promise<Rest> {
  const { ended, close } = holdClaim(services, of, { claim, stopping });
  try {
    return { seconds: await of.work(services, { claim, stopping, ended }), failures: 'reset' };
  } catch (error) {
    services.log.warn({ err: error, id: claim.id }, `${of.name} could not be continued; trying again`);
    return { seconds: REST_SECONDS, ...(isOutage(error) ? {} : { failures: 'raise' }) };
  } finally {
    await close();
  }
}

/** Never rejects: where not even the claim can be given back, it ends by itself. */
async function workOnClaim<S extends Needed>(
  services: S,
  of: ClaimedWork<S>,
  at: Omit<Held, 'ended'>,
): Promise<void> {
  const { seconds, ...counted } = await workOnRow(services, of, at);
  const rest = of.giveUp ? { seconds, ...counted } : { seconds };
  try {
    const failures = await restClaimed(services.database.sql, of.table, at.claim, rest);
    if (failures !== undefined && failures >= MOST_FAILURES) await of.giveUp?.(services, at.claim);
  } catch (error) {
    services.log.warn({ err: error, id: at.claim.id }, `the claim of ${of.name} could not be given back`);
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
    work: (claim) => workOnClaim(services, of, { claim, stopping }),
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
