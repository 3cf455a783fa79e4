import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Database } from '../../../../database/database.ts';
import { createJournal } from '../../../journal/create-journal.ts';
import { describeOnPostgres, openPostgresForTest, silent } from '../../../journal/testing/databases.ts';
import { addWorker, sampleRun, sampleStep } from '../../../journal/testing/samples.ts';
import { Fenced } from '../../../model/errors.ts';
import { claimRuns } from '../claim.ts';
import { resign } from './release.ts';

describeOnPostgres('a process that ends in order while a runner is still writing', () => {
  let database: Database;
  beforeAll(async () => {
    database = (await openPostgresForTest()).database;
  });
  afterAll(() => database.close());

  const waiting = async (): Promise<number> => {
    const { rows } = await database.sql.query<{ count: number }>({
      text: `SELECT count(*)::int AS count FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    });
    return rows[0]?.count ?? 0;
  };
  const open = async () => {
    const worker_id = await addWorker(database.sql);
    const onFenced = vi.fn();
    const journal = createJournal({ sql: database.journal, worker_id, log: silent, onFenced });
    const run = sampleRun();
    await journal.begin(run).durable;
    await journal.barrier(run.run_id);
    return { worker_id, journal, onFenced, run_id: run.run_id };
  };

  test('stores the batch that is under way before it gives its runs back', async () => {
    const { worker_id, run_id } = await open();
    let resigned: Promise<unknown> | undefined;
    await database.sql.transaction(async (tx) => {
      // As a batch does, until it is committed.
      await tx.query({ text: 'SELECT id FROM workers WHERE id = $1 FOR KEY SHARE', values: [worker_id] });
      resigned = resign(database.journal, worker_id);
      await vi.waitUntil(waiting, { timeout: 4_000 });
      const next = await addWorker(database.sql);
      expect(await claimRuns(database.journal, { worker_id: next, limit: 9, busy_workflows: [] })).toEqual(
        [],
      );
    });
    expect(await resigned).toMatchObject([{ run_id, verdict: 'queued' }]);
  });

  test('writes nothing that comes after it gave its runs back', async () => {
    const { worker_id, journal, onFenced, run_id } = await open();
    let written: Promise<unknown> | undefined;
    await database.sql.transaction(async (tx) => {
      await resign({ ...tx, transaction: (work) => work(tx) }, worker_id);
      journal.record(run_id, sampleStep(1));
      written = journal.barrier(run_id).catch((error: unknown) => error);
      // Its statement has seen the run as its own, and waits.
      await vi.waitUntil(waiting, { timeout: 4_000 });
    });
    expect(await written).toBeInstanceOf(Fenced);
    expect(onFenced).toHaveBeenCalled();
    const { rows } = await database.sql.query({
      text: 'SELECT 1 FROM steps WHERE run_id = $1',
      values: [run_id],
    });
    expect(rows).toEqual([]);
  });
});
