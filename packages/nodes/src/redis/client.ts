import { NodeFailure } from '@millrace/engine';
import { type CredentialConfig, readConfigText } from '@millrace/engine/credential';
import {
  aborted,
  type DatabaseCaller,
  networkFailure,
  onFirstAddress,
  tlsOptions,
} from '../kit/database/reach.ts';
import { isOn } from '../kit/values/is-on.ts';

/** The commands that are used here. */
export interface RedisConnection {
  readonly isOpen: boolean;
  get(key: string): Promise<string | null>;
  set(key: string, value: string, options: { expiration?: { type: 'EX'; value: number } }): Promise<unknown>;
  exists(key: string): Promise<number>;
  del(key: string): Promise<number>;
  ping(): Promise<unknown>;
  destroy(): void;
}

const PORT = 6379;
const CONNECT_TIMEOUT_MS = 10_000;
const ANSWER_TIMEOUT_MS = 30_000;
const MOST_WORDS = 300;

const describeServer = (config: CredentialConfig): string =>
  `The Redis server ${readConfigText(config, 'redis_host')}:${readConfigText(config, 'redis_port') || PORT}`;

/** A failure in plain words; error replies of Redis begin with a code (https://redis.io/docs/latest/develop/reference/protocol-spec). */
function redisFailure(error: unknown, config: CredentialConfig): NodeFailure {
  if (error instanceof NodeFailure) return error;
  const server = describeServer(config);
  const text = error instanceof Error ? error.message : '';
  const fail = (kind: 'upstream' | 'credential' | 'timeout', words: string, final = false) =>
    new NodeFailure(
      {
        kind,
        message: `${server} ${words}`,
        ...(final ? { final: true } : {}),
        ...(kind === 'credential' ? { field: 'credentialId' } : {}),
      },
      { cause: error },
    );
  if (/^(WRONGPASS|NOAUTH)\b|AUTH .*password/.test(text))
    return fail('credential', 'refused the user name or the password', true);
  if (/^NOPERM\b/.test(text))
    return fail('credential', 'does not allow this to the user of the credential', true);
  if (/DB index is out of range/.test(text))
    return fail('credential', `has no database with the number ${readConfigText(config, 'redis_db')}`, true);
  if (/^WRONGTYPE\b/.test(text))
    return fail('upstream', 'holds something other than text under this key', true);
  if (/^[A-Z]{2,} /.test(text)) return fail('upstream', `answered: ${text.slice(0, MOST_WORDS)}`);
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return fail('timeout', 'did not answer in time');
  return networkFailure(error, server) ?? fail('upstream', 'ended the connection');
}

async function open(
  caller: DatabaseCaller,
  config: CredentialConfig,
  keep: (client: RedisConnection) => void,
): Promise<RedisConnection> {
  const { createClient } = await import('redis');
  const host = readConfigText(config, 'redis_host');
  const port = Number(readConfigText(config, 'redis_port') || PORT);
  const username = readConfigText(config, 'redis_username');
  const password = readConfigText(config, 'redis_password');
  return onFirstAddress(caller, host, async (address) => {
    const common = {
      host: address,
      port,
      connectTimeout: CONNECT_TIMEOUT_MS,
      reconnectStrategy: false as const,
    };
    const client = createClient({
      RESP: 2,
      socket: isOn(config['redis_use_tls']) ? { ...common, tls: true, ...tlsOptions(caller, host) } : common,
      ...(username === '' ? {} : { username }),
      ...(password === '' ? {} : { password }),
      database: Number(readConfigText(config, 'redis_db') || 0),
      disableClientInfo: true,
    });
    // Passed to the pending command as well; without a listener it would end the process.
    client.on('error', () => undefined);
    keep(client);
    await client.connect();
    if (caller.signal.aborted) {
      // The library keeps a connection that was ended before it was open.
      client.destroy();
      caller.signal.throwIfAborted();
    }
    return client;
  });
}

/** Connects to a checked address, does the work and closes the connection. Failures are in plain words, without secrets. */
export async function withRedis<T>(
  { http, signal }: DatabaseCaller,
  config: CredentialConfig,
  work: (client: RedisConnection) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const wanted = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_TIMEOUT_MS)]);
  const opened: RedisConnection[] = [];
  const done = (async () => {
    const client = await open({ http, signal: wanted }, config, (one) => opened.push(one));
    return work(client);
  })();
  try {
    return await Promise.race([done, aborted(wanted, over.signal)]);
  } catch (error) {
    done.catch(() => undefined);
    if (signal.aborted)
      throw new NodeFailure({ kind: 'cancelled', message: 'The run was cancelled' }, { cause: error });
    throw redisFailure(error, config);
  } finally {
    over.abort();
    for (const client of opened) if (client.isOpen) client.destroy();
  }
}

/** Signs in, selects the database and does nothing else. */
export async function testRedis(caller: DatabaseCaller, config: CredentialConfig): Promise<void> {
  await withRedis(caller, config, (client) => client.ping());
}
