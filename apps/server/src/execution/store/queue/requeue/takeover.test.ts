import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../../../database/database.ts';
import { createJournal } from '../../../journal/create-journal.ts';
import { describeOnPostgres, openPostgresForTest, silent } from '../../../journal/testing/databases.ts';
import { addWorker, sampleRun } from '../../../journal/testing/samples.ts';
import { takeOver } from './takeover.ts';

describeOnPostgres('taking over from several lost processes', () => {
  let database: Database;
  beforeAll(async () => {
    database = (await openPostgresForTest()).database;
  });
  afterAll(() => database.close());

  test('does not wait for one that froze within a transaction', async () => {
    const [frozen, dead] = [await addWorker(database.sql), await addWorker(database.sql)];
    const journal = createJournal({
      sql: database.journal,
      worker_id: dead,
      log: silent,
      onFenced: () => undefined,
    });
    const run = sampleRun();
    await journal.begin(run).durable;
    await journal.barrier(run.run_id);
    await database.sql.query({ text: `UPDATE workers SET lease_until = now() - interval '1 second'` });

    await database.sql.transaction(async (tx) => {
      // As each statement of a journal does, until its transaction ends.
      await tx.query({ text: 'SELECT id FROM workers WHERE id = $1 FOR KEY SHARE', values: [frozen] });
      const { dead_workers, runs } = await takeOver(database.journal);
      expect(dead_workers).toEqual([dead]);
      expect(runs).toMatchObject([{ run_id: run.run_id }]);
    });
    expect((await takeOver(database.journal)).dead_workers).toEqual([frozen]);
  });
});
