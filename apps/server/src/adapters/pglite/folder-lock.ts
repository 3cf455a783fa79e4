import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** Another process has the data folder open. */
export class FolderInUse extends Error {
  constructor(folder: string, holder: string) {
    super(`The data folder ${folder} is in use by ${holder}. Stop it, or set DATA_DIR to another folder.`);
    this.name = 'FolderInUse';
  }
}

/** The part of `fs-native-extensions` that is used; it has no types of its own. */
interface NativeLocks {
  /** @returns false if another open file has the lock. @throws Error with the system's `code` */
  tryLock(file: number): boolean;
}

/** Loaded on use, so that a process on PostgreSQL starts where there is no binary of it. */
const nativeLocks = (): NativeLocks => createRequire(import.meta.url)('fs-native-extensions') as NativeLocks;

/** Never deleted: a second opener could hold a lock on the deleted file and a third one on its successor. */
const LOCK_FILE = 'folder.lock';
/** Says who has the lock, as `pid start-time host`. Versions that have no host in it lock by this file alone. */
const HOLDER_FILE = 'in-use.lock';

/** State and start time of a process, as far as the system reports them. */
function readProcess(pid: number): { state: string; started: string } {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', started: fields[19] ?? '' };
  } catch {
    return { state: '', started: '' };
  }
}

/** A killed process keeps its id until its parent has read how it ended; it has no files open any more. */
const isZombie = (state: string) => state === 'Z' || state === 'X';

function isRunning(pid: number, started: string): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  const found = readProcess(pid);
  return !isZombie(found.state) && found.started === started;
}

interface Holder {
  readonly pid: number;
  readonly started: string;
  readonly host?: string;
}

function readHolder(path: string): Holder | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const [pid = '', started = '', host] = text.trim().split(' ');
  return Number(pid) > 0 ? { pid: Number(pid), started, ...(host ? { host } : {}) } : undefined;
}

const describeHolder = (holder: Holder | undefined): string => {
  if (!holder) return 'another process';
  return `process ${holder.pid}${holder.host ? ` on ${holder.host}` : ''}`;
};

/** How long a holder may take to say who it is, or the system to close the files of one that was killed. */
const SETTLING_MS = 2_000;
const LOOK_AGAIN_MS = 20;

/** A killed process counts as running until the system has taken it off its processor. */
const DYING_MS = 500;

/** How long the lock may still become free, or its holder be named. */
function settlingTime(holder: Holder | undefined): number {
  if (!holder) return SETTLING_MS;
  if (holder.host !== hostname() || holder.pid === process.pid) return 0;
  return isRunning(holder.pid, holder.started) ? DYING_MS : SETTLING_MS;
}

/** @returns false if another process has it and keeps it */
function lockWhenSettled(file: number, folder: string): boolean {
  const clock = new Int32Array(new SharedArrayBuffer(4));
  const began_ms = performance.now();
  for (;;) {
    if (tryLock(file, folder)) return true;
    const waited_ms = performance.now() - began_ms;
    if (waited_ms >= settlingTime(readHolder(join(folder, HOLDER_FILE)))) return false;
    Atomics.wait(clock, 0, 0, LOOK_AGAIN_MS);
  }
}

/** @returns false if another process has it */
function tryLock(file: number, folder: string): boolean {
  try {
    return nativeLocks().tryLock(file);
  } catch (error) {
    const isMissing = (error as { code?: unknown }).code === 'MODULE_NOT_FOUND';
    const fix = isMissing
      ? 'The package fs-native-extensions is not installed: run npm install, or set DATABASE_URL.'
      : 'Set DATA_DIR to a folder on a local disk, or set DATABASE_URL.';
    throw new Error(`The data folder ${folder} cannot be locked on this system. ${fix}`, { cause: error });
  }
}

/**
 * Locks the embedded database's folder, for two openers would corrupt it. The lock is the operating system's and ends with
 * the process, however that ends; it holds between containers and process id namespaces that share the folder.
 *
 * @returns a function that unlocks. @throws FolderInUse
 */
export function lockFolder(folder: string): () => void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const holderPath = join(folder, HOLDER_FILE);
  const file = openSync(join(folder, LOCK_FILE), 'a+', 0o600);
  try {
    const isLocked = lockWhenSettled(file, folder);
    const holder = readHolder(holderPath);
    const isEarlierVersion = holder !== undefined && holder.host === undefined;
    if (!isLocked || (isEarlierVersion && isRunning(holder.pid, holder.started)))
      throw new FolderInUse(folder, describeHolder(holder));
    writeFileSync(holderPath, `${process.pid} ${readProcess(process.pid).started} ${hostname()}\n`, {
      mode: 0o600,
    });
  } catch (error) {
    closeSync(file);
    throw error;
  }
  return () => {
    rmSync(holderPath, { force: true });
    closeSync(file);
  };
}
