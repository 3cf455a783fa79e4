import { Client, type Pool } from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { openPool } from '../../adapters/postgres/open-pool.ts';
import { transactionalOver } from '../../adapters/postgres/pool-database.ts';
import type { TransactionalSql } from '../../database/sql-client.ts';
import { JournalUnavailable, RecordRefused } from '../model/errors.ts';
import { createJournal } from './create-journal.ts';
import {
  describeOnPostgres,
  openPostgresForTest,
  type PostgresForTest,
  silent,
} from './testing/databases.ts';
import { addWorker, sampleFinal, sampleRun, sampleStep, sampleWait } from './testing/samples.ts';

vi.setConfig({ testTimeout: 60_000 });

describeOnPostgres('a commit that takes too long', () => {
  let postgres: PostgresForTest;
  let impatient: Pool;
  beforeAll(async () => {
    postgres = await openPostgresForTest();
    impatient = openPool({ connectionString: postgres.url, statement_timeout: 250 }, silent);
    await postgres.database.sql.query({
      text: `CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN IF NEW.input LIKE '%slow to store%' THEN PERFORM pg_sleep(2); END IF; RETURN NEW; END $$`,
    });
    await postgres.database.sql.query({
      text: 'CREATE TRIGGER dawdle BEFORE INSERT ON runs FOR EACH ROW EXECUTE FUNCTION dawdle()',
    });
    await postgres.database.sql.query({
      text: `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF NEW.node_id = 'refused' THEN RAISE EXCEPTION 'not this one'; END IF;
        IF NEW.node_id = 'slow' THEN PERFORM pg_sleep(0.3); END IF;
        RETURN NEW; END $$`,
    });
    await postgres.database.sql.query({
      text: 'CREATE TRIGGER refuse BEFORE INSERT ON steps FOR EACH ROW EXECUTE FUNCTION refuse()',
    });
  });
  afterAll(async () => {
    await impatient.end();
    await postgres.database.close();
  });

  async function openJournal(sql: TransactionalSql, onAbandoned: (run_id: string) => void = () => undefined) {
    const worker_id = await addWorker(postgres.database.sql);
    const onFenced = () => undefined;
    return { worker_id, journal: createJournal({ sql, worker_id, log: silent, onFenced, onAbandoned }) };
  }

  /** Every commit of the process waits until the returned function is called. */
  async function holdUp(worker_id: string): Promise<() => Promise<void>> {
    const blocker = new Client({ connectionString: postgres.url });
    await blocker.connect();
    onTestFinished(() => blocker.end());
    await blocker.query('BEGIN');
    await blocker.query('SELECT 1 FROM workers WHERE id = $1 FOR UPDATE', [worker_id]);
    return async () => {
      await blocker.query('ROLLBACK');
    };
  }

  test('is tried again by halves, until what is slow fails alone', async () => {
    const { journal } = await openJournal(transactionalOver(impatient));
    const slow = sampleRun({ input: { body: 'slow to store' } });
    const runs = [sampleRun(), sampleRun(), slow, sampleRun(), sampleRun()];
    const outcomes = await Promise.allSettled(runs.map((run) => journal.finish(run, sampleFinal())));
    expect(outcomes.map(({ status }) => status)).toEqual(
      runs.map((run) => (run === slow ? 'rejected' : 'fulfilled')),
    );
    expect(outcomes[2]).toMatchObject({ reason: expect.any(RecordRefused) as unknown });
    await journal.finish(sampleRun(), sampleFinal());
    await journal.drain();
    expect(journal.stats).toMatchObject({ refused: 1, pending: 0, commit_ms: 0, is_stalled: false });
    expect(await journal.load(slow.run_id)).toBeUndefined();
  });

  test('turns callers away after five seconds, says so, and is stored once the database answers', async () => {
    const { journal, worker_id } = await openJournal(postgres.database.journal);
    const letGo = await holdUp(worker_id);
    const run = sampleRun();
    const later = sampleRun();
    const finished = expect(journal.finish(run, sampleFinal())).rejects.toThrow(JournalUnavailable);
    await vi.waitFor(() => expect(journal.stats.commit_ms).toBeGreaterThan(0), { timeout: 10_000 });
    await Promise.all([
      finished,
      expect(journal.finish(later, sampleFinal())).rejects.toThrow(JournalUnavailable),
    ]);
    expect(journal.stats.is_stalled).toBe(true);
    expect(journal.hasRoom()).toBe(false);
    await letGo();
    await journal.drain();
    expect(journal.hasRoom()).toBe(true);
    for (const { run_id } of [run, later]) expect((await journal.load(run_id))?.state).toBe('done');
  });

  test('keeps a run that its runner has let go of until its rows are written', async () => {
    const abandoned: string[] = [];
    const { journal, worker_id } = await openJournal(postgres.database.journal, (run_id) => {
      abandoned.push(run_id);
    });
    const run = sampleRun();
    await journal.begin(run).durable;
    await journal.barrier(run.run_id);
    const letGo = await holdUp(worker_id);
    const waits = expect(journal.wait(run.run_id, sampleWait())).rejects.toThrow(JournalUnavailable);
    await vi.waitFor(() => expect(journal.stats.commit_ms).toBeGreaterThan(0));
    journal.record(run.run_id, sampleStep(1));
    await waits;
    journal.abandon(run.run_id, 'failed');
    // Later callers are turned away within a second.
    await expect(journal.finish(sampleRun(), sampleFinal())).rejects.toThrow(JournalUnavailable);
    expect(abandoned).toEqual([]);
    expect(journal.holds(run.run_id)).toBe(true);
    await letGo();
    await vi.waitFor(() => expect(abandoned).toEqual([run.run_id]));
    expect(journal.holds(run.run_id)).toBe(false);
    expect(await journal.load(run.run_id)).toMatchObject({
      records: [{ node_id: 'node-1' }],
      waits: [{ node_id: 'review' }],
    });
  });

  test('stores nothing of a run behind a row that was refused, also when its runner lets go of it meanwhile', async () => {
    const abandoned: string[] = [];
    const { journal } = await openJournal(postgres.database.journal, (run_id) => {
      abandoned.push(run_id);
    });
    const [run, other] = [sampleRun(), sampleRun()];
    await Promise.all([run, other].map((each) => journal.begin(each).durable));
    const steps = [
      [run, 1, 'refused'],
      [other, 1, 'slow'],
      [run, 2, 'behind'],
      [other, 2, 'slow'],
      [run, 3, 'far-behind'],
    ] as const;
    for (const [{ run_id }, sequence, node_id] of steps)
      journal.record(run_id, sampleStep(sequence, { node_id }));
    await vi.waitFor(() => expect(journal.stats.refused).toBe(1), { interval: 1 });
    journal.abandon(run.run_id, 'failed');
    journal.record(run.run_id, sampleStep(4));
    await vi.waitFor(() => expect(abandoned).toEqual([run.run_id]));
    await journal.drain();
    expect((await journal.load(run.run_id))?.records).toEqual([]);
    expect((await journal.load(other.run_id))?.records).toHaveLength(1);
  });
});
