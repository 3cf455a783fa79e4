import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NODE_PARSERS } from '../../parser-table.ts';
import { createParserPool, type NodeParsers, QUICK_RULES, withQuickParsers } from '../../parsers.ts';

const HEAP_MB = 256;

const start = (file: string, execArgv: readonly string[], heap_mb: number): ChildProcess =>
  fork(file, {
    execArgv: [...execArgv, `--max-old-space-size=${heap_mb}`],
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
  });

/** Starts a program that was bundled. */
export const startBundled = (file: string, heap_mb: number): ChildProcess => start(file, [], heap_mb);

/** The process of the build, which has the parsers of nodes too; from its source where that is newer. */
function startParsers(): ChildProcess {
  const build = process.env['TEST_BUILD'];
  return build === undefined
    ? start(fileURLToPath(new URL('./parser-process.ts', import.meta.url)), ['--import', 'tsx'], HEAP_MB)
    : startBundled(join(build, 'parser-process.js'), HEAP_MB);
}

const pool = createParserPool<typeof NODE_PARSERS>(startParsers, {
  processes: 2,
  time_ms: 4_000,
  idle_ms: 30_000,
  waiting: 100,
});

/** The parsers of the product with processes of their own, shared by the tests of a file. */
export const testParsers: NodeParsers = withQuickParsers(pool, NODE_PARSERS, QUICK_RULES);
