import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { loopPulse, showPulse } from '../threads/loop-pulse.ts';
import { startProcess } from '../threads/start-process.ts';
import { startThread } from '../threads/start-thread.ts';
import type { Engine, EngineOptions } from './engine.ts';
import type { GuardCommand, ThreadCommand } from './engine-thread.ts';
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

const MAKING_HEAP_MB = 512;

/** Removes what an interrupted creation left behind. Its process may not have noticed yet, and may still be writing. */
function removeUnfinished(folder: string): void {
  const prefix = `${basename(folder)}.new`;
  for (const name of readdirSync(dirname(folder))) {
    if (!name.startsWith(prefix)) continue;
    try {
      rmSync(join(dirname(folder), name), { recursive: true, force: true });
    } catch {
      // Removed the next time.
    }
  }
}

/** Creates the database of a folder that has none, beside it first, so that a crash leaves no incomplete one. */
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
  if (problem !== null) throw new Error(`the embedded database cannot be created: ${problem}`);
  renameSync(unfinished, folder);
}

/** A function that sends to the thread. Answers come in the order of the messages; once the thread has ended, every call fails. */
function conversationWith(thread: Worker): (message: ThreadCommand) => Promise<unknown> {
  const waiting: Waiter[] = [];
  let failure: Error | undefined;
  const fail = (cause?: unknown) => {
    failure ??= new Error('the embedded database has ended', { cause });
    for (const { reject } of waiting.splice(0)) reject(failure);
  };
  thread.on('message', (answer) => waiting.shift()?.resolve(answer));
  // An error without a listener would end the process; it is reported to those who ask.
  thread.on('error', fail);
  thread.on('exit', () => fail());
  return (message) =>
    new Promise((resolve, reject) => {
      if (failure) return reject(failure);
      waiting.push({ resolve, reject });
      thread.postMessage(message);
    });
}

/** A worker thread for the engine, so that its work does not hold up this one. */
export interface EngineThread {
  /** Once; a second call is refused. Where it fails, the thread has ended. */
  open(options: EngineOptions): Promise<ThreadedEngine>;
  terminate(): Promise<unknown>;
}

/** Starts the thread. It loads what it needs, which takes half of opening, before it is told the folder. */
export function startEngineThread(): EngineThread {
  const thread = startThread('../pglite/engine-thread.ts');
  const ask = conversationWith(thread);
  let is_used = false;
  return {
    async open(options) {
      if (is_used) throw new Error('the thread has opened a database already');
      is_used = true;
      try {
        const { folder } = options;
        if (folder !== undefined && !existsSync(join(folder, 'PG_VERSION'))) await make(folder);
        await ask({ open: options });
      } catch (error) {
        await thread.terminate();
        throw error;
      }
      return {
        exchange: (message) => ask(message) as Promise<Uint8Array>,
        guard(stuck_ms) {
          const pulse = loopPulse();
          showPulse(pulse, PULSE_MS);
          const command: GuardCommand = { stuck_ms, pulse_memory: pulse.memory };
          thread.postMessage(command);
        },
        async dump() {
          return new Blob([(await ask('dump')) as ArrayBuffer]);
        },
        async close() {
          await ask('close');
          await thread.terminate();
        },
      };
    },
    terminate: () => thread.terminate(),
  };
}
