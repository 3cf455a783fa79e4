import type { SqlResult, Statement } from '../../database/sql-client.ts';
import {
  countEnds,
  endedColumns,
  insertCountedEnds,
  insertEnds,
  RUN_END_COLUMNS,
} from './analytics/run-ends.ts';
import { assignSql, insertSql, parameterLayout, type RowOf } from './encoding/columns.ts';
import { cappedMs } from './encoding/duration.ts';
import { ENGINE_VERSION, isInState, STATE } from './run-state.ts';
import {
  BLOB_COLUMNS,
  END_COLUMNS,
  type EndRow,
  OPEN_WAIT_COLUMNS,
  type OpenWaitRow,
  RUN_BLOB_COLUMNS,
  RUN_COLUMNS,
  type RunRow,
  STEP_COLUMNS,
  type StepRow,
  WAIT_COLUMNS,
  type WaitRow,
} from './tables.ts';

/** Everything that one commit writes. */
export interface Batch {
  readonly runs: readonly RunRow[];
  readonly steps: readonly StepRow[];
  readonly ends: readonly EndRow[];
  readonly waits: readonly WaitRow[];
  /** Waits that stay open of the runs that pause. */
  readonly open_waits: readonly OpenWaitRow[];
  readonly blobs: readonly RowOf<typeof BLOB_COLUMNS>[];
  readonly run_blobs: readonly RowOf<typeof RUN_BLOB_COLUMNS>[];
  /** Runs that must be owned by this process for their rows to be written. */
  readonly touched: readonly string[];
  /** Of those: runs with waits that end, and runs that pause. */
  readonly settled: readonly string[];
  readonly paused: readonly string[];
}

/** The answer of the statement, in one row. */
export interface BatchAnswer {
  /** 0: the lease is gone, nothing was written. */
  readonly alive: number;
  /** How many runs were inserted. */
  readonly inserted: number;
  /** Inserted runs that have an idempotency key. */
  readonly keyed: readonly string[];
  /** Runs of `touched` that were this process' when the statement began, whose steps and waits were written. */
  readonly owned: readonly string[];
  /** Runs whose end or pause was written, inserted ones included: one may have been given back within the statement. */
  readonly ended: readonly string[];
}

/** How the statement knows that this process may write. */
interface Fence {
  readonly worker: string;
  readonly owned: string;
}

/**
 * The lock makes a takeover wait for batches under way, and a process that was taken over finds no row here and so writes
 * nothing. It leaves room for renewals of the lease, which change no key.
 */
const FENCE: Fence = {
  worker: 'w AS MATERIALIZED (SELECT id FROM workers WHERE id = $1 AND alive FOR KEY SHARE)',
  // Written so that no index fits: the one over running runs looks cheaper than the primary key, but in it the planner
  // does not see the entries of all the runs that have just ended.
  owned: `runs.owner IS NOT DISTINCT FROM w.id AND ${isInState('running', 'runs.state + 0')}`,
};
/** Only the crash harness asks for this, to prove that its checker sees what a missing fence does. */
const NO_FENCE: Fence = {
  worker: 'w AS MATERIALIZED (SELECT id FROM workers WHERE id = $1)',
  owned: 'true',
};

const NEW_RUNS = parameterLayout({ worker_id: 'value', runs: RUN_COLUMNS, run_ends: RUN_END_COLUMNS });
const ONLY_RUNS = parameterLayout({ worker_id: 'value', runs: RUN_COLUMNS });
const EVERYTHING = parameterLayout({
  worker_id: 'value',
  runs: RUN_COLUMNS,
  steps: STEP_COLUMNS,
  ends: END_COLUMNS,
  waits: WAIT_COLUMNS,
  open_waits: OPEN_WAIT_COLUMNS,
  blobs: BLOB_COLUMNS,
  run_blobs: RUN_BLOB_COLUMNS,
  touched: 'value',
  settled: 'value',
  paused: 'value',
});

/** A run that never had a claim is owned by the process that began it, for as long as that executes it. */
const FIRST_OWNER = `CASE WHEN x.state IN (${STATE.running}, ${STATE.done}) AND x.attempt > 0 THEN w.id END`;
const insertRuns = (rows: string) =>
  insertSql({
    into: 'runs',
    columns: RUN_COLUMNS,
    also: {
      owner: FIRST_OWNER,
      engine_version: String(ENGINE_VERSION),
      execution_time_ms: cappedMs('x.duration_ms'),
    },
    from: `${rows}, w`,
  });
