import type { Violation } from './rules.ts';

const WRITES = /\b(?:INSERT\s+INTO|DELETE\s+FROM|MERGE\s+INTO|UPDATE)\s+(runs|steps|waits)\b/;
const READS = /\b(?:FROM|JOIN)\s+(runs|steps|waits)\b/;
/** The same, written with the query builder. */
const BUILT_WRITES = /\.(?:insert|update|delete)\((runs|steps|waits)\b/;
const BUILT_READS = /\.(?:from|\w*[jJ]oin)\((runs|steps|waits)\b/;
/** A resource may read runs in queries of its own. */
const OF_RESOURCE = /^apps\/server\/src\/resources\//;
/** Rows of processes: triggers and the lease have statements of their own on them, execution has its in one place. */
const ON_WORKERS = /\b(?:FROM|JOIN|INTO|UPDATE)\s+(workers)\b/;
const OF_EXECUTION = /^apps\/server\/src\/execution\//;
/** Tables and their triggers are defined in `database`; tests, benches and the crash harness look from outside. */
const MAY = /^apps\/server\/src\/(execution\/store|database)\/|\.test\.ts$|\/testing\/|\.conformance\.ts$/;

/** Statements on runs, steps and waits outside of the one folder that changes their states, but for what resources read. */
export function checkStatements(sources: readonly { path: string; text: string }[]): Violation[] {
  return sources
    .filter(({ path }) => path.startsWith('apps/server/src/') && !MAY.test(path))
    .flatMap(({ path, text }) => {
      const on_workers = OF_EXECUTION.test(path) ? ON_WORKERS.exec(text) : null;
      const read = OF_RESOURCE.test(path) ? null : (READS.exec(text) ?? BUILT_READS.exec(text));
      const table = (WRITES.exec(text) ?? BUILT_WRITES.exec(text) ?? read ?? on_workers)?.[1];
      if (table === undefined) return [];
      const message = `has a statement on ${table}. Statements on runs, steps, waits and processes live in apps/server/src/execution/store; a resource may read runs in its queries.`;
      return [{ rule: 'one-place-for-statements-on-runs', path, message }];
    });
}
