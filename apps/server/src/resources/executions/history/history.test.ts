import type { ActiveExecution, HistoryEntry, HistoryList } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { newOrderedId } from '../../../core/ids.ts';
import { SEARCH_WINDOW } from '../../../execution/store/history/filters.ts';
import { visiblePage, workflowPage } from '../../../execution/store/history/list.ts';
import { createTestApp, type TestUser, useOwnTestApp } from '../../../testing/test-app.ts';
import { createWorkflow, ECHO, executeUrl, graph, parseFrames, until } from '../testing/workflows.ts';
import { applyRetention } from './retention.ts';

const app = await useOwnTestApp();
const owner = await app.user();
const stranger = await app.user();

const FAILING = graph(
  [
    ['start', 'textInput'],
    ['stop', 'throwError', { errorMessage: 'needle in a haystack' }],
  ],
  ['start>stop'],
);
const WAITING = graph(
  [
    ['start', 'textInput'],
    ['pause', 'wait', { duration: 60_000 }],
  ],
  ['start>pause'],
);

const run = (id: string, body: unknown = {}, source = 'API') =>
  app.call('POST', executeUrl(id), body, { 'x-trigger-source': source });
const list = async (id: string, query = '', user = owner) =>
  (await user.call('GET', `/api/workflows/${id}/history${query}`)).json<HistoryList>();
const all = async (query = '', user = owner) =>
  (await user.call('GET', `/api/workflows/history/all${query}`)).json<HistoryList>();
const entry = async (id: string, entry_id: string) =>
  (await owner.call('GET', `/api/workflows/${id}/history/${entry_id}`)).json<HistoryEntry>();

