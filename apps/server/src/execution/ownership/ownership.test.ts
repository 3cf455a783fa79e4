import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createMemoryBroadcast } from '../../adapters/memory/broadcast.ts';
import { newId } from '../../core/ids.ts';
import type { Database } from '../../database/database.ts';
import {
  describeOnBoth,
  describeOnPostgres,
  openPostgresForTest,
  silent,
} from '../journal/testing/databases.ts';
import {
  pauseRun,
  sampleDecision,
  sampleFinal,
  sampleIntent,
  sampleRun,
  sampleStep,
  sampleWait,
} from '../journal/testing/samples.ts';
import { Fenced } from '../model/errors.ts';
import type { RunBegin } from '../model/run.ts';
import { type Durability, exitWhenFenced, openDurability } from './open-durability.ts';

interface RunRow {
  readonly ready_at: Date | null;
  state: number;
  status: string;
  owner: string | null;
  attempt: number;
  takeovers: number;
  recovered: boolean;
  virtual_time: string;
  outputs: string | null;
}

async function loadRow(database: Database, run_id: string): Promise<RunRow> {
  const { rows } = await database.sql.query<RunRow>({
    text: 'SELECT * FROM runs WHERE id = $1',
    values: [run_id],
  });
  const [row] = rows;
  if (!row) throw new Error(`no run ${run_id}`);
  return row;
}

/** Leaves the worker's rows as a process does that was killed a while ago. */
async function killWorker(database: Database, { ownership }: Durability): Promise<void> {
  await database.sql.query({
    text: `UPDATE workers SET lease_until = now() - interval '1 second' WHERE id = $1`,
    values: [ownership.worker_id],
  });
}

/** As the machine ends a run that is executed when it is cancelled. */
const CANCELLED = JSON.stringify({ error: 'The run was cancelled' });

const emptied = async (database: Database) => {
  for (const table of ['runs', 'steps', 'waits', 'workers', 'job_slots'])
    await database.sql.query({ text: `DELETE FROM ${table}` });
};

