import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { loopPulse, showPulse } from '../loop-pulse.ts';
import { startThread } from '../start-thread.ts';
import type { Engine, EngineOptions } from './engine.ts';
import type { GuardCommand } from './engine-thread.ts';

interface Waiter {
  resolve(answer: unknown): void;
  reject(error: Error): void;
}

export interface ThreadedEngine extends Engine {
  /** From now on the process ends when this thread does nothing for so long. */
  guard(stuck_ms: number): void;
}

const PULSE_MS = 200;

/**
 * Makes the database of a folder that has none: beside it, so that a crash in between leaves nothing half made, and in a
 * thread that ends, for making one takes half a gigabyte that the engine would keep.
 */
async function make(folder: string): Promise<void> {
  const unfinished = `${folder}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  await (await startEngine({ folder: unfinished })).close();
  renameSync(unfinished, folder);
}

/** Opens the engine in a worker thread, so that its work does not hold up this one. */
export async function openThreadedEngine(options: EngineOptions): Promise<ThreadedEngine> {
  const { folder } = options;
  if (folder !== undefined && !existsSync(join(folder, 'PG_VERSION'))) await make(folder);
  return startEngine(options);
}

async function startEngine({ folder, sync_log }: EngineOptions): Promise<ThreadedEngine> {
  const thread = startThread('./pglite/engine-thread.ts', { folder, sync_log });
  const waiting: Waiter[] = [];
  let failure: Error | undefined;
  const fail = (cause?: unknown) => {
    failure ??= new Error('the embedded database has ended', { cause });
    for (const { reject } of waiting.splice(0)) reject(failure);
  };
  thread.on('message', (answer) => waiting.shift()?.resolve(answer));
  thread.on('error', fail);
  thread.on('exit', () => fail());

  const next = (send: () => void) =>
    new Promise<unknown>((resolve, reject) => {
      if (failure) return reject(failure);
      waiting.push({ resolve, reject });
      send();
    });
  await next(() => undefined);
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