describe('GET /api/workflows/{id}/history', () => {
  test('lists runs newest first with the fields of a row', async () => {
    const id = await createWorkflow(owner, ECHO);
    await run(id, { text: 'one' });
    await run(id, { text: 'two' }, 'Canvas');
    const { items, total, total_is_capped, next_before } = await list(id);
    expect({ total, total_is_capped, next_before }).toEqual({
      total: 2,
      total_is_capped: false,
      next_before: null,
    });
    expect(items.map(({ trigger_source }) => trigger_source)).toEqual(['Canvas', 'API']);
    expect(items[0]).toEqual({
      id: expect.any(String),
      workflow_id: id,
      workflow_name: 'Test workflow',
      run_type: 'workflow',
      started_at: expect.stringMatching(/Z$/),
      status: 'success',
      execution_time_ms: expect.any(Number),
      trigger_source: 'Canvas',
      recovered: false,
      unresolved_references: 0,
      version_number: 2,
      is_draft: false,
      replay_of: null,
      replay_from: null,
      waits_behind: null,
    });
  });

  test('shows a run with options that hold what the database takes in no JSON', async () => {
    const id = await createWorkflow(owner, ECHO);
    await run(id);
    const { items } = await list(id);
    const [{ id: run_id } = { id: '' }] = items;
    await app.services.database.sql.query({
      text: 'UPDATE runs SET options = $2 WHERE id = $1',
      values: [run_id, JSON.stringify({ globals: { visitor: '\0 \ud800' }, test_run: true })],
    });
    expect((await list(id)).items).toMatchObject([{ id: run_id, is_draft: false }]);
    expect(await entry(id, run_id)).toMatchObject({ id: run_id, is_draft: false });
  });

  test('pages by cursor and by offset alike, without gap or repetition', async () => {
    const id = await createWorkflow(owner, ECHO);
    for (let at = 0; at < 7; at++) await run(id, { text: String(at) });
    const whole = (await list(id)).items.map((item) => item.id);
    const byCursor: string[] = [];
    for (let before: string | null = ''; before !== null; ) {
      const page: HistoryList = await list(id, `?limit=3${before ? `&before=${before}` : ''}`);
      byCursor.push(...page.items.map((item) => item.id));
      before = page.next_before;
    }
    const byOffset = [...(await list(id, '?limit=4')).items, ...(await list(id, '?limit=4&offset=4')).items];
    expect(byCursor).toEqual(whole);
    expect(byOffset.map((item) => item.id)).toEqual(whole);
    expect((await list(id, '?limit=3')).total).toBe(7);
  });

  test.each([1, 2])('a page of %i that holds the last run names no page behind it', async (limit) => {
    const id = await createWorkflow(owner, ECHO);
    for (let at = 0; at < limit; at++) await run(id);
    for (const page of [await list(id, `?limit=${limit}`), await all(`?limit=${limit}&workflow_id=${id}`)]) {
      expect(page.items).toHaveLength(limit);
      expect(page.next_before).toBeNull();
    }
    await run(id);
    expect((await list(id, `?limit=${limit}`)).next_before).not.toBeNull();
  });

  test('filters by status, source and time', async () => {
    const id = await createWorkflow(owner, ECHO);
    await run(id, {}, 'Canvas');
    app.clock.now += 600_000;
    const between = new Date(app.clock.now - 60_000).toISOString();
    await run(id);
    expect((await list(id, '?trigger_source=Canvas')).total).toBe(1);
    expect((await list(id, '?status=error')).total).toBe(0);
    expect((await list(id, '?status=success')).total).toBe(2);
    expect((await list(id, `?from=${between}`)).items.map(({ trigger_source }) => trigger_source)).toEqual([
      'API',
    ]);
    expect((await list(id, `?to=${between}`)).items.map(({ trigger_source }) => trigger_source)).toEqual([
      'Canvas',
    ]);
  });

  test.each(['search', 'trigger_source'])(
    'a NUL in %s is refused by name, not by the database',
    async (field) => {
      const id = await createWorkflow(owner, ECHO);
      const answer = await owner.call('GET', `/api/workflows/${id}/history?${field}=a%00b`);
      expect(answer.statusCode).toBe(422);
      expect(answer.json()).toMatchObject({ detail: [{ loc: ['query', field] }] });
    },
  );

  test('searches inputs, outputs, node results, status and name, in any case', async () => {
    const id = await createWorkflow(owner, FAILING);
    await run(id, { text: 'Straw' });
    const found = async (text: string) => (await list(id, `?search=${encodeURIComponent(text)}`)).total;
    expect(await found('NEEDLE')).toBe(1);
    expect(await found('straw')).toBe(1);
    expect(await found('throwError')).toBe(1);
    expect(await found('test workflow')).toBe(1);
    expect(await found('pitchfork')).toBe(0);
    expect(await found('%')).toBe(0);
    expect(await found('_____')).toBe(0);
  });

  test('a search says that it did not look at large values, and a list without search says nothing', async () => {
    const id = await createWorkflow(owner, ECHO);
    await run(id, { text: 'small' });
    expect((await list(id, '?search=needle')).not_searched).toEqual([]);
    await run(id, { text: `${'hay '.repeat(10_000)}needle` });
    const { total, not_searched } = await list(id, '?search=needle');
    expect({ total, not_searched }).toEqual({ total: 0, not_searched: ['large_values'] });
    expect((await all('?search=needle')).not_searched).toContain('large_values');
    expect((await list(id, '?search=needle&status=error')).not_searched).toEqual([]);
    expect((await list(id)).not_searched).toEqual([]);
  });

  test('a search says that it did not look at older runs', async () => {
    const id = await createWorkflow(owner, ECHO);
    await app.services.database.sql.query({
      text: `INSERT INTO runs (id, workflow_id, state, status, attempt, input, outputs, started_at)
        SELECT gen_random_uuid(), $1::uuid, 3, 'success', 1, '{}', '{}', now() FROM generate_series(1, $2::int)`,
      values: [id, SEARCH_WINDOW],
    });
    expect((await list(id, '?search=needle')).not_searched).toEqual([]);
    await run(id);
    expect((await list(id, '?search=needle')).not_searched).toEqual(['older_runs']);
  });

  test('answers 422 to what cannot be a filter, and 404 to strangers', async () => {
    const id = await createWorkflow(owner, ECHO);
    const status = async (query: string) =>
      (await owner.call('GET', `/api/workflows/${id}/history${query}`)).statusCode;
    for (const query of [
      '?limit=0',
      '?limit=501',
      '?offset=-1',
      '?before=x',
      '?status=nope',
      '?from=yesterday',
    ])
      expect(await status(query)).toBe(422);
    expect((await stranger.call('GET', `/api/workflows/${id}/history`)).statusCode).toBe(404);
    expect((await app.call('GET', `/api/workflows/${id}/history`)).statusCode).toBe(401);
  });
});