describeOnBoth('ownership', (kind) => {
  let database: Database;
  let broadcast: ReturnType<typeof createMemoryBroadcast>;
  const opened: Durability[] = [];
  beforeAll(async () => {
    database = await kind.open();
  });
  afterAll(() => database.close());
  beforeEach(async () => {
    for (const { ownership } of opened.splice(0)) await ownership.stop().catch(() => undefined);
    await emptied(database);
    broadcast = createMemoryBroadcast();
  });

  /** A process. Registered only, so that tests decide when anything is swept. */
  async function openWorker(): Promise<Durability> {
    const durability = openDurability({ database, broadcast, log: silent, lease_ms: 60_000 });
    await database.sql.query({
      text: `INSERT INTO workers (id, host, lease_until, engine_version) VALUES ($1, 'test', now() + interval '1 minute', 1)`,
      values: [durability.ownership.worker_id],
    });
    return durability;
  }

  /** A process that looks after what others left. */
  async function startWorker({ sweep_ms = 100 } = {}): Promise<Durability> {
    const durability = openDurability({ database, broadcast, log: silent, lease_ms: 60_000, sweep_ms });
    await durability.ownership.start();
    opened.push(durability);
    return durability;
  }

  test('a queued run is claimed once and its attempt is counted before it starts', async () => {
    const [first, second] = [await openWorker(), await openWorker()];
    const run = sampleRun({ input: { big: 'x'.repeat(50_000) } });
    expect(await first.ownership.enqueue(run)).toEqual({ kind: 'queued' });
    const claims = await Promise.all([first.ownership.claim(10), second.ownership.claim(10)]);
    expect(claims.flat()).toEqual([
      {
        run_id: run.run_id,
        workflow_id: run.workflow_id,
        place_key: '',
        attempt: 1,
        cancel_requested: false,
      },
    ]);
    expect((await first.journal.load(run.run_id))?.begin).toEqual(run);
  });

  test('a second run with an idempotency key names the first', async () => {
    const { ownership } = await openWorker();
    const run = sampleRun({ idempotency_key: 'key' });
    await ownership.enqueue(run);
    expect(
      await ownership.enqueue({ ...sampleRun(), workflow_id: run.workflow_id, idempotency_key: 'key' }),
    ).toEqual({
      kind: 'duplicate',
      existing_run_id: run.run_id,
    });
    expect(await ownership.enqueue(run)).toEqual({ kind: 'queued' });
  });

  test('a workflow with many queued runs does not delay the single run of another', async () => {
    const { ownership } = await openWorker();
    const noisy = newId();
    for (let at = 0; at < 20; at++) await ownership.enqueue(sampleRun({ workflow_id: noisy }));
    await ownership.claim(3);
    const quiet = sampleRun();
    await ownership.enqueue(quiet);
    const [next] = await ownership.claim(2);
    expect([next?.workflow_id, (await ownership.claim(1))[0]?.workflow_id]).toContain(noisy);
    expect((await loadRow(database, quiet.run_id)).state).toBe(1);
  });

  test('smaller priority goes first, later runs wait for their time, busy workflows stay queued', async () => {
    const { ownership } = await openWorker();
    const ordinary = sampleRun();
    const urgent = sampleRun();
    const busy = sampleRun();
    await ownership.enqueue(ordinary);
    await ownership.enqueue({ ...urgent, priority: -1 });
    await ownership.enqueue({ ...sampleRun(), ready_at_ms: Date.now() + 60_000 });
    await ownership.enqueue(busy);
    const claimed = await ownership.claim(10, [busy.workflow_id]);
    expect(claimed.map(({ run_id }) => run_id)).toEqual([urgent.run_id, ordinary.run_id]);
  });

  test('a run that a newer engine began stays queued', async () => {
    const { ownership } = await openWorker();
    const run = sampleRun();
    await ownership.enqueue(run);
    await database.sql.query({
      text: 'UPDATE runs SET engine_version = 99 WHERE id = $1',
      values: [run.run_id],
    });
    expect(await ownership.claim(10)).toEqual([]);
  });

  test('runs of a lost process are queued again at their original position and continue after their last fact', async () => {
    const lost = await openWorker();
    const run = sampleRun();
    await lost.ownership.enqueue(run);
    const { virtual_time } = await loadRow(database, run.run_id);
    await lost.ownership.claim(1);
    await lost.journal.loadOwned(run.run_id);
    lost.journal.record(run.run_id, sampleStep(1));
    await lost.journal.intend(run.run_id, sampleIntent());
    await killWorker(database, lost);

    const rescuer = await startWorker();
    expect(await loadRow(database, run.run_id)).toMatchObject({
      state: 0,
      owner: null,
      recovered: true,
      virtual_time,
    });
    expect(await rescuer.ownership.claim(1)).toMatchObject([{ run_id: run.run_id, attempt: 2 }]);
    expect(await rescuer.journal.load(run.run_id)).toMatchObject({
      recovered: true,
      records: [sampleStep(1)],
      intents: [sampleIntent()],
    });
  });

  test('a run that keeps losing its process is given up after three takeovers, with its input kept', async () => {
    const run = sampleRun();
    await (await openWorker()).ownership.enqueue(run);
    for (let takeover = 1; takeover <= 3; takeover++) {
      const victim = await openWorker();
      expect(await victim.ownership.claim(1)).toHaveLength(1);
      await killWorker(database, victim);
      await startWorker();
    }
    const { journal, ownership } = await openWorker();
    expect(await ownership.claim(1)).toEqual([]);
    expect(await journal.load(run.run_id)).toMatchObject({
      state: 'done',
      begin: { input: run.input },
      final: {
        status: 'error',
        outputs: { reason: 'worker_lost' },
        failure: { details: { reason: 'worker_lost' } },
      },
    });
  });

  test('a run that gets on is given up after five takeovers in all', { timeout: 60_000 }, async () => {
    const run = sampleRun();
    await (await openWorker()).ownership.enqueue(run);
    const states: number[] = [];
    for (let takeover = 1; takeover <= 5; takeover++) {
      const victim = await openWorker();
      await victim.ownership.claim(1);
      await victim.journal.loadOwned(run.run_id);
      victim.journal.record(run.run_id, sampleStep(takeover));
      await victim.journal.drain();
      await killWorker(database, victim);
      await startWorker();
      states.push((await loadRow(database, run.run_id)).state);
    }
    expect(states).toEqual([0, 0, 0, 0, 3]);
  });

  test('giving runs back is not held against them', async () => {
    const { ownership } = await openWorker();
    const run = sampleRun();
    await ownership.enqueue(run);
    for (let times = 0; times < 6; times++) {
      expect(await ownership.claim(1)).toHaveLength(1);
      await ownership.release([run.run_id], 'handed_over');
    }
    expect(await loadRow(database, run.run_id)).toMatchObject({ state: 0, owner: null, takeovers: 0 });
  });

  async function claimAndGiveBack(run_id: string, worker: Durability, fact?: number) {
    // Passes the pause before the next claim.
    await database.sql.query({ text: 'UPDATE runs SET ready_at = NULL WHERE id = $1', values: [run_id] });
    await worker.ownership.claim(1);
    await worker.journal.loadOwned(run_id);
    if (fact !== undefined) worker.journal.record(run_id, sampleStep(fact));
    await worker.journal.drain();
    await worker.ownership.release([run_id], 'failed');
    return loadRow(database, run_id);
  }

  test('a run that is claimed and given back ten times without a new fact is given up', async () => {
    const worker = await openWorker();
    const run = sampleRun();
    await worker.ownership.enqueue(run);
    for (let times = 1; times <= 9; times++)
      expect(await claimAndGiveBack(run.run_id, worker)).toMatchObject({ state: 0, releases: times });
    expect((await loadRow(database, run.run_id)).ready_at).not.toBeNull();
    expect(await claimAndGiveBack(run.run_id, worker)).toMatchObject({ state: 3, status: 'error' });
    expect(await worker.journal.load(run.run_id)).toMatchObject({
      begin: { input: run.input },
      final: { failure: { details: { reason: 'no_progress' } } },
    });
  });

  test('a run that gets further between may be given back more often', async () => {
    const worker = await openWorker();
    const run = sampleRun();
    await worker.ownership.enqueue(run);
    for (let times = 1; times <= 12; times++)
      expect(await claimAndGiveBack(run.run_id, worker, times)).toMatchObject({ state: 0, releases: 0 });
  });

  test('a process that stops gives everything back and is gone', async () => {
    const worker = await startWorker();
    const run = sampleRun();
    await worker.ownership.enqueue(run);
    await worker.ownership.claim(1);
    await worker.ownership.stop();
    expect(await loadRow(database, run.run_id)).toMatchObject({ state: 0, owner: null });
    expect(await worker.ownership.claim(1)).toEqual([]);
  });

  test('a runner that writes after its process has left writes nothing, and that is not reported as a lost lease', async () => {
    const { ownership, journal } = await startWorker();
    const fenced = vi.fn<() => void>();
    ownership.onFenced(fenced);
    const run = sampleRun();
    await journal.begin(run).durable;
    await ownership.stop();
    journal.record(run.run_id, sampleStep(1));
    await expect(journal.barrier(run.run_id)).rejects.toBeInstanceOf(Fenced);
    expect(fenced).not.toHaveBeenCalled();
    expect((await journal.load(run.run_id))?.records).toEqual([]);
  });

  const openWaits = async (run_id: string) => {
    const text = 'SELECT count(*)::int AS open FROM waits WHERE run_id = $1 AND NOT applied';
    return (await database.sql.query<{ open: number }>({ text, values: [run_id] })).rows[0]?.open;
  };

  test('cancelling ends queued and waiting runs at once, with their children, and tells running ones', async () => {
    const { ownership, journal } = await startWorker();
    const told: string[] = [];
    ownership.onCancel((run_id) => told.push(run_id));
    const parent = sampleRun();
    const queued = sampleRun({ parent_run_id: parent.run_id, depth: 1 });
    const waiting = sampleRun({ parent_run_id: queued.run_id, depth: 2 });
    const stranger = sampleRun();
    await journal.begin(parent).durable;
    await ownership.enqueue(queued);
    await ownership.enqueue(stranger);
    await pauseRun(journal, waiting, [sampleWait()]);

    expect(await ownership.requestCancel(parent.run_id)).toBe('requested');
    expect(told).toEqual([parent.run_id]);
    expect(await loadRow(database, parent.run_id)).toMatchObject({ state: 1 });
    for (const { run_id } of [queued, waiting])
      expect(await loadRow(database, run_id)).toMatchObject({
        state: 3,
        status: 'cancelled',
        outputs: CANCELLED,
      });
    expect(await loadRow(database, stranger.run_id)).toMatchObject({ state: 0 });
    expect(await ownership.enqueue(sampleRun({ parent_run_id: parent.run_id }))).toEqual({
      kind: 'cancelled',
    });

    await journal.finish(parent, sampleFinal({ status: 'cancelled' }));
    expect(await ownership.requestCancel(parent.run_id)).toBe('finished');
    expect(await ownership.requestCancel(newId())).toBe('unknown');
    expect(await ownership.resume(waiting.run_id, sampleDecision({ node_id: 'review', data: 1 }))).toBe(
      'decided',
    );
  });

  /** A run in no memory that waits for the end of another one. */
  async function pauseForChild({ journal }: Durability): Promise<{ parent: RunBegin; child: RunBegin }> {
    const parent = sampleRun();
    const child = sampleRun({ parent_run_id: parent.run_id, depth: 1 });
    const wait = sampleWait({ kind: 'child', decisions: ['ended'], child_run_id: child.run_id });
    await pauseRun(journal, parent, [wait]);
    return { parent, child };
  }
  const untilQueued = (run_id: string) =>
    vi.waitFor(async () => expect(await loadRow(database, run_id)).toMatchObject({ state: 0 }), {
      timeout: 5_000,
      interval: 50,
    });

  test('a process that starts continues runs whose sub-workflow ended right before its process was lost', async () => {
    const lost = await openWorker();
    const { parent, child } = await pauseForChild(lost);
    await lost.journal.begin(child).durable;
    await lost.journal.finish(child, sampleFinal());
    await killWorker(database, lost);
    // Slow enough that only the first sweep can be meant.
    await startWorker({ sweep_ms: 500 });
    await untilQueued(parent.run_id);
  });

  test('the end of a sub-workflow is found by whichever comes second, the end or the wait for it', async () => {
    const worker = await startWorker({ sweep_ms: 60_000 });
    const { journal, ownership } = worker;
    const { parent, child } = await pauseForChild(worker);
    const decided: string[] = [];
    ownership.onDecision((run_id) => decided.push(run_id));
    await journal.begin(child).durable;
    await ownership.decideByEnd(child.run_id);
    expect(await ownership.listDecisions(parent.run_id)).toEqual([]);
    await journal.finish(child, sampleFinal());
    await ownership.decideByEnd(child.run_id);
    expect(await ownership.listDecisions(parent.run_id)).toMatchObject([{ decision: 'ended' }]);
    expect(await loadRow(database, parent.run_id)).toMatchObject({ state: 0 });
    expect(decided).toContain(parent.run_id);
  });

  test('a sub-workflow whose parent run ended right before its process was lost is cancelled', async () => {
    const lost = await openWorker();
    const parent = sampleRun();
    const below = { parent_run_id: parent.run_id, root_run_id: parent.run_id, depth: 1 };
    const waiting = sampleRun(below);
    const error_run = sampleRun({ ...below, idempotency_key: `error:${parent.run_id}` });
    await lost.journal.begin(parent).durable;
    await pauseRun(lost.journal, waiting, [sampleWait()]);
    await lost.ownership.enqueue(error_run);
    await lost.journal.finish(parent, sampleFinal());
    await killWorker(database, lost);
    await startWorker({ sweep_ms: 500 });
    await vi.waitFor(
      async () =>
        expect(await loadRow(database, waiting.run_id)).toMatchObject({ state: 3, status: 'cancelled' }),
      { timeout: 5_000, interval: 50 },
    );
    expect(await loadRow(database, error_run.run_id)).toMatchObject({ state: 0 });
  });

  test('a run continues when the sub-workflow that it waits for is cancelled', async () => {
    const worker = await startWorker();
    const { parent, child } = await pauseForChild(worker);
    await worker.ownership.enqueue(child);
    expect(await worker.ownership.requestCancel(child.run_id)).toBe('requested');
    expect(await worker.ownership.listDecisions(parent.run_id)).toMatchObject([{ decision: 'ended' }]);
    await untilQueued(parent.run_id);
  });

  test('a run continues when the sub-workflow that it waits for is given up', async () => {
    const lost = await openWorker();
    const { parent, child } = await pauseForChild(lost);
    await lost.journal.begin(child).durable;
    await database.sql.query({ text: 'UPDATE runs SET takeovers = 4 WHERE id = $1', values: [child.run_id] });
    await killWorker(database, lost);
    const { ownership } = await startWorker();
    expect(await loadRow(database, child.run_id)).toMatchObject({ state: 3, status: 'error' });
    expect(await ownership.listDecisions(parent.run_id)).toMatchObject([{ decision: 'ended' }]);
    await untilQueued(parent.run_id);
  });

  test('cancelling reaches runs that were started without waiting when asked, on every level', async () => {
    const { ownership } = await openWorker();
    const top = sampleRun();
    const child = sampleRun({ root_run_id: top.run_id, idempotency_key: `${top.run_id}:call:` });
    const below = sampleRun({ root_run_id: top.run_id, idempotency_key: `${child.run_id}:call:0` });
    const sibling = sampleRun({ root_run_id: top.run_id, idempotency_key: `${newId()}:call:` });
    for (const run of [top, child, below, sibling]) await ownership.enqueue(run);
    const states = async () =>
      Promise.all(
        [top, child, below, sibling].map(async (run) => (await loadRow(database, run.run_id)).state),
      );

    expect(await ownership.requestCancel(child.run_id, { include_dispatched: true })).toBe('requested');
    expect(await states()).toEqual([0, 3, 3, 0]);
    expect(await ownership.requestCancel(top.run_id)).toBe('requested');
    expect(await states()).toEqual([3, 3, 3, 0]);
  });

  test('a lost hint to cancel is made up for', async () => {
    const { ownership, journal } = await startWorker();
    const told = vi.fn<(run_id: string) => void>();
    ownership.onCancel(told);
    const run = sampleRun();
    await journal.begin(run).durable;
    await database.sql.query({
      text: 'UPDATE runs SET cancel_requested_at = now() WHERE id = $1',
      values: [run.run_id],
    });
    await vi.waitFor(() => expect(told).toHaveBeenCalledWith(run.run_id), { timeout: 5_000 });
  });

  test('a run that should end ends as cancelled when its process is lost, and waits for nothing any more', async () => {
    const lost = await openWorker();
    const run = sampleRun();
    await lost.journal.begin(run).durable;
    await lost.journal.wait(run.run_id, sampleWait());
    await lost.ownership.requestCancel(run.run_id);
    await killWorker(database, lost);
    await startWorker();
    expect(await loadRow(database, run.run_id)).toMatchObject({ state: 3, status: 'cancelled' });
    expect(await openWaits(run.run_id)).toBe(0);
  });

  test('a run that should end is not left waiting where that is asked in the moment when it leaves memory', async () => {
    const { ownership, journal } = await openWorker();
    const run = sampleRun();
    journal.begin(run);
    await journal.wait(run.run_id, sampleWait());
    await ownership.requestCancel(run.run_id);
    // Its process had not heard of it.
    await journal.suspend(run.run_id, [sampleWait()]);
    expect(await loadRow(database, run.run_id)).toMatchObject({ state: 0, status: 'running', owner: null });
    expect(await ownership.claim(1)).toMatchObject([{ run_id: run.run_id, cancel_requested: true }]);
    await journal.loadOwned(run.run_id);
    await journal.finish(run, sampleFinal({ status: 'cancelled' }));
    expect(await loadRow(database, run.run_id)).toMatchObject({ state: 3, status: 'cancelled' });
    expect(await openWaits(run.run_id)).toBe(0);
  });

  test('of many decisions one wins, and the run continues with it', async () => {
    const { ownership, journal } = await openWorker();
    const run = sampleRun();
    await pauseRun(journal, run, [sampleWait()], [sampleStep(1)]);
    const decide = (at: number) =>
      ownership.resume(run.run_id, sampleDecision({ node_id: 'review', data: { at } }));
    const outcomes = await Promise.all(Array.from({ length: 8 }, (_, at) => decide(at)));
    expect(outcomes.filter((outcome) => outcome === 'resumed')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 'decided')).toHaveLength(7);
    expect(await ownership.claim(1)).toMatchObject([{ run_id: run.run_id }]);
    const stored = await journal.load(run.run_id);
    expect(stored?.waits[0]?.decision?.data).toEqual({ at: outcomes.indexOf('resumed') });
    expect(await ownership.resume(run.run_id, sampleDecision({ node_id: 'unknown', data: null }))).toBe(
      'unknown',
    );
  });

  test('a pause with a due time ends by itself', async () => {
    const { ownership, journal } = await startWorker();
    const run = sampleRun();
    await pauseRun(journal, run, [sampleWait({ kind: 'timer', due_at_ms: Date.now() + 50 })]);
    await vi.waitFor(async () => expect((await loadRow(database, run.run_id)).state).toBe(0), {
      timeout: 5_000,
    });
    await ownership.claim(1);
    expect((await journal.load(run.run_id))?.waits[0]?.decision).toMatchObject({
      decision: 'timed_out',
      data: null,
    });
  });

  test('a decision that came while the run was busy elsewhere is not lost when it pauses again', async () => {
    const { ownership, journal } = await startWorker();
    const run = sampleRun();
    const [first, second] = [
      sampleWait({ node_id: 'a', sequence: 1 }),
      sampleWait({ node_id: 'b', sequence: 2 }),
    ];
    await pauseRun(journal, run, [first, second]);
    await ownership.resume(run.run_id, sampleDecision({ node_id: 'a', data: 1 }));
    await ownership.claim(1);
    await journal.loadOwned(run.run_id);
    expect(await ownership.resume(run.run_id, sampleDecision({ node_id: 'b', data: 2 }))).toBe('resumed');
    await journal.suspend(run.run_id, [second]);
    await vi.waitFor(async () => expect((await loadRow(database, run.run_id)).state).toBe(0), {
      timeout: 5_000,
    });
  });

  test('a run that pauses without news waits, also when an earlier pause of it was decided', async () => {
    const { ownership, journal } = await startWorker();
    const run = sampleRun();
    await pauseRun(journal, run, [sampleWait({ node_id: 'a', sequence: 1 })]);
    await ownership.resume(run.run_id, sampleDecision({ node_id: 'a', data: 1 }));
    await ownership.claim(1);
    await journal.loadOwned(run.run_id);
    const later = sampleWait({ node_id: 'b', sequence: 4 });
    await journal.wait(run.run_id, later);
    await journal.suspend(run.run_id, [later]);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await loadRow(database, run.run_id)).toMatchObject({ state: 2 });
  });

  test('a run whose runner gave up goes back to the queue', async () => {
    const { ownership, journal } = await startWorker();
    const run = sampleRun();
    await journal.begin(run).durable;
    journal.abandon(run.run_id, 'failed');
    await vi.waitFor(async () => expect((await loadRow(database, run.run_id)).state).toBe(0), {
      timeout: 15_000,
    });
    expect(await ownership.claim(1)).toMatchObject([{ run_id: run.run_id, attempt: 2 }]);
  });

  test('also one that was claimed a moment ago, and one that is being read meanwhile', async () => {
    const { ownership, journal } = await startWorker();
    const run = sampleRun();
    await ownership.enqueue(run);
    await ownership.claim(1);
    await journal.loadOwned(run.run_id);
    journal.abandon(run.run_id, 'failed');
    // As a caller does that waits for the response of the run.
    expect((await journal.load(run.run_id))?.state).toBe('running');
    await vi.waitFor(async () => expect((await loadRow(database, run.run_id)).state).toBe(0), {
      timeout: 5_000,
    });
  });
});

