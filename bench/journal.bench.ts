// How fast runs become durable: by kind of run, concurrency and database.
import { pino } from 'pino';
import type { Database } from '../apps/server/src/database/database.ts';
import { createJournal } from '../apps/server/src/execution/journal/create-journal.ts';
import type { Journal } from '../apps/server/src/execution/journal/journal.ts';
import {
  createIntent,
  createRunBegin,
  createRunFinal,
  createStep,
  registerWorker,
  SAMPLE_INPUT,
} from './support/journal-runs.ts';
import { quantile } from './support/quantile.ts';
import { type Scratch, scratchEmbedded, scratchPostgres } from './support/scratch.ts';

const SECONDS = Number(process.argv[2] ?? 1.5);
const CONCURRENCY = [1, 16, 64];
const log = pino({ level: 'silent' });

type Kind = 'pure' | 'one effect';

async function execute(journal: Journal, kind: Kind): Promise<void> {
  const run = createRunBegin(SAMPLE_INPUT);
  if (kind === 'pure') {
    await journal.finish(
      run,
      createRunFinal(
        { Output: 'hello' },
        [1, 2, 3].map((at) => createStep(at, SAMPLE_INPUT)),
      ),
    );
    return;
  }
  journal.begin(run);
  journal.record(run.run_id, createStep(1, SAMPLE_INPUT));
  await journal.intend(run.run_id, createIntent(run.run_id));
  journal.record(run.run_id, createStep(2, { status: 200 }));
  journal.record(run.run_id, createStep(3, { status: 200 }));
  await journal.finish(run, createRunFinal({ Output: 'hello' }));
}

interface Measured {
  readonly per_second: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
  readonly commits_per_run: number;
}

async function measure(journal: Journal, kind: Kind, concurrency: number): Promise<Measured> {
  const latencies: number[] = [];
  const before = journal.stats.commits;
  const startedAt = performance.now();
  const endAt = startedAt + SECONDS * 1000;
  const client = async () => {
    while (performance.now() < endAt) {
      const from = performance.now();
      await execute(journal, kind);
      latencies.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, client));
  const seconds = (performance.now() - startedAt) / 1000;
  return {
    per_second: latencies.length / seconds,
    p50_ms: quantile(latencies, 0.5),
    p99_ms: quantile(latencies, 0.99),
    commits_per_run: (journal.stats.commits - before) / latencies.length,
  };
}

async function measureDatabase(name: string, database: Database): Promise<void> {
  const worker_id = await registerWorker(database);
  for (const kind of ['pure', 'one effect'] as const) {
    for (const concurrency of CONCURRENCY) {
      const journal = createJournal({
        sql: database.journal,
        worker_id,
        log,
        onFenced: () => process.exit(1),
      });
      await measure(journal, kind, concurrency).catch(() => undefined);
      const { per_second, p50_ms, p99_ms, commits_per_run } = await measure(journal, kind, concurrency);
      const cells = [per_second.toFixed(0), p50_ms.toFixed(1), p99_ms.toFixed(1), commits_per_run.toFixed(2)];
      console.log(`| ${name} | ${kind} | ${concurrency} | ${cells.join(' | ')} |`);
    }
  }
}

const CASES: readonly [name: string, open: () => Promise<Scratch | undefined>][] = [
  ['embedded, main thread', () => scratchEmbedded({ thread: false })],
  ['embedded, own thread', () => scratchEmbedded({ thread: true })],
  ['embedded, own thread, log synced', () => scratchEmbedded({ thread: true, sync_log: true })],
  ['PostgreSQL', scratchPostgres],
];

console.log('| Database | Run | Concurrency | Runs/s | p50 ms | p99 ms | Commits/run |');
console.log('|---|---|---|---|---|---|---|');
for (const [name, open] of CASES) {
  const scratch = await open();
  if (!scratch) {
    console.log(`| ${name} | skipped: no server at TEST_DATABASE_URL ||||||`);
    continue;
  }
  await measureDatabase(name, scratch.database);
  await scratch.close();
}
