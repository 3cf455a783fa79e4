import { NodeFailure } from '@millrace/engine';
import type { Egress } from '../../services.ts';

export interface DatabaseCaller {
  readonly http: Egress;
  readonly signal: AbortSignal;
}

/** The code that the system adds to the errors of a connection. */
export const getErrorCode = (error: unknown): string | undefined => {
  const code: unknown = error instanceof Error ? (error as Error & { code?: unknown }).code : undefined;
  return typeof code === 'string' ? code : undefined;
};

/** Errors of the system and of TLS: another address may answer. */
const isOfNetwork = (error: unknown): boolean => /^(E[A-Z_]+|UND_ERR_.*)$/.test(getErrorCode(error) ?? '');

/**
 * Opens a connection to the first address of a host that answers, for libraries that connect by themselves. Each address has
 * passed the rules for outgoing connections.
 */
export async function onFirstAddress<T>(
  { http, signal }: DatabaseCaller,
  host: string,
  open: (address: string) => Promise<T>,
): Promise<T> {
  const addresses = await http.resolveAddresses(host, signal);
  let reason: unknown = new NodeFailure({ kind: 'upstream', message: `${host} has no address` });
  for (const address of addresses) {
    signal.throwIfAborted();
    try {
      return await open(address);
    } catch (error) {
      reason = error;
      if (!isOfNetwork(error)) break;
    }
  }
  throw reason;
}

/** How to speak TLS with an address: the name that the certificate must have, and authorities beside those of the system. */
export function tlsOptions(
  { http }: DatabaseCaller,
  host: string,
): { servername: string; ca?: string | undefined } {
  return { servername: host, ...(http.authorities === undefined ? {} : { ca: http.authorities }) };
}

/** Rejects when the signal aborts; the listener goes with `over`. */
export function aborted(signal: AbortSignal, over: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = () => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true, signal: over });
  });
}

interface OtherConnection<C> {
  open(): Promise<C>;
  work(connection: C): Promise<unknown>;
  close(connection: C): void;
}

/**
 * Ends a statement through another connection, until the signal aborts: a server that does not answer must not hold up the run.
 * The connection is closed, also when it opens too late.
 */
export async function endThrough<C>(
  signal: AbortSignal,
  { open, work, close }: OtherConnection<C>,
): Promise<void> {
  const over = new AbortController();
  const opening = open();
  try {
    await Promise.race([opening.then(work), aborted(signal, over.signal)]);
  } finally {
    over.abort();
    opening.then(close, () => undefined);
  }
}

/** A failure of the network in plain words; undefined for answers of the server. */
export function networkFailure(error: unknown, server: string): NodeFailure | undefined {
  const code = getErrorCode(error);
  const make = (kind: 'upstream' | 'timeout', words: string) =>
    new NodeFailure({ kind, message: `${server} ${words}` }, { cause: error });
  if (code === undefined) return undefined;
  if (code === 'ETIMEDOUT') return make('timeout', 'did not answer in time');
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS|EPROTO/.test(code))
    return make('upstream', 'does not offer a TLS connection that can be trusted');
  if (/^E[A-Z]+$/.test(code)) return make('upstream', `cannot be used (${code})`);
  return undefined;
}
