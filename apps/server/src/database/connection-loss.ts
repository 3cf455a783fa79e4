import { walkCauses } from '../core/error-chain.ts';
import { NETWORK_CODES } from '../core/network-codes.ts';

/** PostgreSQL errors, appendix A: class 08, connections that the server ends, refuses or has no room for. */
const SERVER_CODES = /^(08\w{3}|57P0[1235]|53300)$/;
/** The driver has no codes for these; the last one is of the embedded database. */
const MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Client (has encountered|was closed)|the embedded database has ended)/;

function meansLoss(error: Error): boolean {
  const code: unknown = 'code' in error ? error.code : undefined;
  return NETWORK_CODES.has(code) || SERVER_CODES.test(String(code)) || MESSAGES.test(error.message);
}

/** Noted where they are thrown: the codes are those of any server, and a node that cannot reach one has the same. */
const losses = new WeakSet<Error>();

/** For errors of a connection to the database. @returns the same error */
export function noteConnectionError<T>(error: T): T {
  if (error instanceof Error && meansLoss(error)) losses.add(error);
  return error;
}

/**
 * Whether the database could not be reached, or went away before it answered; also when the query builder has wrapped the
 * error. Whether a statement was executed is not known then.
 */
export function isConnectionLoss(error: unknown): boolean {
  for (const at of walkCauses(error)) if (losses.has(at)) return true;
  return false;
}