const insertedRuns = (rows: string) => `i AS (
  ${insertRuns(rows)}
  ON CONFLICT DO NOTHING
  RETURNING id, idempotency_key, ${endedColumns()})`;

const ALIVE = '(SELECT count(*) FROM w)::int AS alive, (SELECT count(*) FROM i)::int AS inserted';
const KEYED = 'ARRAY(SELECT id::text FROM i WHERE idempotency_key IS NOT NULL) AS keyed';
const ids = (parameter: string) => `string_to_array(${parameter}, E'\\x1f')::uuid[]`;

/**
 * Without a way around a row that exists already and without a word about each row: a sixth cheaper. All of the rows are
 * inserted, so their ends are counted before they are sent.
 */
const newRuns = (fence: Fence) => `WITH ${fence.worker},
t AS (${insertCountedEnds(`${NEW_RUNS.sql.run_ends}, w`)})
${insertRuns(NEW_RUNS.sql.runs)}`;

const runsOnly = (fence: Fence) => `WITH ${fence.worker}, ${insertedRuns(ONLY_RUNS.sql.runs)},
t AS (${insertEnds('i')})
SELECT ${ALIVE}, ${KEYED}, ARRAY[]::text[] AS owned, ARRAY[]::text[] AS ended`;

const OWNED_ONLY = 'WHERE x.run_id IN (SELECT id FROM owned)';

/** Asked to end in the moment when it leaves memory: it is queued once more to be ended, for nothing looks at runs that wait. */
const IS_RECALLED = `${isInState('waiting', 'x.state')} AND runs.cancel_requested_at IS NOT NULL`;

/** A wait that comes in the statement of its run's end: the part that closes waits does not see rows of the same statement. */
const ENDS_WITH_RUN = `x.run_id = ANY(${ids(EVERYTHING.sql.settled)})`;

const everything = (fence: Fence) => `WITH ${fence.worker}, ${insertedRuns(EVERYTHING.sql.runs)},
owned AS MATERIALIZED (
  SELECT runs.id FROM runs, w WHERE runs.id = ANY(${ids(EVERYTHING.sql.touched)}) AND ${fence.owned}
  UNION ALL SELECT id FROM i),
s AS (
  ${insertSql({
    into: 'steps',
    columns: STEP_COLUMNS,
    also: { worker_id: 'w.id' },
    from: `${EVERYTHING.sql.steps}, w ${OWNED_ONLY}`,
  })}
  ON CONFLICT (run_id, node_id, iteration, key, kind, attempt) DO UPDATE
  SET record = excluded.record, sealed = excluded.sealed, worker_id = excluded.worker_id, at = now(), claim = excluded.claim,
    sequence = excluded.sequence
  WHERE steps.kind NOT IN ('done', 'pause') AND (excluded.claim, excluded.sequence) > (steps.claim, steps.sequence)),
e AS (
  UPDATE runs SET ${assignSql(END_COLUMNS, ['id', 'state', 'status'])}, execution_time_ms = ${cappedMs('x.duration_ms')},
    state = CASE WHEN ${IS_RECALLED} THEN ${STATE.queued} ELSE x.state END,
    status = CASE WHEN ${IS_RECALLED} THEN 'running' ELSE x.status END,
    owner = CASE WHEN ${isInState('done', 'x.state')} THEN runs.owner END,
    suspended_at = CASE WHEN ${isInState('waiting', 'x.state')} AND runs.cancel_requested_at IS NULL THEN now() END
  FROM ${EVERYTHING.sql.ends}, w
  WHERE runs.id = x.id AND ${fence.owned}
  RETURNING runs.id, ${endedColumns('runs.')}),
t AS (${insertEnds('i', 'e')}),
p AS (
  ${insertSql({
    into: 'waits',
    columns: WAIT_COLUMNS,
    also: { applied: ENDS_WITH_RUN, decided_at: `CASE WHEN ${ENDS_WITH_RUN} THEN now() END` },
    from: `${EVERYTHING.sql.waits} ${OWNED_ONLY}`,
  })}
  ON CONFLICT DO NOTHING),
f AS (
  UPDATE waits SET applied = true, decided_at = coalesce(decided_at, now())
  WHERE NOT applied AND run_id = ANY(${ids(EVERYTHING.sql.settled)}) AND run_id IN (SELECT id FROM owned)),
d AS (
  UPDATE waits SET applied = true, decided_at = coalesce(decided_at, now())
  WHERE NOT applied AND run_id = ANY(${ids(EVERYTHING.sql.paused)}) AND run_id IN (SELECT id FROM owned)
    AND NOT EXISTS (
      SELECT 1 FROM ${EVERYTHING.sql.open_waits}
      WHERE x.run_id = waits.run_id AND x.node_id = waits.node_id AND coalesce(x.iteration, '') = waits.iteration
        AND coalesce(x.key, '') = waits.key)),
b AS (
  ${insertSql({
    into: 'blobs',
    columns: BLOB_COLUMNS,
    also: { size: 'length(x.content)' },
    from: `${EVERYTHING.sql.blobs}, w ORDER BY x.hash`,
  })}
  ON CONFLICT (hash) DO UPDATE SET created_at = now() WHERE blobs.created_at < now() - interval '10 minutes'),
c AS (
  ${insertSql({ into: 'run_blobs', columns: RUN_BLOB_COLUMNS, from: `${EVERYTHING.sql.run_blobs} ${OWNED_ONLY}` })}
  ON CONFLICT DO NOTHING)
SELECT ${ALIVE}, ${KEYED}, ARRAY(SELECT id::text FROM owned) AS owned,
  ARRAY(SELECT id::text FROM e UNION ALL SELECT id::text FROM i) AS ended`;

