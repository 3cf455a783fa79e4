import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../..', import.meta.url));

export interface ServerProcess {
  readonly url: string;
  readonly child: ChildProcess;
  /** Resolves to the signal that ended it. */
  readonly died: Promise<string | null>;
}

export interface ServerProcessOptions {
  readonly data_dir: string;
  readonly database_url: string;
  /** `point:act:hit`, see `core/fault-point.ts`. */
  readonly fault?: string | undefined;
}

/**
 * The arguments that Node is given, in the folder of the repository, to run the server: the build, or the sources where
 * they are newer.
 */
export function serverArguments(): readonly string[] {
  const build = process.env['TEST_BUILD'];
  return build === undefined ? ['--import', 'tsx', 'apps/server/src/main.ts'] : [join(build, 'main.js')];
}

/** Starts the server as a separate process, which a test can kill, and waits until it serves. The caller ends it. */
export async function startServerProcess({
  data_dir,
  database_url,
  fault,
}: ServerProcessOptions): Promise<ServerProcess> {
  const child = spawn(process.execPath, serverArguments(), {
    cwd: root,
    env: {
      PATH: process.env['PATH'] ?? '',
      PORT: '0',
      LOG_LEVEL: 'info',
      DATA_DIR: data_dir,
      DATABASE_URL: database_url,
      HTTP_ALLOW_PRIVATE_URLS: 'true',
      SECRET_KEY: 'kill-test-secret-key-0123456789abcdef',
      ENCRYPTION_KEY: 'kill-test-encryption-key-0123456789abcdef',
      ...(fault === undefined ? {} : { MILLRACE_FAULT_POINT: fault }),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const died = new Promise<string | null>((resolve) =>
    child.once('exit', (_status, signal) => resolve(signal)),
  );
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', (status) => reject(new Error(`the server ended with ${status}`)));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
      if (found) resolve(found);
    });
  });
  return { url, child, died };
}

/** Calls the API of any of the servers. */
export type PersonCall = (url: string, method: string, path: string, body?: unknown) => Promise<Response>;

/** Registers a new person; what is returned calls as that person. */
export async function registerPerson(server: string): Promise<PersonCall> {
  const user = { email: `${crypto.randomUUID()}@example.com`, password: 'Passw0rd!', name: 'Kill' };
  const registered = await fetch(`${server}/api/auth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(user),
  });
  const { access_token } = (await registered.json()) as { access_token: string };
  return (url, method, path, body) =>
    fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
}
