import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { HistoryEntry, HistoryList } from '@millrace/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { shareTestApp, type TestApp, type TestUser } from '../../../testing/test-app.ts';
import { createWorkflow, executeUrl, graph, until } from '../testing/workflows.ts';

const SECRET = 'owner-secret-0123456789';

let app: TestApp;
let owner: TestUser;
let member: TestUser;
let stranger: TestUser;
let server: Server;
let base: string;
/** Paths that were posted to, in order. */
let effects: string[] = [];
const received: string[] = [];
/** Paths that are refused. */
const broken = new Set<string>();

beforeAll(async () => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => void chunks.push(chunk));
    request.on('end', () => {
      const path = String(request.url).slice(1);
      effects.push(path);
      received.push(Buffer.concat(chunks).toString());
      if (broken.has(path)) return void response.destroy();
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ path, count: effects.length, token: `handed-out-${SECRET}` }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  app = await shareTestApp({ HTTP_ALLOW_PRIVATE_URLS: 'true' });
  [owner, member, stranger] = [await app.user(), await app.user(), await app.user()];
  const config = { bearer_token: SECRET };
  await owner.call('POST', '/api/credentials', { name: 'KEY', type: 'bearer', config });
});
afterAll(async () => {
  await app.close();
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  effects = [];
  broken.clear();
});

const post = (id: string, data = 'x'): [string, string, Record<string, string | boolean>] => [
  id,
  'http',
  { curl: `curl -X POST ${base}/${id} -d '${data}'` },
];
/** Two effects, a failure on demand, and an output. */
const CHAIN = () =>
  graph(
    [
      ['start', 'textInput'],
      post('first'),
      post('second', '$first.body.path'),
      post('third'),
      ['out', 'output', { message: '$second.body.path' }],
    ],
    ['start>first', 'first>second', 'second>third', 'third>out'],
  );

const execute = async (id: string, body: unknown = {}, user = owner) => {
  const answer = await user.call('POST', executeUrl(id), body);
  return String(answer.headers['x-execution-id']);
};
const fetchEntry = async (id: string, user = owner) =>
  (await user.call('GET', `/api/workflows/history/all/${id}`)).json<HistoryEntry>();
const ended = (id: string, user = owner) =>
  until(async () => {
    const entry = await fetchEntry(id, user);
    return !['running', 'queued', 'pending'].includes(entry.status) && entry;
  });
const askFor = (workflow: string, run: string, body: object = {}, user = owner) =>
  user.call('POST', `/api/workflows/${workflow}/executions/${run}/replay`, body);

async function replayed(workflow: string, run: string, body: object = {}, user = owner) {
  const answer = await askFor(workflow, run, body, user);
  expect(answer.statusCode, answer.body).toBe(202);
  return ended(answer.json<{ execution_id: string }>().execution_id, user);
}
const describeRows = ({ node_results }: HistoryEntry) =>
  node_results.map(({ node_id, status, metadata }) =>
    metadata['reused'] === true ? `${node_id} reused` : `${node_id} ${status}`,
  );
const readProblem = async (answer: ReturnType<typeof askFor>) => {
  const { statusCode } = await answer;
  const [problem] = (await answer).json<{ detail: { loc: string[]; msg: string; type: string }[] }>().detail;
  return { status: statusCode, field: problem?.loc.join('.'), msg: problem?.msg, type: problem?.type };
};

