import {
  DuplicateRun,
  type IntentRecord,
  type Journal,
  type NoteRow,
  OwnershipLost,
  type RunBegin,
  type StepRecord,
  type StoredFinal,
  type StoredRun,
  type WaitRecord,
} from '../journal/journal.ts';
import type { ClaimedRun, Ownership, QueuedRun } from '../ownership/ownership.ts';

interface Kept {
  begin: RunBegin;
  state: StoredRun['state'];
  attempt: number;
  cancel_requested: boolean;
  records: StepRecord[];
  intents: IntentRecord[];
  waits: StoredRun['waits'][number][];
  final: StoredFinal | null;
}

/** Journal and ownership in memory, for tests of what stands on them. Everything is durable at once. */
export interface MemoryJournal extends Journal {
  readonly runs: ReadonlyMap<string, Kept>;
  readonly notes: readonly NoteRow[];
  /** What a crash would leave: the run is queued again with what was handed in. */
  crash(run_id: string): void;
  openDescendants(root_run_id: string): number;
  readonly ownership: Ownership;
}

export function createMemoryJournal(): MemoryJournal {
  const runs = new Map<string, Kept>();
  const notes: NoteRow[] = [];
  const wakes = new Set<() => void>();
  const cancels = new Set<(run_id: string) => void>();

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

  function load(run_id: string): Promise<StoredRun | undefined> {
    const kept = runs.get(run_id);
    if (!kept) return Promise.resolve(undefined);
    const done = new Set(kept.records.map((record) => `${record.node_id} ${record.iteration}`));
    return Promise.resolve({
      ...structuredClone(kept),
      recovered: kept.attempt > 1,
      intents: kept.intents.filter((intent) => !done.has(`${intent.node_id} ${intent.iteration}`)),
    });
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
        const { run_id, workflow_id } = kept.begin;
        claimed.push({ run_id, workflow_id, attempt: kept.attempt, cancel_requested: kept.cancel_requested });
      }
      return Promise.resolve(claimed);
    },
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
    resume(run_id, { node_id, iteration, result }) {
      const kept = runs.get(run_id);
      const wait = kept?.waits.find((item) => item.node_id === node_id && item.iteration === iteration);
      if (!kept || !wait) return Promise.resolve('unknown');
      if (wait.decision) return Promise.resolve('decided');
      kept.waits = kept.waits.map((item) =>
        item === wait ? { ...item, decision: { result, decided_at_ms: Date.now() } } : item,
      );
      kept.state = 'queued';
      for (const wake of wakes) wake();
      return Promise.resolve('resumed');
    },
    stop: () => Promise.resolve(),
  };

  return {
    runs,
    notes,
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
      // As the real one: a run that was refused has nobody to record for.
      if (!kept) return;
      const isKnown = kept.records.some(
        (item) =>
          item.type === record.type &&
          item.node_id === record.node_id &&
          item.iteration === record.iteration &&
          item.attempt === record.attempt,
      );
      if (!isKnown) kept.records.push(structuredClone(record));
    },
    intend(run_id, intent) {
      const intents = runs.get(run_id)?.intents;
      if (!intents) return Promise.reject(new OwnershipLost(run_id));
      const earlier = intents.find(
        (item) => item.node_id === intent.node_id && item.iteration === intent.iteration,
      );
      intents.push(intent);
      return Promise.resolve(earlier ? { earlier } : {});
    },
    barrier: () => Promise.resolve(),
    async finish(run, { records, ...final }) {
      const kept = runs.get(run.run_id) ?? insert(run, 'running');
      if (records) kept.records = structuredClone([...records]);
      kept.final = structuredClone(final);
      kept.state = 'done';
    },
    async suspend(run, waits: readonly WaitRecord[], records: readonly StepRecord[] = []) {
      const kept = runs.get(run.run_id) ?? insert(run, 'running');
      kept.records.push(...structuredClone(records));
      kept.waits = [...waits];
      kept.state = 'waiting';
    },
    note: (row) => void notes.push(row),
    load,
    takeUp: load,
    forget: () => undefined,
    hasRoom: () => true,
    drain: () => Promise.resolve(),
    stats: { commits: 0, records: 0, retries: 0, dropped_notes: 0, pending: 0, pending_bytes: 0 },
  };
}
