import type { HistoryList, InboxList, ReplayJob } from '@millrace/contracts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPostgres } from '../../adapters/postgres/open.ts';
import { noteConnectionError } from '../../database/connection-loss.ts';
import type { Statement } from '../../database/sql-client.ts';
import { workOnDue } from '../../execution/claimed-work/claimed-work.ts';
import { claimNext, postpone } from '../../execution/claimed-work/claims.ts';
import {
  describeOnPostgres,
  openPostgresForTest,
  type PostgresForTest,
  silent,
} from '../../execution/journal/testing/databases.ts';
import type { Services } from '../../services.ts';
import { createTestApp, type TestApp, type TestUser } from '../../testing/test-app.ts';
import { createWorkflow, executeUrl, graph, until } from '../executions/testing/workflows.ts';
import { JOB_CLAIMS, readSlice, readTurn } from './queries.ts';
import { REPLAY_JOBS } from './work.ts';

/** Two processes on one database. */
let apps: [TestApp, TestApp];
let postgres: PostgresForTest;
let owner: TestUser;
let member: TestUser;

async function openBoth(): Promise<void> {
  postgres = await openPostgresForTest();
  const open = () => createTestApp({ database: openPostgres({ url: postgres.url, log: silent }) });
  apps = [await open(), await open()];
  [owner, member] = [await apps[0].user(), await apps[0].user()];
}
async function closeBoth(): Promise<void> {
  for (const app of apps) await app.close();
  await postgres.database.close();
}

const FAILING = graph(
  [
    ['start', 'textInput'],
    ['stop', 'throwError', { errorMessage: 'no' }],
  ],
  ['start>stop'],
);

async function failedRuns(workflow_id: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < count; at++) {
    const answer = await owner.call('POST', executeUrl(workflow_id), { text: 'x' });
    expect(answer.headers['x-execution-id'], answer.body).toBeDefined();
    ids.push(String(answer.headers['x-execution-id']));
  }
  return ids;
}
async function ask(body: object, user = owner): Promise<ReplayJob> {
  const answer = await user.call('POST', '/api/replays', body);
  expect(answer.statusCode, answer.body).toBe(202);
  return answer.json<ReplayJob>();
}
const read = async ({ id }: ReplayJob, user = owner) =>
  (await user.call('GET', `/api/replays/${id}`)).json<ReplayJob>();
const listReplays = async (workflow_id: string, run_id: string) =>
  (await owner.call('GET', `/api/workflows/${workflow_id}/history?replay_of=${run_id}`)).json<HistoryList>()
    .items;
const pass = (services: Services) =>
  workOnDue(services, REPLAY_JOBS, { stopping: new AbortController().signal });
/** The database's clock decides when a slice is due; a test does not wait for it. */
const makeDue = () =>
  apps[0].services.database.sql.query({
    text: "UPDATE replay_jobs SET next_slice_at = now() - interval '1 second'",
  });
async function finish(job: ReplayJob, user = owner): Promise<ReplayJob> {
  return until(async () => {
    await makeDue();
    await Promise.all(apps.map(({ services }) => pass(services)));
    const now = await read(job, user);
    return now.state === 'done' && now;
  });
}
const inbox = async (workflow_id: string) =>
  (await owner.call('GET', `/api/inbox?workflow_id=${workflow_id}`)).json<InboxList>();

