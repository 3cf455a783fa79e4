import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { atExit } from './cleanup.ts';
import { freePort } from './ports.ts';

/** A database for one scenario. */
export interface Storage {
  readonly url: string;
  close(): Promise<void>;
}

/** The faults that can be caused in a server. */
export interface ServerFaults {
  /** Stops at once, as in a crash, and starts again. */
  crash(): Promise<void>;
  /** Stops responding for a while, then resumes. */
  pause(ms: number): Promise<void>;
}

/** A PostgreSQL server on which the harness makes its databases. */
export interface StorageServer extends Storage {
  /** Absent for a server that others use too. */
  readonly faults?: ServerFaults;
}

async function execute(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 3_000 });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}

/** A database of its own, empty or a copy of another one that is not in use. */
export async function createDatabase(server: StorageServer, template?: Storage): Promise<Storage> {
  const name = `millrace_crash_${randomBytes(5).toString('hex')}`;
  const copied = template ? ` TEMPLATE ${new URL(template.url).pathname.slice(1)}` : '';
  await execute(server.url, `CREATE DATABASE ${name}${copied}`);
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  const drop = () => execute(server.url, `DROP DATABASE ${name} WITH (FORCE)`);
  return { url: url.href, close: drop };
}

/** Does work with a database that is dropped afterwards. When the work fails, its error is the one that counts. */
export async function withDatabase<T>(storage: Storage, work: (storage: Storage) => Promise<T>): Promise<T> {
  let done: T;
  try {
    done = await work(storage);
  } catch (error) {
    // The server may be down, or its failure be the reason.
    await storage.close().catch(() => undefined);
    throw error;
  }
  await storage.close();
  return done;
}

function findBinaries(): string | undefined {
  const fromPath = (process.env['PATH'] ?? '').split(delimiter);
  const versions = ['18', '17', '16', '15'].map((version) => `/usr/lib/postgresql/${version}/bin`);
  return [...versions, ...fromPath].find(
    (folder) => spawnSync(join(folder, 'postgres'), ['--version']).status === 0,
  );
}

/** The server refuses to run as root; there, the system's own user for it takes over. */
function serverUser(): { uid: number; gid: number } | undefined | 'none' {
  if (process.getuid?.() !== 0) return undefined;
  const read = (flag: string) => Number(spawnSync('id', [flag, 'postgres']).stdout.toString());
  const uid = read('-u');
  return uid > 0 ? { uid, gid: read('-g') } : 'none';
}

/** Suspends the server and its processes with signals, then resumes them. */
async function pauseServer(data: string, ms: number): Promise<void> {
  const server = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
  // The server itself first, so that no process is added.
  process.kill(server, 'SIGSTOP');
  const listed = spawnSync('pgrep', ['-P', String(server)]).stdout.toString();
  const processes = listed.split('\n').filter(Boolean).map(Number);
  const send = (signal: NodeJS.Signals) => {
    for (const pid of processes) {
      try {
        process.kill(pid, signal);
      } catch {
        // It has ended.
      }
    }
  };
  const resume = () => {
    send('SIGCONT');
    process.kill(server, 'SIGCONT');
  };
  const forget = atExit(resume);
  send('SIGSTOP');
  await sleep(ms);
  forget();
  resume();
}

/** Starts a server in a temporary folder, with the settings it comes with; undefined where that is not possible. */
async function startServer(): Promise<StorageServer | undefined> {
  const binaries = findBinaries();
  const user = serverUser();
  if (!binaries || user === 'none') return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'millrace-postgres-'));
  if (user) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const port = await freePort();
  const run = (program: string, args: readonly string[]) =>
    new Promise<number>((resolve) => {
      const child = spawn(join(binaries, program), args, { cwd: dirname(folder), stdio: 'ignore', ...user });
      child.once('error', () => resolve(-1));
      child.once('exit', (status) => resolve(status ?? -1));
    });
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${folder} -c max_connections=200`;
  const start = () => run('pg_ctl', ['-D', data, '-w', '-l', join(folder, 'log'), '-o', options, 'start']);
  const STOP = ['-D', data, '-m', 'immediate', '-w', 'stop'];
  const made = await run('initdb', ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8']);
  if (made !== 0 || (await start()) !== 0) {
    rmSync(folder, { recursive: true, force: true });
    return undefined;
  }
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const forget = atExit(() => {
    spawnSync(join(binaries, 'pg_ctl'), STOP, { cwd: dirname(folder), stdio: 'ignore', ...user });
    remove();
  });
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    faults: {
      async crash() {
        await run('pg_ctl', STOP);
        if ((await start()) !== 0) throw new Error('the database server did not start again');
      },
      pause: (ms) => pauseServer(data, ms),
    },
    async close() {
      await run('pg_ctl', STOP);
      forget();
      remove();
    },
  };
}

/** A server of its own, or the one of `TEST_DATABASE_URL`; undefined where neither is to be had. */
export async function openServer(): Promise<StorageServer | undefined> {
  const own = await startServer();
  if (own) return own;
  const url = process.env['TEST_DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres';
  const answers = await execute(url, 'SELECT 1').then(
    () => true,
    () => false,
  );
  return answers ? { url, close: () => Promise.resolve() } : undefined;
}
