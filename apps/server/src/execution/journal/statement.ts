import type { SqlResult, Statement } from '../../database/sql-client.ts';
import { type Cell, columnsOf, unnestSql } from './encoding/columns.ts';
import {
  BLOB_COLUMNS,
  END_COLUMNS,
  ENGINE_VERSION,
  RUN_BLOB_COLUMNS,
  RUN_COLUMNS,
  STEP_COLUMNS,
  WAIT_COLUMNS,
} from './tables.ts';

type Rows = readonly (readonly Cell[])[];

/** Everything that one commit writes. */
export interface Batch {
  readonly runs: Rows;
  readonly steps: Rows;
  readonly ends: Rows;
  readonly waits: Rows;
  readonly blobs: Rows;
  readonly run_blobs: Rows;
  /** Runs that must be owned by this process for their rows to be written. */
  readonly touched: readonly string[];
  /** Of those: runs with waits that end, and runs with waits that pause. */
  readonly settled: readonly string[];
  readonly paused: readonly string[];
}

/** What the statement answers, in one row. */
export interface BatchAnswer {
  /** 0: the lease is gone, nothing was written. */
  readonly alive: number;
  /** How many runs were inserted. */
  readonly inserted: number;
  /** Inserted runs that have an idempotency key. */
  readonly keyed: readonly string[];
  /** Runs of `touched` whose rows were written. */
  readonly owned: readonly string[];
}

/** How the statement knows that this process may write. */
interface Fence {
  readonly worker: string;
  readonly owned: string;
}

/**
 * The lock makes a takeover wait for batches under way, and a process that was taken over finds nobody here and so writes
 * nothing. It leaves room for renewals of the lease, which change no key.
 */
const FENCE: Fence = {
  worker: 'w AS MATERIALIZED (SELECT id FROM workers WHERE id = $1 AND alive FOR KEY SHARE)',
  // Written so that no index fits: the one over running runs looks cheaper than the primary key, but in it the planner
  // does not see the entries of all the runs that have just ended.
  owned: 'runs.owner IS NOT DISTINCT FROM w.id AND runs.state + 0 = 1',
};
/** Only the crash harness asks for this, to prove that its checker sees what a missing fence does. */
const NO_FENCE: Fence = {
  worker: 'w AS MATERIALIZED (SELECT id FROM workers WHERE id = $1)',
  owned: 'true',
};

const instant = (column: string) => `to_timestamp(${column} / 1000.0)`;

const INSERT_RUNS = `INSERT INTO runs (${RUN_COLUMNS.names.join(', ')}, owner, engine_version)
  SELECT ${RUN_COLUMNS.names
    .map((name) => (name.endsWith('_at') ? instant(`x.${name}`) : `x.${name}`))
    .join(', ')}, CASE WHEN x.state IN (1, 3) AND x.attempt > 0 THEN w.id END, ${ENGINE_VERSION}
  FROM ${unnestSql(RUN_COLUMNS, 'x', 2)}, w`;
const INSERTED = `i AS (
  ${INSERT_RUNS}
  ON CONFLICT DO NOTHING
  RETURNING id, idempotency_key)`;

const ALIVE = '(SELECT count(*) FROM w)::int AS alive, (SELECT count(*) FROM i)::int AS inserted';
const KEYED = 'ARRAY(SELECT id::text FROM i WHERE idempotency_key IS NOT NULL) AS keyed';

const AFTER_RUNS = 2 + RUN_COLUMNS.names.length;
const STEPS_AT = AFTER_RUNS;
const ENDS_AT = STEPS_AT + STEP_COLUMNS.names.length;
const WAITS_AT = ENDS_AT + END_COLUMNS.names.length;
const BLOBS_AT = WAITS_AT + WAIT_COLUMNS.names.length;
const RUN_BLOBS_AT = BLOBS_AT + BLOB_COLUMNS.names.length;
const TOUCHED_AT = RUN_BLOBS_AT + RUN_BLOB_COLUMNS.names.length;
const ids = (parameter: number) => `string_to_array($${parameter}, E'\\x1f')::uuid[]`;

/** Without a way around a row that exists already and without a word about each row: a sixth cheaper. */
const newRuns = (fence: Fence) => `WITH ${fence.worker} ${INSERT_RUNS}`;

const runsOnly = (fence: Fence) => `WITH ${fence.worker}, ${INSERTED}
SELECT ${ALIVE}, ${KEYED}, ARRAY[]::text[] AS owned`;