describe('GET /api/workflows/{id}/history/{entry_id}', () => {
  test('has inputs, outputs and every node result in order', async () => {
    const id = await createWorkflow(owner, ECHO);
    await run(id, { text: 'hi' });
    const [item] = (await list(id)).items;
    const detail = await entry(id, item?.id ?? '');
    expect(detail).toMatchObject({
      inputs: { body: { text: 'hi' }, query: {} },
      outputs: { out: { result: 'hi' } },
      status: 'success',
    });
    expect(detail.node_results.map(({ node_id, status }) => `${node_id} ${status}`)).toEqual([
      'start success',
      'shape success',
      'out success',
    ]);
    expect(detail.node_results.map(({ metadata }) => metadata['sequence'])).toEqual([1, 2, 3]);
  });

  test('brings large values back whole', async () => {
    const id = await createWorkflow(owner, ECHO);
    const text = `${'ü'.repeat(50_000)}\0\ud800`;
    await run(id, { text });
    const [item] = (await list(id)).items;
    const detail = await entry(id, item?.id ?? '');
    expect(detail.inputs).toMatchObject({ body: { text } });
    expect(detail.outputs).toEqual({ out: { result: text } });
  });

  test('is found under its own workflow only', async () => {
    const id = await createWorkflow(owner, ECHO);
    const other = await createWorkflow(owner, ECHO);
    await run(id);
    const [item] = (await list(id)).items;
    const status = async (user: TestUser, url: string) => (await user.call('GET', url)).statusCode;
    expect(await status(owner, `/api/workflows/${other}/history/${item?.id}`)).toBe(404);
    expect(await status(stranger, `/api/workflows/${id}/history/${item?.id}`)).toBe(404);
    expect(await status(stranger, `/api/workflows/history/all/${item?.id}`)).toBe(404);
    expect(await status(owner, `/api/workflows/history/all/${item?.id}`)).toBe(200);
    expect(await status(owner, `/api/workflows/${id}/history/${newOrderedId(Date.now())}`)).toBe(404);
  });
});

describe('GET /api/workflows/{id}/history/{entry_id}/stream', () => {
  test('shows the entry and says done', async () => {
    const id = await createWorkflow(owner, ECHO);
    await run(id, { text: 'hi' });
    const [item] = (await list(id)).items;
    const answer = await owner.call('GET', `/api/workflows/${id}/history/${item?.id}/stream`);
    const frames = parseFrames(answer.body).map(({ data }) => data);
    expect(frames.map(({ type }) => type)).toEqual(['history_update', 'done']);
    expect(frames[0]).toMatchObject({ entry: { id: item?.id, status: 'success' } });
  });

  test('follows a run until it has ended', async () => {
    const id = await createWorkflow(owner, WAITING);
    const answered = run(id);
    const active = await until(async () => (await list(id)).items[0]);
    const streamed = owner.call('GET', `/api/workflows/${id}/history/${active.id}/stream`);
    await owner.call('POST', `/api/workflows/${id}/executions/${active.id}/cancel`);
    const frames = parseFrames((await streamed).body).map(({ data }) => data);
    expect(frames.at(-1)).toEqual({ type: 'done' });
    expect(frames.at(-2)).toMatchObject({ entry: { status: 'cancelled' } });
    await answered;
  });
});

