import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { newId } from '../../core/ids.ts';
import type { Database } from '../../database/database.ts';
import { createJournal } from '../journal/create-journal.ts';
import { describeOnBoth, silent } from '../journal/testing/databases.ts';
import {
  addWorker,
  pauseRun,
  sampleFinal,
  sampleIntent,
  sampleRun,
  sampleStep,
  sampleWait,
} from '../journal/testing/samples.ts';
import { INLINE_CHARACTERS } from './encoding/values.ts';

describeOnBoth('a look at a run', (kind) => {
  let database: Database;
  beforeAll(async () => {
    database = await kind.open();
  });
  afterAll(() => database.close());

  async function open() {
    const worker_id = await addWorker(database.sql);
    const journal = createJournal({ sql: database.journal, worker_id, log: silent, onFenced: vi.fn() });
    const run = sampleRun();
    journal.begin(run);
    const facts = async () => {
      await journal.barrier(run.run_id);
      const looks = (['finished', 'answered', 'moved'] as const).map((until) =>
        journal.look(run.run_id, until),
      );
      return (await Promise.all(looks)).map((look) => look?.facts);
    };
    return { journal, run, facts };
  }

  test('counts the facts that may lead to what is waited for', async () => {
    const { journal, run, facts } = await open();
    expect(await facts()).toEqual([0, 0, 0]);
    await journal.intend(run.run_id, sampleIntent());
    journal.record(run.run_id, sampleStep(1));
    expect(await facts()).toEqual([0, 0, 1]);
    journal.record(run.run_id, sampleStep(2, { answers_early: true } as object));
    expect(await facts()).toEqual([0, 1, 2]);
  });

  test('counts an early answer also where most of its row is kept apart', async () => {
    const { journal, run, facts } = await open();
    // Neither is long enough to be kept apart by itself.
    const text = 'x'.repeat(INLINE_CHARACTERS - 1_000);
    const row = { variables: { text }, unresolved_references: [text], answers_early: true };
    journal.record(run.run_id, sampleStep(1, row as object));
    expect(await facts()).toEqual([0, 1, 1]);
  });

  test('tells how far it is', async () => {
    const { journal, run } = await open();
    await journal.barrier(run.run_id);
    expect(await journal.look(run.run_id, 'finished')).toMatchObject({ rests: false });
    await journal.finish(run, sampleFinal());
    expect(await journal.look(run.run_id, 'finished')).toMatchObject({ rests: true });
    const paused = sampleRun();
    await pauseRun(journal, paused, [sampleWait()]);
    expect(await journal.look(paused.run_id, 'finished')).toMatchObject({ rests: true });
    expect(await journal.look(paused.run_id, 'reviewed')).toMatchObject({ rests: true });
    const timed = sampleRun();
    await pauseRun(journal, timed, [{ ...sampleWait(), kind: 'timer' }]);
    expect(await journal.look(timed.run_id, 'finished')).toMatchObject({ rests: true });
    expect(await journal.look(timed.run_id, 'reviewed')).toMatchObject({ rests: false });
    expect(await journal.look(newId(), 'finished')).toBeUndefined();
  });
});
