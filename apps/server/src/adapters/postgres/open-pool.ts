import { setTimeout as sleep } from 'node:timers/promises';
import { Pool, type PoolConfig, type QueryConfig } from 'pg';
import type { Logger } from 'pino';
import { isConnectionLoss } from '../../database/connection-loss.ts';
import { noteLosses } from './note-losses.ts';

/** How long a read is repeated while the server cannot be reached: as long as one takes to start again. */
const PATIENCE_MS = 3_000;
const PAUSE_MS = 100;

const isRead = (statement: string | QueryConfig): boolean =>
  /^\s*SELECT\b/i.test(typeof statement === 'string' ? statement : statement.text);

/**
 * A pool that outlives its server. Reads outside of a transaction are repeated when their connection breaks: a server that
 * was restarted, or a network that dropped idle connections, makes no request fail.
 */
export function openPool(settings: PoolConfig, log: Logger): Pool {
  const pool = new Pool(settings);
  noteLosses(pool);
  // Logged without the error itself, which contains the whole connection.
  pool.on('error', ({ message }) => log.warn({ reason: message }, 'idle database connection lost'));
  // One that breaks while it is in use fails that statement; without a listener it would also end the process.
  pool.on('connect', (client) => void client.on('error', () => undefined));
  const query = pool.query.bind(pool) as (...args: unknown[]) => Promise<unknown>;
  const patient = async (statement: string | QueryConfig, ...more: unknown[]): Promise<unknown> => {
    const until = performance.now() + PATIENCE_MS;
    for (;;) {
      try {
        return await query(statement, ...more);
      } catch (error) {
        if (!isRead(statement) || !isConnectionLoss(error) || performance.now() > until) throw error;
        await sleep(PAUSE_MS);
      }
    }
  };
  pool.query = patient as typeof pool.query;
  return pool;
}
