import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { readBytes } from '../kit/files/read-bytes.ts';
import type { Egress, EgressRequest, SocketRequest } from '../services.ts';

/** `fetch` sends the length itself, and a client that is given it too refuses. */
function sendable(headers: EgressRequest['headers']): [string, string][] {
  return headers
    .filter(([name]) => name.toLowerCase() !== 'content-length')
    .map(([name, value]): [string, string] => [name, value]);
}

/** The body of a request, whose pieces must be as long as it says. */
export async function wholeBody(
  body: NonNullable<EgressRequest['body']>,
): Promise<string | Uint8Array<ArrayBuffer>> {
  if (typeof body === 'string') return body;
  if (!('open' in body)) return new Uint8Array(body);
  const bytes = await readBytes(body.open());
  if (bytes.length !== body.size_bytes)
    throw new Error(`a body of ${bytes.length} bytes instead of ${body.size_bytes}`);
  return new Uint8Array(bytes);
}

/** A way to servers of tests on this machine, over real HTTP and TCP, without the guard of the product. */
export function realEgress(authorities?: string): Egress {
  return {
    authorities,
    async request({ method, url, headers, body, signal }) {
      const response = await fetch(url, {
        method,
        headers: sendable(headers),
        redirect: 'manual',
        signal,
        ...(body === undefined ? {} : { body: await wholeBody(body) }),
      });
      const bytes = new Uint8Array(await response.arrayBuffer());
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        url: response.url,
        body: (async function* () {
          yield bytes;
        })(),
      };
    },
    resolveAddresses: () => Promise.resolve(['127.0.0.1']),
    connect: ({ port, tls, host }: SocketRequest) =>
      new Promise((resolve, reject) => {
        const where = { host: '127.0.0.1', port };
        const socket = tls
          ? connectTls({ ...where, servername: host, ...(authorities ? { ca: authorities } : {}) })
          : connect(where);
        socket.once(tls ? 'secureConnect' : 'connect', () => resolve(socket)).once('error', reject);
      }),
  };
}

/** Like `realEgress`, with answers that arrive piece by piece. */
export function streamingEgress(): Egress {
  return {
    ...realEgress(),
    async request({ method, url, headers, body, signal, timeout_ms }) {
      const response = await fetch(url, {
        method,
        headers: sendable(headers),
        redirect: 'manual',
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeout_ms)]),
        ...(body === undefined ? {} : { body: await wholeBody(body) }),
      });
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        url: response.url,
        body: response.body ?? (async function* () {})(),
      };
    },
  };
}

/** Like `realEgress`, with a server of a test in the place of a service whose address is fixed. */
export function egressTo(service: string, server: string): Egress {
  const egress = realEgress();
  return {
    ...egress,
    request: (request) => egress.request({ ...request, url: request.url.replace(service, server) }),
  };
}
