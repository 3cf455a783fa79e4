import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';

/** Registers the loader for TypeScript in the new thread, where the one of the starting thread does not reach. */
const FROM_SOURCE = (url: string) => `
import('tsx/esm/api').then(({ register }) => { register(); return import(${JSON.stringify(url)}); });`;

/** Threads here handle bytes, not objects; as much room for young objects as the main thread has is 30 MB too much each. */
const LIMITS = { maxYoungGenerationSizeMb: 8 };

/** The file of a thread or process in the bundle; undefined where the program runs from its sources. */
export function bundledFile(source: string): URL | undefined {
  const name = (source.split('/').pop() ?? source).replace(/\.ts$/, '.js');
  const bundled = ['./', '../'].map((folder) => new URL(folder + name, import.meta.url));
  return bundled.find((url) => existsSync(fileURLToPath(url)));
}

/**
 * Starts a thread of this program. In the bundle every thread is a file beside `main.js`; from sources it is the
 * TypeScript file itself, which needs the loader that development runs with.
 *
 * @param source path of the thread's source, relative to this folder
 */
export function startThread(source: string, workerData?: unknown): Worker {
  const options: WorkerOptions = { workerData, resourceLimits: LIMITS };
  const file = bundledFile(source);
  if (file) return new Worker(file, options);
  return new Worker(FROM_SOURCE(new URL(source, import.meta.url).href), {
    ...options,
    eval: true,
    execArgv: [],
  });
}
