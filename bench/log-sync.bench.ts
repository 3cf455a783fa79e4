// The cost of flushing the log of the embedded database: the same runs with and without, in windows that take turns, so
// that both see the same machine. Argument: seconds per window.
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { createJournal } from '../apps/server/src/execution/journal/create-journal.ts';
import type { Journal } from '../apps/server/src/execution/journal/journal.ts';
import {
  createRunBegin,
  createRunFinal,
  createStep,
  registerWorker,
  SAMPLE_INPUT,
} from './support/journal-runs.ts';
import { median, quantile } from './support/quantile.ts';
import { scratchEmbedded } from './support/scratch.ts';
import { printTable } from './support/table.ts';

const SECONDS = Number(process.argv[2] ?? 1);
const ROUNDS = 5;
const CONCURRENCY = [1, 16, 64];
const log = pino({ level: 'silent' });

const pureRun = (journal: Journal) =>
  journal.finish(
    createRunBegin(SAMPLE_INPUT),
    createRunFinal(
      { Output: 'hello' },
      [1, 2, 3].map((at) => createStep(at, SAMPLE_INPUT)),
    ),
  );

interface Window {
  readonly runs: number;
  readonly commits: number;
  readonly seconds: number;
  readonly latencies: readonly number[];
}

async function measure(journal: Journal, concurrency: number): Promise<Window> {
  const latencies: number[] = [];
  const before = journal.stats.commits;
  const from = performance.now();
  const client = async () => {
    while (performance.now() - from < SECONDS * 1_000) {
      const startedAt = performance.now();
      await pureRun(journal);
      latencies.push(performance.now() - startedAt);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, client));
  const seconds = (performance.now() - from) / 1_000;
  return { runs: latencies.length, commits: journal.stats.commits - before, seconds, latencies };
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** One flush of 8 KB that were just written, in microseconds. */
function diskSync(): number {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-sync-'));
  const file = openSync(join(folder, 'log'), 'w');
  const page = Buffer.alloc(8_192, 1);
  const times = Array.from({ length: 300 }, () => {
    writeSync(file, page);
    const from = performance.now();
    fdatasyncSync(file);
    return (performance.now() - from) * 1_000;
  });
  closeSync(file);
  rmSync(folder, { recursive: true, force: true });
  return median(times);
}

async function openJournal(sync_log: boolean) {
  const { database, close } = await scratchEmbedded({ thread: true, sync_log });
  const worker_id = await registerWorker(database);
  const journal = createJournal({
    sql: database.journal,
    worker_id,
    log,
    onFenced: () => process.exit(1),
  });
  return { journal, close };
}

const computeRate = ({ runs, seconds }: Window) => runs / seconds;

function row(concurrency: number, plain: readonly Window[], synced: readonly Window[]) {
  const ratios = plain.map((window, at) => computeRate(synced[at] ?? window) / computeRate(window));
  const perGroup = (windows: readonly Window[]) =>
    (sum(windows.map(({ seconds }) => seconds)) / sum(windows.map(({ commits }) => commits))) * 1e6;
  const p99 = (windows: readonly Window[]) =>
    quantile(
      windows.flatMap(({ latencies }) => latencies),
      0.99,
    );
  return [
    concurrency,
    median(plain.map(computeRate)).toFixed(0),
    median(synced.map(computeRate)).toFixed(0),
    `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`,
    (perGroup(synced) - perGroup(plain)).toFixed(0),
    `${p99(plain).toFixed(1)} / ${p99(synced).toFixed(1)}`,
  ];
}

console.log(`one flush of 8 KB on this disk: ${diskSync().toFixed(0)} us (median)`);
const plain = await openJournal(false);
const synced = await openJournal(true);
const rows = [];
for (const concurrency of CONCURRENCY) {
  const windows: { plain: Window[]; synced: Window[] } = { plain: [], synced: [] };
  await measure(plain.journal, concurrency);
  await measure(synced.journal, concurrency);
  for (let round = 0; round < ROUNDS; round++) {
    windows.plain.push(await measure(plain.journal, concurrency));
    windows.synced.push(await measure(synced.journal, concurrency));
  }
  rows.push(row(concurrency, windows.plain, windows.synced));
}
printTable(
  [
    'at a time',
    'runs/s plain',
    'runs/s synced',
    'synced of plain',
    'us more per group',
    'p99 ms plain / synced',
  ],
  rows,
);
await plain.close();
await synced.close();
process.exit(0);
