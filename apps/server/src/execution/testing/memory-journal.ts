import type { SqlClient } from '../../database/sql-client.ts';
import type { Journal } from '../journal/journal.ts';
import { DuplicateRun, OwnershipLost } from '../model/errors.ts';
import type { ClaimedRun, QueuedRun } from '../model/queue.ts';
import type { RefusedCall, RunBegin, StoredFinal, StoredRun } from '../model/run.ts';
import type { IntentRecord, StampedRecord, StepRecord } from '../model/step.ts';
import { isOpenReview } from '../model/wait.ts';
import type { Ownership } from '../ownership/ownership.ts';

interface Kept {
  begin: RunBegin;
  state: StoredRun['state'];
  attempt: number;
  cancel_requested: boolean;
  records: StepRecord[];
  intents: IntentRecord[];
  /** Of former processes, without a known outcome. */
  unknown: readonly IntentRecord[];
  waits: StoredRun['waits'][number][];
  final: StoredFinal | null;
}

const getKey = (fact: StepRecord): string => {
  if (fact.type === 'step_finished') return fact.key;
  return fact.type === 'node_suspended' ? fact.suspension.key : '';
};

/** Journal and ownership in memory, for tests of what uses them. Everything is durable at once. */
export interface MemoryJournal extends Journal {
  readonly runs: ReadonlyMap<string, Kept>;
  readonly refusals: readonly RefusedCall[];
  /** Leaves what a crash would leave: the run is queued again with what was handed in. */
  crash(run_id: string): void;
  openDescendants(root_run_id: string): number;
  readonly ownership: Ownership;
}

/** As the database keeps it: only the texts of what is sealed. */
function copyRecord({ sealed, ...record }: StepRecord): StepRecord {
  const copy = structuredClone(record) as StepRecord;
  return sealed ? { ...copy, sealed: { text: sealed.text } } : copy;
}

const NO_SQL: SqlClient = { query: () => Promise.reject(new Error('there is no database in this test')) };

