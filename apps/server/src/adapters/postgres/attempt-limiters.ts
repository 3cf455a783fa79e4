import { RateLimiterPostgres } from 'rate-limiter-flexible';
import type { SqlClient, Statement } from '../../database/sql-client.ts';
import type { LimiterFactory } from '../../ports/coordination/attempt-limiter.ts';
import { attemptState, limiterSettings, waitSeconds } from '../attempt-rule.ts';
import { createMemoryLimiters } from '../memory/attempt-limiters.ts';

/** Bans of at least this length are stored in the database; shorter ones are not worth a statement per attempt. */
const LONG_BAN_SECONDS = 5 * 60;

/** The `pg` client interface that the library expects. */
const toPgClient = (sql: SqlClient) => ({
  async query(statement: Statement) {
    const { rows, row_count } = await sql.query(statement);
    return { rows, rowCount: row_count };
  },
});

/** Counters with long bans are shared by all processes and survive restarts; other counters are per process. */
export function tableLimiters(sql: SqlClient): LimiterFactory {
  const local = createMemoryLimiters();
  return (rule) => {
    if (rule.ban_seconds < LONG_BAN_SECONDS) return local(rule);
    const limiter = new RateLimiterPostgres({
      ...limiterSettings(rule),
      storeClient: toPgClient(sql),
      storeType: 'client',
      tableName: 'attempt_counts',
      tableCreated: true,
      clearExpiredByTimeout: false,
    });
    return {
      count: (key) => waitSeconds(limiter.consume(key)),
      state: async (key) => attemptState(rule, await limiter.get(key)),
    };
  };
}