describeOnPostgres('lease', () => {
  let database: Database;
  beforeAll(async () => {
    ({ database } = await openPostgresForTest());
  });
  afterAll(() => database.close());

  const start = async (lease_ms: number) => {
    const durability = openDurability({
      database,
      broadcast: createMemoryBroadcast(),
      log: silent,
      lease_ms,
    });
    await durability.ownership.start();
    return durability;
  };

  test('is renewed while the process lives', async () => {
    const worker = await start(1_000);
    const watcher = await start(1_000);
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect([worker.ownership.leaseIsSafe(), watcher.ownership.leaseIsSafe()]).toEqual([true, true]);
    await Promise.all([worker.ownership.stop(), watcher.ownership.stop()]);
  });

  test('is not renewed while the event loop is stuck; the process is fenced and ends', async () => {
    const stuck = await start(1_000);
    const exit = vi.fn<(status: number) => void>();
    exitWhenFenced(stuck.ownership, silent, exit);
    const until = performance.now() + 2_500;
    while (performance.now() < until) JSON.stringify({ busy: true });
    expect(stuck.ownership.leaseIsSafe()).toBe(false);
    const rescuer = await start(1_000);
    await vi.waitFor(() => expect(exit).toHaveBeenCalledExactlyOnceWith(75), { timeout: 5_000 });
    await rescuer.ownership.stop();
    await stuck.ownership.stop();
  });

  test('of a process that another declared dead is gone: the process is told and cannot claim', async () => {
    const worker = await start(1_000);
    const fenced = vi.fn<() => void>();
    worker.ownership.onFenced(fenced);
    await worker.ownership.enqueue(sampleRun());
    await database.sql.query({
      text: 'UPDATE workers SET alive = false WHERE id = $1',
      values: [worker.ownership.worker_id],
    });
    expect(await worker.ownership.claim(1)).toEqual([]);
    await vi.waitFor(() => expect(fenced).toHaveBeenCalledOnce(), { timeout: 10_000 });
    expect(worker.ownership.leaseIsSafe()).toBe(false);
    await worker.ownership.stop();
  });
});
