import type { Alert } from '@millrace/contracts';
import { HOUR_MS, MINUTE_MS } from '@millrace/engine/units';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPostgres } from '../../adapters/postgres/open.ts';
import { AppError } from '../../core/app-error.ts';
import { openPostgresForTest, silent } from '../../execution/journal/testing/databases.ts';
import { createTestApp, type TestApp, type TestUser } from '../../testing/test-app.ts';
import {
  createWorkflow,
  ECHO,
  executeUrl,
  graph,
  PICKY,
  RUN_DRAFT,
  saveMovedDraft,
} from '../executions/testing/workflows.ts';
import { checkAlerts } from './work.ts';

const PATH = '/api/alerts';
/** A Friday. */
const FRIDAY = Date.parse('2026-11-20T10:00:00Z');

let apps: [TestApp, TestApp];
let app: TestApp;
let owner: TestUser;
let stranger: TestUser;
let close: () => Promise<void>;
beforeAll(async () => {
  const { url, database } = await openPostgresForTest();
  const env = { ACCESS_TOKEN_MINUTES: '10080', LEASE_SECONDS: '60' };
  const start = () => createTestApp({ database: openPostgres({ url, log: silent }), env });
  apps = [await start(), await start()];
  [app] = apps;
  pass(FRIDAY - app.clock.now);
  [owner, stranger] = [await app.user('Owner'), await app.user('Stranger')];
  close = async () => {
    for (const one of apps) await one.close();
    await database.close();
  };
});
afterAll(() => close());

function pass(ms: number): void {
  const now = app.clock.now + ms;
  for (const one of apps) one.clock.now = now;
}

async function send(body: object, user = owner) {
  return user.call('POST', PATH, body);
}

async function created(body: object): Promise<Alert> {
  const answer = await send(body);
  expect(answer.statusCode, answer.body).toBe(201);
  return answer.json<Alert>();
}

interface Watched {
  readonly workflow_id: string;
  readonly target_workflow_id: string;
}

const watched = async (content = ECHO): Promise<Watched> => ({
  workflow_id: await createWorkflow(owner, content),
  target_workflow_id: await createWorkflow(owner, ECHO),
});

const read = async ({ id }: Pick<Alert, 'id'>) => (await owner.call('GET', `${PATH}/${id}`)).json<Alert>();

/** One check by all processes at the same moment, a minute after the one before. */
async function check(): Promise<void> {
  pass(MINUTE_MS);
  await Promise.all(apps.map(({ services }) => checkAlerts(services)));
}

async function loadStarts({ target_workflow_id }: Watched) {
  const { rows } = await app.services.database.sql.query<{
    id: string;
    input: string;
    trigger_source: string;
    actor_id: string;
  }>({
    text: 'SELECT id, input, trigger_source, actor_id FROM runs WHERE workflow_id = $1 ORDER BY id',
    values: [target_workflow_id],
  });
  return rows.map(({ input, ...row }) => ({ ...row, body: (JSON.parse(input) as { body: unknown }).body }));
}

const call = (workflow_id: string, text: string, query = '') =>
  owner.call('POST', `${executeUrl(workflow_id)}${query}`, { text });

