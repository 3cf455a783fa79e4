import { lookup } from 'node:dns/promises';
import { Readable } from 'node:stream';
import { isLasting, NodeFailure, OversizedAnswer } from '@millrace/engine';
import type { BodyStream, Egress, EgressRequest, EgressResponse } from '@millrace/nodes/runtime';
import { Agent, type Dispatcher } from 'undici';
import { type DestinationRules, guardedLookup, type Resolve, requireDestination } from './destination.ts';
import { cancelled, type Exchange, egressFailure, totalTimeout, upstream } from './failures.ts';
import { receivedHeaders, sentHeaders } from './headers.ts';
import { isRedirect, redirected } from './redirects.ts';
import { limitedBody, tooLarge } from './response-body.ts';
import { checkedAddresses, openSocket } from './sockets.ts';

export interface EgressOptions {
  /** `HTTP_ALLOW_PRIVATE_URLS`. */
  allow_private: boolean;
  /** Private hosts that may be called nevertheless, by name or literal address. */
  allow_hosts?: readonly string[];
  log: { warn(fields: object, message: string): void };
  /** Replaces name look-up; tests inject rebinding name servers. */
  resolve?: Resolve;
  connect_timeout_ms?: number;
  /** Longest silence within an answer. */
  idle_timeout_ms?: number;
  /** PEM of the trusted certificate authorities; absent: those of Node. */
  ca?: string;
}

export interface ClosableEgress extends Egress {
  /** Ends idle connections and waits for the others. */
  close(): Promise<void>;
}

interface Client {
  readonly agent: Agent;
  /** Accepts any certificate, and never shares a connection with requests that do not. */
  readonly insecure: Agent;
  readonly rules: DestinationRules;
  readonly log: EgressOptions['log'];
}

const MAX_REDIRECTS = 10;
const MAX_HEADER_BYTES = 64 * 1024;
const CONNECTIONS_PER_ORIGIN = 128;
/** How much of a redirect's own body is read to keep its connection. */
const MAX_DISCARDED_BYTES = 64 * 1024;

/**
 * The one client through which workflows reach the network. It connects to public addresses only, decided on the
 * resolved address at the moment of connecting and again for every redirect.
 */
export function createEgress(options: EgressOptions): ClosableEgress {
  const rules: DestinationRules = {
    allow_private: options.allow_private,
    allow_hosts: new Set((options.allow_hosts ?? []).map((host) => host.toLowerCase())),
  };
  const resolve: Resolve = options.resolve ?? ((hostname) => lookup(hostname, { all: true }));
  const lookUp = guardedLookup(resolve, rules);
  const client: Client = {
    agent: createAgent(options, lookUp, { insecure: false }),
    insecure: createAgent(options, lookUp, { insecure: true }),
    rules,
    log: options.log,
  };
  const sockets = { rules, resolve, ca: options.ca };
  return {
    request: (request) => send(client, request),
    connect: (request) => openSocket(sockets, request).catch((error: unknown) => noteRefused(client, error)),
    resolveAddresses: (host, signal) =>
      checkedAddresses(sockets, host, signal).catch((error: unknown) => noteRefused(client, error)),
    authorities: options.ca,
    allows_private: options.allow_private,
    close: async () => {
      await Promise.all([client.agent.close(), client.insecure.close()]);
    },
  };
}

function createAgent(
  options: EgressOptions,
  lookUp: ReturnType<typeof guardedLookup>,
  { insecure }: { insecure: boolean },
): Agent {
  return new Agent({
    connect: {
      lookup: lookUp,
      rejectUnauthorized: !insecure,
      timeout: options.connect_timeout_ms ?? 10_000,
      ...(options.ca === undefined ? {} : { ca: options.ca }),
    },
    connections: CONNECTIONS_PER_ORIGIN,
    maxHeaderSize: MAX_HEADER_BYTES,
    // The deadline of each request ends a wait for headers.
    headersTimeout: 0,
    bodyTimeout: options.idle_timeout_ms ?? 120_000,
  });
}

async function send(client: Client, request: EgressRequest): Promise<EgressResponse> {
  const exchange: Exchange = { host: '', timeout_ms: request.timeout_ms };
  const deadline = startDeadline(request, exchange);
  try {
    const { response, url } = await follow(client, request, { deadline, exchange });
    requireSmallEnough(response, request, exchange.host);
    return {
      status: response.statusCode,
      headers: receivedHeaders(response.headers),
      url: url.href,
      body: endedBy(readBody(response, request, { deadline, exchange }), () => deadline.end()),
    };
  } catch (error) {
    deadline.end();
    throw explain(client, deadline, error, exchange);
  }
}