describe('all workflows', () => {
  test('GET /history/all shows runs of every visible workflow, shared ones too, and of no other', async () => {
    const reader = await app.user();
    const own = await createWorkflow(reader, ECHO);
    const shared = await createWorkflow(owner, ECHO);
    const hidden = await createWorkflow(owner, ECHO);
    await owner.call('POST', `/api/workflows/${shared}/shares`, { email: reader.email });
    for (const id of [own, shared, hidden]) await run(id);
    const { items, total } = await all('', reader);
    expect(total).toBe(2);
    expect(items.map(({ workflow_id }) => workflow_id)).toEqual([shared, own]);
    expect((await all(`?workflow_id=${own}`, reader)).total).toBe(1);
    expect((await reader.call('GET', `/api/workflows/history/all?workflow_id=${hidden}`)).statusCode).toBe(
      404,
    );
  });

  test('DELETE /history/all removes finished runs of visible workflows and keeps open ones', async () => {
    const user = await app.user();
    const done = await createWorkflow(user, ECHO);
    const open = await createWorkflow(user, WAITING);
    await run(done);
    const answered = run(open);
    const active = await until(async () => (await all('?status=running', user)).items[0]);
    const answer = await user.call('DELETE', '/api/workflows/history/all');
    expect([answer.statusCode, answer.json()]).toEqual([200, { deleted: 1 }]);
    expect((await all('', user)).items.map(({ id }) => id)).toEqual([active.id]);
    await user.call('POST', `/api/workflows/${open}/executions/${active.id}/cancel`);
    await answered;
  });
});

test('DELETE /{id}/history/{entry_id} removes one run that has ended, of that workflow', async () => {
  const id = await createWorkflow(owner, ECHO);
  for (const text of ['one', 'two']) await run(id, { text });
  const [second, first] = (await list(id)).items;
  const remove = async (entry_id: string, { user = owner, of = id } = {}) =>
    (await user.call('DELETE', `/api/workflows/${of}/history/${entry_id}`)).statusCode;
  expect(await remove(`${first?.id}`, { user: stranger })).toBe(404);
  const open = await createWorkflow(owner, WAITING);
  expect(await remove(`${first?.id}`, { of: open })).toBe(404);
  expect(await remove(`${first?.id}`)).toBe(204);
  expect((await list(id)).items.map((item) => item.id)).toEqual([second?.id]);
  expect(await remove(`${first?.id}`)).toBe(404);
  const answered = run(open);
  const active = await until(async () => (await list(open)).items[0]);
  expect(await remove(active.id, { of: open })).toBe(409);
  await owner.call('POST', `/api/workflows/${open}/executions/${active.id}/cancel`);
  await answered;
  expect(await remove(active.id, { of: open })).toBe(204);
});

test('a run that is cancelled while it waits shows its node as ended, as one that is cancelled while it is executed', async () => {
  const asking = graph(
    [
      ['start', 'textInput'],
      ['ask', 'callback', { timeoutSeconds: 600 }],
    ],
    ['start>ask'],
  );
  const id = await createWorkflow(owner, asking);
  expect((await run(id)).json()).toMatchObject({ status: 'pending' });
  const [waiting] = (await list(id)).items;
  const run_id = waiting?.id ?? '';
  expect((await entry(id, run_id)).node_results.map(({ status }) => status)).toEqual(['success', 'pending']);
  await owner.call('POST', `/api/workflows/${id}/executions/${run_id}/cancel`);
  const { status, outputs, node_results } = await entry(id, run_id);
  expect({ status, outputs }).toEqual({ status: 'cancelled', outputs: { error: 'The run was cancelled' } });
  const error = 'The run ended while the node was waiting';
  const metadata = { cancelled: true };
  expect(node_results.at(-1)).toMatchObject({
    node_id: 'ask',
    status: 'error',
    output: { error },
    error,
    metadata,
  });
});

