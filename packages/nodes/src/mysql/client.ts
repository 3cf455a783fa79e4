import { NodeFailure } from '@millrace/engine';
import { type CredentialConfig, readConfigText } from '@millrace/engine/credential';
import type { Connection } from 'mysql2';
import {
  aborted,
  type DatabaseCaller,
  endThrough,
  getErrorCode,
  networkFailure,
  tlsOptions,
} from '../kit/database/reach.ts';
import { isOn } from '../kit/values/is-on.ts';
import type { Egress } from '../services.ts';

const PORT = 3306;
const CONNECT_TIMEOUT_MS = 10_000;
const CANCEL_TIMEOUT_MS = 5_000;
const MOST_WORDS = 300;

const describeServer = (config: CredentialConfig): string =>
  `The database ${readConfigText(config, 'host')}:${readConfigText(config, 'port') || PORT}`;

interface ServerError extends Error {
  readonly errno?: number;
  readonly sqlState?: string;
  readonly sqlMessage?: string;
}

/** https://dev.mysql.com/doc/mysql-errors/8.4/en/server-error-reference.html */
const ACCESS = new Set(['ER_ACCESS_DENIED_ERROR', 'ER_ACCESS_DENIED_NO_PASSWORD_ERROR']);
const NO_DATABASE = new Set(['ER_BAD_DB_ERROR', 'ER_DBACCESS_DENIED_ERROR']);
/** Too many connections, lock waits, deadlocks and a server that stops: another attempt may not meet them. */
const PASSES = new Set([1040, 1053, 1205, 1213, 1317]);

function databaseFailure(error: unknown, config: CredentialConfig): NodeFailure {
  if (error instanceof NodeFailure) return error;
  const server = describeServer(config);
  const code = getErrorCode(error) ?? '';
  const { sqlMessage, message = '', errno, sqlState } = (error ?? {}) as Partial<ServerError>;
  const fail = (kind: 'upstream' | 'credential', words: string, final = false) =>
    new NodeFailure(
      {
        kind,
        message: `${server} ${words}`,
        ...(final ? { final: true } : {}),
        ...(kind === 'credential' ? { field: 'credentialId' } : {}),
        ...(code === '' ? {} : { details: { code } }),
      },
      { cause: error },
    );
  if (ACCESS.has(code)) return fail('credential', 'refused the user name or the password', true);
  if (NO_DATABASE.has(code))
    return fail('credential', `has no database "${readConfigText(config, 'database')}" for this user`, true);
  if (code === 'HANDSHAKE_NO_SSL_SUPPORT') return fail('upstream', 'does not offer TLS', true);
  if (code === 'HANDSHAKE_SSL_ERROR' || /certificate|altname/i.test(message))
    return fail('upstream', 'does not offer a TLS connection that can be trusted');
  if (sqlState !== undefined && errno !== undefined) {
    const words = (sqlMessage ?? message).slice(0, MOST_WORDS);
    return fail('upstream', `answered: ${words} (${errno})`, !PASSES.has(errno));
  }
  return networkFailure(error, server) ?? fail('upstream', 'ended the connection');
}

async function open(caller: DatabaseCaller, config: CredentialConfig): Promise<Connection> {
  const { createConnection } = await import('mysql2');
  const host = readConfigText(config, 'host');
  const port = Number(readConfigText(config, 'port') || PORT);
  const { http, signal } = caller;
  const stream = await http.connect({ host, port, tls: false, timeout_ms: CONNECT_TIMEOUT_MS, signal });
  stream.setNoDelay(true);
  const { ca } = tlsOptions(caller, host);
  const connection = createConnection({
    stream,
    // Read for the name that the certificate must have.
    host,
    database: readConfigText(config, 'database'),
    user: readConfigText(config, 'username'),
    password: readConfigText(config, 'password'),
    ...(isOn(config['use_tls'] ?? true)
      ? { ssl: { verifyIdentity: true, ...(ca === undefined ? {} : { ca }) } }
      : {}),
    connectTimeout: CONNECT_TIMEOUT_MS,
    charset: 'UTF8MB4_UNICODE_CI',
    timezone: 'Z',
    supportBigNumbers: true,
    dateStrings: true,
    multipleStatements: false,
    // The driver would write code for each shape of rows and run it.
    disableEval: true,
    // A server could ask for files of this machine.
    flags: ['-LOCAL_FILES'],
  });
  try {
    await new Promise<void>((resolve, reject) => {
      connection.once('connect', () => resolve());
      connection.once('error', reject);
    });
  } catch (error) {
    connection.destroy();
    throw error;
  }
  // The pending statement gets it as well; without a listener it would end the process.
  connection.on('error', () => undefined);
  return connection;
}

/** Ends a connection on the server, which undoes its transaction: closing it here would let the statement run to its end. */
function kill(http: Egress, config: CredentialConfig, id: number): Promise<void> {
  const signal = AbortSignal.timeout(CANCEL_TIMEOUT_MS);
  return endThrough(signal, {
    open: () => open({ http, signal }, config),
    work: (connection) =>
      new Promise<void>((resolve) => connection.query(`KILL ${Math.trunc(id)}`, () => resolve())),
    close: (connection) => connection.destroy(),
  });
}

/**
 * Connects to a checked address, does the work and closes the connection. A run that is cancelled, or work that takes too long,
 * ends the statement on the server.
 */
export async function withDatabase<T>(
  caller: DatabaseCaller,
  config: CredentialConfig,
  { timeout_ms, work }: { timeout_ms: number; work: (connection: Connection) => Promise<T> },
): Promise<T> {
  const timeout = AbortSignal.timeout(timeout_ms);
  const signal = AbortSignal.any([caller.signal, timeout]);
  const over = new AbortController();
  let connection: Connection | undefined;
  // The socket stays open after the signal until the statement is ended on the server, and is destroyed below.
  const opening = open({ http: caller.http, signal: over.signal }, config);
  try {
    connection = await Promise.race([opening, aborted(signal, over.signal)]);
    return await Promise.race([work(connection), aborted(signal, over.signal)]);
  } catch (error) {
    if (!signal.aborted) throw databaseFailure(error, config);
    const { threadId } = connection ?? {};
    if (threadId !== undefined) await kill(caller.http, config, threadId).catch(() => undefined);
    if (caller.signal.aborted)
      throw new NodeFailure({ kind: 'cancelled', message: 'The run was cancelled' }, { cause: error });
    const message = `${describeServer(config)} needed longer than the timeout of the node`;
    throw new NodeFailure({ kind: 'timeout', message }, { cause: error });
  } finally {
    opening.then(
      (opened) => opened.destroy(),
      () => undefined,
    );
    over.abort();
  }
}
