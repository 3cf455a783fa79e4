import { setTimeout as pause } from 'node:timers/promises';
import { NodeFailure } from '@millrace/engine';
import { type CredentialConfig, readConfigText } from '@millrace/engine/credential';
import type { ChannelModel } from 'amqplib';
import { isOn } from '../kit/values/is-on.ts';
import type { Egress } from '../services.ts';

const PORT = 5672;
const TLS_PORT = 5671;
const CONNECT_TIMEOUT_MS = 10_000;
const CLOSE_TIMEOUT_MS = 2_000;
/** Of a connection without traffic; it counts as dead after two beats without an answer. */
const HEARTBEAT_S = 10;
const MOST_WORDS = 300;
const NOT_WANTED = 'The connection was no longer wanted';

export interface BrokerCaller {
  readonly http: Egress;
  readonly signal: AbortSignal;
}

interface Place {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  readonly vhost: string;
  readonly username: string;
  readonly password: string;
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** RabbitMQ URI specification: `amqp://user:password@host:5672/vhost`, each part percent-encoded. */
function placeOfUrl(address: string): Place {
  const url = new URL(address);
  const tls = url.protocol.toLowerCase() === 'amqps:';
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port || (tls ? TLS_PORT : PORT)),
    tls,
    vhost: decoded(url.pathname.slice(1)) || '/',
    username: decoded(url.username) || 'guest',
    password: decoded(url.password) || (url.username === '' ? 'guest' : ''),
  };
}

function readPlace(config: CredentialConfig): Place {
  const address = readConfigText(config, 'rabbitmq_url');
  if (address !== '') return placeOfUrl(address);
  return {
    host: readConfigText(config, 'rabbitmq_host'),
    port: Number(readConfigText(config, 'rabbitmq_port') || PORT),
    tls: isOn(config['rabbitmq_use_tls']),
    vhost: readConfigText(config, 'rabbitmq_vhost') || '/',
    username: readConfigText(config, 'rabbitmq_username'),
    password: readConfigText(config, 'rabbitmq_password'),
  };
}

/** Name of a broker and virtual host that no other one has, without secrets. */
export function brokerName(config: CredentialConfig): string {
  const { host, port, vhost } = readPlace(config);
  return `${host}:${port}/${encodeURIComponent(vhost)}`;
}

/**
 * The properties that the library and the network add to their errors; `code` is a reply code of AMQP 0-9-1 section 1.1
 * or one of the system.
 */
interface BrokerError extends Error {
  readonly code?: unknown;
}

const failure = (kind: 'upstream' | 'credential' | 'cancelled', message: string, cause?: unknown) =>
  new NodeFailure({ kind, message }, cause === undefined ? {} : { cause });

/** The broker's own words, which it quotes in the text of an error. */
function extractWords(message: string): string {
  const quoted = /with message "(?:[A-Z_]+ - )?(.*)"$/s.exec(message)?.[1];
  return (quoted ?? '').slice(0, MOST_WORDS);
}

/** A failure in plain words; a part of the broker's answer is repeated, which holds no secrets. */
export function brokerFailure(error: unknown, config: CredentialConfig): NodeFailure {
  if (error instanceof NodeFailure) return error;
  const { host, port, vhost } = readPlace(config);
  const server = `The message queue server ${host}:${port}`;
  const { code, message } = error as BrokerError;
  const text = typeof message === 'string' ? message : '';
  const words = extractWords(text);
  if (/Login was refused|ACCESS-REFUSED.*login/i.test(text))
    return failure('credential', `${server} refused the user name or the password`, error);
  // The user is signed in by then; the library does not pass on why the last part of the handshake was refused.
  if (text.includes('Expected ConnectionOpenOk'))
    return failure('credential', `${server} does not open the virtual host "${vhost}" to this user`, error);
  if (words !== '') return failure('upstream', `${server} answered: ${words}`, error);
  if (typeof code === 'string' && /^[A-Z][A-Z_]+$/.test(code))
    return failure('upstream', `${server} cannot be used (${code})`, error);
  if (/ETIMEDOUT|timeout/i.test(text)) return failure('upstream', `${server} did not answer in time`, error);
  return failure('upstream', `${server} ended the connection`, error);
}

