import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { bundledFile } from './start-thread.ts';

/**
 * Starts a process of this program for work that may end it. It knows no setting and no secret, and writes nowhere: libraries
 * print what they think of broken documents.
 *
 * @param source path of the source, relative to this folder
 */
export function startProcess(source: string, heap_mb: number): ChildProcess {
  const bundled = bundledFile(source);
  const file = bundled ?? new URL(source, import.meta.url);
  return fork(fileURLToPath(file), {
    execArgv: [...(bundled ? [] : ['--import', 'tsx']), `--max-old-space-size=${heap_mb}`],
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
  });
}
