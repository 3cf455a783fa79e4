import { NodeFailure } from '@millrace/engine';
import { type CredentialConfig, textOf } from '@millrace/engine/credential';
import type { ImapFlow } from 'imapflow';
import type { Egress } from '../services.ts';

const IMPLICIT_TLS_PORT = 993;
const CONNECT_TIMEOUT_MS = 15_000;
/** Longest silence: a run that has to wait for its place keeps the connection open. */
const IDLE_TIMEOUT_MS = 5 * 60_000;

interface Caller {
  readonly http: Egress;
  readonly signal: AbortSignal;
}

interface Place {
  readonly host: string;
  readonly port: number;
  readonly mailbox: string;
}

const placeOf = (config: CredentialConfig): Place => ({
  host: textOf(config, 'imap_host'),
  port: Number(textOf(config, 'imap_port') || IMPLICIT_TLS_PORT),
  mailbox: textOf(config, 'imap_mailbox') || 'INBOX',
});

/** Name of a mailbox that no other one has, without secrets. */
export function mailboxName(config: CredentialConfig): string {
  const { host, port, mailbox } = placeOf(config);
  return `${textOf(config, 'imap_username')}@${host}:${port}/${mailbox}`;
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

/** What the library adds to its errors. */
interface ImapError extends Error {
  readonly code?: string;
  readonly authenticationFailed?: boolean;
  readonly mailboxMissing?: boolean;
  readonly serverResponseCode?: string;
  readonly responseText?: string;
}

const isCertificate = (code: string) => /CERT|SELF_SIGNED|UNABLE_TO_/.test(code);

function failureOf(error: unknown, { host, port, mailbox }: Place): Error {
  if (error instanceof NodeFailure || error instanceof MailNotStored) return error;
  const {
    code = '',
    authenticationFailed,
    mailboxMissing,
    serverResponseCode,
    responseText,
  } = error as ImapError;
  const server = `The mail server ${host}:${port}`;
  if (authenticationFailed) return refused(`${server} refused the user name or the password`, error);
  if (mailboxMissing || serverResponseCode === 'NONEXISTENT' || serverResponseCode === 'TRYCREATE')
    return refused(`${server} has no mailbox "${mailbox}"`, error);
  if (isCertificate(code))
    return refused(`The certificate of ${host}:${port} cannot be trusted (${code})`, error);
  if (responseText) return refused(`${server} answered: ${responseText.slice(0, 200)}`, error);
  return refused(`${server} cannot be used${code === '' ? '' : ` (${code})`}`, error);
}

/**
 * Opens a mailbox for reading over a guarded connection with a checked certificate, and closes it at the end. Nothing of the
 * mailbox changes: no mail counts as read.
 */
export async function withMailbox<T>(
  { http, signal }: Caller,
  config: CredentialConfig,
  work: (client: ImapFlow) => Promise<T>,
): Promise<T> {
  const place = placeOf(config);
  const { host, port, mailbox } = place;
  if (config['imap_use_ssl'] === false || config['imap_use_ssl'] === 'false')
    throw new NodeFailure({
      kind: 'credential',
      message: 'Switch "Use TLS" on: a mailbox is read over TLS from the first byte (port 993) only',
    });
  const socket = await http.connect({ host, port, tls: false, timeout_ms: CONNECT_TIMEOUT_MS, signal });
  const ca = http.authorities;
  const { ImapFlow } = await import('imapflow');
  const client = new ImapFlow({
    host,
    port,
    secure: true,
    auth: { user: textOf(config, 'imap_username'), pass: textOf(config, 'imap_password') },
    // TLS over the guarded connection; the library makes none of its own then.
    tls: { socket, ...(ca === undefined ? {} : { ca }) },
    logger: false,
    disableAutoIdle: true,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: IDLE_TIMEOUT_MS,
  });
  // Passed to the pending command as well; without a listener it would end the process.
  client.on('error', () => undefined);
  const stop = () => client.close();
  signal.addEventListener('abort', stop, { once: true });
  try {
    await client.connect();
    await client.mailboxOpen(mailbox, { readOnly: true });
    return await work(client);
  } catch (error) {
    throw failureOf(error, place);
  } finally {
    signal.removeEventListener('abort', stop);
    client.close();
    socket.destroy();
  }
}

/** Signs in and opens the mailbox. */
export async function testMailbox(caller: Caller, config: CredentialConfig): Promise<void> {
  await withMailbox(caller, config, async () => undefined);
}