const everything = (fence: Fence) => `WITH ${fence.worker}, ${INSERTED},
owned AS MATERIALIZED (
  SELECT runs.id FROM runs, w WHERE runs.id = ANY(${ids(TOUCHED_AT)}) AND ${fence.owned}
  UNION ALL SELECT id FROM i),
s AS (
  INSERT INTO steps (${STEP_COLUMNS.names.join(', ')}, worker_id)
  SELECT x.run_id, x.node_id, coalesce(x.iteration, ''), x.attempt, x.kind, x.sequence, x.record, w.id
  FROM ${unnestSql(STEP_COLUMNS, 'x', STEPS_AT)}, w
  WHERE x.run_id IN (SELECT id FROM owned)
  ON CONFLICT (run_id, node_id, iteration, kind, attempt) DO UPDATE
  SET record = excluded.record, worker_id = excluded.worker_id, at = now()
  WHERE steps.kind = 'intent' AND steps.worker_id <> excluded.worker_id),
e AS (
  UPDATE runs SET state = x.state, status = x.status, outputs = x.outputs, outcome = x.outcome, records = x.records,
    http_status = x.http_status, execution_time_ms = x.execution_time_ms, finished_at = ${instant('x.finished_at')},
    owner = CASE WHEN x.state = 3 THEN runs.owner END
  FROM ${unnestSql(END_COLUMNS, 'x', ENDS_AT)}, w
  WHERE runs.id = x.id AND ${fence.owned}),
p AS (
  INSERT INTO waits (${WAIT_COLUMNS.names.join(', ')})
  SELECT x.run_id, x.node_id, coalesce(x.iteration, ''), x.kind, x.token_hash, ${instant('x.due_at')}, x.payload,
    x.sequence, x.attempt, ${instant('x.started_at')}
  FROM ${unnestSql(WAIT_COLUMNS, 'x', WAITS_AT)}
  WHERE x.run_id IN (SELECT id FROM owned)
  ON CONFLICT (run_id, node_id, iteration) DO UPDATE
  SET kind = excluded.kind, token_hash = excluded.token_hash, due_at = excluded.due_at, payload = excluded.payload,
    sequence = excluded.sequence, attempt = excluded.attempt, started_at = excluded.started_at,
    decided_at = NULL, result = NULL, applied = false
  WHERE waits.sequence < excluded.sequence),
f AS (
  UPDATE waits SET applied = true, decided_at = coalesce(decided_at, now())
  WHERE NOT applied AND run_id = ANY(${ids(TOUCHED_AT + 1)}) AND run_id IN (SELECT id FROM owned)),
d AS (
  UPDATE waits SET applied = true
  WHERE NOT applied AND decided_at IS NOT NULL
    AND run_id = ANY(${ids(TOUCHED_AT + 2)}) AND run_id IN (SELECT id FROM owned)
    AND NOT EXISTS (
      SELECT 1 FROM ${unnestSql(WAIT_COLUMNS, 'x', WAITS_AT)}
      WHERE x.run_id = waits.run_id AND x.node_id = waits.node_id AND coalesce(x.iteration, '') = waits.iteration)),
b AS (
  INSERT INTO blobs (hash, content, size)
  SELECT x.hash, x.content, length(x.content) FROM ${unnestSql(BLOB_COLUMNS, 'x', BLOBS_AT)}, w ORDER BY x.hash
  ON CONFLICT (hash) DO UPDATE SET created_at = now() WHERE blobs.created_at < now() - interval '10 minutes'),
c AS (
  INSERT INTO run_blobs (run_id, hash)
  SELECT x.run_id, x.hash FROM ${unnestSql(RUN_BLOB_COLUMNS, 'x', RUN_BLOBS_AT)}
  WHERE x.run_id IN (SELECT id FROM owned)
  ON CONFLICT DO NOTHING)
SELECT ${ALIVE}, ${KEYED}, ARRAY(SELECT id::text FROM owned) AS owned`;

const textsOf = (fence: Fence) => ({
  new_runs: newRuns(fence),
  runs_only: runsOnly(fence),
  everything: everything(fence),
});
const FENCED = textsOf(FENCE);
const UNFENCED = textsOf(NO_FENCE);

const idColumn = (values: readonly string[]) => values.join('\u001f');

/** A statement and how its answer is read. */
export interface JournalStatement {
  readonly statement: Statement;
  read(result: SqlResult<BatchAnswer>): BatchAnswer | undefined;
}

export interface JournalOptions {
  readonly worker_id: string;
  /** Rows may be there already, from an attempt whose answer was lost or under the same idempotency key. */
  readonly repeated: boolean;
  /** False only in the crash harness. */
  readonly fenced: boolean;
}

const firstRow = ({ rows }: SqlResult<BatchAnswer>) => rows[0];

/** All rows are inserted or none, and none without an error only where the worker is not alive. */
const allOrNone = ({ row_count }: SqlResult<BatchAnswer>): BatchAnswer => ({
  alive: row_count > 0 ? 1 : 0,
  inserted: row_count,
  keyed: [],
  owned: [],
});

const KEY_CELL = RUN_COLUMNS.names.indexOf('idempotency_key');

/** The one statement that writes runs. Most batches are whole runs of pure nodes and get a shorter one. */
export function journalStatement(
  batch: Batch,
  { worker_id, repeated, fenced }: JournalOptions,
): JournalStatement {
  const texts = fenced ? FENCED : UNFENCED;
  const runs = columnsOf(batch.runs, RUN_COLUMNS.names.length);
  const only_runs =
    batch.touched.length === 0 &&
    batch.blobs.length === 0 &&
    batch.waits.length === 0 &&
    batch.steps.length === 0;
  if (only_runs) {
    const values = [worker_id, ...runs];
    return repeated || batch.runs.some((cells) => cells[KEY_CELL] !== null)
      ? { statement: { name: 'journal_runs', text: texts.runs_only, values }, read: firstRow }
      : { statement: { name: 'journal_new_runs', text: texts.new_runs, values }, read: allOrNone };
  }
  const values = [
    worker_id,
    ...runs,
    ...columnsOf(batch.steps, STEP_COLUMNS.names.length),
    ...columnsOf(batch.ends, END_COLUMNS.names.length),
    ...columnsOf(batch.waits, WAIT_COLUMNS.names.length),
    ...columnsOf(batch.blobs, BLOB_COLUMNS.names.length),
    ...columnsOf(batch.run_blobs, RUN_BLOB_COLUMNS.names.length),
    idColumn(batch.touched),
    idColumn(batch.settled),
    idColumn(batch.paused),
  ];
  return { statement: { name: 'journal_everything', text: texts.everything, values }, read: firstRow };
}
