import { describe, expect, test } from 'vitest';
import { useTestApp } from '../../testing/test-app.ts';
import { endedEntry, fetchHistoryEntry, findResult } from '../executions/testing/history.ts';
import { createWorkflow, executeUrl, graph, parseFrames } from '../executions/testing/workflows.ts';

/** Waits for a call; what is behind the side `waiting` hands the address on. */
const asking = graph(
  [
    ['start', 'textInput'],
    ['ask', 'callback', { timeoutSeconds: 600, title: 'Order <7>', message: 'Is it right?' }],
    ['send', 'set', { mappings: [{ key: 'link', value: '$ask.url' }] }],
    ['out', 'output', { message: '$ask.body' }],
    ['late', 'output', { message: 'too late' }],
  ],
  ['start>ask', 'ask:waiting>send', 'ask:called>out', 'ask:timed_out>late'],
);

const app = await useTestApp();
const owner = await app.user();

interface Waiting {
  readonly id: string;
  readonly run_id: string;
  /** Path of the address. */
  readonly path: string;
}

async function waiting(content = asking, settings = {}): Promise<Waiting> {
  const id = await createWorkflow(owner, content, settings);
  const answer = await app.call('POST', executeUrl(id), { text: 'hi' });
  expect(answer.json()).toMatchObject({ workflow_id: id, status: 'pending' });
  const { outputs } = answer.json<{ outputs: Record<string, { url: string }> }>();
  const path = new URL(outputs['ask']?.url ?? '').pathname;
  return { id, run_id: String(answer.headers['x-execution-id']), path };
}

