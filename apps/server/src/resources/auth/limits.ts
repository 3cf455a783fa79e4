import { AppError } from '../../core/app-error.ts';
import type { SqlClient } from '../../database/sql-client.ts';
import type { AttemptLimiter, AttemptRule } from '../../ports/coordination/attempt-limiter.ts';

/** §8.2 of the specification. */
export const LOGIN_RULE: AttemptRule = {
  name: 'login',
  attempts: 10,
  window_seconds: 60,
  ban_seconds: 15 * 60,
};
export const REGISTER_RULE: AttemptRule = {
  name: 'register',
  attempts: 5,
  window_seconds: 60,
  ban_seconds: 10 * 60,
};

export const REGISTER_CLIENT_RULE: AttemptRule = {
  name: 'register_client',
  attempts: 5,
  window_seconds: 60,
  ban_seconds: 10 * 60,
};

/** @throws AppError `rate_limited` with `Retry-After` */
export async function requireAttempt(
  limiter: Pick<AttemptLimiter, 'count'>,
  client_ip: string,
): Promise<void> {
  const seconds = await limiter.count(client_ip);
  if (seconds === undefined) return;
  throw new AppError('rate_limited', `Too many attempts. Try again in ${seconds} seconds`, {
    headers: { 'Retry-After': String(seconds) },
  });
}

/** Removes counters whose window and ban have ended. */
export async function purgeAttempts(sql: SqlClient, now_ms: number): Promise<number> {
  const { row_count } = await sql.query({
    text: 'DELETE FROM attempt_counts WHERE expire <= $1',
    values: [now_ms],
  });
  return row_count;
}