async function open({ http, signal }: BrokerCaller, config: CredentialConfig): Promise<ChannelModel> {
  const { host, port, tls, vhost, username, password } = readPlace(config);
  const ca = http.authorities;
  const { connect } = await import('amqplib');
  const addresses = await http.resolveAddresses(host, signal);
  let reason: unknown;
  for (const address of addresses) {
    if (signal.aborted) break;
    try {
      return await connect(
        {
          protocol: tls ? 'amqps' : 'amqp',
          hostname: address,
          port,
          username,
          password,
          // The library decodes it once more.
          vhost: encodeURIComponent(vhost),
          heartbeat: HEARTBEAT_S,
        },
        {
          timeout: CONNECT_TIMEOUT_MS,
          noDelay: true,
          ...(tls && host !== address ? { servername: host } : {}),
          ...(ca === undefined ? {} : { ca }),
        },
      );
    } catch (error) {
      reason = error;
      // Another address leads to the same server, which would refuse again.
      if (typeof (error as BrokerError).code !== 'string') break;
    }
  }
  throw reason ?? failure('upstream', `${host} has no address`);
}

/** A handshake cannot be interrupted: a connection that comes too late is closed. */
async function openWhileWanted(caller: BrokerCaller, config: CredentialConfig): Promise<ChannelModel> {
  const { signal } = caller;
  const opening = open(caller, config);
  const over = new AbortController();
  const cancelled = new Promise<never>((_, reject) => {
    const stop = () => reject(failure('cancelled', NOT_WANTED));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true, signal: over.signal });
  });
  try {
    return await Promise.race([opening, cancelled]);
  } catch (error) {
    opening.then(
      (connection) => void connection.close().catch(() => undefined),
      () => undefined,
    );
    throw brokerFailure(error, config);
  } finally {
    over.abort();
  }
}

/** Resolves when the work, or the time that it has, is over. */
async function within(work: Promise<unknown>, ms: number): Promise<void> {
  const over = new AbortController();
  const end = pause(ms, undefined, { signal: over.signal });
  await Promise.race([work, end]).catch(() => undefined);
  over.abort();
  await end.catch(() => undefined);
}

/** Rejects when the connection has ended, and a little after the caller wants no more: what is under way may come to its end. */
async function interruption(ended: AbortSignal, wanted: AbortSignal, over: AbortSignal): Promise<never> {
  const never = new Promise<never>((_, reject) => {
    const stop = () => reject(ended.reason as NodeFailure);
    ended.addEventListener('abort', stop, { once: true });
  });
  const cancelled = new Promise<void>((resolve) => {
    if (wanted.aborted) resolve();
    wanted.addEventListener('abort', () => resolve(), { once: true, signal: over });
  });
  await Promise.race([never, cancelled]);
  await Promise.race([never, pause(CLOSE_TIMEOUT_MS, undefined, { signal: over })]);
  throw failure('cancelled', NOT_WANTED);
}

/** A connection, and what ends with it. */
export interface BrokerSession {
  readonly connection: ChannelModel;
  /** Aborts when the connection has ended, on either side. Its reason is a `NodeFailure`. */
  readonly ended: AbortSignal;
}

/**
 * Connects to a checked address, and closes the connection at the end. The end of the work is the end of the connection too:
 * a connection that breaks rejects with what the broker said.
 */
export async function withBroker<T>(
  caller: BrokerCaller,
  config: CredentialConfig,
  work: (session: BrokerSession) => Promise<T>,
): Promise<T> {
  const connection = await openWhileWanted(caller, config);
  const ending = new AbortController();
  const end = (error?: Error) => {
    if (!ending.signal.aborted)
      ending.abort(brokerFailure(error ?? new Error('closed by the server'), config));
  };
  connection.on('error', end);
  connection.on('close', end);
  const over = new AbortController();
  try {
    const { signal } = ending;
    return await Promise.race([
      work({ connection, ended: signal }),
      interruption(signal, caller.signal, over.signal),
    ]);
  } catch (error) {
    throw brokerFailure(error, config);
  } finally {
    over.abort();
    if (!ending.signal.aborted) await within(connection.close(), CLOSE_TIMEOUT_MS);
  }
}

/** Signs in, opens the virtual host and does nothing else. */
export async function testBroker(caller: BrokerCaller, config: CredentialConfig): Promise<void> {
  await withBroker(caller, config, async ({ connection }) => {
    const channel = await connection.createChannel();
    await channel.close();
  });
}