describe('a replay', () => {
  test('from the failed node repeats no effect before it, and continues to the end', async () => {
    const id = await createWorkflow(owner, CHAIN());
    broken.add('third');
    const run = await execute(id);
    expect(effects).toEqual(['first', 'second', 'third']);
    broken.clear();
    const second = await replayed(id, run, { from: 'failed' });
    expect(effects.slice(3)).toEqual(['third']);
    expect(second).toMatchObject({ status: 'success', outputs: { out: { result: 'second' } } });
    expect(describeRows(second)).toEqual([
      'start reused',
      'first reused',
      'second reused',
      'third success',
      'out success',
    ]);
  });

  test('says which run it is of and where it began, in its entry, the list and a filter', async () => {
    const id = await createWorkflow(owner, CHAIN());
    const run = await execute(id);
    expect(await fetchEntry(run)).toMatchObject({ replay_of: null, replay_from: null });
    const answer = await askFor(id, run, { from: 'node', node_id: 'second', trigger_source: 'Canvas' });
    const lineage = {
      replay_of: run,
      replay_from: { from: 'node', node_id: 'second', iteration: '', only: false },
    };
    expect(answer.json()).toEqual({ execution_id: expect.any(String), reused_results: 2, ...lineage });
    const { execution_id } = answer.json<{ execution_id: string }>();
    expect(await ended(execution_id)).toMatchObject({ ...lineage, trigger_source: 'Canvas' });
    const list = await owner.call('GET', `/api/workflows/${id}/history?replay_of=${run}`);
    expect(list.json<HistoryList>()).toMatchObject({ total: 1, items: [{ id: execution_id, ...lineage }] });
  });

  test('from the start runs everything with the same input', async () => {
    const echo = graph(
      [
        ['start', 'textInput'],
        ['out', 'output', { message: '$start.body.text' }],
      ],
      ['start>out'],
    );
    const id = await createWorkflow(owner, echo);
    const run = await execute(id, { text: 'again' });
    expect((await replayed(id, run)).outputs).toEqual({ out: { result: 'again' } });
    const changed = await replayed(id, run, { input: { headers: {}, query: {}, body: { text: 'new' } } });
    expect(changed).toMatchObject({ outputs: { out: { result: 'new' } }, inputs: { body: { text: 'new' } } });
  });

  test.each([
    [true, {}, '{"test_run":true}'],
    [true, { test_run: false }, '{}'],
    [false, { test_run: true }, '{"test_run":true}'],
  ])(
    'of a run that is a test run or not (%s) is one as it is asked to be: %j',
    async (test_run, body, stored) => {
      const id = await createWorkflow(owner, CHAIN());
      const answer = await owner.call('POST', `${executeUrl(id)}${test_run ? '?test_run=true' : ''}`, {});
      const second = await replayed(id, String(answer.headers['x-execution-id']), body);
      const { rows } = await app.services.database.sql.query<{ trial: object }>({
        text: `SELECT coalesce(options, '{}')::jsonb - 'base_url' - 'sealed_input' AS trial FROM runs WHERE id = $1`,
        values: [second.id],
      });
      expect(rows[0]?.trial).toEqual(JSON.parse(stored));
    },
  );

  test('of one node runs nothing else', async () => {
    const id = await createWorkflow(owner, CHAIN());
    const run = await execute(id);
    const second = await replayed(id, run, { from: 'node', node_id: 'second', only: true });
    expect(effects.slice(3)).toEqual(['second']);
    expect(describeRows(second)).toEqual(['start reused', 'first reused', 'second success']);
    expect(second.outputs).toMatchObject({ second: { body: { path: 'second' } } });
  });

  test('from a node of a run of a part runs what follows from it, and no branch that was left out', async () => {
    const branches = graph(
      [
        ['start', 'textInput'],
        ['first', 'set', { fields: [] }],
        post('second'),
        post('left'),
        ['beside', 'set', { fields: [] }],
        ['join', 'set', { fields: [] }],
        post('third'),
      ],
      [
        'start>first',
        'first>second',
        'start>left',
        'second>join',
        'start>beside',
        'beside>join',
        'join>third',
      ],
    );
    const id = await createWorkflow(owner, branches);
    const answer = await owner.call(
      'POST',
      executeUrl(id),
      {},
      { 'x-run-draft': 'true', 'x-run-until': 'first' },
    );
    const run = String(answer.headers['x-execution-id']);
    await ended(run);
    const second = await replayed(id, run, { from: 'node', node_id: 'second', version: 'draft' });
    expect(effects).toEqual(['second', 'third']);
    expect(describeRows(second)).toEqual(
      expect.arrayContaining(['second success', 'beside success', 'third success']),
    );
    const third = await replayed(id, second.id, { from: 'node', node_id: 'third', version: 'draft' });
    expect(effects).toEqual(['second', 'third', 'third']);
    expect(third.status).toBe('success');
  });

  test.each(['same', 'draft'])(
    'continues a run that failed before its chosen end up to that end, in the version %s',
    async (version) => {
      const branches = graph(
        [['start', 'textInput'], post('first'), post('left'), post('behind')],
        ['start>first', 'start>left', 'first>behind'],
      );
      const id = await createWorkflow(owner, branches);
      broken.add('first');
      const until_first = { 'x-run-draft': 'true', 'x-run-until': 'first' };
      const answer = await owner.call('POST', executeUrl(id), {}, until_first);
      const run = String(answer.headers['x-execution-id']);
      await ended(run);
      broken.clear();
      effects = [];
      const second = await replayed(id, run, { from: 'failed', version });
      expect(effects).toEqual(['first']);
      expect(second.status).toBe('success');
      const refused = await readProblem(askFor(id, run, { from: 'failed', version: 'current' }));
      expect(refused.msg).toContain('continue it with "same" or "draft"');
      expect(effects).toEqual(['first']);
    },
  );

  test('of one node takes the newest earlier run that led to it, where it is allowed to', async () => {
    const branching = graph(
      [
        ['start', 'textInput'],
        ['if', 'condition', { condition: '$start.body.yes == true' }],
        post('yes', '$start.body.name'),
        post('no'),
      ],
      ['start>if', 'if:true>yes', 'if:false>no'],
    );
    const id = await createWorkflow(owner, branching);
    await execute(id, { yes: true, name: 'older' });
    const wanted = await execute(id, { yes: true, name: 'newer' });
    const last = await execute(id, { yes: false });
    const body = { from: 'node', node_id: 'yes', only: true };
    expect((await askFor(id, last, body)).statusCode).toBe(422);
    effects = [];
    const second = await replayed(id, last, { ...body, earlier_runs: true });
    expect(effects).toEqual(['yes']);
    expect(received.at(-1)).toBe('newer');
    expect(second).toMatchObject({ status: 'success', replay_of: wanted });
    const other = await createWorkflow(owner, branching);
    const none = await execute(other, { yes: false });
    expect(await readProblem(askFor(other, none, { ...body, earlier_runs: true }))).toMatchObject({
      type: 'not_reached',
      msg: expect.stringMatching(
        /^"yes" was not reached.*run the workflow with an input that reaches the node$/,
      ),
    });
  });

  test('continues in the round of a loop that failed', async () => {
    const loop = graph(
      [
        ['start', 'textInput'],
        ['each', 'loop', { arrayExpression: '$start.body.list' }],
        ['send', 'http', { curl: `curl -X POST ${base}/$each.item -d x` }],
        ['out', 'output', { message: '$each.total' }],
      ],
      ['start>each', 'each:loop>send', 'send>each:loop', 'each:done>out'],
    );
    const id = await createWorkflow(owner, loop);
    broken.add('b');
    const run = await execute(id, { list: ['a', 'b', 'c'] });
    broken.clear();
    const second = await replayed(id, run, { from: 'failed' });
    expect(effects).toEqual(['a', 'b', 'b', 'c']);
    expect(second).toMatchObject({ status: 'success', replay_from: { node_id: 'send', iteration: '1' } });
    const third = await replayed(id, second.id, { from: 'node', node_id: 'send', iteration: '2' });
    expect(effects.slice(4)).toEqual(['c']);
    expect(third.status).toBe('success');
  });

  test('waits anew where it repeats a node that waits, and keeps what comes before it', async () => {
    const paused = graph(
      [['start', 'textInput'], post('first'), ['pause', 'wait', { duration: 30 }], post('last')],
      ['start>first', 'first>pause', 'pause>last'],
    );
    const id = await createWorkflow(owner, paused);
    const run = await execute(id);
    const second = await replayed(id, run, { from: 'node', node_id: 'pause' });
    expect(effects).toEqual(['first', 'last', 'last']);
    expect(second.status).toBe('success');
  });

  test('adds to a global variable once', async () => {
    const counting = graph(
      [
        ['start', 'textInput'],
        [
          'count',
          'variable',
          {
            variableName: 'replays',
            variableValue: '$global.replays + 1',
            isGlobal: true,
            variableType: 'number',
          },
        ],
        post('last'),
      ],
      ['start>count', 'count>last'],
    );
    await owner.call('POST', '/api/global-variables', { name: 'replays', value: 0, type: 'number' });
    const id = await createWorkflow(owner, counting);
    const read = async () =>
      (await owner.call('GET', '/api/global-variables'))
        .json<{ name: string; value: unknown }[]>()
        .find(({ name }) => name === 'replays')?.value;
    const run = await execute(id);
    expect(await read()).toBe(1);
    await replayed(id, run, { from: 'node', node_id: 'last' });
    expect(await read()).toBe(1);
    await replayed(id, run);
    expect(await read()).toBe(2);
  });

  test('uses the draft or the published version when asked', async () => {
    const id = await createWorkflow(owner, CHAIN());
    broken.add('third');
    const run = await execute(id);
    const mended = CHAIN();
    const nodes = mended.nodes.map((node) =>
      node.id === 'third'
        ? { ...node, data: { ...node.data, curl: `curl -X POST ${base}/fixed -d x` } }
        : node,
    );
    await owner.call('PUT', `/api/workflows/${id}?draft=true`, { nodes, edges: mended.edges });
    expect((await replayed(id, run, { from: 'failed', version: 'current' })).status).toBe('error');
    const second = await replayed(id, run, { from: 'failed', version: 'draft' });
    expect(second).toMatchObject({ status: 'success', is_draft: true });
    expect(effects.slice(-2)).toEqual(['third', 'fixed']);
  });

  test('is followed by its stream, with the results that stand first', async () => {
    const id = await createWorkflow(owner, CHAIN());
    const run = await execute(id);
    const answer = await askFor(id, run, { from: 'node', node_id: 'third' });
    const { execution_id } = answer.json<{ execution_id: string }>();
    await ended(execution_id);
    const stream = await owner.call('GET', `/api/workflows/${id}/executions/${execution_id}/stream`);
    const seen = [...stream.body.matchAll(/"type":"(node_\w+)","node_id":"(\w+)"/g)].map(
      ([, type, node]) => `${type} ${node}`,
    );
    expect(seen).toEqual([
      'node_complete start',
      'node_complete first',
      'node_complete second',
      'node_start third',
      'node_complete third',
      'node_start out',
      'node_complete out',
    ]);
  });
});

