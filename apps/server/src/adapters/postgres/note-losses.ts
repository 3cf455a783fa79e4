import type { Pool, PoolClient } from 'pg';
import { noteConnectionError } from '../../database/connection-loss.ts';

type Asking = (...args: unknown[]) => unknown;

/** Calls with a callback, as the pool's own, return nothing; their errors pass through the pool. */
const noting =
  (ask: Asking): Asking =>
  (...args) => {
    const answer = ask(...args);
    if (!(answer instanceof Promise)) return answer;
    return answer.catch((error: unknown) => {
      throw noteConnectionError(error);
    });
  };

/** Notes what the connections of a pool throw when their server is away, so that nothing else is taken for it. */
export function noteLosses(pool: Pool): void {
  pool.on('connect', (client: PoolClient) => {
    client.query = noting(client.query.bind(client) as Asking) as typeof client.query;
  });
  pool.connect = noting(pool.connect.bind(pool) as Asking) as typeof pool.connect;
  pool.query = noting(pool.query.bind(pool) as Asking) as typeof pool.query;
}
