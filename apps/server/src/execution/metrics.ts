import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { SqlClient } from '../database/sql-client.ts';
import type { Gate } from './admission/gate.ts';
import type { Journal } from './journal/journal.ts';
import type { LiveRuns } from './run/live-runs.ts';
import type { RunAnswer } from './run/run-request.ts';
import { sourceKind } from './trigger-source.ts';

/** What the process counts; served at `/metrics`. Labels have few values, whatever callers send. */
export interface RunMetrics {
  ended(answer: Pick<RunAnswer, 'status' | 'execution_time_ms'>, trigger_source: string | null): void;
  /** A call that started no run. */
  refused(status: 'cached' | 'rate_limited' | 'busy', trigger_source: string | null): void;
  watch(sources: { journal: Journal; live: LiveRuns; gate: Gate; sql: SqlClient }): void;
  text(): Promise<string>;
  readonly content_type: string;
}

const SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 300, 1_800];

const QUEUE_CAP = 10_000;

/** Counted when somebody asks, and not beyond a bound: a long queue must not become longer by being measured. */
function watchQueue(registry: Registry, sql: SqlClient): void {
  const read = async (text: string) => (await sql.query<{ value: number }>({ text })).rows[0]?.value ?? 0;
  const gauge = (name: string, help: string, text: string) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        this.set(await read(text).catch(() => Number.NaN));
      },
    });
  gauge(
    'millrace_queued_runs',
    `Runs that wait to be claimed, up to ${QUEUE_CAP}`,
    `SELECT count(*)::int AS value FROM (SELECT 1 FROM runs WHERE state = 0 LIMIT ${QUEUE_CAP}) queued`,
  );
  gauge(
    'millrace_oldest_queued_seconds',
    'Age of the run that is first in the queue',
    `SELECT coalesce(extract(epoch FROM now() - started_at), 0)::float8 AS value FROM runs
     WHERE state = 0 ORDER BY priority, virtual_time, id LIMIT 1`,
  );
}

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
    watch({ journal, live, gate, sql }) {
      watchQueue(registry, sql);
      const gauge = (name: string, help: string, read: () => number) =>
        new Gauge({
          name: `millrace_${name}`,
          help,
          registers,
          collect() {
            this.set(read());
          },
        });
      gauge('active_runs', 'Runs that this process has begun and not ended', () => live.size);
      gauge('busy_runs', 'Of those: runs that do more than wait', () => live.busy);
      gauge('waiting_requests', 'Requests that wait until their run may begin', () => gate.waiting);
      gauge('journal_pending_records', 'Records that wait for their commit', () => journal.stats.pending);
      gauge('journal_pending_bytes', 'Size of the records that wait', () => journal.stats.pending_bytes);
      gauge('journal_commits', 'Commits since the start', () => journal.stats.commits);
      gauge('journal_records', 'Records committed since the start', () => journal.stats.records);
      gauge('journal_retries', 'Commits that were repeated', () => journal.stats.retries);
      gauge(
        'journal_dropped_notes',
        'History rows of refused calls that were dropped',
        () => journal.stats.dropped_notes,
      );
    },
    text: () => registry.metrics(),
    content_type: registry.contentType,
  };
}
