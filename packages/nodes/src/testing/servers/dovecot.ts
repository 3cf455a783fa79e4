import { type ChildProcess, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { connect as connectPlain, createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { ImapFlow } from 'imapflow';
import { certificate, certificateKey } from './tls.ts';

interface Identity {
  readonly cert: string;
  readonly key: string;
  /** Host of the certificate. */
  readonly servername: string;
}

const USUAL: Identity = { cert: certificate, key: certificateKey, servername: 'tls.example' };

const PROGRAM = '/usr/sbin/dovecot';
const START_TIMEOUT_MS = 20_000;
/** The user `nobody` of Debian. */
const NOBODY = 65_534;

/** Whether the tests against a real mail server can run; where everything must run, they fail instead of being skipped. */
export const hasDovecot = existsSync(PROGRAM) || process.env['CI'] === 'true';

/** A real IMAP server on this machine, with TLS and any user whose password is `secret`. */
export interface Dovecot {
  /** Implicit TLS. */
  readonly port: number;
  /** Starts without TLS; requires STARTTLS before the password, unless the server offers no TLS. */
  readonly plain_port: number;
  /** Puts a mail into the inbox of a user. */
  deliver(user: string, mail: string): Promise<void>;
  stop(): Promise<void>;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

interface Listening {
  readonly port: number;
  readonly plain_port: number;
  readonly offers_tls: boolean;
}

function buildConfig(folder: string, { port, plain_port, offers_tls }: Listening): string {
  const { uid, gid, username } = userInfo();
  const isRoot = uid === 0;
  const own = isRoot
    ? ''
    : `default_internal_user = ${username}\ndefault_login_user = ${username}\ndefault_internal_group = ${gid}\n`;
  const [mail_uid, mail_gid] = isRoot ? [NOBODY, NOBODY] : [uid, gid];
  return `
base_dir = ${folder}/run
log_path = ${folder}/log
protocols = imap
listen = 127.0.0.1
${own}
ssl = ${offers_tls ? 'required' : 'no'}
ssl_cert = <${folder}/cert.pem
ssl_key = <${folder}/key.pem
disable_plaintext_auth = ${offers_tls ? 'yes' : 'no'}
first_valid_uid = 1
mail_location = maildir:${folder}/mail/%u
passdb {
  driver = static
  args = password=secret
}
userdb {
  driver = static
  args = uid=${mail_uid} gid=${mail_gid} home=${folder}/mail/%u
}
service imap-login {
  chroot =
  inet_listener imap {
    port = ${plain_port}
  }
  inet_listener imaps {
    port = ${offers_tls ? port : 0}
    ssl = ${offers_tls ? 'yes' : 'no'}
  }
}
service anvil {
  chroot =
}
`;
}

function greets(
  { port, plain_port, offers_tls }: Listening,
  { cert, servername }: Identity,
): Promise<boolean> {
  return new Promise((resolve) => {
    const host = '127.0.0.1';
    const socket = offers_tls
      ? connect({ host, port, ca: cert, servername })
      : connectPlain({ host, port: plain_port });
    const end = (is: boolean) => {
      socket.destroy();
      resolve(is);
    };
    socket.once('data', () => end(true)).once('error', () => end(false));
  });
}

/** @param identity how it shows itself to its clients; as `tls.example` by default */
export async function startDovecot(identity: Identity = USUAL, { offers_tls = true } = {}): Promise<Dovecot> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-dovecot-'));
  const listening: Listening = { port: await freePort(), plain_port: await freePort(), offers_tls };
  const { port, plain_port } = listening;
  for (const name of ['run', 'mail']) mkdirSync(join(folder, name), { mode: 0o755 });
  if (userInfo().uid === 0) {
    chownSync(join(folder, 'mail'), NOBODY, NOBODY);
    chownSync(folder, NOBODY, NOBODY);
  }
  writeFileSync(join(folder, 'cert.pem'), identity.cert);
  writeFileSync(join(folder, 'key.pem'), identity.key, { mode: 0o600 });
  writeFileSync(join(folder, 'dovecot.conf'), buildConfig(folder, listening));
  const server: ChildProcess = spawn(PROGRAM, ['-F', '-c', join(folder, 'dovecot.conf')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  server.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const ended = new Promise<void>((resolve) => {
    server.once('exit', () => resolve());
    server.once('error', () => resolve());
  });
  const gives_up_at = Date.now() + START_TIMEOUT_MS;
  while (!(await greets(listening, identity))) {
    if (server.exitCode !== null || Date.now() > gives_up_at)
      throw new Error(`Dovecot did not start: ${said}`);
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
  }
  return {
    port,
    plain_port,
    async deliver(user, mail) {
      const { cert: ca, servername } = identity;
      const auth = { user, pass: 'secret' };
      const host = '127.0.0.1';
      const where = offers_tls
        ? { host, port, secure: true, servername }
        : { host, port: plain_port, secure: false };
      const client = new ImapFlow({ ...where, tls: { ca }, auth, logger: false });
      await client.connect();
      await client.append('INBOX', Buffer.from(mail.replaceAll('\n', '\r\n')));
      await client.logout();
    },
    async stop() {
      server.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
