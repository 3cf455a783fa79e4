import type { Socket } from 'node:net';

/** One HTTP exchange. Both bodies and headers are the caller's; the client adds only what the protocol needs. */
export interface EgressRequest {
  method: string;
  /** Absolute `http:` or `https:` address. */
  url: string;
  /** In sending order; the same name may occur twice. */
  headers: readonly (readonly [name: string, value: string])[];
  /** Whole, not a stream, because a redirect may ask for it again. */
  body?: string | Uint8Array;
  /** From the call until the last byte of the answer. */
  timeout_ms: number;
  /** Counted after decompression; a longer answer fails instead of being cut. */
  max_response_bytes: number;
  follow_redirects: boolean;
  /** Any certificate of the server is accepted; absent: only one that an authority vouches for. */
  insecure?: boolean;
  signal: AbortSignal;
}

export interface EgressResponse {
  status: number;
  /** Names in lower case; repeated headers joined by `, ` (`set-cookie` by newline, as it may hold commas). */
  headers: Record<string, string>;
  /** Address that answered, after redirects. */
  url: string;
  /** Decompressed. Must be read to the end or cancelled by `return()`; errors are `NodeFailure` too. */
  body: AsyncIterable<Uint8Array>;
}

/** A connection for a protocol other than HTTP. */
export interface SocketRequest {
  /** Name or literal address, without a port. */
  host: string;
  port: number;
  /** TLS from the first byte; false also for protocols that upgrade later. */
  tls: boolean;
  /** Until the connection can be used. */
  timeout_ms: number;
  /** Closes the connection whenever it aborts. */
  signal: AbortSignal;
}

/** The only way out to the network. Refuses private addresses; every error is a `NodeFailure` that says what happened. */
export interface Egress {
  request(request: EgressRequest): Promise<EgressResponse>;
  /** Ready to use; the caller destroys it. */
  connect(request: SocketRequest): Promise<Socket>;
  /**
   * Addresses of a host that passed the same check, best first, for libraries that open their connection by themselves. They
   * connect to one of these and never to the name, which may resolve to another address by then.
   */
  addressesOf(host: string, signal: AbortSignal): Promise<readonly string[]>;
  /** PEM of certificate authorities beside those of the system, for protocols that upgrade a connection by themselves. */
  readonly authorities?: string | undefined;
}