describe('/api/alerts', () => {
  test('what was created is listed, newest first, read, replaced and deleted', async () => {
    const workflows = await watched();
    const first = await created({ name: 'first', kind: 'silence', window_minutes: 120, ...workflows });
    pass(1_000);
    const second = await created({
      name: 'second',
      kind: 'duration',
      threshold: 2_000,
      window_minutes: 5,
      days: [5, 1, 1],
      from: '09:00',
      until: '17:30',
      time_zone: 'Europe/Berlin',
      ...workflows,
    });
    expect(first).toMatchObject({
      days: [1, 2, 3, 4, 5, 6, 7],
      from: '00:00',
      until: '24:00',
      threshold: null,
      repeats: false,
      active: true,
      state: 'ok',
      value: null,
    });
    expect(second).toMatchObject({ days: [1, 5], from: '09:00', until: '17:30', threshold: 2_000 });
    const list = (await owner.call('GET', PATH)).json<Alert[]>();
    expect(list.map(({ id }) => id).slice(0, 2)).toEqual([second.id, first.id]);
    const body = { name: 'other', kind: 'error_rate', threshold: 10, window_minutes: 15, ...workflows };
    const replaced = await owner.call('PUT', `${PATH}/${first.id}`, { ...body, active: false });
    expect(replaced.json()).toMatchObject({ id: first.id, name: 'other', threshold: 10, active: false });
    expect(await read(first)).toEqual(replaced.json());
    for (const { id } of [first, second]) {
      expect((await owner.call('DELETE', `${PATH}/${id}`)).statusCode).toBe(204);
      expect((await owner.call('GET', `${PATH}/${id}`)).statusCode).toBe(404);
    }
  });

  test.each([
    ['no name', { name: ' ' }, 'name'],
    ['no threshold', { kind: 'duration' }, 'threshold'],
    ['more than all', { kind: 'error_rate', threshold: 101 }, 'threshold'],
    ['a window of nothing', { window_minutes: 0 }, 'window_minutes'],
    ['more than a week', { window_minutes: 10_081 }, 'window_minutes'],
    ['no day', { days: [] }, 'days'],
    ['a day that there is not', { days: [8] }, 'days'],
    ['an end before the start', { from: '17:00', until: '09:00' }, 'until'],
    ['a time that there is not', { from: '25:00' }, 'from'],
    [
      'a window longer than its active hours of a year',
      { window_minutes: 53, days: [1], from: '09:00', until: '09:01' },
      'window_minutes',
    ],
    ['a zone that there is not', { time_zone: 'Berlin' }, 'time_zone'],
  ])('422 names the field: %s', async (_, wrong, field) => {
    const answer = await send({
      name: 'x',
      kind: 'silence',
      window_minutes: 60,
      ...(await watched()),
      ...wrong,
    });
    expect(answer.statusCode).toBe(422);
    expect(answer.json<{ detail: { loc: string[] }[] }>().detail[0]?.loc).toContain(field);
  });

  test('a window as long as its active hours of a year is stored, and a longer one of another kind', async () => {
    const short = { days: [1], from: '09:00', until: '09:01', ...(await watched()) };
    const silence = await created({ ...short, name: 'silence', kind: 'silence', window_minutes: 52 });
    const duration = { ...short, name: 'duration', kind: 'duration', threshold: 1, window_minutes: 53 };
    await created(duration);
    const longer = await owner.call('PUT', `${PATH}/${silence.id}`, { ...duration, kind: 'silence' });
    expect(longer.statusCode).toBe(422);
    expect(await read(silence)).toEqual(silence);
  });

  test('§5.8: for others it does not exist, and workflows of others cannot be named', async () => {
    const workflows = await watched();
    const body = { name: 'mine', kind: 'silence', window_minutes: 60, ...workflows };
    const { id } = await created(body);
    for (const [method, given] of [['GET'], ['PUT', body], ['DELETE']] as const)
      expect((await stranger.call(method, `${PATH}/${id}`, given)).statusCode).toBe(404);
    expect((await stranger.call('GET', PATH)).json()).toEqual([]);
    expect((await send(body, stranger)).statusCode).toBe(404);
    expect((await owner.call('DELETE', `${PATH}/${id}`)).statusCode).toBe(204);
  });

  test('409 for one alert too many', async () => {
    const user = await app.user('Many');
    const workflow_id = await createWorkflow(user, ECHO);
    const body = {
      name: 'x',
      kind: 'silence',
      window_minutes: 60,
      workflow_id,
      target_workflow_id: workflow_id,
      active: false,
    };
    for (let count = 0; count < 99; count++) expect((await send(body, user)).statusCode).toBe(201);
    const atOnce = await Promise.all(Array.from({ length: 8 }, () => send(body, user)));
    const refused = atOnce.filter(({ statusCode }) => statusCode !== 201);
    expect(refused).toHaveLength(7);
    for (const answer of refused) {
      expect(answer.statusCode).toBe(409);
      expect(answer.body).toContain('delete one first');
    }
  });
});

