import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { SqlClient } from '../database/sql-client.ts';
import type { StartQueue } from './admission/start/start-queue.ts';
import type { Journal } from './journal/journal.ts';
import type { RunAnswer } from './model/run.ts';
import { sourceKind } from './model/trigger-source.ts';
import type { LiveRuns } from './run/live-runs.ts';
import { countQueued, oldestQueuedSeconds } from './store/lookups.ts';

/** The counts of the process; served at `/metrics`. Labels have few values, regardless of what callers send. */
export interface RunMetrics {
  ended(answer: Pick<RunAnswer, 'status' | 'execution_time_ms'>, trigger_source: string | null): void;
  /** A call that started no run. */
  refused(status: 'cached' | 'rate_limited' | 'busy', trigger_source: string | null): void;
  watch(sources: Sources): void;
  text(): Promise<string>;
  readonly content_type: string;
}

const SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 300, 1_800];

const QUEUE_CAP = 10_000;

interface Sources {
  readonly journal: Journal;
  readonly live: LiveRuns;
  readonly start_queue: StartQueue;
  readonly sql: SqlClient;
}

type Reading = [name: string, help: string, read: () => number | Promise<number>];

/** Read when the metrics are. */
const listReadings = ({ journal, live, start_queue, sql }: Sources): readonly Reading[] => [
  ['active_runs', 'Runs that this process has begun and not ended', () => live.size],
  ['busy_runs', 'Of those: runs that do more than wait', () => live.busy],
  ['waiting_requests', 'Requests that wait until their run may begin', () => start_queue.waiting],
  ['journal_pending_records', 'Records that wait for their commit', () => journal.stats.pending],
  ['journal_pending_bytes', 'Size of the records that wait', () => journal.stats.pending_bytes],
  ['journal_commits', 'Commits since the start', () => journal.stats.commits],
  ['journal_records', 'Records committed since the start', () => journal.stats.records],
  ['journal_retries', 'Commits that were repeated', () => journal.stats.retries],
  ['journal_refused', 'Records that could not be stored and were given up', () => journal.stats.refused],
  [
    'journal_commit_seconds',
    'How long the commit under way has been tried, 0 when there is none',
    () => journal.stats.commit_ms / 1000,
  ],
  [
    'journal_dropped_refusals',
    'History rows of refused calls that were dropped',
    () => journal.stats.dropped_refusals,
  ],
  ['queued_runs', `Runs that wait to be claimed, up to ${QUEUE_CAP}`, () => countQueued(sql, QUEUE_CAP)],
  [
    'oldest_queued_seconds',
    'Age of the first run in the queue that waits for nothing but a process',
    () => oldestQueuedSeconds(sql),
  ],
];

const gauge = (registry: Registry, [name, help, read]: Reading) =>
  new Gauge({
    name: `millrace_${name}`,
    help,
    registers: [registry],
    async collect() {
      try {
        this.set(await read());
      } catch {
        this.set(Number.NaN);
      }
    },
  });

export function createRunMetrics(): RunMetrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'millrace_' });
  const registers = [registry];
  const runs = new Counter({
    name: 'millrace_runs_total',
    help: 'Runs that ended, and calls that were answered without one',
    labelNames: ['status', 'source'] as const,
    registers,
  });
  const duration = new Histogram({
    name: 'millrace_run_duration_seconds',
    help: 'Time from start to durable end',
    buckets: SECONDS,
    registers,
  });
  // Children are kept, so that counting does not build a label set for every run.
  const children = new Map<string, ReturnType<typeof runs.labels>>();
  function count(status: string, trigger_source: string | null): void {
    const source = sourceKind(trigger_source);
    const key = `${status} ${source}`;
    let child = children.get(key);
    if (!child) children.set(key, (child = runs.labels(status, source)));
    child.inc();
  }

  return {
    ended({ status, execution_time_ms }, trigger_source) {
      count(status, trigger_source);
      duration.observe(execution_time_ms / 1000);
    },
    refused: count,
    watch(sources) {
      for (const reading of listReadings(sources)) gauge(registry, reading);
    },
    text: () => registry.metrics(),
    content_type: registry.contentType,
  };
}
