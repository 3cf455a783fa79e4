import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { newId } from '../../core/ids.ts';
import type { Database } from '../../database/database.ts';
import { DuplicateRun, Fenced, OwnershipLost, RecordRefused } from '../model/errors.ts';
import { createJournal, type JournalOptions } from './create-journal.ts';
import { addWorkflows } from './testing/add-workflows.ts';
import { describeOnBoth, silent } from './testing/databases.ts';
import {
  addWorker,
  pauseRun,
  sampleFinal,
  sampleIntent,
  sampleRun,
  sampleStep,
  sampleWait,
} from './testing/samples.ts';

describeOnBoth('journal', (kind) => {
  let database: Database;
  beforeAll(async () => {
    database = await kind.open();
  });
  afterAll(() => database.close());

  async function openJournal(options: Partial<JournalOptions> = {}) {
    const worker_id = await addWorker(database.sql);
    const onFenced = vi.fn<() => void>();
    const journal = createJournal({ sql: database.journal, worker_id, log: silent, onFenced, ...options });
    return { worker_id, journal, onFenced };
  }

  async function loadRows(table: 'runs' | 'steps' | 'waits', run_id: string) {
    const key = table === 'runs' ? 'id' : 'run_id';
    const { rows } = await database.sql.query({
      text: `SELECT * FROM ${table} WHERE ${key} = $1`,
      values: [run_id],
    });
    return rows;
  }

  test('a run that was never begun is one row with everything in it', async () => {
    const { journal } = await openJournal();
    const run = sampleRun({ options: { test_run: true } });
    await journal.finish(run, sampleFinal({ records: [sampleStep(1), sampleStep(2)] }));
    expect(await loadRows('steps', run.run_id)).toEqual([]);
    expect(await journal.load(run.run_id)).toEqual({
      begin: run,
      state: 'done',
      attempt: 1,
      recovered: false,
      cancel_requested: false,
      records: [sampleStep(1), sampleStep(2)],
      intents: [],
      waits: [],
      final: {
        status: 'success',
        outputs: { Output: 'done' },
        shape: 'labels',
        execution_time_ms: 12,
      },
    });
    expect(journal.stats.commits).toBe(1);
  });

  test('runs that finish together share a commit', async () => {
    const { journal } = await openJournal();
    await Promise.all(Array.from({ length: 50 }, () => journal.finish(sampleRun(), sampleFinal())));
    expect(journal.stats.commits).toBe(1);
    expect(journal.stats.records).toBe(50);
  });

  test('a run that ends before its accept record was sent is still one row', async () => {
    const { journal } = await openJournal();
    const run = sampleRun();
    const { durable } = journal.begin(run);
    journal.record(run.run_id, sampleStep(1));
    await journal.finish(run, sampleFinal());
    await durable;
    expect(journal.stats).toMatchObject({ commits: 1, pending: 0, pending_bytes: 0 });
    expect((await journal.load(run.run_id))?.records).toEqual([sampleStep(1)]);
  });

  test('a run that ends while its accept record and an intent are still queued is stored as ended', async () => {
    const { journal } = await openJournal();
    const run = sampleRun();
    journal.begin(run);
    const intended = journal.intend(run.run_id, sampleIntent());
    journal.record(run.run_id, sampleStep(1));
    await journal.finish(run, sampleFinal());
    await intended;
    expect(await journal.load(run.run_id)).toMatchObject({ state: 'done', final: { status: 'success' } });
  });

  test('a run that ends while its early answer is still queued is stored as ended', async () => {
    const { journal } = await openJournal();
    const run = sampleRun();
    journal.begin(run);
    await Promise.all([journal.barrier(run.run_id), journal.finish(run, sampleFinal())]);
    expect(await journal.load(run.run_id)).toMatchObject({ state: 'done' });
  });

  test('a run that pauses while its accept record and an intent are still queued is stored as waiting', async () => {
    const { journal } = await openJournal();
    const run = sampleRun();
    journal.begin(run);
    const intended = journal.intend(run.run_id, sampleIntent());
    const waits = journal.wait(run.run_id, sampleWait());
    await Promise.all([intended, waits, journal.suspend(run.run_id, [sampleWait()])]);
    expect(await journal.load(run.run_id)).toMatchObject({ state: 'waiting', waits: [{}] });
  });

  test('an intent makes everything before it durable', async () => {
    const { journal } = await openJournal();
    const run = sampleRun();
    journal.begin(run);
    journal.record(run.run_id, sampleStep(1));
    expect(await journal.intend(run.run_id, sampleIntent())).toEqual({});
    expect(await journal.load(run.run_id)).toMatchObject({
      state: 'running',
      records: [sampleStep(1)],
      intents: [sampleIntent()],
    });
  });

  test('the result of an effect is written without waiting for anything else', async () => {
    const { journal } = await openJournal();
    const run = sampleRun();
    journal.begin(run);
    await journal.intend(run.run_id, sampleIntent());
    journal.record(run.run_id, sampleStep(1, { node_id: 'call' }));
    await vi.waitFor(async () => expect((await journal.load(run.run_id))?.intents).toEqual([]), {
      interval: 5,
      timeout: 10_000,
    });
  });

  test('a fact that no caller waits for is written soon', async () => {
    const { journal } = await openJournal();
    const run = sampleRun();
    await journal.begin(run).durable;
    journal.record(run.run_id, sampleStep(1));
    await vi.waitFor(async () => expect(await loadRows('steps', run.run_id)).toHaveLength(1), {
      timeout: 10_000,
    });
  });

  test('a process that resumes a run learns of effects whose outcome is unknown', async () => {
    const first = await openJournal();
    const run = sampleRun();
    first.journal.begin(run);
    await first.journal.intend(run.run_id, sampleIntent());
    await first.journal.intend(run.run_id, sampleIntent({ node_id: 'known' }));
    first.journal.record(run.run_id, sampleStep(1, { node_id: 'known' }));
    await first.journal.drain();

    const second = await openJournal();
    await database.sql.query({
      text: 'UPDATE runs SET owner = $2, attempt = 2 WHERE id = $1',
      values: [run.run_id, second.worker_id],
    });
    await second.journal.loadOwned(run.run_id);
    expect(await second.journal.intend(run.run_id, sampleIntent())).toEqual({ earlier: sampleIntent() });
    expect(await second.journal.intend(run.run_id, sampleIntent({ node_id: 'known' }))).toEqual({});
  });

  test('a failed attempt resolves its intent, but not that of a later repetition', async () => {
    const first = await openJournal();
    const run = sampleRun();
    const retried = { ...sampleStep(1, { node_id: 'call' }), type: 'node_retried' as const };
    first.journal.begin(run);
    await first.journal.intend(run.run_id, sampleIntent());
    first.journal.record(run.run_id, retried as never);
    await first.journal.drain();
    expect((await first.journal.load(run.run_id))?.intents).toEqual([]);

    const second = await openJournal();
    await database.sql.query({
      text: 'UPDATE runs SET owner = $2, attempt = 2 WHERE id = $1',
      values: [run.run_id, second.worker_id],
    });
    await second.journal.loadOwned(run.run_id);
    await second.journal.intend(run.run_id, sampleIntent());
    expect((await second.journal.load(run.run_id))?.intents).toEqual([sampleIntent()]);
  });

  async function reclaim(run_id: string, worker_id: string, attempt: number) {
    await database.sql.query({
      text: 'UPDATE runs SET owner = $2, attempt = $3, state = 1 WHERE id = $1',
      values: [run_id, worker_id, attempt],
    });
  }

  test('a failed attempt does not resolve the intent that the same process made under a later claim', async () => {
    const { journal, worker_id } = await openJournal();
    const run = sampleRun();
    journal.begin(run);
    await journal.intend(run.run_id, sampleIntent());
    const retried = { ...sampleStep(1, { node_id: 'call' }), type: 'node_retried' as const };
    journal.record(run.run_id, retried as never);
    await journal.drain();

    journal.abandon(run.run_id, 'failed');
    await journal.drain();
    await reclaim(run.run_id, worker_id, 2);
    expect((await journal.loadOwned(run.run_id))?.intents).toEqual([]);
    expect(await journal.intend(run.run_id, sampleIntent())).toEqual({});
    await journal.drain();
    expect((await journal.load(run.run_id))?.intents).toEqual([sampleIntent()]);

    journal.abandon(run.run_id, 'failed');
    await journal.drain();
    await reclaim(run.run_id, worker_id, 3);
    await journal.loadOwned(run.run_id);
    expect(await journal.intend(run.run_id, sampleIntent())).toEqual({ earlier: sampleIntent() });
  });

  test('an intent that was withdrawn says nothing, until it is made again', async () => {
    const { journal, worker_id } = await openJournal();
    const run = sampleRun();
    journal.begin(run);
    await journal.intend(run.run_id, sampleIntent());
    journal.withdraw(run.run_id, sampleIntent());
    await journal.drain();
    expect((await journal.load(run.run_id))?.intents).toEqual([]);
    await reclaim(run.run_id, worker_id, 2);
    await journal.loadOwned(run.run_id);
    expect(await journal.intend(run.run_id, sampleIntent())).toEqual({});
    expect((await journal.load(run.run_id))?.intents).toEqual([sampleIntent()]);
  });

  test('an intent can be withdrawn in the moment after its run was abandoned', async () => {
    const { journal } = await openJournal();
    const run = sampleRun();
    await journal.begin(run).durable;
    const intended = journal.intend(run.run_id, sampleIntent());
    journal.abandon(run.run_id, 'handed_over');
    await intended;
    journal.withdraw(run.run_id, sampleIntent());
    await journal.drain();
    expect((await journal.load(run.run_id))?.intents).toEqual([]);
  });

  test('draining waits until runs that were abandoned can be given back', async () => {
    const abandoned: string[] = [];
    const { journal } = await openJournal({ onAbandoned: (run_id) => abandoned.push(run_id) });
    const run = sampleRun();
    await journal.begin(run).durable;
    journal.abandon(run.run_id, 'handed_over');
    await journal.drain();
    expect(abandoned).toEqual([run.run_id]);
  });

  test('a fact that cannot be written as JSON fails its run alone, and what the run hands in behind it', async () => {
    const { journal } = await openJournal();
    const run = sampleRun();
    const other = sampleRun();
    await Promise.all([journal.begin(run).durable, journal.begin(other).durable]);
    journal.record(run.run_id, sampleStep(1, { output: { n: 1n } as never }));
    const outcomes = await Promise.allSettled([
      journal.barrier(run.run_id),
      journal.barrier(other.run_id),
      journal.finish(sampleRun(), sampleFinal()),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    await expect(journal.intend(run.run_id, sampleIntent())).rejects.toThrow(RecordRefused);
    await expect(journal.barrier(run.run_id)).rejects.toThrow(/could not be stored/);
    await journal.finish(other, sampleFinal());
    expect(journal.stats).toMatchObject({ refused: 1, pending: 0, pending_bytes: 0 });
  });

  test('a statement is bounded by bytes, facts that are encoded late included', async () => {
    const { journal } = await openJournal();
    const runs = Array.from({ length: 4 }, () => sampleRun());
    await Promise.all(runs.map((run) => journal.begin(run).durable));
    const before = journal.stats.commits;
    // Three bytes each in UTF-8: four of these are more than two statements may hold.
    for (const run of runs)
      journal.record(run.run_id, sampleStep(1, { output: { text: `${newId()}${'€'.repeat(200_000)}` } }));
    await Promise.all(runs.map((run) => journal.barrier(run.run_id)));
    expect(journal.stats.commits - before).toBeGreaterThanOrEqual(3);
    for (const run of runs) expect((await journal.load(run.run_id))?.records).toHaveLength(1);
  });

  test('a run that took longer than 25 days can end', async () => {
    const { journal } = await openJournal();
    const days_40 = 40 * 24 * 3_600_000;
    const [whole, begun] = [sampleRun(), sampleRun()];
    await journal.begin(begun).durable;
    const final = sampleFinal({ execution_time_ms: days_40 });
    await Promise.all([journal.finish(whole, final), journal.finish(begun, final)]);
    for (const { run_id } of [whole, begun]) {
      expect((await journal.load(run_id))?.final?.execution_time_ms).toBe(days_40);
      expect(await loadRows('runs', run_id)).toMatchObject([{ execution_time_ms: 2_147_483_647 }]);
    }
  });

  test('the duration that a process of the version before has stored is read', async () => {
    const { journal } = await openJournal();
    const run = sampleRun();
    await journal.begin(run).durable;
    expect(await loadRows('runs', run.run_id)).toMatchObject([
      { execution_time_ms: null, duration_ms: null },
    ]);
    await journal.finish(run, sampleFinal({ execution_time_ms: 12 }));
    expect(await loadRows('runs', run.run_id)).toMatchObject([{ execution_time_ms: 12 }]);
    const text = 'UPDATE runs SET duration_ms = NULL WHERE id = $1';
    await database.sql.query({ text, values: [run.run_id] });
    expect((await journal.load(run.run_id))?.final?.execution_time_ms).toBe(12);
  });

  test('a process whose lease is gone writes nothing and is told once', async () => {
    const { journal, worker_id, onFenced } = await openJournal();
    const run = sampleRun();
    await journal.begin(run).durable;
    await database.sql.query({ text: 'UPDATE workers SET alive = false WHERE id = $1', values: [worker_id] });
    const fresh = sampleRun();
    const outcomes = await Promise.allSettled([
      journal.intend(run.run_id, sampleIntent()),
      journal.finish(run, sampleFinal()),
      journal.finish(fresh, sampleFinal()),
    ]);
    expect(
      outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason instanceof Fenced),
    ).toEqual([true, true, true]);
    await expect(journal.finish(sampleRun(), sampleFinal())).rejects.toThrow(Fenced);
    expect(onFenced).toHaveBeenCalledOnce();
    expect(await loadRows('steps', run.run_id)).toEqual([]);
    expect(await loadRows('runs', fresh.run_id)).toEqual([]);
    expect(await loadRows('runs', run.run_id)).toMatchObject([{ state: 1 }]);
  });

  test('a run that another process owns cannot be written, and others in the batch can', async () => {
    const { journal } = await openJournal();
    const run = sampleRun();
    const other = sampleRun();
    await Promise.all([journal.begin(run).durable, journal.begin(other).durable]);
    await database.sql.query({
      text: 'UPDATE runs SET owner = $2 WHERE id = $1',
      values: [run.run_id, newId()],
    });
    journal.record(run.run_id, sampleStep(1));
    const intent = journal.intend(run.run_id, sampleIntent());
    await Promise.all([
      expect(intent).rejects.toThrow(OwnershipLost),
      expect(journal.finish(run, sampleFinal())).rejects.toThrow(OwnershipLost),
      journal.finish(other, sampleFinal()),
    ]);
    expect(await loadRows('steps', run.run_id)).toEqual([]);
    expect(await loadRows('runs', run.run_id)).toMatchObject([{ state: 1, outputs: null }]);
  });

  test('of two runs with one idempotency key the second is told which came first, and others are stored', async () => {
    const { journal } = await openJournal();
    const workflow_id = newId();
    const first = sampleRun({ workflow_id, idempotency_key: 'key-1' });
    const second = sampleRun({ workflow_id, idempotency_key: 'key-1' });
    const elsewhere = sampleRun({ idempotency_key: 'key-1' });
    const outcomes = await Promise.allSettled(
      [first, second, elsewhere].map((run) => journal.finish(run, sampleFinal())),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    const begun = journal.begin(sampleRun({ workflow_id, idempotency_key: 'key-1' })).durable;
    await expect(begun).rejects.toThrow(DuplicateRun);
    await expect(begun).rejects.toMatchObject({ existing_run_id: first.run_id });
  });

  test('a duplicate run cannot reach an effect', async () => {
    const { journal } = await openJournal();
    const workflow_id = newId();
    await journal.finish(sampleRun({ workflow_id, idempotency_key: 'k' }), sampleFinal());
    const run = sampleRun({ workflow_id, idempotency_key: 'k' });
    journal.begin(run);
    await expect(journal.intend(run.run_id, sampleIntent())).rejects.toThrow(OwnershipLost);
    expect(await loadRows('steps', run.run_id)).toEqual([]);
  });

  test('one record that cannot be stored does not harm the others of its batch', async () => {
    const { journal } = await openJournal();
    const runs = Array.from({ length: 7 }, () => sampleRun());
    const broken = sampleRun({ version_id: 'not a uuid' });
    const outcomes = await Promise.allSettled(
      [...runs, broken].map((run) => journal.finish(run, sampleFinal())),
    );
    expect(outcomes.map(({ status }) => status)).toEqual([...runs.map(() => 'fulfilled'), 'rejected']);
  });

  test('text that a column cannot hold loses only what cannot be held', async () => {
    const { journal } = await openJournal();
    const run = sampleRun({
      trigger_source: 'a\u0000b\u001fc',
      input: { body: 'x\u0000\u001e\u001f\ud800' },
    });
    await journal.finish(run, sampleFinal());
    expect((await journal.load(run.run_id))?.begin).toMatchObject({
      trigger_source: 'abc',
      input: run.input,
    });
  });

  test('a large value is stored once, however many records and runs hold it', async () => {
    const { journal } = await openJournal();
    const body = { text: `${'large '.repeat(20_000)}${newId()}` };
    const runs = [sampleRun({ input: body }), sampleRun({ input: structuredClone(body) })];
    const records = [sampleStep(1, { output: { body } }), sampleStep(2, { output: { body, more: 1 } })];
    await Promise.all(
      runs.map((run) => journal.finish(run, sampleFinal({ outputs: { Out: body }, records }))),
    );
    const { rows } = await database.sql.query<{ runs: number; blobs: number }>({
      text: `SELECT count(DISTINCT run_id)::int AS runs, count(DISTINCT hash)::int AS blobs FROM run_blobs WHERE run_id = ANY($1)`,
      values: [runs.map(({ run_id }) => run_id)],
    });
    expect(rows).toEqual([{ runs: 2, blobs: 1 }]);
    expect(await journal.load(runs[1]?.run_id ?? '')).toMatchObject({
      begin: { input: body },
      records,
      final: { outputs: { Out: body } },
    });
  });

  test('a paused run waits without an owner and keeps its facts', async () => {
    const { journal } = await openJournal();
    const begun = sampleRun();
    journal.begin(begun);
    await journal.barrier(begun.run_id);
    journal.record(begun.run_id, sampleStep(1));
    const never = sampleRun();
    await Promise.all([
      journal.wait(begun.run_id, sampleWait()).then(() => journal.suspend(begun.run_id, [sampleWait()])),
      pauseRun(journal, never, [sampleWait()], [sampleStep(1)]),
    ]);
    for (const run of [begun, never]) {
      const [row] = await loadRows('runs', run.run_id);
      expect(row).toMatchObject({ state: 2, owner: null, status: 'pending', suspended_at: expect.any(Date) });
      expect(await journal.load(run.run_id)).toMatchObject({
        state: 'waiting',
        records: [sampleStep(1)],
        waits: [sampleWait()],
      });
    }
  });

  test('the end of a run settles its waits', async () => {
    const { journal, worker_id } = await openJournal();
    const run = sampleRun();
    await pauseRun(journal, run, [sampleWait()]);
    await database.sql.query({
      text: 'UPDATE runs SET state = 1, owner = $2 WHERE id = $1',
      values: [run.run_id, worker_id],
    });
    await journal.loadOwned(run.run_id);
    await journal.finish(run, sampleFinal());
    expect(await loadRows('waits', run.run_id)).toMatchObject([{ applied: true }]);
    expect((await loadRows('waits', run.run_id))[0]?.['decided_at']).not.toBeNull();
  });

  test('the end of a run settles a wait that is stored in the same statement', async () => {
    const { journal } = await openJournal();
    const run = sampleRun();
    journal.begin(run);
    await journal.barrier(run.run_id);
    const waited = journal.wait(run.run_id, sampleWait());
    await Promise.all([waited, journal.finish(run, sampleFinal())]);
    expect(await loadRows('waits', run.run_id)).toMatchObject([{ applied: true }]);
    expect((await loadRows('waits', run.run_id))[0]?.['decided_at']).not.toBeNull();
  });

  test('refused calls leave a history row', async () => {
    const { journal } = await openJournal();
    const { run_id, workflow_id } = sampleRun();
    journal.recordRefusal({
      run_id,
      workflow_id,
      version_id: null,
      status: 'rate_limited',
      trigger_source: 'API',
      actor_id: null,
      input: {},
      outputs: {},
      http_status: 429,
      at_ms: Date.now(),
    });
    await journal.drain();
    expect(await loadRows('runs', run_id)).toMatchObject([
      { state: 3, status: 'rate_limited', http_status: 429 },
    ]);
  });

  test('deleting a workflow deletes its runs and all that belongs to them', async () => {
    const { journal } = await openJournal();
    const workflow_id = newId();
    await addWorkflows(database.sql, [workflow_id]);
    const run = sampleRun({ workflow_id });
    await pauseRun(journal, run, [sampleWait()], [sampleStep(1)]);
    await database.sql.query({ text: 'DELETE FROM workflows WHERE id = $1', values: [workflow_id] });
    expect([
      await loadRows('runs', run.run_id),
      await loadRows('steps', run.run_id),
      await loadRows('waits', run.run_id),
    ]).toEqual([[], [], []]);
  });
});
