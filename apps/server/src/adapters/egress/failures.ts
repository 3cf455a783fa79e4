import { type Failure, NodeFailure } from '@millrace/engine';

/** Limits that can end an exchange, for the words of an error. */
export interface Exchange {
  host: string;
  timeout_ms: number;
}

const CERTIFICATE_PROBLEMS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'the certificate has expired',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate chain holds a self-signed certificate',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate chain is incomplete or its issuer is unknown',
  UNABLE_TO_GET_ISSUER_CERT: 'the issuer of the certificate is unknown',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the issuer of the certificate is unknown',
  CERT_REVOKED: 'the certificate was revoked',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another host',
};

const CONNECTION_PROBLEMS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'DNS lookup failed: no such host',
  EAI_AGAIN: 'DNS lookup failed: the name server did not answer',
  EAI_NODATA: 'DNS lookup failed: no address',
  ENODATA: 'DNS lookup failed: no address',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was reset',
  ECONNABORTED: 'the connection was aborted',
  EPIPE: 'the connection was closed while the request was sent',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  EADDRNOTAVAIL: 'the host cannot be reached',
  UND_ERR_SOCKET: 'the connection was closed before the answer was complete',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer ended early',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of the answer are too large',
  ERR_STREAM_PREMATURE_CLOSE: 'the answer ended early',
};

const TIMEOUTS: Readonly<Record<string, string>> = {
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  ETIMEDOUT: 'no connection in time',
  UND_ERR_HEADERS_TIMEOUT: 'no answer in time',
  UND_ERR_BODY_TIMEOUT: 'the answer stopped in the middle',
};

/**
 * A failure of kind `upstream` or `timeout` that says what happened. Messages of the network stack are not
 * repeated: they name resolved addresses.
 */
export function egressFailure(error: unknown, exchange: Exchange): NodeFailure {
  if (error instanceof NodeFailure) return error;
  const code = getErrorCode(error);
  const timeout = lookUp(TIMEOUTS, code);
  if (timeout) return failure('timeout', `${exchange.host}: ${timeout}`, error);
  return failure('upstream', `${exchange.host}: ${describeProblem(code)}`, error);
}

export function totalTimeout({ host, timeout_ms }: Exchange): NodeFailure {
  return failure('timeout', `${host}: no complete answer within ${timeout_ms / 1000} s`);
}

export function noConnection({ host, timeout_ms }: Exchange): NodeFailure {
  return failure('timeout', `${host}: no connection within ${timeout_ms / 1000} s`);
}

export function cancelled(): NodeFailure {
  return new NodeFailure({ kind: 'cancelled', message: 'The run was cancelled during a request' });
}

/** The message names what the author wrote, never the address that it led to. */
export function refused(message: string): NodeFailure {
  return new NodeFailure({ kind: 'upstream', message, final: true });
}

export function upstream(message: string): NodeFailure {
  return failure('upstream', message);
}

function describeProblem(code: string): string {
  if (code.startsWith('HPE_')) return 'the answer is not valid HTTP';
  if (code.startsWith('Z_') || code.startsWith('ERR__ERROR') || code.startsWith('ERR_BROTLI')) {
    return 'the answer could not be decompressed';
  }
  if (code === 'EPROTO' || code.startsWith('ERR_SSL') || code.startsWith('ERR_TLS')) {
    return lookUp(CERTIFICATE_PROBLEMS, code) ?? 'the TLS handshake failed';
  }
  const known = lookUp(CERTIFICATE_PROBLEMS, code) ?? lookUp(CONNECTION_PROBLEMS, code);
  return known ?? `the request failed${code === '' ? '' : ` (${code})`}`;
}

/** Connecting to several addresses of a host at once fails with one error that holds theirs. */
function getErrorCode(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return getErrorCode(error.errors[0]);
  if (!(error instanceof Error)) return '';
  const code = (error as { code?: unknown }).code;
  if (typeof code === 'string') return code;
  if (error.name === 'HTTPParserError') return 'HPE_UNKNOWN';
  return error.cause === undefined ? '' : getErrorCode(error.cause);
}

function lookUp(table: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

function failure(kind: Failure['kind'], message: string, cause?: unknown): NodeFailure {
  return new NodeFailure({ kind, message }, cause === undefined ? undefined : { cause });
}
