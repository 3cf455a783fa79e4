import type { Logger } from 'pino';
import type { SqlClient } from '../../database/sql-client.ts';
import type { Cell } from './encoding/columns.ts';
import { plainText } from './encoding/columns.ts';
import { createValueEncoder, type StoredBlob, type ValueEncoder } from './encoding/values.ts';
import { faultPoint } from './fault-point.ts';
import {
  type IntentRecord,
  type Journal,
  JournalUnavailable,
  type NoteRow,
  OwnershipLost,
  type RunBegin,
  type RunFinal,
  type StepRecord,
  type StoredRun,
  type WaitRecord,
} from './journal.ts';
import { type Counters, createLane, type Lane } from './lane.ts';
import { loadRun } from './load.ts';
import { absorbBegin, absorbFacts, addFact, createOpenRun, effectKey, type OpenRun } from './open-run.ts';
import {
  type EndOperation,
  type InsertOperation,
  type JournalFailure,
  type Operation,
  type StepOperation,
  stepCells,
  Waiter,
} from './operations.ts';
import { beginCells, finalCells, NO_FINAL, noteCells, STATE } from './tables.ts';

export interface JournalOptions {
  /** Connections that only journal and ownership use. */
  readonly sql: SqlClient;
  readonly worker_id: string;
  readonly log: Logger;
  /** Called once when a statement found that this process has lost its lease. */
  readonly onFenced: () => void;
  /** A runner has stopped before the end of its run; nobody here goes on with it. */
  readonly onForgotten?: (run_id: string) => void;
  /** Statements under way at once. */
  readonly lanes?: number;
  /** False only in the crash harness, to prove that its checker sees what a missing fence does. */
  readonly fenced?: boolean;
}

/** The journal, and what ownership asks of it. */
export interface LocalJournal extends Journal {
  /** Whether a runner of this process has the run. */
  holds(run_id: string): boolean;
}

/** Above this, new runs are refused and history rows of refused calls are dropped. */
const MAX_PENDING_CHARACTERS = 8 * 1024 * 1024;
const MAX_PENDING = 20_000;
/** What an operation costs besides its texts; also the guess for facts, which are encoded late. */
const ROW_CHARACTERS = 300;

const sizeOf = (cells: readonly Cell[], blobs: readonly StoredBlob[]) => {
  let size = ROW_CHARACTERS;
  for (const cell of cells) if (typeof cell === 'string') size += cell.length;
  for (const { content } of blobs) size += content.length;
  return size;
};