const buildStatements = (fence: Fence) => ({
  new_runs: newRuns(fence),
  runs_only: runsOnly(fence),
  everything: everything(fence),
});
const FENCED = buildStatements(FENCE);
const UNFENCED = buildStatements(NO_FENCE);

const idColumn = (values: readonly string[]) => values.join('\u001f');

/** A statement and how its answer is read. */
export interface JournalStatement {
  readonly statement: Statement;
  read(result: SqlResult<BatchAnswer>): BatchAnswer | undefined;
}

export interface StatementOptions {
  readonly worker_id: string;
  /** Rows may be there already, from an attempt whose answer was lost or under the same idempotency key. */
  readonly repeated: boolean;
  /** False only in the crash harness. */
  readonly fenced: boolean;
  /** `owned` is to name every run that was written, new ones included. */
  readonly names_all: boolean;
}

const firstRow = ({ rows }: SqlResult<BatchAnswer>) => rows[0];

/** All rows are inserted or none, and none without an error only where the worker is not alive. */
const allOrNone = ({ row_count }: SqlResult<BatchAnswer>): BatchAnswer => ({
  alive: row_count > 0 ? 1 : 0,
  inserted: row_count,
  keyed: [],
  owned: [],
  ended: [],
});

/** The one statement that writes runs. Most batches are whole runs of pure nodes and get a shorter one. */
export function journalStatement(
  batch: Batch,
  { worker_id, repeated, fenced, names_all }: StatementOptions,
): JournalStatement {
  const texts = fenced ? FENCED : UNFENCED;
  const only_runs =
    !names_all &&
    batch.touched.length === 0 &&
    batch.blobs.length === 0 &&
    batch.waits.length === 0 &&
    batch.steps.length === 0;
  if (only_runs) {
    const { runs } = batch;
    if (repeated || runs.some(({ idempotency_key }) => idempotency_key !== null)) {
      const values = ONLY_RUNS.values({ worker_id, runs });
      return { statement: { name: 'journal_runs', text: texts.runs_only, values }, read: firstRow };
    }
    const values = NEW_RUNS.values({ worker_id, runs, run_ends: countEnds(runs) });
    return { statement: { name: 'journal_new_runs', text: texts.new_runs, values }, read: allOrNone };
  }
  const values = EVERYTHING.values({
    worker_id,
    runs: batch.runs,
    steps: batch.steps,
    ends: batch.ends,
    waits: batch.waits,
    open_waits: batch.open_waits,
    blobs: batch.blobs,
    run_blobs: batch.run_blobs,
    touched: idColumn(batch.touched),
    settled: idColumn(batch.settled),
    paused: idColumn(batch.paused),
  });
  return { statement: { name: 'journal_everything', text: texts.everything, values }, read: firstRow };
}
