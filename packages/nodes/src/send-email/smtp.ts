import { NodeFailure } from '@millrace/engine';
import { type CredentialConfig, readConfigText } from '@millrace/engine/credential';
import type { Transporter } from 'nodemailer';
import type SMTPTransport from 'nodemailer/lib/smtp-transport';
import type { Egress } from '../services.ts';

type SmtpTransport = Transporter<SMTPTransport.SentMessageInfo>;

/** Registered for submission over TLS from the first byte (RFC 8314 section 7.3). */
const IMPLICIT_TLS_PORT = 465;
const CONNECT_TIMEOUT_MS = 10_000;
const GREETING_TIMEOUT_MS = 15_000;
const IDLE_TIMEOUT_MS = 60_000;

interface Caller {
  readonly http: Egress;
  readonly signal: AbortSignal;
}

/**
 * Speaks SMTP over a guarded connection, which is closed at the end. Port 465 means TLS from the first byte; on every
 * other port "Use TLS" asks for STARTTLS and refuses servers without it (RFC 3207).
 */
export async function withTransport<T>(
  { http, signal }: Caller,
  config: CredentialConfig,
  work: (transport: SmtpTransport) => Promise<T>,
): Promise<T> {
  const host = readConfigText(config, 'smtp_host');
  const port = Number(readConfigText(config, 'smtp_port') || '587');
  const tls = port === IMPLICIT_TLS_PORT;
  const socket = await http.connect({ host, port, tls, timeout_ms: CONNECT_TIMEOUT_MS, signal });
  const upgrades = config['smtp_use_tls'] !== false && config['smtp_use_tls'] !== 'false';
  const user = readConfigText(config, 'smtp_username');
  const ca = http.authorities;
  try {
    const { createTransport } = await import('nodemailer');
    const transport = createTransport({
      connection: socket,
      secured: tls,
      secure: tls,
      host,
      port,
      ...(tls ? {} : upgrades ? { requireTLS: true } : { ignoreTLS: true }),
      ...(user === '' ? {} : { auth: { user, pass: readConfigText(config, 'smtp_password') } }),
      ...(ca === undefined ? {} : { tls: { ca } }),
      greetingTimeout: GREETING_TIMEOUT_MS,
      socketTimeout: IDLE_TIMEOUT_MS,
      // Content comes from the message alone; a path or an address inside it is never opened.
      disableFileAccess: true,
      disableUrlAccess: true,
    } as SMTPTransport.Options);
    return await work(transport);
  } catch (error) {
    if (signal.aborted) {
      throw new NodeFailure({
        kind: 'cancelled',
        message: 'The run was cancelled while an email was being sent',
      });
    }
    throw smtpFailure(error, `${host}:${port}`);
  } finally {
    socket.destroy();
  }
}

/** Signs in and does nothing else. */
export async function testSmtp(caller: Caller, config: CredentialConfig): Promise<void> {
  await withTransport(caller, config, (transport) => transport.verify());
}

/** The address that mails come from: the sender of the credential, else its user name when that is an address. */
export function requireSender(config: CredentialConfig): string {
  const from = [readConfigText(config, 'smtp_from'), readConfigText(config, 'smtp_username')].find((text) =>
    /.@./.test(text),
  );
  if (from !== undefined) return from;
  throw new NodeFailure({
    kind: 'credential',
    message: 'The credential has no sender address; enter one on the credentials page',
    field: 'credentialId',
    final: true,
  });
}

interface SmtpError {
  readonly code?: unknown;
  readonly responseCode?: unknown;
  readonly response?: unknown;
}

/** Longest part of a server's own words that is repeated. */
const MAX_WORDS = 300;

/**
 * The failure in plain words, with the reply of the server; a reply from 400 to 499 is temporary (RFC 5321 section
 * 4.2.1).
 */
function smtpFailure(error: unknown, server: string): NodeFailure {
  if (error instanceof NodeFailure) return error;
  const { code, responseCode, response } = (error ?? {}) as SmtpError;
  const said = typeof response === 'string' && response !== '' ? `: ${response.slice(0, MAX_WORDS)}` : '';
  const final = typeof responseCode === 'number' && responseCode >= 500;
  const details = typeof responseCode === 'number' ? { details: { status: responseCode } } : {};
  const make = (kind: 'credential' | 'upstream' | 'timeout', words: string) =>
    new NodeFailure(
      { kind, message: `The mail server ${server} ${words}${said}`, final, ...details },
      { cause: error },
    );
  switch (code) {
    case 'EAUTH':
      return make('credential', 'refused user name and password');
    case 'EENVELOPE':
      return make('upstream', 'refused the sender or every recipient');
    case 'EMESSAGE':
      return make('upstream', 'refused the mail');
    case 'ETLS':
      return make('upstream', 'does not offer a TLS connection that can be trusted');
    case 'ETIMEDOUT':
      return make('timeout', 'did not answer in time');
    default:
      return make('upstream', 'ended the conversation');
  }
}