describe('what an alert finds', () => {
  test('silence: no run for two hours on workdays starts the workflow once, on one of two processes', async () => {
    pass(FRIDAY - app.clock.now);
    const workflows = await watched();
    const alert = await created({
      name: 'quiet',
      kind: 'silence',
      window_minutes: 120,
      days: [1, 2, 3, 4, 5],
      ...workflows,
    });
    pass(HOUR_MS);
    await call(workflows.workflow_id, 'x');
    pass(1.9 * HOUR_MS);
    await check();
    expect([(await read(alert)).state, await loadStarts(workflows)]).toEqual(['ok', []]);
    pass(0.2 * HOUR_MS);
    await check();
    const starts = await loadStarts(workflows);
    expect(starts).toMatchObject([
      {
        trigger_source: 'alert',
        actor_id: owner.id,
        body: { alert_id: alert.id, alert_name: 'quiet', kind: 'silence', value: 120, window_minutes: 120 },
      },
    ]);
    expect(await read(alert)).toMatchObject({ state: 'firing', value: 120, last_run_id: starts[0]?.id });
    // It still holds, which is no news.
    pass(3 * HOUR_MS);
    await check();
    expect(await loadStarts(workflows)).toHaveLength(1);
    // A run ends the silence, and the next one starts anew.
    await call(workflows.workflow_id, 'x');
    await check();
    expect((await read(alert)).state).toBe('ok');
    // The weekend is not counted: Monday at 01:00 is too early.
    pass(Date.parse('2026-11-21T00:30:00Z') - app.clock.now);
    await check();
    expect((await read(alert)).state).toBe('ok');
    pass(Date.parse('2026-11-23T02:30:00Z') - app.clock.now);
    await check();
    expect(await loadStarts(workflows)).toHaveLength(2);
  });

  test('an error rate, of enough runs that are no trials; failures that are over end it', async () => {
    const workflows = await watched(PICKY);
    const alert = await created({
      name: 'failing',
      kind: 'error_rate',
      threshold: 50,
      least_runs: 4,
      window_minutes: 10,
      ...workflows,
    });
    for (const text of ['fine', 'bad', 'bad']) await call(workflows.workflow_id, text);
    const { workflow_id } = workflows;
    await saveMovedDraft(owner, workflow_id, PICKY);
    for (let trial = 0; trial < 5; trial++) {
      await call(workflow_id, 'bad', '?test_run=true');
      const tried = await owner.call('POST', executeUrl(workflow_id), { text: 'bad' }, RUN_DRAFT);
      expect(tried.headers['x-execution-id']).toBeTruthy();
    }
    await check();
    expect(await read(alert)).toMatchObject({ state: 'ok', value: null });
    await call(workflows.workflow_id, 'fine');
    await check();
    expect(await read(alert)).toMatchObject({ state: 'firing', value: 50 });
    expect(await loadStarts(workflows)).toHaveLength(1);
    pass(20 * MINUTE_MS);
    await check();
    expect(await read(alert)).toMatchObject({ state: 'ok', value: null });
    expect(await loadStarts(workflows)).toHaveLength(1);
  });

  test('a duration', async () => {
    const workflows = await watched(
      graph(
        [
          ['start', 'textInput'],
          ['rest', 'wait', { duration: 30 }],
          ['out', 'output', { message: 'done' }],
        ],
        ['start>rest', 'rest>out'],
      ),
    );
    const of = (threshold: number) =>
      created({ name: 'slow', kind: 'duration', threshold, window_minutes: 10, ...workflows });
    const [slow, fast] = [await of(600_000), await of(1)];
    await call(workflows.workflow_id, 'x');
    await app.services.database.sql.query({
      text: 'UPDATE runs SET duration_ms = 1234 WHERE workflow_id = $1',
      values: [workflows.workflow_id],
    });
    await check();
    expect(await read(slow)).toMatchObject({ state: 'ok', value: 1234 });
    expect(await read(fast)).toMatchObject({ state: 'firing', value: 1234 });
  });

  test('a repeating alert starts once per window, across repeated checks and a crash', async () => {
    const workflows = await watched(PICKY);
    const window_ms = 10 * MINUTE_MS;
    pass(window_ms - (app.clock.now % window_ms));
    const alert = await created({
      name: 'again',
      kind: 'error_rate',
      threshold: 1,
      window_minutes: 10,
      repeats: true,
      ...workflows,
    });
    await call(workflows.workflow_id, 'bad');
    for (let minute = 1; minute < 9; minute++) await check();
    expect(await loadStarts(workflows)).toHaveLength(1);
    // As after a process that died between the run and what it noted.
    await app.services.database.sql.query({
      text: "UPDATE alerts SET state = 'ok', next_look_at = now() - interval '1 year' WHERE id = $1",
      values: [alert.id],
    });
    await check();
    expect(await loadStarts(workflows)).toHaveLength(1);
    await call(workflows.workflow_id, 'bad');
    for (let minute = 0; minute < 3; minute++) await check();
    expect(await loadStarts(workflows)).toHaveLength(2);
  });

  test('a condition that returns within its window starts the workflow in the next one, if it still holds', async () => {
    const workflows = await watched(PICKY);
    const window_ms = 10 * MINUTE_MS;
    pass(window_ms - (app.clock.now % window_ms));
    const body = { name: 'back', kind: 'error_rate', threshold: 50, window_minutes: 10, ...workflows };
    const alert = await created(body);
    const states: string[] = [];
    for (const texts of [['bad'], ['fine', 'fine'], ['bad', 'bad']]) {
      for (const text of texts) await call(workflows.workflow_id, text);
      await check();
      states.push((await read(alert)).state);
    }
    expect(states).toEqual(['firing', 'ok', 'firing']);
    expect(await loadStarts(workflows)).toHaveLength(1);
    for (let minute = 4; minute < 12; minute++) await check();
    expect((await read(alert)).state).toBe('firing');
    expect(await loadStarts(workflows)).toHaveLength(2);
  });

  test('a problem of former settings is not written to the new ones', async () => {
    const workflows = await watched(PICKY);
    const body = { name: 'old', kind: 'error_rate', threshold: 1, window_minutes: 60, ...workflows };
    const alert = await created(body);
    await call(workflows.workflow_id, 'bad');
    pass(MINUTE_MS);
    const { services } = app;
    const { execution } = services;
    const internal = async () => {
      pass(1);
      await owner.call('PUT', `${PATH}/${alert.id}`, { ...body, active: false });
      throw new AppError('conflict', 'The workflow is switched off');
    };
    const admit = { ...execution.admit, internal };
    await checkAlerts({ ...services, execution: { ...execution, admit } });
    expect(await read(alert)).toMatchObject({ active: false, problem: null });
  });

  test('a workflow that cannot be started says why, and is started as soon as it can be', async () => {
    const workflows = await watched(PICKY);
    const { target_workflow_id } = workflows;
    await owner.call('PUT', `/api/workflows/${target_workflow_id}`, { active: false });
    const alert = await created({
      name: 'off',
      kind: 'error_rate',
      threshold: 1,
      window_minutes: 60,
      ...workflows,
    });
    await call(workflows.workflow_id, 'bad');
    await check();
    expect(await read(alert)).toMatchObject({ state: 'ok', problem: 'The workflow is switched off' });
    await owner.call('PUT', `/api/workflows/${target_workflow_id}`, { active: true });
    await check();
    expect(await read(alert)).toMatchObject({ state: 'firing', problem: null });
    expect(await loadStarts(workflows)).toHaveLength(1);
  });

  test('a workflow that is not shared any more is not checked', async () => {
    const workflow_id = await createWorkflow(stranger, PICKY);
    const { target_workflow_id } = await watched();
    const share = await stranger.call('POST', `/api/workflows/${workflow_id}/shares`, { email: owner.email });
    expect(share.statusCode, share.body).toBeLessThan(300);
    const body = { name: 'shared', kind: 'error_rate', threshold: 1, window_minutes: 60 };
    const alert = await created({ ...body, workflow_id, target_workflow_id });
    const gone = await stranger.call('DELETE', `/api/workflows/${workflow_id}/shares/${owner.id}`);
    expect(gone.statusCode, gone.body).toBeLessThan(300);
    await stranger.call('POST', executeUrl(workflow_id), { text: 'bad' });
    await check();
    expect(await read(alert)).toMatchObject({
      state: 'ok',
      problem: expect.stringContaining('no longer see'),
    });
    expect(await loadStarts({ workflow_id, target_workflow_id })).toEqual([]);
  });

  test('one that is switched off is not checked', async () => {
    const workflows = await watched(PICKY);
    const body = { name: 'off', kind: 'error_rate', threshold: 1, window_minutes: 60, ...workflows };
    const alert = await created({ ...body, active: false });
    await call(workflows.workflow_id, 'bad');
    await check();
    expect((await read(alert)).checked_at).toBeNull();
    expect(await loadStarts(workflows)).toEqual([]);
  });
});