/** The journal of this process. Everything that changes a run while it is executed goes through it. */
export function createJournal(options: JournalOptions): LocalJournal {
  const counters: Counters = {
    commits: 0,
    records: 0,
    retries: 0,
    dropped_notes: 0,
    pending: 0,
    pending_bytes: 0,
  };
  const lanes = Array.from({ length: options.lanes ?? 1 }, () =>
    createLane({ ...options, fenced: options.fenced ?? true, counters }),
  );
  const open = new Map<string, OpenRun>();

  const calmestLane = (): Lane => lanes.reduce((best, lane) => (lane.load < best.load ? lane : best));

  function requireOpen(run_id: string): OpenRun {
    const run = open.get(run_id);
    if (!run) throw new OwnershipLost(run_id);
    return run;
  }

  /** Hands an operation in that somebody waits for. */
  function pushAwaited(lane: Lane, make: (waiter: Waiter) => Operation): Promise<void> {
    const waiter = new Waiter();
    lane.push(make(waiter), true);
    return waiter.durable;
  }

  function begin(run: RunBegin): { durable: Promise<void> } {
    const state = createOpenRun(calmestLane());
    const input = state.encoder.encodeInput(run.input);
    const cells = [...beginCells(run, input, STATE.running, 'running'), ...NO_FINAL];
    const blobs = state.encoder.takeBlobs();
    const waiter = new Waiter();
    state.begin = insertOf(run, {
      state: STATE.running,
      cells,
      blobs,
      steps: NO_ROWS,
      waits: NO_ROWS,
      waiter,
    });
    open.set(run.run_id, state);
    state.lane.push(state.begin, true);
    return { durable: waiter.durable };
  }

  function record(run_id: string, fact: StepRecord): void {
    const run = open.get(run_id);
    // A runner that has lost its run may still finish the node it is in.
    if (!run) return;
    const operation: StepOperation = {
      kind: 'step',
      run_id,
      record: fact,
      encoder: run.encoder,
      size: ROW_CHARACTERS,
      waiter: undefined,
      taken: false,
      absorbed: false,
    };
    addFact(run, operation);
    const was_effect = run.pending_effects.delete(effectKey(fact));
    if (was_effect) faultPoint('after_effect');
    // The result of an effect is written soon: until then a crash makes its outcome unknown.
    run.lane.push(operation, was_effect);
  }

  async function intend(run_id: string, intent: IntentRecord): Promise<{ earlier?: IntentRecord }> {
    const run = requireOpen(run_id);
    run.begin = undefined;
    const key = effectKey(intent);
    const cells = [
      run_id,
      intent.node_id,
      intent.iteration,
      intent.attempt,
      'intent',
      0,
      JSON.stringify(intent),
    ];
    const size = sizeOf(cells, []);
    await pushAwaited(run.lane, (waiter) => ({ kind: 'intent', run_id, cells, size, ...NEW, waiter }));
    run.pending_effects.add(key);
    faultPoint('after_intent');
    const earlier = run.unknown_effects.get(key);
    return earlier ? { earlier } : {};
  }

  async function barrier(run_id: string): Promise<void> {
    const run = requireOpen(run_id);
    run.begin = undefined;
    await pushAwaited(run.lane, (waiter) => ({ kind: 'barrier', run_id, size: 0, ...NEW, waiter }));
  }

  async function finish(run: RunBegin, final: RunFinal): Promise<void> {
    faultPoint('before_final');
    await end(run, {
      state: STATE.done,
      status: final.status,
      waits: [],
      records: final.records ?? [],
      cells: (encoder, facts) =>
        finalCells(final, {
          outputs: encoder.encode(final.outputs),
          records: facts.length > 0 ? encoder.encodeRecords(facts) : null,
        }),
    });
    faultPoint('after_final');
  }

  async function suspend(
    run: RunBegin,
    waits: readonly WaitRecord[],
    records: readonly StepRecord[] = [],
  ): Promise<void> {
    faultPoint('before_suspend');
    const known = open.get(run.run_id);
    if (known) for (const fact of records) record(run.run_id, fact);
    await end(run, {
      state: STATE.waiting,
      status: 'pending',
      waits,
      records: known ? [] : records,
      cells: () => NO_FINAL,
    });
    faultPoint('after_suspend');
  }

  /** The run leaves this process, done or waiting: one operation, and if it can, the only one of the run. */
  function end(run: RunBegin, ending: Ending): Promise<void> {
    const { run_id } = run;
    const known = open.get(run_id);
    const begun = known ? absorbBegin(known) : undefined;
    const lane = known?.lane ?? calmestLane();
    const waiter = new Waiter(() => {
      begun?.waiter?.resolve();
      if (known && open.get(run_id) === known) open.delete(run_id);
    });
    waiter.durable.catch((failure: JournalFailure) => {
      begun?.waiter?.reject(failure);
      // What could not be stored may be tried again with less; anything else is final.
      if (!(failure instanceof JournalUnavailable)) open.delete(run_id);
    });
    lane.push(
      known && !begun
        ? endOperation(run_id, { ending, known, waiter })
        : insertOperation(run, { ending, known, begun, waiter }),
      true,
    );
    return waiter.durable;
  }

  const hasRoom = () => counters.pending_bytes < MAX_PENDING_CHARACTERS && counters.pending < MAX_PENDING;

  function note(row: NoteRow): void {
    if (!hasRoom()) {
      counters.dropped_notes += 1;
      return;
    }
    const encoder = createValueEncoder();
    const cells = noteCells(row, { input: encoder.encode(row.input), outputs: encoder.encode(row.outputs) });
    const run = { run_id: row.run_id, workflow_id: row.workflow_id, idempotency_key: null };
    calmestLane().push(
      insertOf(run, {
        state: STATE.done,
        cells,
        blobs: encoder.takeBlobs(),
        steps: NO_ROWS,
        waits: NO_ROWS,
        waiter: undefined,
      }),
      true,
    );
  }

  /** A run that was claimed since it was last seen here begins a new life. */
  function reopen({ begin, attempt, intents, waits }: StoredRun): void {
    if (open.get(begin.run_id)?.attempt === attempt) return;
    open.set(begin.run_id, createOpenRun(calmestLane(), { attempt, intents, has_waits: waits.length > 0 }));
  }

  async function load(run_id: string): Promise<StoredRun | undefined> {
    return (await loadRun(options.sql, run_id))?.run;
  }

  async function takeUp(run_id: string): Promise<StoredRun | undefined> {
    const found = await loadRun(options.sql, run_id);
    if (found?.owner === options.worker_id && found.run.state === 'running') reopen(found.run);
    return found?.run;
  }

  return {
    begin,
    record,
    intend,
    barrier,
    finish,
    suspend,
    note,
    load,
    takeUp,
    forget(run_id) {
      open.delete(run_id);
      options.onForgotten?.(run_id);
    },
    holds: (run_id) => open.has(run_id),
    hasRoom,
    drain: async () => {
      await Promise.all(lanes.map((lane) => lane.idle()));
    },
    get stats() {
      return { ...counters };
    },
  };
}

