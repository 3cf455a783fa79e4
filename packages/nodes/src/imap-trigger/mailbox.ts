import { NodeFailure } from '@millrace/engine';
import { type CredentialConfig, readConfigText } from '@millrace/engine/credential';
import type { ImapFlow, ImapFlowOptions } from 'imapflow';
import type { Egress } from '../services.ts';

const IMPLICIT_TLS_PORT = 993;
const STARTTLS_PORT = 143;
const CONNECT_TIMEOUT_MS = 15_000;
/** Longest silence: a run that has to wait for its place keeps the connection open. */
const IDLE_TIMEOUT_MS = 5 * 60_000;
/** IDLE is renewed before the connection times out. */
const IDLE_RENEWED_MS = 4 * 60_000;

interface Caller {
  readonly http: Egress;
  readonly signal: AbortSignal;
}

interface Place {
  readonly host: string;
  readonly port: number;
  readonly mailbox: string;
}

const usesTls = (config: CredentialConfig): boolean =>
  config['imap_use_ssl'] !== false && config['imap_use_ssl'] !== 'false';

const readPlace = (config: CredentialConfig): Place => ({
  host: readConfigText(config, 'imap_host'),
  port: Number(readConfigText(config, 'imap_port') || (usesTls(config) ? IMPLICIT_TLS_PORT : STARTTLS_PORT)),
  mailbox: readConfigText(config, 'imap_mailbox') || 'INBOX',
});

/** Name of a mailbox that no other one has, without secrets. */
export function mailboxName(config: CredentialConfig): string {
  const { host, port, mailbox } = readPlace(config);
  return `${readConfigText(config, 'imap_username')}@${host}:${port}/${mailbox}`;
}

const refused = (message: string, cause?: unknown) =>
  new NodeFailure({ kind: 'upstream', message }, cause === undefined ? {} : { cause });

/** A mail was read and could not be stored here; the mail server has nothing to do with it. */
export class MailNotStored extends Error {
  constructor(cause: unknown) {
    super('a mail could not be stored', { cause });
    this.name = 'MailNotStored';
  }
}

/** The properties that the library adds to its errors. */
interface ImapError extends Error {
  readonly code?: string;
  readonly authenticationFailed?: boolean;
  readonly mailboxMissing?: boolean;
  readonly serverResponseCode?: string;
  readonly responseText?: string;
}

const isCertificate = (code: string) => /CERT|SELF_SIGNED|UNABLE_TO_/.test(code);

function toFailure(error: unknown, { host, port, mailbox }: Place): Error {
  if (error instanceof NodeFailure || error instanceof MailNotStored) return error;
  const {
    code = '',
    authenticationFailed,
    mailboxMissing,
    serverResponseCode,
    responseText,
  } = error as ImapError;
  const server = `The mail server ${host}:${port}`;
  if (/does not support STARTTLS/.test((error as Error).message))
    return refused(
      `${server} offers no STARTTLS, and without it the password could be read on the way. Switch "Use TLS" on (port 993); plain connections are made only where the operator allows private addresses`,
      error,
    );
  if (authenticationFailed) return refused(`${server} refused the user name or the password`, error);
  if (mailboxMissing || serverResponseCode === 'NONEXISTENT' || serverResponseCode === 'TRYCREATE')
    return refused(`${server} has no mailbox "${mailbox}"`, error);
  if (isCertificate(code))
    return refused(`The certificate of ${host}:${port} cannot be trusted (${code})`, error);
  if (responseText) return refused(`${server} answered: ${responseText.slice(0, 200)}`, error);
  return refused(`${server} cannot be used${code === '' ? '' : ` (${code})`}`, error);
}

const isAddress = (host: string): boolean => host.includes(':') || /^[\d.]+$/.test(host);

/** Connection options of the library, and what else has to be closed. */
interface Transport {
  readonly options: Pick<ImapFlowOptions, 'host' | 'port' | 'secure' | 'servername' | 'tls' | 'doSTARTTLS'>;
  close(): void;
}

/** Implicit TLS over a guarded connection, so that the library does not open its own. */
async function encrypted({ http, signal }: Caller, { host, port }: Place): Promise<Transport> {
  const socket = await http.connect({ host, port, tls: false, timeout_ms: CONNECT_TIMEOUT_MS, signal });
  const ca = http.authorities;
  return {
    options: { host, port, secure: true, tls: { socket, ...(ca === undefined ? {} : { ca }) } },
    close: () => socket.destroy(),
  };
}

/**
 * A connection that STARTTLS encrypts before the password is sent. Only where private addresses are allowed it stays plain when the
 * server has no STARTTLS: elsewhere anyone between could take the offer away and read the password.
 */
async function upgraded({ http, signal }: Caller, { host, port }: Place): Promise<Transport> {
  const [address = host] = await http.resolveAddresses(host, signal);
  const ca = http.authorities;
  return {
    options: {
      host: address,
      port,
      secure: false,
      tls: ca === undefined ? {} : { ca },
      ...(isAddress(host) ? {} : { servername: host }),
      ...(http.allows_private === true ? {} : { doSTARTTLS: true }),
    },
    close: () => undefined,
  };
}

/**
 * Opens a mailbox for reading over a guarded connection with a checked certificate, and closes it at the end. Nothing of the
 * mailbox changes: no mail counts as read.
 */
export async function withMailbox<T>(
  caller: Caller,
  config: CredentialConfig,
  work: (client: ImapFlow) => Promise<T>,
): Promise<T> {
  const place = readPlace(config);
  const { signal } = caller;
  const { options, close } = await (usesTls(config) ? encrypted : upgraded)(caller, place);
  const { ImapFlow } = await import('imapflow');
  const client = new ImapFlow({
    ...options,
    auth: { user: readConfigText(config, 'imap_username'), pass: readConfigText(config, 'imap_password') },
    logger: false,
    disableAutoIdle: true,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: IDLE_TIMEOUT_MS,
    maxIdleTime: IDLE_RENEWED_MS,
  });
  // Passed to the pending command as well; without a listener it would end the process.
  client.on('error', () => undefined);
  const stop = () => client.close();
  signal.addEventListener('abort', stop, { once: true });
  try {
    await client.connect();
    await client.mailboxOpen(place.mailbox, { readOnly: true });
    return await work(client);
  } catch (error) {
    throw toFailure(error, place);
  } finally {
    signal.removeEventListener('abort', stop);
    client.close();
    close();
  }
}

/** Signs in and opens the mailbox. */
export async function testMailbox(caller: Caller, config: CredentialConfig): Promise<void> {
  await withMailbox(caller, config, async () => undefined);
}
