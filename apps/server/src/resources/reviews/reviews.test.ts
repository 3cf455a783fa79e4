import type { Json } from '@millrace/engine';
import { describe, expect, test } from 'vitest';
import { useOwnTestApp } from '../../testing/test-app.ts';
import { endedEntry, fetchHistoryEntry, findResult } from '../executions/testing/history.ts';
import { createWorkflow, executeUrl, graph, parseFrames, until } from '../executions/testing/workflows.ts';

const DRAFT = 'Dear **Ada**, <script>alert(1)</script>';

/** Asks for a review; what is behind the side `review` hands the link on. */
const asking = graph(
  [
    ['start', 'textInput'],
    ['ask', 'humanReview', { summary: 'Answer to $start.body.name', draft: '$start.body.draft' }],
    ['send', 'set', { mappings: [{ key: 'link', value: '$ask.reviewUrl' }] }],
    ['out', 'output', { message: 'sent: $ask.text' }],
    ['no', 'output', { message: 'refused: $ask.refusalReason' }],
    ['late', 'output', { message: 'too late' }],
  ],
  ['start>ask', 'ask:review>send', 'ask:accepted>out', 'ask:refused>no', 'ask:timed_out>late'],
);

const app = await useOwnTestApp();
const owner = await app.user();

interface Asked {
  readonly id: string;
  readonly run_id: string;
  readonly token: string;
  readonly payload: Record<string, string>;
}

async function asked(content = asking, input: Json = { name: 'Ada', draft: DRAFT }): Promise<Asked> {
  const id = await createWorkflow(owner, content);
  const answer = await app.call('POST', executeUrl(id), input);
  expect(answer.json()).toMatchObject({ workflow_id: id, status: 'pending' });
  const payload = answer.json<{ outputs: Record<string, Record<string, string>> }>().outputs['ask'] ?? {};
  const token = payload['reviewUrl']?.split('/').at(-1) ?? '';
  return { id, run_id: String(answer.headers['x-execution-id']), token, payload };
}

const read = (token: string) => app.call('GET', `/api/hitl/${token}`);
const decide = (token: string, body: unknown) => app.call('POST', `/api/hitl/${token}/decision`, body);
const sql = (text: string, values: unknown[]) => app.services.database.sql.query({ text, values });

describe('§3.1 a run that waits for a review', () => {
  test('is pending for its caller, with a link that is told once', async () => {
    const run = await asked();
    expect(run.payload).toEqual({
      decision: null,
      summary: 'Answer to Ada',
      draftText: DRAFT,
      reviewUrl: `https://test.example/review/${run.token}`,
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      expiresAt: expect.any(String),
      shareText: expect.stringContaining(run.token),
      shareMarkdown: expect.stringContaining(run.token),
    });
    expect(run.token).toMatch(/^[\w-]{43}$/);
    const days = (Date.parse(run.payload['expiresAt'] ?? '') - app.services.now()) / 86_400_000;
    expect(days).toBeCloseTo(7, 1);
    expect(app.services.execution.live.get(run.run_id)).toBeUndefined();
    const entry = await fetchHistoryEntry(owner, run);
    expect(entry).toMatchObject({ status: 'pending' });
    expect(findResult(entry, 'ask')).toMatchObject({
      status: 'pending',
      output: { summary: 'Answer to Ada' },
    });
    // The node behind the side `review` runs at once and has the link.
    expect(findResult(entry, 'send')).toMatchObject({
      status: 'success',
      output: { link: run.payload['reviewUrl'] },
    });
    const active = await owner.call('GET', `/api/workflows/executions/active?workflow_id=${run.id}`);
    expect(active.json()).toMatchObject([{ status: 'pending', pending_kind: 'review' }]);
  });

  test('a repeated request with its Idempotency-Key tells how long the run has worked', async () => {
    const id = await createWorkflow(
      owner,
      graph(
        [
          ['start', 'textInput'],
          ['pause', 'wait', { duration: 200 }],
          ['ask', 'humanReview', { summary: 's', draft: 'd' }],
        ],
        ['start>pause', 'pause>ask'],
      ),
    );
    const call = () => app.call('POST', executeUrl(id), {}, { 'idempotency-key': 'pending' });
    const first = call();
    const { live } = app.services.execution;
    await until(() => Promise.resolve(live.size > 0));
    app.clock.now += 1_500;
    expect((await first).json()).toMatchObject({ status: 'pending', execution_time_ms: 1_500 });
    const again = await call();
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.json()).toEqual((await first).json());
  });

  test('shows what is asked to who has the token, without a login (§4.4)', async () => {
    const run = await asked();
    const answer = await read(run.token);
    expect([answer.statusCode, answer.headers['cache-control'], answer.headers['referrer-policy']]).toEqual([
      200,
      'no-store',
      'no-referrer',
    ]);
    expect(answer.json()).toEqual({
      request_id: run.payload['requestId'],
      workflow_name: 'Test workflow',
      agent_label: 'ask',
      summary: 'Answer to Ada',
      original_draft_text: DRAFT,
      status: 'pending',
      decision: null,
      edited_text: null,
      refusal_reason: null,
      resolved_output: null,
      expires_at: run.payload['expiresAt'],
      resolved_at: null,
    });
  });

  test('keeps the token out of waits and of the row of the pause', async () => {
    const alone = graph(
      [
        ['start', 'textInput'],
        ['ask', 'humanReview', { draft: '$start.body.draft' }],
      ],
      ['start>ask'],
    );
    const { token } = await asked(alone);
    for (const table of ['runs', 'steps', 'waits', 'blobs']) {
      const { rows } = await app.services.database.sql.query<{ row: string }>({
        text: `SELECT t::text AS row FROM ${table} t`,
      });
      expect(rows.filter(({ row }) => row.includes(token))).toEqual([]);
    }
  });

  test('ends its stream with the payload', async () => {
    const id = await createWorkflow(owner, asking);
    const { body } = await app.call('POST', executeUrl(id, '/stream'), { name: 'Ada', draft: DRAFT });
    expect(parseFrames(body).at(-1)?.data).toMatchObject({
      type: 'execution_complete',
      status: 'pending',
      outputs: { ask: { reviewUrl: expect.stringContaining('/review/') } },
    });
  });
});

