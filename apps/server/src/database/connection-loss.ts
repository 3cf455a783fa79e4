import { walkCauses } from '../core/error-chain.ts';

/** Of the system and of the network, as Node names them. */
const NETWORK_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);
/** PostgreSQL errors, appendix A: class 08, connections that the server ends, refuses or has no room for. */
const SERVER_CODES = /^(08\w{3}|57P0[1235]|53300)$/;
/** The driver has no codes for these. */
const DRIVER_MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Client (has encountered|was closed))/;

/**
 * Whether the database could not be reached, or went away before it answered; also when the query builder has wrapped the
 * error. Whether a statement was executed is not known then.
 */
export function isConnectionLoss(error: unknown): boolean {
  for (const at of walkCauses(error)) {
    const code: unknown = 'code' in at ? at.code : undefined;
    if (typeof code === 'string' && (NETWORK_CODES.has(code) || SERVER_CODES.test(code))) return true;
    if (DRIVER_MESSAGES.test(at.message)) return true;
  }
  return false;
}