describe('secrets in a replay', () => {
  const leaking = () =>
    graph(
      [
        ['start', 'textInput'],
        post('first', '$credentials.KEY'),
        post('second', '$first.body.token'),
        ['out', 'output', { message: '$second.body.token' }],
      ],
      ['start>first', 'first>second', 'second>out'],
    );

  test('reach the nodes behind as they were, and are hidden from a person who does not have them', async () => {
    const id = await createWorkflow(owner, leaking());
    await owner.call('POST', `/api/workflows/${id}/shares`, { email: member.email });
    const run = await execute(id);
    received.length = 0;
    const second = await replayed(id, run, { from: 'node', node_id: 'second' }, member);
    expect(received).toEqual([`handed-out-${SECRET}`]);
    expect(JSON.stringify(second)).not.toContain(SECRET);
    expect(describeRows(second)).toContain('first reused');
    const { rows } = await app.services.database.sql.query<{ text: string }>({
      text: `SELECT coalesce(options, '') || input || coalesce(outputs, '') || coalesce((
          SELECT string_agg(s.record, '') FROM steps s WHERE s.run_id = r.id), '') AS text FROM runs r WHERE id = $1`,
      values: [second.id],
    });
    expect(rows[0]?.text).not.toContain(SECRET);
  });

  test('in the input are handed on as they were', async () => {
    const id = await createWorkflow(owner, CHAIN());
    const run = await execute(id, { text: SECRET });
    expect(JSON.stringify(await fetchEntry(run))).not.toContain(SECRET);
    const echo = await createWorkflow(
      owner,
      graph([['start', 'textInput'], post('told', '$start.body.text')], ['start>told']),
    );
    const told = await execute(echo, { text: SECRET });
    received.length = 0;
    await replayed(echo, told);
    expect(received).toEqual([SECRET]);
  });

  test('that no key opens any more refuse the reuse of what has an effect, by the name of the node', async () => {
    const id = await createWorkflow(owner, leaking());
    const run = await execute(id);
    await app.services.database.sql.query({
      text: `UPDATE steps SET sealed = 'gAAAAABnone' WHERE run_id = $1 AND sealed IS NOT NULL`,
      values: [run],
    });
    expect(await readProblem(askFor(id, run, { from: 'node', node_id: 'second' }))).toMatchObject({
      status: 422,
      field: 'body.node_id',
      type: 'masked',
      msg: expect.stringContaining('"first"'),
    });
  });

  test('in the input that no key opens any more make a new input necessary', async () => {
    const id = await createWorkflow(owner, CHAIN());
    const run = await execute(id, { text: SECRET });
    await app.services.database.sql.query({
      text: `UPDATE runs SET options = '{"sealed_input":"gAAAAABnone"}' WHERE id = $1`,
      values: [run],
    });
    expect(await readProblem(askFor(id, run))).toMatchObject({
      status: 422,
      field: 'body.input',
      type: 'input_masked',
    });
    expect((await replayed(id, run, { input: { body: {} } })).status).toBe('success');
  });
});

