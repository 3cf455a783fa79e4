import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { loopPulse, showPulse } from '../threads/loop-pulse.ts';
import { startProcess } from '../threads/start-process.ts';
import { startThread } from '../threads/start-thread.ts';
import type { Engine, EngineOptions } from './engine.ts';
import type { GuardCommand, OpenCommand } from './engine-thread.ts';
import type { Made } from './make-database.ts';

interface Waiter {
  resolve(answer: unknown): void;
  reject(error: Error): void;
}

export interface ThreadedEngine extends Engine {
  /** From now on the process ends when this thread does nothing for so long. */
  guard(stuck_ms: number): void;
}

const PULSE_MS = 200;

/** Starts a thread for the engine. It loads what it needs, which takes half of opening, before it is told the folder. */
export function startEngineThread(): Worker {
  const thread = startThread('../pglite/engine-thread.ts');
  // Reported when the engine is opened; an error without a listener would end the process.
  thread.once('error', (error) => failures.set(thread, error));
  return thread;
}

const failures = new WeakMap<Worker, unknown>();

const MAKING_HEAP_MB = 512;

/** Removes what was left when making a database was interrupted. Its maker may not have noticed yet, and writes into it. */
function removeUnfinished(folder: string): void {
  const prefix = `${basename(folder)}.new`;
  for (const name of readdirSync(dirname(folder))) {
    if (!name.startsWith(prefix)) continue;
    try {
      rmSync(join(dirname(folder), name), { recursive: true, force: true });
    } catch {
      // The next time.
    }
  }
}

/** Makes the database of a folder that has none: beside it, so that a crash in between leaves nothing half made. */
async function make(folder: string): Promise<void> {
  mkdirSync(dirname(folder), { recursive: true });
  removeUnfinished(folder);
  const unfinished = `${folder}.new-${randomBytes(4).toString('hex')}`;
  const maker = startProcess('../pglite/make-database.ts', MAKING_HEAP_MB);
  maker.send(unfinished);
  const problem = await new Promise<Made>((resolve, reject) => {
    maker.once('message', (made) => resolve(made as Made));
    maker.once('error', reject);
    maker.once('exit', (status, signal) => resolve(`its process has ended (${signal ?? status})`));
  });
  if (problem !== null) throw new Error(`the embedded database cannot be made: ${problem}`);
  renameSync(unfinished, folder);
}

/**
 * Opens the engine in a worker thread, so that its work does not hold up this one.
 *
 * @param started one of `startEngineThread` that is to be used
 */
export async function openThreadedEngine(options: EngineOptions, started?: Worker): Promise<ThreadedEngine> {
  const { folder } = options;
  const thread = started ?? startEngineThread();
  if (folder !== undefined && !existsSync(join(folder, 'PG_VERSION'))) await make(folder);
  return openIn(thread, options);
}

async function openIn(thread: Worker, options: EngineOptions): Promise<ThreadedEngine> {
  const waiting: Waiter[] = [];
  let failure: Error | undefined;
  const fail = (cause?: unknown) => {
    failure ??= new Error('the embedded database has ended', { cause });
    for (const { reject } of waiting.splice(0)) reject(failure);
  };
  thread.on('message', (answer) => waiting.shift()?.resolve(answer));
  thread.on('error', fail);
  thread.on('exit', () => fail());
  if (thread.threadId === -1) fail(failures.get(thread));

  const next = (send: () => void) =>
    new Promise<unknown>((resolve, reject) => {
      if (failure) return reject(failure);
      waiting.push({ resolve, reject });
      send();
    });
  const command: OpenCommand = { open: options };
  await next(() => thread.postMessage(command));
  return {
    exchange: (message) => next(() => thread.postMessage(message)) as Promise<Uint8Array>,
    guard(stuck_ms) {
      const pulse = loopPulse();
      showPulse(pulse, PULSE_MS);
      const command: GuardCommand = { stuck_ms, pulse_memory: pulse.memory };
      thread.postMessage(command);
    },
    async dump() {
      return new Blob([(await next(() => thread.postMessage('dump'))) as ArrayBuffer]);
    },
    async close() {
      await next(() => thread.postMessage('close'));
      await thread.terminate();
    },
  };
}
