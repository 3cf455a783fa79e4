import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Another process has the data folder open. */
export class FolderInUse extends Error {
  constructor(folder: string, holder: string) {
    super(
      `The data folder ${folder} is in use by process ${holder}. Stop it, or set DATA_DIR to another folder.`,
    );
    this.name = 'FolderInUse';
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Start time of a process where the system tells it, so that a reused process id is not mistaken for the holder. */
function startTimeOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}

function tryLock(path: string): boolean {
  try {
    const file = openSync(path, 'wx', 0o600);
    writeSync(file, `${process.pid} ${startTimeOf(process.pid)}\n`);
    closeSync(file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Locks the embedded database's folder, for two openers would corrupt it. A lock whose process is gone is taken over.
 *
 * @returns a function that unlocks. @throws FolderInUse
 */
export function lockFolder(folder: string): () => void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, 'in-use.lock');
  for (let attempt = 0; attempt < 3; attempt++) {
    if (tryLock(path)) return () => rmSync(path, { force: true });
    const [pid = '', started = ''] = readFileSync(path, 'utf8').trim().split(' ');
    const holder = Number(pid);
    if (holder > 0 && isRunning(holder) && startTimeOf(holder) === started)
      throw new FolderInUse(folder, pid);
    rmSync(path, { force: true });
  }
  throw new FolderInUse(folder, 'unknown');
}