describe('a call that was answered without a run', () => {
  const ECHO = graph(
    [
      ['start', 'textInput'],
      ['out', 'output', { message: '$start.body.text' }],
    ],
    ['start>out'],
  );

  test.each([
    ['cached', { cache_ttl_seconds: 60 }],
    ['rate_limited', { rate_limit_requests: 2, rate_limit_window_seconds: 60 }],
  ] as const)('%s is replayed with an input that is given', async (status, settings) => {
    const id = await createWorkflow(owner, ECHO, settings);
    for (let calls = 0; calls < 3; calls += 1) await owner.call('POST', executeUrl(id), { text: 'hi' });
    const { id: run, status: found } = await until(async () => {
      const list = await owner.call('GET', `/api/workflows/${id}/history?status=${status}`);
      return list.json<HistoryList>().items[0];
    });
    expect(found).toBe(status);
    // The limit of the call would limit its replay, too.
    await owner.call('PUT', `/api/workflows/${id}`, { rate_limit_requests: 0 });
    expect(await readProblem(askFor(id, run, { version: 'current' }))).toMatchObject({
      status: 422,
      field: 'body.input',
      type: 'input_masked',
    });
    const { inputs } = await fetchEntry(run);
    const second = await replayed(id, run, { version: 'current', input: inputs });
    expect(second).toMatchObject({ status: 'success', replay_of: run, outputs: { out: { result: 'hi' } } });
  });
});