test('DELETE /api/workflows/{id}/history removes the finished runs of that workflow', async () => {
  const id = await createWorkflow(owner, ECHO);
  const other = await createWorkflow(owner, ECHO);
  await run(id);
  await run(other);
  expect((await stranger.call('DELETE', `/api/workflows/${id}/history`)).statusCode).toBe(404);
  expect((await owner.call('DELETE', `/api/workflows/${id}/history`)).statusCode).toBe(204);
  expect((await list(id)).total).toBe(0);
  expect((await list(other)).total).toBe(1);
});

describe('GET /api/workflows/executions/active', () => {
  test('lists what has not ended, with what it does now, until it is cancelled', async () => {
    const id = await createWorkflow(owner, WAITING);
    const answered = run(id, { text: 'hi' });
    const active = await until(async () => {
      const answer = await owner.call('GET', `/api/workflows/executions/active?workflow_id=${id}`);
      return answer.json<ActiveExecution[]>()[0];
    });
    expect(active).toMatchObject({
      workflow_id: id,
      workflow_name: 'Test workflow',
      status: 'running',
      pending_kind: null,
      inputs: { body: { text: 'hi' } },
      running_node_ids: ['pause'],
    });
    expect(active.node_results.map(({ node_id }) => node_id)).toEqual(['start']);
    const others = await stranger.call('GET', '/api/workflows/executions/active');
    expect(others.json()).toEqual([]);
    const url = `/api/workflows/${id}/executions/${active.execution_id}/cancel`;
    expect((await stranger.call('POST', url)).statusCode).toBe(404);
    expect((await owner.call('POST', url)).json()).toEqual({ status: 'cancel_requested' });
    expect((await answered).statusCode).toBe(409);
    const empty = await owner.call('GET', `/api/workflows/executions/active?workflow_id=${id}`);
    expect(empty.json()).toEqual([]);
    expect((await list(id)).items).toMatchObject([{ status: 'cancelled' }]);
    expect((await owner.call('POST', url)).statusCode).toBe(404);
  });
});

describe('query plans', () => {
  interface Plan {
    'Node Type': string;
    'Index Name'?: string;
    Plans?: Plan[];
  }
  const flat = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(flat)];
  const FILTERS = { limit: 50, offset: 0 };

  async function explainStatement(statement: { text: string; values?: unknown[] }): Promise<Plan[]> {
    const { sql } = app.services.database;
    // The planner should choose by shape, not because a test has few rows.
    await sql.query({ text: 'SET enable_seqscan = off' });
    await sql.query({ text: 'SET enable_bitmapscan = off' });
    const { rows } = await sql.query<{ 'QUERY PLAN': { Plan: Plan }[] }>({
      text: `EXPLAIN (FORMAT JSON) ${statement.text}`,
      values: statement.values ?? [],
    });
    await sql.query({ text: 'RESET enable_bitmapscan' });
    await sql.query({ text: 'RESET enable_seqscan' });
    return rows.flatMap((row) => row['QUERY PLAN'].flatMap(({ Plan }) => flat(Plan)));
  }

  test('the list of a workflow walks the history index and sorts nothing', async () => {
    const id = await createWorkflow(owner, ECHO);
    for (const filters of [FILTERS, { ...FILTERS, before: newOrderedId(Date.now()) }]) {
      const plan = await explainStatement(workflowPage(id, filters));
      expect(plan.map((node) => node['Index Name'])).toContain('runs_history');
      expect(plan.map((node) => node['Node Type'])).not.toContain('Sort');
    }
  });

  test('the list of all workflows takes the newest of each by the history index', async () => {
    const ids = [await createWorkflow(owner, ECHO), await createWorkflow(owner, ECHO)];
    const plan = await explainStatement(visiblePage(ids, FILTERS));
    expect(plan.map((node) => node['Index Name'])).toContain('runs_history');
    expect(plan.map((node) => node['Node Type'])).toContain('Limit');
  });
});

