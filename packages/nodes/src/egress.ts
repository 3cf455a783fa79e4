import type { Socket } from 'node:net';
import type { TransportRequest, TransportResponse } from '@millrace/models';

/** A body that is sent piece by piece, so that files need not be in memory. */
export interface BodyStream {
  /** Of all pieces together. */
  readonly size_bytes: number;
  /** Begins from the first byte each time, because a redirect may ask for it again. */
  open(): AsyncIterable<Uint8Array>;
}

/** One exchange of a node; the client adds only what the protocol needs to headers and body. */
export interface EgressRequest extends Omit<TransportRequest, 'body'> {
  body?: string | Uint8Array | BodyStream;
  /** Any certificate of the server is accepted; absent: only one that an authority vouches for. */
  insecure?: boolean;
  /** Whether a header value contains a secret; redirects to another origin drop such headers. */
  holdsSecret?: ((value: string) => boolean) | undefined;
}

export interface EgressResponse extends TransportResponse {
  /** Address that answered, after redirects. */
  url: string;
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
  resolveAddresses(host: string, signal: AbortSignal): Promise<readonly string[]>;
  /**
   * PEM of all trusted certificate authorities, for protocols that upgrade a connection themselves. Absent: those of Node.
   */
  readonly authorities?: string | undefined;
  /** Whether private addresses are allowed, as in one's own network. */
  readonly allows_private?: boolean;
}