describe('a replay is refused', () => {
  test.each([
    [{ from: 'node' }, 'body.node_id', 'missing'],
    [{ from: 'failed', node_id: 'first' }, 'body.node_id', 'value_error'],
    [{ from: 'start', only: true }, 'body.only', 'value_error'],
    [{ from: 'node', node_id: 'gone' }, 'body.node_id', 'unknown_node'],
    [{ from: 'node', node_id: 'first', iteration: '1' }, 'body.node_id', 'unknown_round'],
    [{ from: 'node', node_id: 'first', iteration: 'x' }, 'body.iteration', 'invalid_format'],
    [{ from: 'failed' }, 'body.from', 'not_failed'],
    [{ from: 'node', node_id: 'second', input: {} }, 'body.input', 'value_error'],
    [{ version: 'newest' }, 'body.version', 'invalid_value'],
    [{ input: JSON.parse('{"__proto__":1}') }, undefined, undefined],
  ])('with 422 for %j', async (body, field, type) => {
    const id = await createWorkflow(owner, CHAIN());
    const run = await execute(id);
    const answer = await askFor(id, run, body);
    expect(answer.statusCode, answer.body).toBe(422);
    if (field) expect(await readProblem(Promise.resolve(answer))).toMatchObject({ field, type });
    expect(effects).toHaveLength(3);
  });

  test('with 422 and the name of the node that has no result, or was not reached', async () => {
    const branching = graph(
      [
        ['start', 'textInput'],
        ['if', 'condition', { condition: '$start.body.yes == true' }],
        post('yes'),
        post('no'),
        post('later'),
      ],
      ['start>if', 'if:true>yes', 'if:false>no', 'yes>later'],
    );
    const id = await createWorkflow(owner, branching);
    const run = await execute(id, { yes: true });
    expect(await readProblem(askFor(id, run, { from: 'node', node_id: 'no' }))).toMatchObject({
      type: 'not_reached',
      msg: expect.stringMatching(/^"no" was not reached/),
    });
    broken.add('yes');
    const failed = await execute(id, { yes: true });
    expect(await readProblem(askFor(id, failed, { from: 'node', node_id: 'later' }))).toMatchObject({
      type: 'no_result',
      msg: expect.stringMatching(/^"yes", which "later" needs/),
    });
  });

  test('with 401 for callers without a session, and 404 for people who do not see the run', async () => {
    const id = await createWorkflow(owner, CHAIN());
    const other = await createWorkflow(owner, CHAIN());
    const run = await execute(id);
    const url = `/api/workflows/${id}/executions/${run}/replay`;
    expect((await app.call('POST', url, {})).statusCode).toBe(401);
    expect((await askFor(id, run, {}, stranger)).statusCode).toBe(404);
    expect((await askFor(other, run)).statusCode).toBe(404);
    expect((await askFor(id, crypto.randomUUID())).statusCode).toBe(404);
    await owner.call('DELETE', `/api/workflows/${id}/history`);
    expect((await askFor(id, run)).statusCode).toBe(404);
  });

  test('with 409 while the run is in progress, and when the workflow is switched off', async () => {
    const waiting = graph(
      [
        ['start', 'textInput'],
        ['pause', 'wait', { duration: 60_000 }],
      ],
      ['start>pause'],
    );
    const id = await createWorkflow(owner, waiting);
    const answered = owner.call('POST', executeUrl(id), {});
    const open = await until(async () => {
      const list = await owner.call('GET', `/api/workflows/${id}/history`);
      return list.json<HistoryList>().items[0];
    });
    expect((await askFor(id, open.id)).statusCode).toBe(409);
    await owner.call('POST', `/api/workflows/${id}/executions/${open.id}/cancel`);
    await answered;
    await owner.call('PUT', `/api/workflows/${id}`, { active: false });
    expect((await askFor(id, open.id)).statusCode).toBe(409);
  });

  test('with 429 over the limit of the workflow', async () => {
    const id = await createWorkflow(owner, CHAIN(), {
      rate_limit_requests: 2,
      rate_limit_window_seconds: 60,
    });
    const run = await execute(id);
    expect((await askFor(id, run)).statusCode).toBe(202);
    const limited = await askFor(id, run);
    expect(limited.statusCode).toBe(429);
    expect(limited.headers['x-ratelimit-remaining']).toBe('0');
  });

  test('with 422 when the version of the run is gone', async () => {
    const id = await createWorkflow(owner, CHAIN());
    const run = await execute(id);
    await app.services.database.sql.query({
      text: 'UPDATE runs SET version_id = $2 WHERE id = $1',
      values: [run, crypto.randomUUID()],
    });
    expect(await readProblem(askFor(id, run))).toMatchObject({ field: 'body.version', type: 'version_gone' });
  });
});