describe('§3.1 the reviewer’s decision', () => {
  test('accept, without a login: the stored run continues with the draft', async () => {
    const run = await asked();
    const answer = await decide(run.token, { action: 'accept', reviewer_name: ' Grace ' });
    expect([answer.statusCode, answer.json()]).toEqual([
      202,
      { request_id: run.payload['requestId'], status: 'resolved' },
    ]);
    const entry = await endedEntry(owner, run);
    expect(entry).toMatchObject({ status: 'success', outputs: { out: { result: `sent: ${DRAFT}` } } });
    expect(findResult(entry, 'ask')?.output).toMatchObject({
      decision: 'accepted',
      text: DRAFT,
      reviewerName: 'Grace',
      hitlHistory: [{ decision: 'accepted', decidedAt: expect.any(String) }],
    });
    expect(findResult(entry, 'no')?.status).toBe('skipped');
  });

  test('edit: the run continues with the text of the reviewer, up to a megabyte of it', async () => {
    const run = await asked();
    const edited_text = 'ä'.repeat(1024 * 1024);
    expect((await decide(run.token, { action: 'edit', edited_text })).statusCode).toBe(202);
    expect(await endedEntry(owner, run)).toMatchObject({
      status: 'success',
      outputs: { out: { result: `sent: ${edited_text}` } },
    });
  });

  test('refuse: the run continues at its other side, with the reason', async () => {
    const run = await asked();
    const body = { action: 'refuse', refusal_reason: 'too late now' };
    expect((await decide(run.token, body)).statusCode).toBe(202);
    const entry = await endedEntry(owner, run);
    expect(entry).toMatchObject({ outputs: { no: { result: 'refused: too late now' } } });
    expect(findResult(entry, 'ask')?.output).toMatchObject({ text: '', decision: 'refused' });
  });

  test.each([
    [{ action: 'edit' }, 'edited_text'],
    [{ action: 'edit', edited_text: '  ' }, 'edited_text'],
    [{ action: 'edit', edited_text: null }, 'edited_text'],
    [{ action: 'edit', edited_text: 'a\0b' }, 'edited_text'],
    [{ action: 'edit', edited_text: 7 }, 'edited_text'],
    [{ action: 'edit', edited_text: 'x'.repeat(1024 * 1024 + 1) }, 'edited_text'],
    [{ action: 'approve' }, 'action'],
    [{}, 'action'],
    [{ action: 'refuse', refusal_reason: 'x'.repeat(10_001) }, 'refusal_reason'],
  ])('%j is refused with 422 and decides nothing', async (body, wrong) => {
    const run = await asked();
    const answer = await decide(run.token, body);
    expect(answer.statusCode).toBe(422);
    expect(answer.json()).toMatchObject({ detail: [{ loc: ['body', wrong] }] });
    expect((await read(run.token)).statusCode).toBe(200);
  });

  test('a body that is far too large is refused with 413', async () => {
    const run = await asked();
    const edited_text = 'x'.repeat(8 * 1024 * 1024);
    expect((await decide(run.token, { action: 'edit', edited_text })).statusCode).toBe(413);
  });

  test('the first one counts; the others are told with 409, and readers with 410', async () => {
    const run = await asked();
    const answers = await Promise.all(
      ['one', 'two', 'three', 'four'].map((edited_text) =>
        decide(run.token, { action: 'edit', edited_text }),
      ),
    );
    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([202, 409, 409, 409]);
    const winner = ['one', 'two', 'three', 'four'][answers.findIndex(({ statusCode }) => statusCode === 202)];
    expect(await endedEntry(owner, run)).toMatchObject({ outputs: { out: { result: `sent: ${winner}` } } });
    expect((await decide(run.token, { action: 'accept' })).json()).toMatchObject({
      code: 'conflict',
      detail: { reason: 'decided' },
    });
    const late = await read(run.token);
    expect([late.statusCode, late.json()]).toEqual([
      410,
      expect.objectContaining({ code: 'gone', detail: { message: expect.any(String), reason: 'decided' } }),
    ]);
  });

  test('what it brings is stored encrypted until the node has it (§5.8)', async () => {
    const run = await asked();
    await decide(run.token, { action: 'edit', edited_text: 'plain-in-the-table' });
    await endedEntry(owner, run);
    const { rows } = await app.services.database.sql.query<{ result: string }>({
      text: 'SELECT result FROM waits WHERE run_id = $1',
      values: [run.run_id],
    });
    expect(rows[0]?.result).toContain('sealed');
    expect(rows[0]?.result).not.toContain('plain-in-the-table');
  });

  test('continues the version that asked, though the workflow was changed', async () => {
    const run = await asked();
    const changed = graph([['start', 'textInput']], []);
    expect((await owner.call('PUT', `/api/workflows/${run.id}`, { ...changed })).statusCode).toBe(200);
    expect((await read(run.token)).json()).toMatchObject({ agent_label: 'ask' });
    await decide(run.token, { action: 'edit', edited_text: 'still there' });
    expect(await endedEntry(owner, run)).toMatchObject({ outputs: { out: { result: 'sent: still there' } } });
  });

  test('accepts what was shown, though what the draft was made of has changed since', async () => {
    const made = await owner.call('POST', '/api/global-variables', { name: 'greeting', value: 'Hello' });
    expect(made.statusCode).toBe(201);
    const content = graph(
      [
        ['start', 'textInput'],
        ['ask', 'humanReview', { draft: '$global.greeting Ada' }],
        ['out', 'output', { message: '$ask.text' }],
      ],
      ['start>ask', 'ask:accepted>out'],
    );
    const run = await asked(content);
    const { id } = made.json<{ id: string }>();
    expect((await owner.call('PATCH', `/api/global-variables/${id}`, { value: 'Insult' })).statusCode).toBe(
      200,
    );
    await decide(run.token, { action: 'accept' });
    expect(await endedEntry(owner, run)).toMatchObject({ outputs: { out: { result: 'Hello Ada' } } });
  });
});

