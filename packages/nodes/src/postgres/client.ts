import { NodeFailure } from '@millrace/engine';
import { type CredentialConfig, readConfigText } from '@millrace/engine/credential';
import type { Client } from 'pg';
import {
  aborted,
  type DatabaseCaller,
  endThrough,
  getErrorCode,
  networkFailure,
  onFirstAddress,
  tlsOptions,
} from '../kit/database/reach.ts';
import { isOn } from '../kit/values/is-on.ts';
import type { Egress } from '../services.ts';
import { createTypeParsers } from './values.ts';

const PORT = 5432;
const CONNECT_TIMEOUT_MS = 10_000;
const CANCEL_TIMEOUT_MS = 5_000;
const MOST_WORDS = 300;

const describeServer = (config: CredentialConfig): string =>
  `The database ${readConfigText(config, 'host')}:${readConfigText(config, 'port') || PORT}`;

interface DatabaseError extends Error {
  readonly detail?: string;
  readonly severity?: string;
}

/** Classes of https://www.postgresql.org/docs/current/errcodes-appendix.html that another attempt may not meet. */
const PASSES = /^(08|40|53|55P03|57)/;

function databaseFailure(error: unknown, config: CredentialConfig): NodeFailure {
  if (error instanceof NodeFailure) return error;
  const server = describeServer(config);
  const code = getErrorCode(error);
  const { message = '', detail, severity } = (error ?? {}) as Partial<DatabaseError>;
  const fail = (kind: 'upstream' | 'credential' | 'timeout', words: string, final = false) =>
    new NodeFailure(
      {
        kind,
        message: `${server} ${words}`,
        ...(final ? { final: true } : {}),
        ...(kind === 'credential' ? { field: 'credentialId' } : {}),
        ...(code === undefined ? {} : { details: { code } }),
      },
      { cause: error },
    );
  if (severity !== undefined && code !== undefined) {
    if (code.startsWith('28')) return fail('credential', 'refused the user name or the password', true);
    if (code === '3D000')
      return fail('credential', `has no database "${readConfigText(config, 'database')}"`, true);
    if (code === '57014') return fail('timeout', 'needed longer than the timeout of the node');
    const words = `${message}${detail === undefined ? '' : `. ${detail}`}`.slice(0, MOST_WORDS);
    return fail('upstream', `answered: ${words} (${code})`, !PASSES.test(code));
  }
  if (/does not support SSL/.test(message)) return fail('upstream', 'does not offer TLS', true);
  if (/timeout/i.test(message)) return fail('timeout', 'did not answer in time');
  if (/certificate|altname/i.test(message))
    return fail('upstream', 'does not offer a TLS connection that can be trusted');
  if (/password/i.test(message)) return fail('credential', 'asks for a password', true);
  return networkFailure(error, server) ?? fail('upstream', 'ended the connection');
}

async function open(caller: DatabaseCaller, config: CredentialConfig): Promise<Client> {
  const pg = (await import('pg')).default;
  const types = createTypeParsers(pg.types);
  const host = readConfigText(config, 'host');
  return onFirstAddress(caller, host, async (address) => {
    const client = new pg.Client({
      host: address,
      port: Number(readConfigText(config, 'port') || PORT),
      database: readConfigText(config, 'database'),
      user: readConfigText(config, 'username'),
      // A function, so that no other password is looked for in files or the environment.
      password: () => readConfigText(config, 'password'),
      ssl: isOn(config['use_tls'] ?? true) ? tlsOptions(caller, host) : false,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      application_name: 'millrace',
      keepAlive: true,
      types,
    });
    // The pending query gets it as well; without a listener it would end the process.
    client.on('error', () => undefined);
    await client.connect();
    return client;
  });
}

/** Ends what a connection is doing, on the server too: closing it alone would let the statement continue. */
function cancel(http: Egress, config: CredentialConfig, pid: number): Promise<void> {
  const signal = AbortSignal.timeout(CANCEL_TIMEOUT_MS);
  return endThrough(signal, {
    open: () => open({ http, signal }, config),
    work: (client) => client.query('SELECT pg_cancel_backend($1)', [pid]),
    close: (client) => void client.end().catch(() => undefined),
  });
}

const readPid = (client: Client): number | undefined => {
  // Not among the declared types; the protocol gives it with the key data of the backend.
  const { processID } = client as Client & { processID?: unknown };
  return typeof processID === 'number' ? processID : undefined;
};

/** Connects to a checked address, does the work and closes the connection. A cancelled run cancels the statement on the server. */
export async function withDatabase<T>(
  caller: DatabaseCaller,
  config: CredentialConfig,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const { signal } = caller;
  const over = new AbortController();
  let client: Client | undefined;
  const opening = open(caller, config);
  try {
    client = await Promise.race([opening, aborted(signal, over.signal)]);
    return await Promise.race([work(client), aborted(signal, over.signal)]);
  } catch (error) {
    if (!signal.aborted) throw databaseFailure(error, config);
    const pid = client && readPid(client);
    if (pid !== undefined) await cancel(caller.http, config, pid).catch(() => undefined);
    throw new NodeFailure({ kind: 'cancelled', message: 'The run was cancelled' }, { cause: error });
  } finally {
    over.abort();
    opening.then(
      (opened) => void opened.end().catch(() => undefined),
      () => undefined,
    );
  }
}

/** Signs in and does nothing else. */
export async function testDatabase(caller: DatabaseCaller, config: CredentialConfig): Promise<void> {
  await withDatabase(caller, config, (client) => client.query('SELECT 1'));
}