interface Progress {
  readonly deadline: Deadline;
  /** Names the host of the current hop in errors. */
  readonly exchange: Exchange;
}

async function follow(client: Client, original: EgressRequest, { deadline, exchange }: Progress) {
  let request = original;
  let url = requireDestination(request.url, client.rules);
  for (let hops = 0; ; hops++) {
    exchange.host = url.host;
    const response = await (request.insecure === true ? client.insecure : client.agent).request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: request.method,
      headers: [...sentHeaders(request.headers), ...lengthHeader(request.body)],
      body: sentBody(request.body),
      signal: deadline.signal,
    });
    const location = response.headers['location'];
    if (!request.follow_redirects || !isRedirect(response.statusCode) || typeof location !== 'string') {
      return { response, url };
    }
    await response.body.dump({ limit: MAX_DISCARDED_BYTES, signal: deadline.signal });
    if (hops === MAX_REDIRECTS) throw upstream(`${url.host}: more than ${MAX_REDIRECTS} redirects`);
    const target = requireDestination(location, client.rules, url.href);
    request = redirected(request, response.statusCode, url, target);
    url = target;
  }
}

/** The client knows the length of whole bodies, and is told that of streams. */
const lengthHeader = (body: EgressRequest['body']): string[] =>
  isStream(body) ? ['content-length', String(body.size_bytes)] : [];

function sentBody(body: EgressRequest['body']): string | Uint8Array | Readable | null {
  return isStream(body) ? Readable.from(body.open(), { objectMode: false }) : (body ?? null);
}

const isStream = (body: EgressRequest['body']): body is BodyStream =>
  typeof body === 'object' && 'open' in body;

/** An answer that announces too much ends before its first byte is read. */
function requireSmallEnough(response: Dispatcher.ResponseData, request: EgressRequest, host: string): void {
  const announced = Number(response.headers['content-length'] ?? 0);
  if (request.method === 'HEAD' || !(announced > request.max_response_bytes)) return;
  throw tooLarge(host, request.max_response_bytes);
}

async function* readBody(
  response: Dispatcher.ResponseData,
  request: EgressRequest,
  { deadline, exchange }: Progress,
): AsyncGenerator<Uint8Array> {
  const encoding = String(response.headers['content-encoding'] ?? '');
  const limits = { host: exchange.host, max_bytes: request.max_response_bytes };
  try {
    yield* limitedBody(response.body, encoding, limits);
  } catch (error) {
    throw deadline.reason() ?? egressFailure(error, exchange);
  } finally {
    deadline.end();
  }
}

/** A generator that is ended before its first step runs none of its code, so `end` is called apart from it. */
function endedBy(body: AsyncGenerator<Uint8Array>, end: () => void): AsyncIterableIterator<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next: () => body.next(),
    return() {
      end();
      return body.return(undefined);
    },
  };
}

function noteRefused({ log }: Client, error: unknown): never {
  if (error instanceof NodeFailure && isLasting(error)) {
    log.warn({ reason: error.message }, 'outgoing connection refused');
  }
  throw error;
}

function explain(client: Client, deadline: Deadline, error: unknown, exchange: Exchange): Error {
  const failure = deadline.reason() ?? egressFailure(error, exchange);
  const isRefused = isLasting(failure) && !(failure instanceof OversizedAnswer);
  if (isRefused) client.log.warn({ reason: failure.message }, 'outgoing request refused');
  return failure;
}

interface Deadline {
  readonly signal: AbortSignal;
  /** Why the exchange was ended from this side; undefined when it was not. */
  reason(): ReturnType<typeof cancelled> | undefined;
  /** Frees the timer and closes what is still open. */
  end(): void;
}

/** Ends an exchange when its time is over or the run is cancelled, whichever comes first. */
function startDeadline({ signal, timeout_ms }: EgressRequest, exchange: Exchange): Deadline {
  const controller = new AbortController();
  let reason: ReturnType<Deadline['reason']>;
  const stop = (why: NonNullable<typeof reason>) => {
    reason ??= why;
    controller.abort(why);
  };
  const onAbort = () => stop(cancelled());
  const timer = setTimeout(() => stop(totalTimeout(exchange)), timeout_ms);
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    reason: () => reason,
    end() {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      controller.abort();
    },
  };
}