describe('a review that takes no decision', () => {
  const closed = async (token: string, reason: string) => {
    for (const answer of [await read(token), await decide(token, { action: 'accept' })]) {
      expect([answer.statusCode, answer.json()]).toMatchObject([410, { code: 'gone', detail: { reason } }]);
    }
  };

  test('because its time is over answers 410, before and after the run has continued', async () => {
    const run = await asked();
    const before = await fetchHistoryEntry(owner, run);
    expect(before.status).toBe('pending');
    await sql(`UPDATE waits SET due_at = now() - interval '1 second' WHERE run_id = $1`, [run.run_id]);
    await closed(run.token, 'expired');
    expect(await endedEntry(owner, run)).toMatchObject({ outputs: { late: { result: 'too late' } } });
    await closed(run.token, 'expired');
  });

  test('because its run was cancelled answers 410', async () => {
    const run = await asked();
    await owner.call('POST', `/api/workflows/${run.id}/executions/${run.run_id}/cancel`);
    expect((await fetchHistoryEntry(owner, run)).status).toBe('cancelled');
    await closed(run.token, 'ended');
  });

  test.each(['unknown', 'a'.repeat(43), '%00', 'a'.repeat(201)])(
    'with the token %s answers 404 or 422',
    async (token) => {
      expect([404, 422]).toContain((await read(token)).statusCode);
      expect([404, 422]).toContain((await decide(token, { action: 'accept' })).statusCode);
    },
  );

  test('because its workflow was deleted answers 404', async () => {
    const run = await asked();
    expect((await owner.call('DELETE', `/api/workflows/${run.id}`)).statusCode).toBe(204);
    expect((await read(run.token)).statusCode).toBe(404);
  });

  test('of another kind is not reached through this door, nor a review through that of callbacks', async () => {
    const run = await asked();
    expect((await app.call('POST', `/api/callbacks/${run.token}`, {})).statusCode).toBe(404);
    const calling = graph(
      [
        ['start', 'textInput'],
        ['ask', 'callback'],
      ],
      ['start>ask'],
    );
    const id = await createWorkflow(owner, calling);
    const { outputs } = (await app.call('POST', executeUrl(id), {})).json<{
      outputs: { ask: { url: string } };
    }>();
    const token = outputs.ask.url.split('/').at(-1) ?? '';
    expect((await read(token)).statusCode).toBe(404);
    expect((await decide(token, { action: 'accept' })).statusCode).toBe(404);
  });
});

