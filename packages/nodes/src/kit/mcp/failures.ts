import { NodeFailure } from '@millrace/engine';

/** The client library, which is loaded when a server is first called. */
export type McpLibrary = typeof import('@modelcontextprotocol/client');

/** The arguments are wrong (JSON-RPC 2.0 section 5.1); sending them again changes nothing. */
const INVALID_PARAMS = -32602;
const MAX_WORDS = 1_000;

export interface Circumstances {
  readonly library: McpLibrary;
  /** Host of the server, for people. */
  readonly host: string;
  readonly timeout_ms: number;
  /** The run was cancelled, or the person left. */
  readonly cancelled: boolean;
  /** Text from a server that is no message, as a sentence; empty for none. */
  readonly junk: string;
  /** The error that happened below the library. */
  readonly egress: unknown;
}

/** The failure of a server, in plain words. */
export function mcpFailure(error: unknown, circumstances: Circumstances): NodeFailure {
  const { library, host, cancelled, egress } = circumstances;
  const own = causes(error).find((one) => one instanceof NodeFailure);
  if (cancelled) {
    return new NodeFailure({
      kind: 'cancelled',
      message: `The call of the MCP server ${host} was cancelled`,
    });
  }
  if (own instanceof NodeFailure) return own;
  if (error instanceof library.ProtocolError) return refused(error, host);
  if (error instanceof library.InsufficientScopeError) return withoutScope(error, host);
  const status = findStatus(error, library);
  if (status !== undefined) return answered(status, error, host);
  const isLate = error instanceof library.SdkError && error.code === library.SdkErrorCode.RequestTimeout;
  if (isLate) return late(error, circumstances);
  if (egress instanceof NodeFailure && egress.failure.kind !== 'cancelled') return egress;
  const message = `The MCP server ${host} did not keep to the protocol: ${describeError(error)}`;
  return new NodeFailure({ kind: 'upstream', message }, { cause: error });
}

function causes(error: unknown): unknown[] {
  const found: unknown[] = [];
  for (let one = error; one instanceof Error && found.length < 10; one = one.cause) found.push(one);
  return found;
}

/** Whether the server answered with a refusal: it works, and the next call may succeed. */
export const isRefusedCall = ({ failure: { details } }: NodeFailure): boolean =>
  typeof details?.['code'] === 'number';

function refused(error: Error & { code: number }, host: string): NodeFailure {
  return new NodeFailure(
    {
      kind: 'upstream',
      message: `The MCP server ${host} refused the call: ${describeError(error)}`,
      details: { code: error.code },
      final: error.code === INVALID_PARAMS,
    },
    { cause: error },
  );
}

function findStatus(error: unknown, library: McpLibrary): number | undefined {
  if (error instanceof library.UnauthorizedError) return 401;
  if (error instanceof library.SdkHttpError) return error.status;
  return error instanceof library.SseError ? error.code : undefined;
}

/** Scopes as they may be shown: the characters of RFC 6749 section 3.3, and no more than a person reads. */
const SCOPES = /^[\x21\x23-\x5B\x5D-\x7E ]{1,500}$/;

/** The sign-in does not cover the call (RFC 6750 section 3.1). */
function withoutScope(error: Error & { requiredScope?: string }, host: string): NodeFailure {
  const { requiredScope = '' } = error;
  const which = SCOPES.test(requiredScope) ? `the scopes "${requiredScope}"` : 'further scopes';
  const message = `The MCP server ${host} requires ${which} for this call; enter them as Scopes of the credential and sign in again`;
  return new NodeFailure(
    { kind: 'credential', message, field: 'credentialId', final: true, details: { status: 403 } },
    { cause: error },
  );
}

function answered(status: number, cause: unknown, host: string): NodeFailure {
  const server = `The MCP server ${host}`;
  const details = { status };
  if (status === 401 || status === 403) {
    const message = `${server} refused the sign-in (status ${status}); check the token and headers of the connection, or choose a credential that signs in to the server`;
    return new NodeFailure(
      { kind: 'credential', message, field: 'credentialId', final: true, details },
      { cause },
    );
  }
  const meaning =
    status === 404 || status === 405
      ? `has no MCP endpoint at this address (status ${status}); check the URL and the transport`
      : status === 429
        ? 'is rate limiting this key (status 429)'
        : `answered with status ${status}`;
  return new NodeFailure({ kind: 'upstream', message: `${server} ${meaning}`, details }, { cause });
}

function late(cause: unknown, { host, timeout_ms, junk }: Circumstances): NodeFailure {
  const seconds = Math.round(timeout_ms / 1000);
  const message = `The MCP server ${host} did not answer within ${seconds} s${junk}`;
  return new NodeFailure({ kind: 'timeout', message }, { cause });
}

/** Words of the server without the prefix that the library puts before them. */
function describeError(error: unknown): string {
  const text = error instanceof Error ? error.message.replace(/^MCP error -?\d+: /, '').trim() : '';
  if (text === '') return 'it gave no reason';
  return text.length > MAX_WORDS ? `${text.slice(0, MAX_WORDS)}...` : text;
}