describe('retention', () => {
  test('removes finished runs older than the setting with their values, and nothing else', async () => {
    const short = await createTestApp({ env: { RUN_RETENTION_DAYS: '30' } });
    const user = await short.user();
    const id = await createWorkflow(user, ECHO);
    const execute = (text: string) => short.call('POST', executeUrl(id), { text });
    const { sql } = short.services.database;
    await execute('x'.repeat(40_000));
    short.clock.now += 31 * 86_400_000;
    await execute('young');
    await sql.query({ text: `UPDATE blobs SET created_at = now() - interval '2 hours'` });
    expect(await applyRetention(short.services)).toMatchObject({ runs: 1 });
    const { rows } = await sql.query<{ runs: number; values: number }>({
      text: 'SELECT (SELECT count(*)::int FROM runs) AS runs, (SELECT count(*)::int FROM blobs) AS values',
    });
    expect(rows).toEqual([{ runs: 1, values: 0 }]);
    await short.close();
  });
});

describe('unresolved references (design: missing values in text templates)', () => {
  const GREETING = graph(
    [
      ['start', 'textInput'],
      ['say', 'output', { message: 'You said $input.txet to $start.body.person' }],
    ],
    ['start>say'],
  );

  test('stay in the text, are listed by the run and can be filtered by', async () => {
    const id = await createWorkflow(owner, GREETING);
    await run(id, { text: 'hi' });
    const quiet = await createWorkflow(owner, ECHO);
    await run(quiet, { text: 'hi' });
    const { items } = await list(id);
    expect(items).toMatchObject([{ status: 'success', unresolved_references: 2 }]);
    const found = await all('?has_unresolved_references=true');
    expect(found.items.map(({ workflow_id }) => workflow_id)).toContain(id);
    expect(found.items.map(({ workflow_id }) => workflow_id)).not.toContain(quiet);
    expect(found.items.every(({ unresolved_references }) => unresolved_references > 0)).toBe(true);
    const { node_results, unresolved_references } = await entry(id, String(items[0]?.id));
    expect(unresolved_references).toBe(2);
    const say = node_results.find(({ node_id }) => node_id === 'say');
    expect(say?.metadata['unresolved_references']).toEqual([
      { field: 'message', reference: '$input.txet', instead: '$input.txet' },
      { field: 'message', reference: '$start.body.person', instead: '$start.body.person' },
    ]);
  });

  test('fail their node when strict_references is on, with the reference and the fix', async () => {
    const id = await createWorkflow(owner, GREETING);
    await owner.call('PUT', `/api/workflows/${id}`, { strict_references: true });
    const answer = await run(id, { text: 'hi' });
    expect(answer.json<{ status: string; outputs: { error: string } }>()).toMatchObject({
      status: 'error',
      outputs: { error: expect.stringContaining('$input.txet has no value here') },
    });
    const workflow = await owner.call('GET', `/api/workflows/${id}`);
    expect(workflow.json<{ strict_references: boolean }>().strict_references).toBe(true);
    await owner.call('PUT', `/api/workflows/${id}`, { strict_references: false });
    expect((await run(id, { text: 'hi' })).json<{ status: string }>().status).toBe('success');
  });

  test('are counted once in a run that waits and continues', async () => {
    const id = await createWorkflow(
      owner,
      graph(
        [
          ['start', 'textInput'],
          ['before', 'set', { mappings: [{ key: 'a', value: 'x $missing' }] }],
          ['pause', 'wait', { duration: 1_500 }],
          ['after', 'set', { mappings: [{ key: 'a', value: 'y $missing' }] }],
        ],
        ['start>before', 'before>pause', 'pause>after'],
      ),
    );
    await run(id);
    await until(async () => (await list(id)).items[0]?.status === 'success');
    expect((await list(id)).items[0]?.unresolved_references).toBe(2);
  });
});
