import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { noteConnectionError } from '../../database/connection-loss.ts';
import type { Database } from '../../database/database.ts';
import type { TransactionalSql } from '../../database/sql-client.ts';
import { DuplicateRun, Fenced, JournalUnavailable, OwnershipLost } from '../model/errors.ts';
import type { EndWrite } from '../model/run.ts';
import { createJournal, type JournalOptions } from './create-journal.ts';
import { describeOnBoth, silent } from './testing/databases.ts';
import { addWorker, sampleFinal, sampleRun, sampleStep } from './testing/samples.ts';

/** Writes that come with the end of a run are stored exactly when that end is the one that counts. */
describeOnBoth('writes with the end of a run', (kind) => {
  let database: Database;
  beforeAll(async () => {
    database = await kind.open();
    await database.sql.query({ text: 'CREATE TABLE tally (name text PRIMARY KEY, count integer NOT NULL)' });
  });
  afterAll(() => database.close());

  async function openJournal(options: Partial<JournalOptions> = {}) {
    const worker_id = await addWorker(database.sql);
    return createJournal({
      sql: database.journal,
      worker_id,
      log: silent,
      onFenced: () => undefined,
      ...options,
    });
  }

  const add = (name: string): EndWrite => ({
    key: name,
    async write(tx) {
      await tx.query({
        text: `INSERT INTO tally VALUES ($1, 1) ON CONFLICT (name) DO UPDATE SET count = tally.count + 1`,
        values: [name],
      });
    },
  });

  async function readCount(name: string): Promise<number> {
    const text = 'SELECT count FROM tally WHERE name = $1';
    const { rows } = await database.sql.query<{ count: number }>({ text, values: [name] });
    return rows[0]?.count ?? 0;
  }

  const finalWith = (name: string) => sampleFinal({ writes: [add(name)] });

  test('are made for a run of one row and for one that was begun', async () => {
    const journal = await openJournal();
    await journal.finish(sampleRun(), finalWith('plain'));
    const begun = sampleRun();
    await journal.begin(begun).durable;
    journal.record(begun.run_id, sampleStep(1));
    await journal.barrier(begun.run_id);
    await journal.finish(begun, finalWith('plain'));
    expect(await readCount('plain')).toBe(2);
  });

  test('of runs that share a commit are all made, however many processes there are', async () => {
    const journals = [await openJournal(), await openJournal()];
    const ends = Array.from({ length: 60 }, (_, at) =>
      Promise.resolve(
        journals[at % 2]?.finish(sampleRun(), sampleFinal({ writes: [add('b'), add('a'), add('b')] })),
      ),
    );
    await Promise.all(ends);
    expect([await readCount('a'), await readCount('b')]).toEqual([60, 120]);
  });

  test('of a second run with the same key are not made', async () => {
    const journal = await openJournal();
    const first = sampleRun({ idempotency_key: 'once' });
    await journal.finish(first, finalWith('keyed'));
    const { workflow_id } = first;
    const second = sampleRun({ workflow_id, idempotency_key: 'once' });
    await expect(journal.finish(second, finalWith('keyed'))).rejects.toBeInstanceOf(DuplicateRun);
    expect(await readCount('keyed')).toBe(1);
  });

  test('of a run that another process has ended are not made', async () => {
    const journal = await openJournal();
    const run = sampleRun();
    await journal.begin(run).durable;
    await journal.barrier(run.run_id);
    await database.sql.query({ text: 'UPDATE runs SET state = 3 WHERE id = $1', values: [run.run_id] });
    await expect(journal.finish(run, finalWith('superseded'))).rejects.toBeInstanceOf(OwnershipLost);
    expect(await readCount('superseded')).toBe(0);
  });

  test('of a process that lost its lease are not made', async () => {
    const worker_id = await addWorker(database.sql);
    const onFenced = vi.fn<() => void>();
    const journal = createJournal({ sql: database.journal, worker_id, log: silent, onFenced });
    await database.sql.query({ text: 'UPDATE workers SET alive = false WHERE id = $1', values: [worker_id] });
    await expect(journal.finish(sampleRun(), finalWith('fenced'))).rejects.toBeInstanceOf(Fenced);
    expect(await readCount('fenced')).toBe(0);
  });

  test('are made once when the answer to the commit was lost', async () => {
    let lost = 0;
    const sql: TransactionalSql = {
      query: (statement) => database.journal.query(statement),
      async transaction(work) {
        const result = await database.journal.transaction(work);
        lost += 1;
        if (lost === 1)
          throw noteConnectionError(Object.assign(new Error('connection reset'), { code: 'ECONNRESET' }));
        return result;
      },
    };
    const journal = await openJournal({ sql });
    await journal.finish(sampleRun(), finalWith('repeated'));
    const begun = sampleRun();
    await journal.begin(begun).durable;
    await journal.barrier(begun.run_id);
    lost = 0;
    await journal.finish(begun, finalWith('repeated'));
    expect(lost).toBe(2);
    expect(await readCount('repeated')).toBe(2);
  });

  const FAILURES: readonly (readonly [string, EndWrite['write']])[] = [
    ['by the database', async (tx) => void (await tx.query({ text: 'SELECT 1 / 0' }))],
    ['by themselves', () => Promise.reject(new TypeError('cannot be written'))],
  ];
  test.each(FAILURES)('that fail %s leave no end behind, and other runs alone', async (name, write) => {
    const journal = await openJournal();
    const failing: EndWrite = { key: 'x', write };
    const bad = sampleRun();
    const [good, refused] = await Promise.allSettled([
      journal.finish(sampleRun(), finalWith(name)),
      journal.finish(bad, sampleFinal({ writes: [add(name), failing] })),
    ]);
    expect(good.status).toBe('fulfilled');
    expect(refused).toMatchObject({ status: 'rejected', reason: expect.any(JournalUnavailable) as unknown });
    expect(await journal.load(bad.run_id)).toBeUndefined();
    expect(await readCount(name)).toBe(1);
  });
});
