import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { canPin } from '../support/processes.ts';
import { nodeBinary } from './installed.ts';

/** Only what a program needs to find others: other variables of this shell could change the results. */
const surroundings = (): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  HOME: process.env['HOME'] ?? '',
  NODE_ENV: 'production',
});

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (typeof address !== 'object' || !address) throw new Error('no port is free');
  return address.port;
}

interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly bytes: number;
}

function readProcess(pid: number): ProcessRow[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
    return [{ pid, parent, bytes: pages * 4096 }];
  } catch {
    return []; // It ended meanwhile.
  }
}

/** Resident megabytes of a process and all that it started; pages that they share count more than once. */
export function memoryOfTree(root: number): number {
  const rows = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readProcess(Number(name)));
  const below = (pid: number): number =>
    rows.filter(({ parent }) => parent === pid).reduce((sum, one) => sum + one.bytes + below(one.pid), 0);
  const own = rows.find(({ pid }) => pid === root)?.bytes ?? 0;
  return Math.round((own + below(root)) / 1e6);
}

export interface Group {
  readonly start_ms: number;
  memory(): number;
  stop(): Promise<void>;
}

function isAlive(group: number): boolean {
  try {
    return process.kill(-group, 0);
  } catch {
    return false;
  }
}

/** Ends the process and its helpers; those that do not leave within ten seconds are killed. */
async function endGroup(group: number): Promise<void> {
  if (isAlive(group)) process.kill(-group, 'SIGTERM');
  for (let waited = 0; isAlive(group) && waited < 10_000; waited += 100) await pause(100);
  if (isAlive(group)) process.kill(-group, 'SIGKILL');
}

async function answers(url: string, body: string): Promise<boolean> {
  const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
  try {
    const answer = await fetch(url, { ...request, signal: AbortSignal.timeout(5_000) });
    return answer.ok && (await answer.text()).includes('hello');
  } catch {
    return false;
  }
}

const START_LIMIT_MS = 180_000;

/** Starts a Node program with its helpers as one group on the core of servers, and waits until the workflow answers with a value of the body. */
export async function startGroup(
  args: readonly string[],
  env: Record<string, string>,
  url: string,
): Promise<Group> {
  const began = performance.now();
  const node = [nodeBinary(), ...args];
  const [command = '', ...rest] = canPin ? ['taskset', '-c', '0', ...node] : node;
  const child = spawn(command, rest, { detached: true, stdio: 'ignore', env: { ...surroundings(), ...env } });
  const pid = child.pid ?? 0;
  const kill = () => isAlive(pid) && process.kill(-pid, 'SIGKILL');
  process.once('exit', kill);
  const stop = async () => {
    await endGroup(pid);
    process.off('exit', kill);
  };
  while (!(await answers(url, '{"text":"hello"}'))) {
    const ended = child.exitCode ?? child.signalCode;
    if (ended !== null || performance.now() - began > START_LIMIT_MS) {
      await stop();
      throw new Error(ended === null ? 'it did not answer in time' : `it ended with ${ended}`);
    }
    await pause(100);
  }
  return { start_ms: Math.round(performance.now() - began), memory: () => memoryOfTree(pid), stop };
}

/** Runs a Node program to its end and returns what it printed. */
export function runNode(args: readonly string[], env: Record<string, string> = {}): string {
  const { status, stdout, stderr, error } = spawnSync(nodeBinary(), args, {
    encoding: 'utf8',
    env: { ...surroundings(), ...env },
  });
  if (status === 0) return stdout;
  throw new Error(error?.message ?? `${stderr}${stdout}`.trim().split('\n').at(-1));
}
