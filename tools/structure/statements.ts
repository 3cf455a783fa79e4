import type { Violation } from './rules.ts';

const ON_RUNS = /\b(?:INSERT INTO|DELETE FROM|UPDATE)\s+(runs|steps|waits)\b/;
/** The same, written with the query builder. */
const BUILT_ON_RUNS = /\.(?:insert|update|delete)\((runs|steps|waits)\b/;
/** Rows of processes: triggers and the lease have statements of their own on them, execution has its in one place. */
const ON_WORKERS = /\b(?:FROM|JOIN|INTO|UPDATE)\s+(workers)\b/;
const OF_EXECUTION = /^apps\/server\/src\/execution\//;
/** Tables and their triggers are defined in `database`; tests, benches and the crash harness look from outside. */
const MAY = /^apps\/server\/src\/(execution\/store|database)\/|\.test\.ts$|\/testing\/|\.conformance\.ts$/;

/** Statements that write runs, steps and waits outside of the one folder that changes their states. */
export function checkStatements(sources: readonly { path: string; text: string }[]): Violation[] {
  return sources
    .filter(({ path }) => path.startsWith('apps/server/src/') && !MAY.test(path))
    .flatMap(({ path, text }) => {
      const on_workers = OF_EXECUTION.test(path) ? ON_WORKERS.exec(text) : null;
      const table = (ON_RUNS.exec(text) ?? BUILT_ON_RUNS.exec(text) ?? on_workers)?.[1];
      if (table === undefined) return [];
      const message = `writes ${table}. What changes runs, steps, waits and processes is in apps/server/src/execution/store; a resource may read them.`;
      return [{ rule: 'one-place-for-statements-on-runs', path, message }];
    });
}
