import { walkCauses } from '../core/error-chain.ts';
import { isConnectionLoss } from './connection-loss.ts';

/**
 * Whether a statement should be sent again: the connection broke, the server is stopping, starting or out of resources, or
 * two statements got in each other's way. It may have been executed; all statements here can be repeated.
 */
export function isTransient(error: unknown): boolean {
  if (isConnectionLoss(error) || isTimeout(error)) return true;
  const code = sqlState(error);
  if (code === undefined) return false;
  return TRANSIENT_CLASSES.has(code.slice(0, 2)) || TRANSIENT_CODES.has(code);
}

/**
 * Whether the statement ran out of time: it was cancelled by the server (`statement_timeout`), or no answer came within
 * `query_timeout` of the driver (`pg`, lib/client.js), which then may still be executed.
 */
export function isTimeout(error: unknown): boolean {
  if (sqlState(error) === '57014') return true;
  for (const at of walkCauses(error)) if (at.message === 'Query read timeout') return true;
  return false;
}

/** Connection, transaction rollback, insufficient resources, operator intervention, system error. */
const TRANSIENT_CLASSES = new Set(['08', '40', '53', '57', '58']);
/** Lock not available; read-only, as a server is during a failover. */
const TRANSIENT_CODES = new Set(['55P03', '25006']);

/** Whether a row is there already. */
export const isDuplicate = (error: unknown): boolean => sqlState(error) === '23505';

/** The five characters of an error that the database itself reported, also inside an error of the query builder. */
export function sqlState(error: unknown): string | undefined {
  for (const at of walkCauses(error)) {
    const code: unknown = 'code' in at ? at.code : undefined;
    if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code)) return code;
  }
  return undefined;
}
