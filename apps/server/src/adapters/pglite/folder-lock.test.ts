import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { bundleProgram } from '../../../../../tools/test/bundle-program.ts';
import { FolderInUse, lockFolder } from './folder-lock.ts';

// Each test starts processes.
vi.setConfig({ testTimeout: 60_000 });

const holder = [
  process.execPath,
  await bundleProgram(fileURLToPath(new URL('./testing/hold-lock.ts', import.meta.url))),
];

let folder: string;
const children: ChildProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-lock-'));
});
afterEach(async () => {
  for (const child of children.splice(0)) await end(child);
  rmSync(folder, { recursive: true, force: true });
});

interface Started {
  readonly child: ChildProcess;
  /** The next line that the process prints. */
  readonly line: () => Promise<string>;
}

function start(command: readonly string[]): Started {
  const [name = '', ...args] = command;
  const child = spawn(name, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return { child, line: async () => String((await lines.next()).value) };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

const pidIn = (line: string) => Number(/^locked (\d+)$/.exec(line)?.[1]);

/** Written by a version that locked with this file alone. */
const leave = (text: string) => writeFileSync(join(folder, 'in-use.lock'), text);

const startTime = () =>
  existsSync('/proc/self/stat')
    ? (readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ')[19] ?? '')
    : '';

test('refuses a second opener, in this process and in another, and names the holder', async () => {
  const unlock = lockFolder(folder);
  expect(() => lockFolder(folder)).toThrow(FolderInUse);
  unlock();
  const other = start([...holder, folder]);
  const pid = pidIn(await other.line());
  expect(() => lockFolder(folder)).toThrow(FolderInUse);
  expect(() => lockFolder(folder)).toThrow(`in use by process ${pid} on `);
});

test('is free again after it was unlocked, and after its process was killed', async () => {
  lockFolder(folder)();
  const other = start([...holder, folder]);
  await other.line();
  await end(other.child);
  lockFolder(folder)();
});

test.skipIf(!existsSync('/proc/self/stat'))('is free when its process is a zombie', async () => {
  // The shell becomes a program that never asks how its child ended.
  const script = `${holder.map((part) => `'${part}'`).join(' ')} '${folder}' & exec sleep 600`;
  const parent = start(['sh', '-c', script]);
  const pid = pidIn(await parent.line());
  expect(() => lockFolder(folder)).toThrow(FolderInUse);
  process.kill(pid, 'SIGKILL');
  await vi.waitFor(() => expect(readFileSync(`/proc/${pid}/stat`, 'utf8')).toMatch(/\) Z /), {
    timeout: 20_000,
  });
  expect(process.kill(pid, 0)).toBe(true);
  // Its other threads, which share its files, end a moment later.
  const unlock = await vi.waitFor(() => lockFolder(folder), { timeout: 20_000 });
  unlock();
  leave(`${pid} ${readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[19]}\n`);
  lockFolder(folder)();
});

test('of several starters on the lock of a killed process, one wins', async () => {
  const dead = start([...holder, folder]);
  await dead.line();
  await end(dead.child);
  const starters = Array.from({ length: 3 }, () => start([...holder, folder, 'wait']));
  for (const { line } of starters) expect(await line()).toBe('ready');
  for (const { child } of starters) child.stdin?.write('go\n');
  const answers = await Promise.all(starters.map(({ line }) => line()));
  expect(answers.filter((answer) => answer.startsWith('refused'))).toHaveLength(2);
  const winner = answers.findIndex((answer) => answer.startsWith('locked'));
  expect(pidIn(answers[winner] ?? '')).toBe(starters[winner]?.child.pid);
  expect(() => lockFolder(folder)).toThrow(`process ${starters[winner]?.child.pid} on `);
});

test('of two that start on a new folder at the same moment, one wins and the other names it', async () => {
  const pairs = Array.from({ length: 6 }, (_, number) => {
    const own = join(folder, `pair-${number}`, 'data');
    return [start([...holder, own, 'wait']), start([...holder, own, 'wait'])];
  });
  for (const { line } of pairs.flat()) expect(await line()).toBe('ready');
  for (const { child } of pairs.flat()) child.stdin?.write('go\n');
  for (const pair of pairs) {
    const answers = await Promise.all(pair.map(({ line }) => line()));
    const winner = pair.find(({ child }) => answers.includes(`locked ${child.pid}`));
    expect(answers.toSorted()).toEqual([
      `locked ${winner?.child.pid}`,
      `refused by process ${winner?.child.pid} on ${hostname()}`,
    ]);
  }
});

test('is taken over from a process that is just being killed', async () => {
  for (let round = 0; round < 3; round++) {
    const other = start([...holder, folder]);
    await other.line();
    other.child.kill('SIGKILL');
    lockFolder(folder)();
  }
});

const UNSHARE = ['unshare', '--user', '--map-root-user', '--pid', '--fork', '--kill-child', '--mount-proc'];
const canUnshare = spawnSync(UNSHARE[0] ?? '', [...UNSHARE.slice(1), 'true']).status === 0;

test.skipIf(!canUnshare)('holds between namespaces of process ids, both ways', async () => {
  const inside = start([...UNSHARE, ...holder, folder]);
  // Its own id means another process here, or none.
  expect(pidIn(await inside.line())).toBe(1);
  expect(() => lockFolder(folder)).toThrow(FolderInUse);
  await end(inside.child);
  const unlock = await vi.waitFor(() => lockFolder(folder), { timeout: 20_000 });
  const late = start([...UNSHARE, ...holder, folder]);
  expect(await late.line()).toMatch(/^refused by process \d+ on /);
  unlock();
});

test('respects the lock file of an earlier version while its process runs', () => {
  leave(`${process.pid} ${startTime()}\n`);
  expect(() => lockFolder(folder)).toThrow(`in use by process ${process.pid}.`);
  // After a refusal nothing is left locked.
  leave(`${process.pid} 1\n`);
  if (startTime() !== '') lockFolder(folder)();
  leave('');
  lockFolder(folder)();
});
