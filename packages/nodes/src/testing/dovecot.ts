import { type ChildProcess, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
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
  readonly port: number;
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

function configOf(folder: string, port: number): string {
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
ssl = required
ssl_cert = <${folder}/cert.pem
ssl_key = <${folder}/key.pem
disable_plaintext_auth = yes
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
    port = 0
  }
  inet_listener imaps {
    port = ${port}
    ssl = yes
  }
}
service anvil {
  chroot =
}
`;
}

function greets(port: number, { cert, servername }: Identity): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, ca: cert, servername });
    const end = (is: boolean) => {
      socket.destroy();
      resolve(is);
    };
    socket.once('data', () => end(true)).once('error', () => end(false));
  });
}

/** @param identity how it shows itself to its clients; as `tls.example` by default */
export async function startDovecot(identity: Identity = USUAL): Promise<Dovecot> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-dovecot-'));
  const port = await freePort();
  for (const name of ['run', 'mail']) mkdirSync(join(folder, name), { mode: 0o755 });
  if (userInfo().uid === 0) {
    chownSync(join(folder, 'mail'), NOBODY, NOBODY);
    chownSync(folder, NOBODY, NOBODY);
  }
  writeFileSync(join(folder, 'cert.pem'), identity.cert);
  writeFileSync(join(folder, 'key.pem'), identity.key, { mode: 0o600 });
  writeFileSync(join(folder, 'dovecot.conf'), configOf(folder, port));
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
  while (!(await greets(port, identity))) {
    if (server.exitCode !== null || Date.now() > gives_up_at)
      throw new Error(`Dovecot did not start: ${said}`);
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
  }
  return {
    port,
    async deliver(user, mail) {
      const { cert: ca, servername } = identity;
      const auth = { user, pass: 'secret' };
      const where = { host: '127.0.0.1', port, secure: true, servername };
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
