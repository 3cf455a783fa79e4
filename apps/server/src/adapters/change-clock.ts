import type { Database } from '../database/database.ts';
import type { SqlClient } from '../database/sql-client.ts';
import type { ChangeClock } from '../ports/coordination/change-clock.ts';

/**
 * How long a look is good, from the moment at which it was sent. Each process counts by its own clock, which only has to
 * run evenly. Shorter: more looks; longer: saving takes longer.
 */
export const GOOD_FOR_MS = 25;
/** A look that is older than this is replaced while it is still good, so that requests need not wait for the next one. */
const RENEW_AFTER_MS = 12;
/** Timers may fire a little early. */
const VISIBLE_AFTER_MS = GOOD_FOR_MS + 2;
const LOOK_EVERY_MS = 1_000;

/** For the only process of a database, which hears of its own changes at once. */
export const SOLE_PROCESS: ChangeClock = {
  current: () => 0,
  seen: 0,
  waitUntilVisible: () => undefined,
  watch: () => () => undefined,
};

/** Reads the count, and remembers the highest and when it was asked for. */
function createReader(sql: SqlClient, onChange: () => void) {
  let seen = 0;
  let sentAt = Number.NEGATIVE_INFINITY;
  let looking: Promise<void> | undefined;

  const age = () => performance.now() - sentAt;

  function take(count: number): void {
    if (count <= seen) return;
    seen = count;
    onChange();
  }

  async function ask(): Promise<void> {
    const at = performance.now();
    const { rows } = await sql.query<{ count: string }>({
      name: 'change_clock',
      text: 'SELECT count FROM change_clock',
      values: [],
    });
    take(Number(rows[0]?.count ?? 0));
    sentAt = at;
  }

  /** One look at a time, shared by all who ask meanwhile. */
  function askOnce(): Promise<void> {
    looking ??= ask().finally(() => {
      looking = undefined;
    });
    return looking;
  }

  async function lookAgain(): Promise<number> {
    const wasUnderWay = looking !== undefined;
    await askOnce();
    // A request sent before this call may have gone stale on its way; one that is sent from here on has not.
    if (wasUnderWay && age() >= GOOD_FOR_MS) await askOnce();
    return seen;
  }

  return {
    age,
    askOnce,
    lookAgain,
    get seen() {
      return seen;
    },
  };
}

function createTableClock(sql: SqlClient): ChangeClock {
  const watchers = new Set<() => void>();
  const reader = createReader(sql, () => {
    for (const onChange of Array.from(watchers)) onChange();
  });
  const askQuietly = () => void reader.askOnce().catch(() => undefined);
  let timer: NodeJS.Timeout | undefined;

  return {
    current() {
      const past = reader.age();
      if (past >= GOOD_FOR_MS) return reader.lookAgain();
      if (past >= RENEW_AFTER_MS) askQuietly();
      return reader.seen;
    },
    get seen() {
      return reader.seen;
    },
    waitUntilVisible: () =>
      new Promise((resolve) => {
        setTimeout(resolve, VISIBLE_AFTER_MS);
      }),
    watch(onChange) {
      watchers.add(onChange);
      timer ??= setInterval(askQuietly, LOOK_EVERY_MS).unref();
      return () => {
        watchers.delete(onChange);
        if (watchers.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
  };
}

/** Triggers count in the transaction of each change (`database/migrator/install-triggers.ts`). */
export function createChangeClock({ kind, sql }: Pick<Database, 'kind' | 'sql'>): ChangeClock {
  return kind === 'embedded' ? SOLE_PROCESS : createTableClock(sql);
}
