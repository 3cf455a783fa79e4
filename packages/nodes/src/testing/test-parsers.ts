import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { NODE_PARSERS } from '../parser-table.ts';
import { createParserPool, type NodeParsers, QUICK_RULES, withQuickParsers } from '../parsers.ts';

/** Starts a process from its source, as development does. */
export const startFromSource = (name: string, heap_mb = 256): ChildProcess =>
  fork(fileURLToPath(new URL(name, import.meta.url)), {
    execArgv: ['--import', 'tsx', `--max-old-space-size=${heap_mb}`],
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
  });

const pool = createParserPool<typeof NODE_PARSERS>(() => startFromSource('./parser-process.ts'), {
  processes: 2,
  time_ms: 4_000,
  idle_ms: 30_000,
  waiting: 100,
});

/** The parsers of the product with processes of their own, shared by the tests of a file. */
export const testParsers: NodeParsers = withQuickParsers(pool, NODE_PARSERS, QUICK_RULES);
