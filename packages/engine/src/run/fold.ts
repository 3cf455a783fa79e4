import type { Json, JsonObject } from '../json.ts';
import type { NodeRetried, RunEvent, RunFinished } from './events.ts';

/** One line of a run's history: a finished node, a failed attempt, or a node that waits for somebody. */
export interface NodeResultRow {
  node_id: string;
  node_label: string;
  node_type: string;
  status: 'success' | 'error' | 'skipped' | 'pending';
  output: Json;
  execution_time_ms: number;
  error: string | null;
  /** `sequence` (1-based order), `started_at_ms`, `ended_at_ms`, `iteration` inside loops, and facts of the node. */
  metadata: JsonObject;
}

/** The row that an event adds, or null. */
export function rowOf(event: RunEvent): NodeResultRow | null {
  switch (event.type) {
    case 'node_finished': {
      const { sequence, started_at_ms, ended_at_ms, iteration, attempt } = event;
      const metadata: JsonObject = { ...event.metadata, sequence, started_at_ms, ended_at_ms };
      if (iteration !== '') metadata['iteration'] = iteration;
      if (attempt > 1) metadata['attempt'] = attempt;
      return {
        node_id: event.node_id,
        node_label: event.node_label,
        node_type: event.node_type,
        status: event.status,
        output: event.output,
        execution_time_ms: event.execution_time_ms,
        error: event.failure?.message ?? null,
        metadata,
      };
    }
    case 'node_retried':
      return failedAttempt(event);
    case 'node_suspended': {
      const { sequence, started_at_ms, iteration } = event;
      const metadata: JsonObject = { sequence, started_at_ms, suspension: event.suspension.kind };
      if (iteration !== '') metadata['iteration'] = iteration;
      if (event.suspension.due_at !== undefined) metadata['due_at'] = event.suspension.due_at;
      return {
        node_id: event.node_id,
        node_label: event.node_label,
        node_type: event.node_type,
        status: 'pending',
        output: event.suspension.payload,
        execution_time_ms: 0,
        error: null,
        metadata,
      };
    }
    case 'run_started':
    case 'node_started':
    case 'output_emitted':
    case 'run_finished':
      return null;
    default:
      return event satisfies never;
  }
}

function failedAttempt(event: NodeRetried): NodeResultRow {
  const { attempt, max_attempts, wait_ms, failure, sequence, started_at_ms, ended_at_ms, iteration } = event;
  const retry = {
    retry_attempt: attempt,
    retry_max_attempts: max_attempts,
    retry_wait_seconds: wait_ms / 1000,
  };
  const metadata: JsonObject = {
    sequence,
    started_at_ms,
    ended_at_ms,
    retry_stage: 'attempt_failed',
    ...retry,
  };
  if (iteration !== '') metadata['iteration'] = iteration;
  const message = `Attempt ${attempt} of ${max_attempts} failed, the next one follows in ${wait_ms / 1000} s`;
  return {
    node_id: event.node_id,
    node_label: event.node_label,
    node_type: event.node_type,
    status: 'error',
    output: { error: failure.message, message, ...retry },
    execution_time_ms: event.execution_time_ms,
    error: failure.message,
    metadata,
  };
}

export interface FoldedRun {
  /** Ordered by sequence. A pending row gives way to the row that the node ends with. */
  rows: readonly NodeResultRow[];
  /** Null while the run goes on. */
  finished: RunFinished | null;
}

/** History of a run from its events. On resume `earlier` holds the rows that were stored before. */
export function foldRun(events: Iterable<RunEvent>, earlier: Iterable<NodeResultRow> = []): FoldedRun {
  const fold = new RunFold(earlier);
  for (const event of events) fold.apply(event);
  return { rows: fold.rows(), finished: fold.finished };
}

/** The same fold, one event at a time. */
export class RunFold {
  finished: RunFinished | null = null;
  readonly #rows: NodeResultRow[];
  #isSorted = true;
  #hasPending = false;

  constructor(earlier: Iterable<NodeResultRow> = []) {
    this.#rows = [...earlier];
    this.#isSorted = this.#rows.length === 0;
    this.#hasPending = this.#rows.some(({ status }) => status === 'pending');
  }

  apply(event: RunEvent): void {
    if (event.type === 'run_finished') this.finished = event;
    const row = rowOf(event);
    if (row === null) return;
    const last = this.#rows.at(-1);
    if (last && sequenceOf(last) > sequenceOf(row)) this.#isSorted = false;
    if (row.status === 'pending') this.#hasPending = true;
    this.#rows.push(row);
  }

  rows(): readonly NodeResultRow[] {
    if (!this.#isSorted) {
      this.#rows.sort((one, two) => sequenceOf(one) - sequenceOf(two));
      this.#isSorted = true;
    }
    return this.#hasPending ? withoutAnsweredPauses(this.#rows) : this.#rows;
  }
}

function withoutAnsweredPauses(rows: readonly NodeResultRow[]): readonly NodeResultRow[] {
  const answered = new Set(rows.filter(({ status }) => status !== 'pending').map(placeOf));
  return rows.filter((row) => row.status !== 'pending' || !answered.has(placeOf(row)));
}

function placeOf({ node_id, metadata }: NodeResultRow): string {
  return JSON.stringify([node_id, metadata['iteration'] ?? '']);
}

function sequenceOf({ metadata }: NodeResultRow): number {
  return typeof metadata['sequence'] === 'number' ? metadata['sequence'] : 0;
}