describe('a run that waits for a call', () => {
  test('is pending for its caller and in its history, and not in memory', async () => {
    const run = await waiting();
    expect(app.services.execution.live.get(run.run_id)).toBeUndefined();
    const entry = await fetchHistoryEntry(owner, run);
    expect(entry.status).toBe('pending');
    expect(findResult(entry, 'ask')).toMatchObject({
      status: 'pending',
      output: { url: expect.stringContaining(run.path) },
      metadata: { waits_for: 'callback', due_at_ms: expect.any(Number) },
    });
    // The node behind the side `waiting` has the address.
    expect(findResult(entry, 'send')?.output['link']).toContain(run.path);
    const active = await owner.call('GET', `/api/workflows/executions/active?workflow_id=${run.id}`);
    expect(active.json()).toMatchObject([{ status: 'pending', pending_kind: 'callback' }]);
  });

  test('continues with the one call that comes first', async () => {
    const run = await waiting();
    const answers = await Promise.all(
      [1, 2, 3].map((at) => app.call('POST', `${run.path}?from=${at}`, { at }, { cookie: 'a=b' })),
    );
    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 410, 410]);
    const at = answers.findIndex(({ statusCode }) => statusCode === 200) + 1;
    const entry = await endedEntry(owner, run);
    expect(entry).toMatchObject({ status: 'success', outputs: { out: { result: { at } } } });
    expect(findResult(entry, 'ask')).toMatchObject({
      status: 'success',
      output: { method: 'POST', body: { at }, query: { from: String(at) } },
    });
    expect(findResult(entry, 'ask')?.output['headers']).not.toHaveProperty('cookie');
    expect(findResult(entry, 'late')?.status).toBe('skipped');
    expect((await app.call('POST', run.path, {})).json()).toMatchObject({ code: 'gone' });
  });

  test('what it brings is stored encrypted until the node has it (§5.8)', async () => {
    const run = await waiting();
    await app.call('POST', run.path, { word: 'plain-in-the-table' });
    expect(await endedEntry(owner, run)).toMatchObject({
      outputs: { out: { result: { word: 'plain-in-the-table' } } },
    });
    const { rows } = await app.services.database.sql.query<{ result: string }>({
      text: 'SELECT result FROM waits WHERE run_id = $1',
      values: [run.run_id],
    });
    expect(rows).toEqual([{ result: expect.stringContaining('sealed') }]);
    expect(rows[0]?.result).not.toContain('plain-in-the-table');
  });

  test('is not continued by opening the address, but by the button on its page', async () => {
    const run = await waiting();
    const browser = { accept: 'text/html' };
    const page = await app.call('GET', run.path, undefined, browser);
    expect(page.statusCode).toBe(200);
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    expect(page.headers['referrer-policy']).toBe('no-referrer');
    expect(page.body).toContain('<h1>Order &lt;7&gt;</h1><p>Is it right?</p><form method="post">');
    expect(page.body).not.toMatch(/<script|<link|src=/);
    expect((await fetchHistoryEntry(owner, run)).status).toBe('pending');
    const pressed = await app.app.inject({
      method: 'POST',
      url: run.path,
      headers: { ...browser, 'content-type': 'application/x-www-form-urlencoded' },
      payload: '',
    });
    expect([pressed.statusCode, pressed.body]).toEqual([200, expect.stringContaining('Thank you')]);
    expect((await endedEntry(owner, run)).status).toBe('success');
    expect((await app.call('GET', run.path, undefined, browser)).statusCode).toBe(410);
  });

  test('404 for an unknown address: a page in a browser, JSON elsewhere', async () => {
    const path = '/api/callbacks/unknown';
    for (const method of ['GET', 'POST'] as const) {
      const page = await app.call(method, path, undefined, { accept: 'text/html' });
      expect([page.statusCode, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
      expect(page.body).toContain('This link does not work');
      const answer = await app.call(method, path);
      expect([answer.statusCode, answer.json()]).toEqual([
        404,
        expect.objectContaining({ code: 'not_found' }),
      ]);
    }
  });

  test('keeps the address out of the tables', async () => {
    const run = await waiting(
      graph(
        [
          ['start', 'textInput'],
          ['ask', 'callback'],
        ],
        ['start>ask'],
      ),
    );
    const token = run.path.split('/').at(-1) ?? '';
    for (const table of ['runs', 'steps', 'waits', 'blobs']) {
      const { rows } = await app.services.database.sql.query<{ row: string }>({
        text: `SELECT t::text AS row FROM ${table} t`,
      });
      expect(rows.filter(({ row }) => row.includes(token))).toEqual([]);
    }
  });

  test('ends its stream with the pause, which only readers see that ask for more than §6.1 lists', async () => {
    const id = await createWorkflow(owner, asking);
    const strict = await app.call('POST', executeUrl(id, '/stream'), { text: 'hi' });
    const listed = parseFrames(strict.body).map(({ data }) => data['type']);
    expect(listed).not.toContain('node_pending');
    expect(listed).not.toContain('node_progress');
    const { body, headers } = await app.call('POST', executeUrl(id, '/stream?node_progress=true'), {
      text: 'hi',
    });
    const frames = parseFrames(body).map(({ data }) => data);
    expect(frames.find(({ type }) => type === 'node_pending')).toMatchObject({
      node_id: 'ask',
      status: 'pending',
      output: { url: expect.any(String) },
    });
    expect(frames.at(-1)).toMatchObject({ type: 'execution_complete', status: 'pending' });
    const url = `/api/workflows/${id}/executions/${String(headers['x-execution-id'])}/stream`;
    const again = parseFrames((await app.call('GET', url)).body).map(({ data }) => data);
    expect(again.at(-1)).toMatchObject({ type: 'execution_complete', status: 'pending' });
  });

  test('§2.3, §3.1 answers alike to its caller, to a repeated call, in its history and at the end of its stream', async () => {
    const named = graph(
      [
        ['start', 'textInput'],
        ['node-7', 'callback', { label: 'ask' }],
        ['out', 'output', { message: '$ask.body' }],
      ],
      ['start>node-7', 'node-7:called>out'],
    );
    const id = await createWorkflow(owner, named);
    const call = () => app.call('POST', executeUrl(id), { text: 'hi' }, { 'idempotency-key': 'alike' });
    const first = await call();
    const { outputs } = first.json<{ outputs: object }>();
    expect(outputs).toEqual({ ask: expect.objectContaining({ url: expect.any(String) }) });
    const again = await call();
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.json()).toMatchObject({ status: 'pending', outputs });
    const run_id = String(first.headers['x-execution-id']);
    expect((await fetchHistoryEntry(owner, { id, run_id })).outputs).toEqual(outputs);
    const stream = await owner.call('GET', `/api/workflows/${id}/executions/${run_id}/stream`);
    expect(parseFrames(stream.body).at(-1)?.data).toMatchObject({ status: 'pending', outputs });
  });

  test('can be cancelled, and then nothing decides it', async () => {
    const run = await waiting();
    const cancelled = await owner.call('POST', `/api/workflows/${run.id}/executions/${run.run_id}/cancel`);
    expect(cancelled.statusCode).toBe(200);
    expect((await fetchHistoryEntry(owner, run)).status).toBe('cancelled');
    expect((await app.call('POST', run.path, {})).statusCode).toBe(410);
  });

  test('goes with its workflow', async () => {
    const run = await waiting();
    await app.services.database.sql.query({ text: 'DELETE FROM workflows WHERE id = $1', values: [run.id] });
    expect((await app.call('POST', run.path, {})).statusCode).toBe(404);
  });

  test('continues on the version that it started with', async () => {
    const run = await waiting();
    const changed = graph([['start', 'textInput']], []);
    expect((await owner.call('PUT', `/api/workflows/${run.id}`, { ...changed })).statusCode).toBe(200);
    await app.call('POST', run.path, { still: 'there' });
    expect(await endedEntry(owner, run)).toMatchObject({ outputs: { out: { result: { still: 'there' } } } });
  });

  test('has a time limit that is paused meanwhile', async () => {
    const run = await waiting(asking, { timeout_seconds: 5 });
    const sql = app.services.database.sql;
    // As if it had waited for an hour.
    await sql.query({
      text: `UPDATE runs SET suspended_at = suspended_at - interval '1 hour', deadline_at = deadline_at - interval '1 hour'
        WHERE id = $1`,
      values: [run.run_id],
    });
    await app.call('POST', run.path, {});
    expect((await endedEntry(owner, run)).status).toBe('success');
  });

  test('continues without a call when its time is over', async () => {
    const run = await waiting();
    await app.services.database.sql.query({
      text: "UPDATE waits SET due_at = now() - interval '1 second' WHERE run_id = $1",
      values: [run.run_id],
    });
    const entry = await endedEntry(owner, run);
    expect(entry).toMatchObject({ status: 'success', outputs: { late: { result: 'too late' } } });
  });
});

test('a pause of more than a minute waits in the database', async () => {
  const id = await createWorkflow(
    owner,
    graph(
      [
        ['start', 'textInput'],
        ['pause', 'wait', { duration: 3_600_000 }],
        ['out', 'output', { message: '$start.body.text' }],
      ],
      ['start>pause', 'pause>out'],
    ),
  );
  const answer = await app.call('POST', executeUrl(id), { text: 'hi' });
  expect(answer.json()).toMatchObject({
    status: 'pending',
    outputs: { pause: { waits_until: expect.any(String) } },
  });
  const run_id = String(answer.headers['x-execution-id']);
  await app.services.database.sql.query({
    text: "UPDATE waits SET due_at = now() - interval '1 second' WHERE run_id = $1",
    values: [run_id],
  });
  expect(await endedEntry(owner, { id, run_id })).toMatchObject({ outputs: { out: { result: 'hi' } } });
});

test.each(['/api/callbacks/unknown', '/api/callbacks/%00'])('%s is no address', async (path) => {
  for (const method of ['GET', 'POST'])
    expect([404, 422]).toContain((await app.call(method, path)).statusCode);
});
