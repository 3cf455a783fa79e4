import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Database } from '../../database/database.ts';
import { OwnershipLost } from '../model/errors.ts';
import { releaseRuns } from '../store/queue/requeue/release.ts';
import { createJournal } from './create-journal.ts';
import { describeOnPostgres, openPostgresForTest, silent } from './testing/databases.ts';
import { addWorker, sampleFinal, sampleRun } from './testing/samples.ts';

describeOnPostgres('the end of a run that is given back meanwhile', () => {
  let database: Database;
  beforeAll(async () => {
    database = (await openPostgresForTest()).database;
    await database.sql.query({ text: 'CREATE TABLE tally (count integer NOT NULL)' });
  });
  afterAll(() => database.close());

  const queryCount = async (text: string): Promise<number> =>
    (await database.sql.query<{ count: number }>({ text })).rows[0]?.count ?? 0;

  test('does not count, and nothing is written with it', async () => {
    const worker_id = await addWorker(database.sql);
    const journal = createJournal({
      sql: database.journal,
      worker_id,
      log: silent,
      onFenced: () => undefined,
    });
    const run = sampleRun();
    await journal.begin(run).durable;
    await journal.barrier(run.run_id);

    let answer: unknown;
    await database.sql.transaction(async (tx) => {
      await releaseRuns(tx, { worker_id, run_ids: [run.run_id], why: 'failed' });
      const write = async (end: { query: typeof tx.query }) => {
        await end.query({ text: 'INSERT INTO tally VALUES (1)' });
      };
      const ended = journal.finish(run, sampleFinal({ writes: [{ key: 'tally', write }] }));
      void Promise.resolve(ended).then(
        () => (answer = 'ended'),
        (error: unknown) => (answer = error),
      );
      // The statement of the end has seen the run as it was, and waits for its row.
      await vi.waitUntil(
        () =>
          queryCount(`SELECT count(*)::int AS count FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock'`),
        { timeout: 4_000 },
      );
    });
    await vi.waitUntil(() => answer !== undefined);
    expect(answer).toBeInstanceOf(OwnershipLost);
    expect(await queryCount('SELECT count(*)::int AS count FROM tally')).toBe(0);
    expect(
      await queryCount(`SELECT count(*)::int AS count FROM runs WHERE state = 0 AND owner IS NULL`),
    ).toBe(1);
  });
});