export function createMemoryJournal(): MemoryJournal {
  const runs = new Map<string, Kept>();
  const refusals: RefusedCall[] = [];
  const wakes = new Set<() => void>();
  const cancels = new Set<(run_id: string) => void>();
  const decisions = new Set<(run_id: string) => void>();

  function insert(begin: RunBegin, state: StoredRun['state']): Kept {
    for (const other of runs.values()) {
      const isSame = begin.idempotency_key !== null && other.begin.idempotency_key === begin.idempotency_key;
      if (isSame && other.begin.workflow_id === begin.workflow_id)
        throw new DuplicateRun(begin.run_id, other.begin.run_id);
    }
    const kept: Kept = {
      begin,
      state,
      attempt: state === 'queued' ? 0 : 1,
      cancel_requested: false,
      records: [],
      intents: [],
      unknown: [],
      waits: [],
      final: null,
    };
    runs.set(begin.run_id, kept);
    return kept;
  }

  function get(run_id: string): Kept {
    const kept = runs.get(run_id);
    if (!kept) throw new Error(`no run ${run_id}`);
    return kept;
  }

  function findUnresolved({ records, intents }: Kept): IntentRecord[] {
    const done = new Set(records.map((record) => `${record.node_id} ${record.iteration} ${getKey(record)}`));
    return intents.filter(({ node_id, iteration, key = '' }) => !done.has(`${node_id} ${iteration} ${key}`));
  }

  function load(run_id: string): Promise<StoredRun | undefined> {
    const kept = runs.get(run_id);
    if (!kept) return Promise.resolve(undefined);
    return Promise.resolve({
      ...structuredClone(kept),
      recovered: kept.attempt > 1,
      intents: findUnresolved(kept),
    });
  }

  function requeue(kept: Kept): void {
    if (kept.state === 'waiting') kept.state = 'queued';
    for (const wake of wakes) wake();
  }

  const ownership: Ownership = {
    worker_id: '00000000-0000-4000-8000-000000000000',
    start: () => Promise.resolve(),
    leaseIsSafe: () => true,
    onFenced: () => undefined,
    onCancel(receive) {
      cancels.add(receive);
      return () => cancels.delete(receive);
    },
    onWake(receive) {
      wakes.add(receive);
      return () => wakes.delete(receive);
    },
    claim(limit) {
      const claimed: ClaimedRun[] = [];
      for (const kept of runs.values()) {
        if (kept.state !== 'queued' || claimed.length >= limit) continue;
        kept.state = 'running';
        kept.attempt += 1;
        kept.unknown = findUnresolved(kept);
        const { run_id, workflow_id } = kept.begin;
        const { attempt, cancel_requested } = kept;
        claimed.push({ run_id, workflow_id, place_key: '', attempt, cancel_requested });
      }
      return Promise.resolve(claimed);
    },
    fire: () => Promise.resolve({ kind: 'lost' }),
    takePlace: () => Promise.resolve({ leave: () => Promise.resolve() }),
    placeLeft: () => Promise.resolve(),
    async enqueue(run: QueuedRun) {
      try {
        insert(run, 'queued');
      } catch (error) {
        if (!(error instanceof DuplicateRun)) throw error;
        return { kind: 'duplicate', existing_run_id: error.existing_run_id };
      }
      for (const wake of wakes) wake();
      return { kind: 'queued' };
    },
    enqueueAtEnd: (run) => ({
      write: {
        key: run.run_id,
        write: async () => {
          await ownership.enqueue(run);
        },
      },
      announce: () => undefined,
    }),
    release(run_ids) {
      for (const id of run_ids) get(id).state = 'queued';
      return Promise.resolve();
    },
    requestCancel(run_id) {
      const kept = runs.get(run_id);
      if (!kept) return Promise.resolve('unknown');
      if (kept.final) return Promise.resolve('finished');
      kept.cancel_requested = true;
      for (const receive of cancels) receive(run_id);
      return Promise.resolve('requested');
    },
    async cancelWithin(_tx, run_ids) {
      for (const run_id of run_ids) await ownership.requestCancel(run_id);
      return { announce: () => undefined };
    },
    resume(run_id, { node_id, iteration, key, decision, data }) {
      const kept = runs.get(run_id);
      const wait = kept?.waits.find(
        (item) => item.node_id === node_id && item.iteration === iteration && item.key === key,
      );
      if (!kept || !wait) return Promise.resolve('unknown');
      if (wait.decision) return Promise.resolve('decided');
      const decided = { decision, data, decided_at_ms: Date.now() };
      kept.waits = kept.waits.map((item) => (item === wait ? { ...item, decision: decided } : item));
      requeue(kept);
      for (const receive of decisions) receive(run_id);
      return Promise.resolve('resumed');
    },
    async resumeWithin(_tx, run_id, decision) {
      return { outcome: await ownership.resume(run_id, decision), announce: () => undefined };
    },
    findWait: () => Promise.resolve(undefined),
    onDecision(receive) {
      decisions.add(receive);
      return () => decisions.delete(receive);
    },
    onGivenUp: () => undefined,
    listDecisions: (run_id) =>
      Promise.resolve(
        (runs.get(run_id)?.waits ?? []).flatMap(({ node_id, iteration, key, decision }) =>
          decision ? [{ node_id, iteration, key, ...decision }] : [],
        ),
      ),
    decideByEnd(child_run_id) {
      if (runs.get(child_run_id)?.final === null) return Promise.resolve();
      const decision = { decision: 'ended', data: null, decided_at_ms: Date.now() };
      for (const kept of runs.values()) {
        const waits = kept.waits.map((wait) =>
          wait.child_run_id === child_run_id && !wait.decision ? { ...wait, decision } : wait,
        );
        const isDecided = waits.some((wait, at) => wait !== kept.waits[at]);
        kept.waits = waits;
        if (!isDecided) continue;
        requeue(kept);
        for (const receive of decisions) receive(kept.begin.run_id);
      }
      return Promise.resolve();
    },
    stop: () => Promise.resolve(),
  };

  return {
    runs,
    refusals,
    ownership,
    crash(run_id) {
      get(run_id).state = 'queued';
    },
    openDescendants: (root_run_id) =>
      [...runs.values()].filter(({ begin, final }) => begin.root_run_id === root_run_id && !final).length,
    begin(run) {
      try {
        insert(run, 'running');
        return { durable: Promise.resolve() };
      } catch (error) {
        return { durable: Promise.reject(error instanceof Error ? error : new Error(String(error))) };
      }
    },
    record(run_id, record) {
      const kept = runs.get(run_id);
      // Like the real one: for a run that was refused there is nothing to record.
      if (!kept) return;
      const isKnown = kept.records.some(
        (item) =>
          item.type === record.type &&
          item.node_id === record.node_id &&
          item.iteration === record.iteration &&
          item.attempt === record.attempt &&
          getKey(item) === getKey(record),
      );
      if (!isKnown) kept.records.push(copyRecord(record));
    },
    intend(run_id, intent) {
      const kept = runs.get(run_id);
      if (!kept) return Promise.reject(new OwnershipLost(run_id));
      const earlier = kept.unknown.find(
        (item) =>
          item.node_id === intent.node_id && item.iteration === intent.iteration && item.key === intent.key,
      );
      kept.intents.push(intent);
      return Promise.resolve(earlier ? { earlier } : {});
    },
    barrier: () => Promise.resolve(),
    async finish(run, { records, writes, ...final }) {
      const kept = runs.get(run.run_id) ?? insert(run, 'running');
      for (const { write } of writes ?? []) await write(NO_SQL);
      if (records) kept.records = records.map(copyRecord);
      kept.final = structuredClone(final);
      kept.state = 'done';
    },
    wait(run_id, wait) {
      const kept = get(run_id);
      const isKnown = kept.waits.some(
        (item) => item.node_id === wait.node_id && item.iteration === wait.iteration && item.key === wait.key,
      );
      if (!isKnown) kept.waits = [...kept.waits, structuredClone(wait)];
      return Promise.resolve();
    },
    suspend(run_id, open) {
      const kept = get(run_id);
      const isReady = open.some(({ node_id, iteration, key }) =>
        kept.waits.some(
          (wait) =>
            wait.decision && wait.node_id === node_id && wait.iteration === iteration && wait.key === key,
        ),
      );
      kept.state = isReady || kept.cancel_requested ? 'queued' : 'waiting';
      return Promise.resolve();
    },
    recordRefusal: (row) => void refusals.push(row),
    look(run_id, until) {
      const kept = runs.get(run_id);
      const leads = ({ answers_early }: StampedRecord) =>
        until === 'moved' || (until === 'answered' && answers_early === true);
      const pauses = kept?.state === 'waiting' && (until !== 'reviewed' || kept.waits.some(isOpenReview));
      return Promise.resolve(
        kept && { rests: pauses || kept.state === 'done', facts: kept.records.filter(leads).length },
      );
    },
    load,
    loadOwned: load,
    withdraw: (run_id, intent) => {
      const kept = runs.get(run_id);
      if (kept) kept.intents = kept.intents.filter((item) => item !== intent);
    },
    abandon: () => undefined,
    hasRoom: () => true,
    drain: () => Promise.resolve(),
    stats: {
      commits: 0,
      records: 0,
      retries: 0,
      refused: 0,
      commit_ms: 0,
      is_stalled: false,
      dropped_refusals: 0,
      pending: 0,
      pending_bytes: 0,
    },
  };
}
