import { setTimeout as sleep } from 'node:timers/promises';
import type { Fleet } from './fleet.ts';
import type { RedisServer } from './services/redis.ts';
import type { Sql } from './services/sql.ts';

export interface TroubleContext {
  /** Says that all runs are handed in and have ended. */
  readonly signal: AbortSignal;
  /** Of the scenario's database; embedded there is none while a process has it open. */
  readonly sql: Sql | undefined;
  readonly lease_ms: number;
  /** Factor of the pauses between one strike and the next. */
  readonly spacing: number;
}

/** Makes trouble until the signal. */
export type Trouble = (fleet: Fleet, context: TroubleContext) => Promise<void>;

const between = (least: number, most: number) => least + Math.random() * (most - least);
const pickOne = <T>(values: readonly T[]): T | undefined => values[Math.floor(Math.random() * values.length)];

/** Repeats until the runs are through. */
const repeat =
  (pause: () => number, act: Trouble): Trouble =>
  async (fleet, context) => {
    const { signal, spacing } = context;
    while (!signal.aborted) {
      await sleep(pause() * spacing, undefined, { signal }).catch(() => undefined);
      if (!signal.aborted) await act(fleet, context);
    }
  };

/** One of the processes that serve, if another one is left: on a slow machine there would be nothing to be struck otherwise. */
const onVictim =
  (act: (fleet: Fleet, victim: number, context: TroubleContext) => void | Promise<void>): Trouble =>
  async (fleet, context) => {
    const serving = fleet.serving();
    const victim = pickOne(serving);
    if (victim !== undefined && serving.length > 1) await act(fleet, victim, context);
  };

export const noTrouble: Trouble = () => Promise.resolve();

/** A process ends without a word, every third of a second to every second. */
export const kills = repeat(
  () => between(300, 1_000),
  onVictim((fleet, victim) => fleet.kill(victim)),
);

/** The only process ends without a word, a while after it has begun to serve. */
export const killsOfOne: Trouble = async (fleet, { signal, spacing }) => {
  while (!signal.aborted) {
    await sleep(50);
    if (!fleet.serving().includes(0)) continue;
    await sleep(between(700, 2_000) * spacing, undefined, { signal }).catch(() => undefined);
    if (!signal.aborted) fleet.kill(0);
    // Until it is noticed.
    while (fleet.serving().includes(0) && !signal.aborted) await sleep(10);
  }
};

/** All but one process end at the same moment, once. */
export const killAllButOne: Trouble = async (fleet) => {
  await sleep(1_500);
  for (const victim of fleet.serving().slice(1)) fleet.kill(victim);
};

/** A process is paused for longer than its lease and comes back, believing that nothing has happened. */
export const pauses = repeat(
  () => between(300, 900),
  onVictim((fleet, victim, { lease_ms }) => fleet.pause(victim, between(1.5, 3) * lease_ms)),
);

/** A process that is not armed itself is killed again and again, until it is the armed one that takes over. */
export const killLast: Trouble = (fleet, context) => {
  const victim = fleet.serving().at(-1);
  return repeat(
    () => 1_500,
    async () => {
      if (victim !== undefined && fleet.serving().includes(victim)) fleet.kill(victim);
    },
  )(fleet, context);
};

/** Every connection to the database breaks. */
export const brokenConnections = repeat(
  () => 700,
  async ({ counts }, { sql }) => {
    counts.cuts += 1;
    await sql
      ?.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid()`,
      )
      .catch(() => undefined);
  },
);

/** Processes are asked to end in order, one after another, as a rolling update does. */
export const rollingRestarts = repeat(
  () => 500,
  onVictim((fleet, victim) => fleet.terminate(victim)),
);

/** The database server stops at once and starts again. */
export const databaseCrashes = (crash: () => Promise<void>): Trouble =>
  repeat(
    () => between(1_500, 3_000),
    ({ counts }) => {
      counts.cuts += 1;
      return crash();
    },
  );

/** The database stops responding for longer than a lease while a process is asked to exit and has runs to release. */
export const databasePauses = (pause: (ms: number) => Promise<void>): Trouble =>
  repeat(
    () => between(1_500, 3_000),
    async (fleet, { spacing }) => {
      fleet.counts.cuts += 1;
      const victim = pickOne(fleet.serving());
      // It is noticed as ended once the database answers again.
      if (victim !== undefined && fleet.serving().length > 1) void fleet.terminate(victim);
      await pause(between(6_000, spacing > 1 ? 20_000 : 7_000));
    },
  );

/** Once, a process freezes inside a transaction at the moment when another one is killed. */
export const freezeBesideDead: Trouble = async (fleet, { sql, lease_ms }) => {
  await sleep(1_500);
  const [frozen, dead] = fleet.serving();
  if (frozen === undefined || dead === undefined) return;
  const ms = 2 * lease_ms;
  const pid = fleet.freeze(frozen, ms);
  fleet.kill(dead);
  // Rows that every statement of its journal locks.
  const text = 'SELECT id FROM workers WHERE alive AND host LIKE $1 FOR KEY SHARE';
  await sql?.lock?.(text, [`%:${pid}`], ms);
};

/** Redis ends, hangs, or forgets everything; and a process has to start while it is away. */
export function redisLosses(redis: RedisServer): Trouble {
  const ways = [
    () => redis.crash(700),
    () => redis.freeze(1_500),
    () => redis.flush(),
    async (fleet: Fleet) => {
      const victim = fleet.serving().at(-1);
      if (victim !== undefined) fleet.kill(victim);
      await redis.crash(2_000);
    },
  ];
  let next = 0;
  return repeat(
    () => between(300, 800),
    async (fleet) => {
      fleet.counts.cuts += 1;
      await ways[next++ % ways.length]?.(fleet);
    },
  );
}