test('reviews in parallel branches are decided one after the other, in any order', async () => {
  const both = graph(
    [
      ['start', 'textInput'],
      ['ask', 'humanReview', { draft: 'one' }],
      ['other', 'humanReview', { draft: 'two' }],
      ['join', 'merge'],
      ['out', 'output', { message: '$ask.text and $other.text' }],
    ],
    ['start>ask', 'start>other', 'ask:accepted>join:input-0', 'other:accepted>join:input-1', 'join>out'],
  );
  const id = await createWorkflow(owner, both);
  const answer = await app.call('POST', executeUrl(id), {});
  const { outputs } = answer.json<{ outputs: Record<string, { reviewUrl: string }> }>();
  const tokens = ['other', 'ask'].map((label) => outputs[label]?.reviewUrl.split('/').at(-1) ?? '');
  expect(new Set(tokens).size).toBe(2);
  const run: Asked = { id, run_id: String(answer.headers['x-execution-id']), token: '', payload: {} };
  for (const token of tokens) {
    expect((await decide(token, { action: 'edit', edited_text: token.slice(0, 3) })).statusCode).toBe(202);
  }
  const [second = '', first = ''] = tokens.map((token) => token.slice(0, 3));
  expect(await endedEntry(owner, run)).toMatchObject({
    outputs: { out: { result: `${first} and ${second}` } },
  });
});

const decideAll = async (run: Asked, word: (at: number) => string) => {
  for (let at = 0; ; at++) {
    const open = await until(async () => {
      const entry = await fetchHistoryEntry(owner, run);
      const row = entry.status === 'pending' && entry.node_results.find(({ status }) => status === 'pending');
      if (row) return String(row.output['reviewUrl']);
      return entry.status === 'running' || entry.status === 'queued' ? undefined : 'ended';
    });
    if (open === 'ended') return fetchHistoryEntry(owner, run);
    await decide(open.split('/').at(-1) ?? '', { action: 'edit', edited_text: word(at) });
  }
};

test('a review in a loop asks once per round', async () => {
  const looped = graph(
    [
      ['start', 'textInput'],
      ['each', 'loop', { arrayExpression: '$start.body.items' }],
      ['ask', 'humanReview', { draft: '$each.item' }],
      ['out', 'output', { message: '$each.results.map("item.originalDraft + item.text").join(", ")' }],
    ],
    ['start>each', 'each:loop>ask', 'ask:accepted>each:loop', 'each:done>out'],
  );
  const run = await asked(looped, { items: ['a', 'b', 'c'] });
  expect(await decideAll(run, String)).toMatchObject({
    status: 'success',
    outputs: { out: { result: 'a0, b1, c2' } },
  });
});

test('a review in a sub-workflow lets go of the run above, which continues with its result', async () => {
  const child = await createWorkflow(owner, asking);
  const above = graph(
    [
      ['start', 'textInput'],
      ['call', 'execute', { executeWorkflowId: child, executeInput: '$start.body' }],
      ['out', 'output', { message: '$call.outputs.out.result' }],
    ],
    ['start>call', 'call>out'],
  );
  const id = await createWorkflow(owner, above);
  const answer = await app.call('POST', executeUrl(id), { name: 'Ada', draft: DRAFT });
  expect(answer.json()).toMatchObject({ status: 'pending' });
  const run: Asked = { id, run_id: String(answer.headers['x-execution-id']), token: '', payload: {} };
  const list = await owner.call('GET', `/api/workflows/${child}/history`);
  const [below] = list.json<{ items: { id: string }[] }>().items;
  const row = findResult(
    await fetchHistoryEntry(owner, { ...run, id: child, run_id: below?.id ?? '' }),
    'ask',
  );
  const token = String(row?.output['reviewUrl']).split('/').at(-1) ?? '';
  expect((await decide(token, { action: 'edit', edited_text: 'from below' })).statusCode).toBe(202);
  expect(await endedEntry(owner, run)).toMatchObject({
    status: 'success',
    outputs: { out: { result: 'sent: from below' } },
  });
});
