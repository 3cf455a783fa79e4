import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { newId } from '../../core/ids.ts';
import type { Database } from '../../database/database.ts';
import { createJournal, type JournalOptions } from './create-journal.ts';
import { DuplicateRun, Fenced, OwnershipLost } from './journal.ts';
import { describeOnBoth, silent } from './testing/databases.ts';
import {
  addWorker,
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

  async function rowsOf(table: 'runs' | 'steps' | 'waits', run_id: string) {
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
    expect(await rowsOf('steps', run.run_id)).toEqual([]);
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
        http_status: null,
        failure: null,
        execution_time_ms: 12,
      },
    });
    expect(journal.stats.commits).toBe(1);
  });

  test('runs that finish together share a commit', async () => {
    const { journal } = await openJournal({ lanes: 1 });
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
    const { journal } = await openJournal({ lanes: 1 });
    const run = sampleRun();
    journal.begin(run);
    const intended = journal.intend(run.run_id, sampleIntent());
    journal.record(run.run_id, sampleStep(1));
    await journal.finish(run, sampleFinal());
    await intended;
    expect(await journal.load(run.run_id)).toMatchObject({ state: 'done', final: { status: 'success' } });
  });

  test('a run that ends while its early answer is still queued is stored as ended', async () => {
    const { journal } = await openJournal({ lanes: 1 });
    const run = sampleRun();
    journal.begin(run);
    await Promise.all([journal.barrier(run.run_id), journal.finish(run, sampleFinal())]);
    expect(await journal.load(run.run_id)).toMatchObject({ state: 'done' });
  });

  test('a run that pauses while its accept record and an intent are still queued is stored as waiting', async () => {
    const { journal } = await openJournal({ lanes: 1 });
    const run = sampleRun();
    journal.begin(run);
    const intended = journal.intend(run.run_id, sampleIntent());
    await Promise.all([intended, journal.suspend(run, [sampleWait()])]);
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
    });
  });

  test('a fact that nobody waits for is written soon', async () => {
    const { journal } = await openJournal();
    const run = sampleRun();
    await journal.begin(run).durable;
    journal.record(run.run_id, sampleStep(1));
    await vi.waitFor(async () => expect(await rowsOf('steps', run.run_id)).toHaveLength(1));
  });

  test('whoever goes on with a run learns of effects whose outcome is unknown', async () => {
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
    await second.journal.takeUp(run.run_id);
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
      text: 'UPDATE runs SET owner = $2 WHERE id = $1',
      values: [run.run_id, second.worker_id],
    });
    await second.journal.takeUp(run.run_id);
    await second.journal.intend(run.run_id, sampleIntent());
    expect((await second.journal.load(run.run_id))?.intents).toEqual([sampleIntent()]);
  });

  test('a process whose lease is gone writes nothing and is told once', async () => {
    const { journal, worker_id, onFenced } = await openJournal({ lanes: 1 });
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
    expect(await rowsOf('steps', run.run_id)).toEqual([]);
    expect(await rowsOf('runs', fresh.run_id)).toEqual([]);
    expect(await rowsOf('runs', run.run_id)).toMatchObject([{ state: 1 }]);
  });

  test('a run that another process owns cannot be written, and others in the batch can', async () => {
    const { journal } = await openJournal({ lanes: 1 });
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
    expect(await rowsOf('steps', run.run_id)).toEqual([]);
    expect(await rowsOf('runs', run.run_id)).toMatchObject([{ state: 1, outputs: null }]);
  });

  test('of two runs with one idempotency key the second is told which came first, and others are stored', async () => {
    const { journal } = await openJournal({ lanes: 1 });
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

  test('a duplicate run cannot go on to an effect', async () => {
    const { journal } = await openJournal({ lanes: 1 });
    const workflow_id = newId();
    await journal.finish(sampleRun({ workflow_id, idempotency_key: 'k' }), sampleFinal());
    const run = sampleRun({ workflow_id, idempotency_key: 'k' });
    journal.begin(run);
    await expect(journal.intend(run.run_id, sampleIntent())).rejects.toThrow(OwnershipLost);
    expect(await rowsOf('steps', run.run_id)).toEqual([]);
  });

  test('one record that cannot be stored does not harm the others of its batch', async () => {
    const { journal } = await openJournal({ lanes: 1 });
    const runs = Array.from({ length: 7 }, () => sampleRun());
    const broken = sampleRun({ version_id: 'not a uuid' });
    const outcomes = await Promise.allSettled(
      [...runs, broken].map((run) => journal.finish(run, sampleFinal())),
    );
    expect(outcomes.map(({ status }) => status)).toEqual([...runs.map(() => 'fulfilled'), 'rejected']);
  });

  test('text that a column cannot hold loses only what cannot be held', async () => {
    const { journal } = await openJournal({ lanes: 1 });
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
    const { journal } = await openJournal({ lanes: 1 });
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
      journal.suspend(begun, [sampleWait()]),
      journal.suspend(never, [sampleWait()], [sampleStep(1)]),
    ]);
    for (const run of [begun, never]) {
      expect(await rowsOf('runs', run.run_id)).toMatchObject([{ state: 2, owner: null, status: 'pending' }]);
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
    await journal.suspend(run, [sampleWait()]);
    await database.sql.query({
      text: 'UPDATE runs SET state = 1, owner = $2 WHERE id = $1',
      values: [run.run_id, worker_id],
    });
    await journal.takeUp(run.run_id);
    await journal.finish(run, sampleFinal());
    expect(await rowsOf('waits', run.run_id)).toMatchObject([{ applied: true }]);
    expect((await rowsOf('waits', run.run_id))[0]?.['decided_at']).not.toBeNull();
  });

  test('refused calls leave a history row', async () => {
    const { journal } = await openJournal();
    const { run_id, workflow_id } = sampleRun();
    journal.note({
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
    expect(await rowsOf('runs', run_id)).toMatchObject([
      { state: 3, status: 'rate_limited', http_status: 429 },
    ]);
  });

  test('deleting a workflow deletes its runs and all that belongs to them', async () => {
    const { journal } = await openJournal();
    const user_id = newId();
    const workflow_id = newId();
    await database.sql.query({
      text: `INSERT INTO users (id, email, password_hash, name) VALUES ($1, $2, '', '')`,
      values: [user_id, `${user_id}@example.com`],
    });
    await database.sql.query({
      text: `INSERT INTO workflows (id, name, owner_id, version_id) VALUES ($1, 'w', $2, $3)`,
      values: [workflow_id, user_id, newId()],
    });
    const run = sampleRun({ workflow_id });
    await journal.suspend(run, [sampleWait()], [sampleStep(1)]);
    await database.sql.query({ text: 'DELETE FROM workflows WHERE id = $1', values: [workflow_id] });
    expect([
      await rowsOf('runs', run.run_id),
      await rowsOf('steps', run.run_id),
      await rowsOf('waits', run.run_id),
    ]).toEqual([[], [], []]);
  });
});
