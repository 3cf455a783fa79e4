import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestApp, type TestApp } from '../../testing/index.ts';
import { type DailyJob, runDueJobs } from './runner.ts';

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
  app.clock.now = Date.parse('2026-11-21T23:59:30Z');
});
afterAll(() => app.close());

let counter = 0;
function countingJob(run = async (): Promise<object> => ({})): DailyJob & { runs: () => number } {
  let runs = 0;
  counter += 1;
  return {
    name: `job ${counter}`,
    at: '23:59',
    run: () => {
      runs += 1;
      return run();
    },
    runs: () => runs,
  };
}

test('§3.3: however many processes look, a job runs once a day', async () => {
  const job = countingJob();
  await Promise.all(Array.from({ length: 8 }, () => runDueJobs(app.services, [job])));
  await runDueJobs(app.services, [job]);
  expect(job.runs()).toBe(1);
  const tomorrow = { ...app.services, now: () => app.clock.now + 86_400_000 };
  await runDueJobs(tomorrow, [job]);
  expect(job.runs()).toBe(2);
});

test('before its time and long after it a job does not run', async () => {
  const job = countingJob();
  for (const time of ['2026-11-21T23:58:00Z', '2026-11-22T05:00:00Z']) {
    await runDueJobs({ ...app.services, now: () => Date.parse(time) }, [job]);
  }
  expect(job.runs()).toBe(0);
});

test('a job that failed is tried again when its claim is stale, one that is done is not', async () => {
  let broken = true;
  const job = countingJob(() => (broken ? Promise.reject(new Error('broken')) : Promise.resolve({})));
  await runDueJobs(app.services, [job]);
  await runDueJobs(app.services, [job]);
  expect(job.runs()).toBe(1);
  const age = () =>
    app.services.database.sql.query({
      text: `UPDATE job_slots SET created_at = now() - interval '20 minutes' WHERE job = $1`,
      values: [job.name],
    });
  await age();
  broken = false;
  await runDueJobs(app.services, [job]);
  await age();
  await runDueJobs(app.services, [job]);
  expect(job.runs()).toBe(2);
});