describeOnPostgres('a replay job', () => {
  beforeAll(openBoth);
  afterAll(closeBoth);

  test('runs each run again exactly once, whichever process carries it out', async () => {
    const id = await createWorkflow(owner, FAILING);
    const runs = await failedRuns(id, 12);
    const job = await ask({ execution_ids: [...runs, ...runs], rate: 5 });
    expect(job).toMatchObject({ state: 'running', total: 12, replayed: 0 });
    expect(await finish(job)).toMatchObject({ replayed: 12, refused: 0, refusals: [] });
    for (const run of runs) expect(await listReplays(id, run)).toHaveLength(1);
  });

  test('starts no more runs in a second than its rate', async () => {
    const id = await createWorkflow(owner, FAILING);
    const job = await ask({ execution_ids: await failedRuns(id, 5), rate: 2 });
    await Promise.all(apps.map(({ services }) => pass(services)));
    expect(await read(job)).toMatchObject({ state: 'running', replayed: 2 });
    await finish(job);
  });

  test('takes the entries of the inbox that a filter finds when it is asked for', async () => {
    const id = await createWorkflow(owner, FAILING);
    const [first, second] = await failedRuns(id, 2);
    await owner.call('POST', '/api/inbox/dismiss', { execution_ids: [first] });
    const none = await ask({ filter: { workflow_id: id, search: 'another reason' } });
    expect(none).toMatchObject({ state: 'done', total: 0 });
    const job = await ask({ filter: { workflow_id: id, kind: 'failed', search: 'no' }, from: 'failed' });
    await failedRuns(id, 1);
    expect(await finish(job)).toMatchObject({ total: 1, replayed: 1 });
    expect(await listReplays(id, String(second))).toHaveLength(1);
    // A job is done when its runs have started.
    await expect.poll(async () => (await inbox(id)).counts.failed).toBe(2);
  });

  test('runs what is published now where that is wanted', async () => {
    const id = await createWorkflow(owner, FAILING);
    const [run = ''] = await failedRuns(id, 1);
    const mended = graph(
      [
        ['start', 'textInput'],
        ['out', 'output', { message: 'ok' }],
      ],
      ['start>out'],
    );
    await owner.call('PUT', `/api/workflows/${id}`, { ...mended });
    await finish(await ask({ execution_ids: [run], version: 'current' }));
    await until(async () => (await listReplays(id, run))[0]?.status === 'success');
    expect((await inbox(id)).items).toEqual([]);
  });

  test('counts runs that cannot be run again, with the reason', async () => {
    const [mine, off] = [await createWorkflow(owner, FAILING), await createWorkflow(owner, FAILING)];
    const [run, dismissed, stopped] = [...(await failedRuns(mine, 2)), ...(await failedRuns(off, 1))];
    await owner.call('PUT', `/api/workflows/${off}`, { active: false });
    const execution_ids = [run, dismissed, stopped, crypto.randomUUID()];
    const job = await ask({ execution_ids });
    await owner.call('POST', '/api/inbox/dismiss', { execution_ids: [dismissed] });
    const done = await finish(job);
    expect(done).toMatchObject({ total: 4, replayed: 1, refused: 3 });
    expect(Object.fromEntries(done.refusals.map(({ reason, count }) => [reason, count]))).toEqual({
      conflict: 1,
      dismissed: 1,
      not_found: 1,
    });
    expect(done.refusals.find(({ reason }) => reason === 'conflict')?.message).toMatch(/switched off/);
  });

  test('rests where the rate limit of a workflow is exceeded, and refuses nothing for it', async () => {
    const id = await createWorkflow(owner, FAILING);
    const runs = await failedRuns(id, 2);
    await owner.call('PUT', `/api/workflows/${id}`, { rate_limit_requests: 1, rate_limit_window_seconds: 1 });
    const job = await ask({ execution_ids: runs, rate: 10 });
    await pass(apps[0].services);
    expect(await read(job)).toMatchObject({ state: 'running', replayed: 1, refused: 0 });
    for (const { clock } of apps) clock.now += 1_000;
    expect(await finish(job)).toMatchObject({ replayed: 2, refused: 0 });
  });

  test('rests only with the runs of a workflow whose rate limit is exceeded', async () => {
    const [limited, free] = [await createWorkflow(owner, FAILING), await createWorkflow(owner, FAILING)];
    const runs = [...(await failedRuns(limited, 3)), ...(await failedRuns(free, 3))];
    await owner.call('PUT', `/api/workflows/${limited}`, {
      rate_limit_requests: 1,
      rate_limit_window_seconds: 60,
    });
    const job = await ask({ execution_ids: runs, rate: 10 });
    await pass(apps[0].services);
    expect(await read(job)).toMatchObject({ state: 'running', replayed: 4, refused: 0 });
    await makeDue();
    await pass(apps[1].services);
    const { rows } = await apps[0].services.database.sql.query<{ seconds: number }>({
      text: `SELECT extract(epoch FROM next_slice_at - now())::float8 AS seconds FROM replay_jobs WHERE id = $1`,
      values: [job.id],
    });
    expect(rows[0]?.seconds).toBeGreaterThan(30);
    expect(await read(job)).toMatchObject({ state: 'running', replayed: 4, refused: 0 });
    await owner.call('POST', `/api/replays/${job.id}/cancel`);
  });

  test('does not count a lost connection as a failure of its run', async () => {
    const id = await createWorkflow(owner, FAILING);
    const job = await ask({ execution_ids: await failedRuns(id, 2), rate: 10 });
    const { services } = apps[0];
    const cut = noteConnectionError(new Error('Connection terminated unexpectedly'));
    const away: Services = {
      ...services,
      execution: {
        ...services.execution,
        replay: () => Promise.reject(cut),
      },
    };
    for (let at = 0; at < 4; at++) {
      await makeDue();
      await pass(away);
    }
    expect(await read(job)).toMatchObject({ state: 'running', replayed: 0, refused: 0 });
    const { rows } = await services.database.sql.query<{ failures: number }>({
      text: 'SELECT failures FROM replay_job_runs WHERE job_id = $1',
      values: [job.id],
    });
    expect(rows.map(({ failures }) => failures)).toEqual([0, 0]);
    expect(await finish(job)).toMatchObject({ replayed: 2, refused: 0 });
  });

  test('leaves a slice to the process that took it over', async () => {
    const id = await createWorkflow(owner, FAILING);
    const job = await ask({ execution_ids: await failedRuns(id, 2), rate: 1 });
    const { sql } = apps[0].services.database;
    const slow = await claimNext(sql, JOB_CLAIMS);
    expect(slow?.id).toBe(job.id);
    await makeDue();
    const taken = await claimNext(sql, JOB_CLAIMS);
    expect(taken?.id).toBe(job.id);
    if (!slow || !taken) throw new Error('no slice was due');
    const [run_id = ''] = await readSlice(sql, slow);
    expect(await readTurn(sql, slow, run_id)).toBeUndefined();
    expect(await readTurn(sql, taken, run_id)).toBeDefined();
    // In the past, because two connections may read clocks that differ by some microseconds.
    await postpone(sql, JOB_CLAIMS, slow, { seconds: -1 });
    expect(await claimNext(sql, JOB_CLAIMS)).toBeUndefined();
    await postpone(sql, JOB_CLAIMS, taken, { seconds: -1 });
    expect((await claimNext(sql, JOB_CLAIMS))?.id).toBe(job.id);
    await finish(job);
  });

  test('is one of at most 20 that a person has open', async () => {
    const user = await apps[0].user();
    const body = { execution_ids: [crypto.randomUUID()] };
    const asked = await Promise.all(
      Array.from({ length: 25 }, () => user.call('POST', '/api/replays', body)),
    );
    const statuses = asked.map(({ statusCode }) => statusCode);
    expect(statuses.filter((status) => status === 202)).toHaveLength(20);
    expect(statuses.filter((status) => status === 409)).toHaveLength(5);
    const [refused] = asked.filter(({ statusCode }) => statusCode === 409);
    expect(refused?.json()).toMatchObject({ detail: expect.stringMatching(/20 replay jobs.*cancel one/) });
    const [first] = asked.flatMap((answer) => (answer.statusCode === 202 ? [answer.json<ReplayJob>()] : []));
    await user.call('PUT', `/api/replays/${first?.id}/pause`);
    expect((await user.call('POST', '/api/replays', body)).statusCode).toBe(409);
    await user.call('POST', `/api/replays/${first?.id}/cancel`);
    expect((await user.call('POST', '/api/replays', body)).statusCode).toBe(202);
    await apps[0].services.database.sql.query({
      text: 'DELETE FROM replay_jobs WHERE requested_by = $1',
      values: [user.id],
    });
  });

  test('is made once for an Idempotency-Key, which belongs to one person and one body', async () => {
    const body = { execution_ids: [crypto.randomUUID()] };
    const send = (key: string, sent: object = body, user = owner) =>
      user.call('POST', '/api/replays', sent, { 'idempotency-key': key });
    const answers = await Promise.all([send('once'), send('once'), send('once')]);
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([202, 202, 202]);
    expect(new Set(answers.map((answer) => answer.json<ReplayJob>().id)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers['idempotent-replayed'] === 'true')).toHaveLength(2);
    const other = await send('once', { execution_ids: [crypto.randomUUID()] });
    expect(other.statusCode).toBe(422);
    expect(other.json()).toMatchObject({
      detail: [{ loc: ['header', 'Idempotency-Key'], type: 'idempotency_key_reused' }],
    });
    expect((await send('a b')).statusCode).toBe(422);
    const [mine] = answers;
    const theirs = await send('once', body, member);
    expect(theirs.headers['idempotent-replayed']).toBeUndefined();
    expect(theirs.json<ReplayJob>().id).not.toBe(mine?.json<ReplayJob>().id);
    await finish(theirs.json<ReplayJob>(), member);
    if (mine) await finish(mine.json<ReplayJob>());
    expect((await send('once')).json()).toMatchObject({ id: mine?.json<ReplayJob>().id, state: 'done' });
  });

  test('has the rights of the person who asked for it, at the time of each run', async () => {
    const id = await createWorkflow(owner, FAILING);
    const shared = await createWorkflow(owner, FAILING);
    await owner.call('POST', `/api/workflows/${shared}/shares`, { email: member.email });
    const [hidden, seen] = [...(await failedRuns(id, 1)), ...(await failedRuns(shared, 1))];
    const done = await finish(await ask({ execution_ids: [hidden, seen] }, member), member);
    expect(done).toMatchObject({ replayed: 1, refused: 1, refusals: [{ reason: 'not_found' }] });
    expect(await listReplays(id, String(hidden))).toEqual([]);
    const late = await ask({ execution_ids: await failedRuns(shared, 1) }, member);
    await owner.call('DELETE', `/api/workflows/${shared}`);
    expect(await finish(late, member)).toMatchObject({ replayed: 0, refused: 1 });
  });

  test('is paused, continued and cancelled; what ended stays ended', async () => {
    const id = await createWorkflow(owner, FAILING);
    const job = await ask({ execution_ids: await failedRuns(id, 3), rate: 1 });
    const move = (method: string, what: string) => owner.call(method, `/api/replays/${job.id}/${what}`);
    await pass(apps[0].services);
    expect((await move('PUT', 'pause')).json()).toMatchObject({ state: 'paused', replayed: 1 });
    await makeDue();
    await pass(apps[1].services);
    expect(await read(job)).toMatchObject({ state: 'paused', replayed: 1 });
    expect((await move('DELETE', 'pause')).json()).toMatchObject({ state: 'running' });
    await makeDue();
    await pass(apps[1].services);
    const cancelled = (await move('POST', 'cancel')).json<ReplayJob>();
    expect(cancelled).toMatchObject({ state: 'cancelled', replayed: 2 });
    await makeDue();
    await pass(apps[0].services);
    expect(await read(job)).toMatchObject({ state: 'cancelled', replayed: 2 });
    expect((await move('POST', 'cancel')).json()).toEqual(cancelled);
    expect((await move('PUT', 'pause')).statusCode).toBe(409);
    expect((await inbox(id)).items.some(({ replay_of }) => replay_of === null)).toBe(true);
  });

  test('starts no run after it was cancelled in the middle of a slice', async () => {
    const id = await createWorkflow(owner, FAILING);
    const job = await ask({ execution_ids: await failedRuns(id, 3), rate: 10 });
    const { services } = apps[0];
    const { sql } = services.database;
    let turns = 0;
    const cancelledMidway: Services = {
      ...services,
      database: {
        ...services.database,
        sql: {
          ...sql,
          query: async <Row>(statement: Statement) => {
            if (statement.text.includes('AS is_dismissed') && ++turns === 2)
              await owner.call('POST', `/api/replays/${job.id}/cancel`);
            return sql.query<Row>(statement);
          },
        },
      },
    };
    await pass(cancelledMidway);
    expect(await read(job)).toMatchObject({ state: 'cancelled', replayed: 1, refused: 0 });
    expect((await inbox(id)).items.filter(({ replay_of }) => replay_of === null)).toHaveLength(2);
  });

  test('is listed for its person alone, and a selection is by ids or by filter', async () => {
    const job = await ask({ execution_ids: [crypto.randomUUID()] });
    const list = async (user: TestUser) =>
      (await user.call('GET', '/api/replays')).json<ReplayJob[]>().map(({ id }) => id);
    expect(await list(owner)).toContain(job.id);
    expect(await list(member)).not.toContain(job.id);
    await finish(job);
    expect((await member.call('GET', `/api/replays/${job.id}`)).statusCode).toBe(404);
    expect((await owner.call('POST', '/api/replays', {})).statusCode).toBe(422);
    const both = { execution_ids: [job.id], filter: {} };
    expect((await owner.call('POST', '/api/replays', both)).statusCode).toBe(422);
  });

  test('recognises a run whose process was lost between its replay and its count', async () => {
    const id = await createWorkflow(owner, FAILING);
    const runs = await failedRuns(id, 3);
    const job = await ask({ execution_ids: runs, rate: 10 });
    const { services } = apps[0];
    const { sql } = services.database;
    let counts = 0;
    const lost: Services = {
      ...services,
      database: {
        ...services.database,
        sql: {
          ...sql,
          query: (statement, ...more) => {
            if (statement.text.includes('DELETE FROM replay_job_runs') && ++counts === 2)
              throw new Error('the process was lost');
            return sql.query(statement, ...more);
          },
        },
      },
    };
    await pass(lost);
    expect(await read(job)).toMatchObject({ replayed: 1 });
    await pass(apps[1].services);
    expect(await read(job)).toMatchObject({ replayed: 1 });
    expect(await finish(job)).toMatchObject({ replayed: 3, refused: 0 });
    for (const run of runs) expect(await listReplays(id, run)).toHaveLength(1);
  });
});
