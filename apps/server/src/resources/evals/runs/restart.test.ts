import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPostgres } from '../../../adapters/postgres/open.ts';
import { workOnDue } from '../../../execution/claimed-work/claimed-work.ts';
import { claimNext } from '../../../execution/claimed-work/claims.ts';
import {
  describeOnPostgres,
  openPostgresForTest,
  type PostgresForTest,
  silent,
} from '../../../execution/journal/testing/databases.ts';
import { createTestApp, type TestApp } from '../../../testing/test-app.ts';
import { until } from '../../executions/testing/workflows.ts';
import {
  createEvalWorld,
  createSuite,
  type EvalWorld,
  echo,
  pass,
  questionIn,
  readRun,
  started,
} from '../testing/world.ts';
import { openResults, RUN_CLAIMS, readTurn, storeResult } from './claims.ts';
import { EVAL_RUNS } from './work.ts';

/** Two processes on one database. */
let postgres: PostgresForTest;
let world: EvalWorld;
let other: TestApp;

const open = () => openPostgres({ url: postgres.url, log: silent });
const questions = () => world.provider.seen.map(questionIn).toSorted();
/** As if the lease of a process that was lost had ended. */
const loseClaims = () =>
  world.app.services.database.sql.query({
    text: "UPDATE eval_runs SET next_look_at = now() - interval '1 second'",
  });

describeOnPostgres('eval runs of several processes', () => {
  beforeAll(async () => {
    postgres = await openPostgresForTest();
    world = await createEvalWorld({ database: open() });
    other = await createTestApp({ database: open(), env: { HTTP_ALLOW_PRIVATE_URLS: 'true' } });
  });
  afterAll(async () => {
    await world.close();
    await other.close();
    await postgres.database.close();
  });

  const cases = Array.from({ length: 12 }, (_, at) => [`case ${at + 10}`, 'x'] as const);

  test('each case is asked for once', async () => {
    world.provider.seen.length = 0;
    const run = await started(world, await createSuite(world, cases));
    const signal = new AbortController().signal;
    await Promise.all([pass(world), workOnDue(other.services, EVAL_RUNS, { stopping: signal })]);
    await until(async () => (await readRun(world, run)).status === 'completed');
    expect(questions()).toEqual(cases.map(([input]) => input));
  });

  test('a process that stops leaves the rest to another one, and no case is asked for twice', async () => {
    world.provider.seen.length = 0;
    const run = await started(world, await createSuite(world, cases));
    const stopping = new AbortController();
    world.answer((call) => {
      if (world.provider.seen.length === 3) stopping.abort();
      return echo(call);
    });
    await pass(world, stopping.signal);
    const half = await readRun(world, run);
    expect(half.status).toBe('running');
    expect(half.done_count).toBe(world.provider.seen.length);
    expect(half.done_count).toBeLessThan(12);
    await workOnDue(other.services, EVAL_RUNS, { stopping: new AbortController().signal });
    expect(await readRun(world, run)).toMatchObject({ status: 'completed', done_count: 12 });
    expect(questions()).toEqual(cases.map(([input]) => input));
  });

  test('a process that was taken over asks for nothing more, and the first answer to a case counts', async () => {
    world.answer(echo);
    const run = await started(world, await createSuite(world, cases.slice(0, 2)));
    const { db, sql } = world.app.services.database;
    const slow = await claimNext(sql, RUN_CLAIMS);
    if (!slow) throw new Error('no run was open');
    expect(await claimNext(sql, RUN_CLAIMS)).toBeUndefined();
    const [first = '', second = ''] = await openResults(sql, slow);
    const turn = await readTurn(sql, slow, first);
    if (!turn) throw new Error('no case was open');
    await loseClaims();
    const signal = new AbortController().signal;
    await workOnDue(other.services, EVAL_RUNS, { stopping: signal });
    expect(await readTurn(sql, slow, second)).toBeUndefined();
    await storeResult(db, turn, { actual_output: 'late', status: 'completed' });
    const done = await readRun(world, run);
    expect(done.results.map(({ actual_output }) => actual_output)).toEqual(['case 10', 'case 11']);
  });
});