interface Ending {
  readonly state: number;
  readonly status: string;
  readonly waits: readonly WaitRecord[];
  /** Facts that were not handed in before. */
  readonly records: readonly StepRecord[];
  /** The columns from `outputs` on. */
  cells(encoder: ValueEncoder, facts: readonly StepRecord[]): readonly Cell[];
}

const NO_ROWS: readonly (readonly Cell[])[] = [];
const NEW = { taken: false, absorbed: false } as const;

interface FirstEnding {
  readonly ending: Ending;
  readonly known: OpenRun | undefined;
  readonly begun: InsertOperation | undefined;
  readonly waiter: Waiter;
}

/** The end of a run that has no row yet: one inserted row says everything. Most runs pass here, so nothing is spread. */
function insertOperation(run: RunBegin, { ending, known, begun, waiter }: FirstEnding): InsertOperation {
  const { state } = ending;
  const encoder = known?.encoder ?? createValueEncoder();
  const facts = known ? absorbFacts(known).concat(ending.records) : ending.records;
  // A run that goes on later keeps its facts as rows; one that is over keeps them in its own.
  const later = state === STATE.waiting;
  const input = begun ? String(begun.cells[INPUT_CELL]) : encoder.encodeInput(run.input);
  const cells = beginCells(run, input, state, ending.status).concat(
    ending.cells(encoder, later ? [] : facts),
  );
  const steps = later ? facts.map((fact) => stepCells(run.run_id, fact, encoder)) : NO_ROWS;
  const waits = later ? ending.waits.map((wait) => waitCells(run.run_id, wait, encoder)) : NO_ROWS;
  const fresh = encoder.takeBlobs();
  const blobs = begun ? [...begun.blobs, ...fresh] : fresh;
  return insertOf(run, { state, cells, steps, waits, blobs, waiter });
}

interface LaterEnding {
  readonly ending: Ending;
  readonly known: OpenRun;
  readonly waiter: Waiter;
}

/** The end of a run that has a row. */
function endOperation(run_id: string, { ending, known, waiter }: LaterEnding): EndOperation {
  const pauses = ending.state === STATE.waiting;
  if (pauses) known.has_waits = true;
  const { encoder } = known;
  const facts = pauses ? [] : [...absorbFacts(known), ...ending.records];
  const cells = [run_id, ending.state, ending.status, ...ending.cells(encoder, facts)];
  const waits = ending.waits.map((wait) => waitCells(run_id, wait, encoder));
  const blobs = encoder.takeBlobs();
  const size = sizeOf(cells, blobs);
  const settles = known.has_waits;
  return { kind: 'end', run_id, cells, waits, blobs, size, pauses, settles, ...NEW, waiter };
}

/** Position of `input` in the cells of a run. */
const INPUT_CELL = 15;

interface InsertParts {
  readonly state: number;
  readonly steps: readonly (readonly Cell[])[];
  readonly cells: readonly Cell[];
  readonly blobs: readonly StoredBlob[];
  readonly waits: readonly (readonly Cell[])[];
  readonly waiter: Waiter | undefined;
}

type Identity = Pick<RunBegin, 'run_id' | 'workflow_id' | 'idempotency_key'>;

function insertOf(
  run: Identity,
  { state, steps, cells, blobs, waits, waiter }: InsertParts,
): InsertOperation {
  const { run_id, workflow_id, idempotency_key } = run;
  return {
    kind: 'insert',
    run_id,
    workflow_id,
    idempotency_key: idempotency_key === null ? null : plainText(idempotency_key),
    size: sizeOf(cells, blobs),
    state,
    steps,
    cells,
    blobs,
    waits,
    waiter,
    taken: false,
    absorbed: false,
  };
}

function waitCells(run_id: string, wait: WaitRecord, encoder: ValueEncoder): Cell[] {
  return [
    run_id,
    wait.node_id,
    wait.iteration,
    wait.kind,
    wait.token_hash,
    wait.due_at_ms,
    encoder.encode(wait.payload),
    wait.sequence,
    wait.attempt,
    wait.started_at_ms,
  ];
}
