import type { OpenReviewList, OwnReview } from '@millrace/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { shareTestApp, type TestApp, type TestUser } from '../../testing/test-app.ts';
import { endedEntry, fetchHistoryEntry } from '../executions/testing/history.ts';
import { createWorkflow, executeUrl, graph } from '../executions/testing/workflows.ts';

let app: TestApp;
let owner: TestUser;
let member: TestUser;
let stranger: TestUser;
let workflow_id: string;
beforeAll(async () => {
  app = await shareTestApp();
  [owner, member, stranger] = [
    await app.user('Olga Owner'),
    await app.user('Max Member'),
    await app.user('Sam Stranger'),
  ];
});
afterAll(() => app.close());
beforeEach(async () => {
  workflow_id = await createWorkflow(owner, ASKING);
  await owner.call('POST', `/api/workflows/${workflow_id}/shares`, { email: member.email });
});

const ASKING = graph(
  [
    ['start', 'textInput'],
    ['ask', 'humanReview', { summary: '$start.body.summary', draft: 'Dear **Ada**' }],
    ['out', 'output', { message: 'sent: $ask.text by $ask.reviewerName' }],
    ['no', 'output', { message: 'refused: $ask.refusalReason by $ask.reviewerName' }],
    ['late', 'output', { message: 'too late' }],
  ],
  ['start>ask', 'ask:accepted>out', 'ask:refused>no', 'ask:timed_out>late'],
);

/** Starts a run that asks. */
async function asked(summary: string): Promise<{ id: string; run_id: string; token: string }> {
  const answer = await app.call('POST', executeUrl(workflow_id), { summary });
  const { reviewUrl } = answer.json<{ outputs: { ask: { reviewUrl: string } } }>().outputs.ask;
  const run_id = String(answer.headers['x-execution-id']);
  return { id: workflow_id, run_id, token: reviewUrl.split('/').at(-1) ?? '' };
}

async function list(query = '', user = owner): Promise<OpenReviewList> {
  const answer = await user.call('GET', `/api/reviews?workflow_id=${workflow_id}${query}`);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json<OpenReviewList>();
}
const summaries = ({ items }: OpenReviewList) => items.map(({ summary }) => summary);
const findReviewId = async ({ run_id }: { run_id: string }) =>
  (await list()).items.find(({ execution_id }) => execution_id === run_id)?.id ?? '';
const read = (id: string, user = owner) => user.call('GET', `/api/reviews/${id}`);
const decide = (id: string, body: unknown, user = owner) =>
  user.call('POST', `/api/reviews/${id}/decision`, body);
const makeDue = (run_id: string) =>
  app.services.database.sql.query({
    text: `UPDATE waits SET due_at = now() - interval '1 second' WHERE run_id = $1`,
    values: [run_id],
  });

describe('the list of open reviews', () => {
  test('has the summary, workflow, run and deadline of each, newest first, page by page', async () => {
    const runs = [];
    for (const summary of ['one', 'two', 'three']) runs.push(await asked(summary));
    const first = await list('&limit=2');
    expect(first).toMatchObject({ count: 3, count_is_capped: false });
    expect(first.items[0]).toEqual({
      id: expect.any(String) as string,
      workflow_id,
      workflow_name: expect.any(String) as string,
      execution_id: runs[2]?.run_id,
      summary: 'three',
      asked_at: expect.any(String) as string,
      expires_at: expect.any(String) as string,
    });
    expect(summaries(first)).toEqual(['three', 'two']);
    const second = await list(`&limit=2&before=${first.next_before}`);
    expect([summaries(second), second.next_before]).toEqual([['one'], null]);
  });

  test('lists several reviews of one run, each once', async () => {
    workflow_id = await createWorkflow(
      owner,
      graph(
        [
          ['start', 'textInput'],
          ['one', 'humanReview', { summary: 'one', draft: 'x' }],
          ['two', 'humanReview', { summary: 'two', draft: 'x' }],
        ],
        ['start>one', 'start>two'],
      ),
    );
    await app.call('POST', executeUrl(workflow_id), {});
    const first = await list('&limit=1');
    const second = await list(`&limit=1&before=${first.next_before}`);
    expect([...summaries(first), ...summaries(second)].toSorted()).toEqual(['one', 'two']);
    expect(second.next_before).toBeNull();
  });

  test('is searched by summary and name of the workflow as they read', async () => {
    for (const summary of ['Refund "7" of 100%', 'Answer\nto Ada']) await asked(summary);
    const found = async (text: string) => {
      const { items, count } = await list(`&search=${encodeURIComponent(text)}`);
      expect(count).toBe(items.length);
      return items.map(({ summary }) => summary);
    };
    expect(await found('refund "7"')).toEqual(['Refund "7" of 100%']);
    expect(await found('100%')).toEqual(['Refund "7" of 100%']);
    expect(await found('Answer\nto')).toEqual(['Answer\nto Ada']);
    expect(await found('draftText')).toEqual([]);
    const renamed = await owner.call('PUT', `/api/workflows/${workflow_id}`, { name: 'Letters of 2026' });
    expect(renamed.statusCode).toBe(200);
    expect(await found('letters')).toHaveLength(2);
  });

  test('leaves out what is decided, expired or of a run that has ended, and waits of other kinds', async () => {
    const [decided, due, cancelled] = [await asked('decided'), await asked('due'), await asked('cancelled')];
    await decide(await findReviewId(decided), { action: 'accept' });
    await makeDue(due.run_id);
    await owner.call('POST', `/api/workflows/${workflow_id}/executions/${cancelled.run_id}/cancel`);
    expect(await list()).toMatchObject({ count: 0, items: [], next_before: null });
    workflow_id = await createWorkflow(
      owner,
      graph(
        [
          ['start', 'textInput'],
          ['ask', 'callback'],
        ],
        ['start>ask'],
      ),
    );
    await app.call('POST', executeUrl(workflow_id), {});
    expect(await list()).toMatchObject({ count: 0, items: [] });
  });

  test('belongs to those who see the workflow', async () => {
    await asked('private');
    expect(summaries(await list('', member))).toEqual(['private']);
    expect((await stranger.call('GET', `/api/reviews?workflow_id=${workflow_id}`)).statusCode).toBe(404);
    expect((await stranger.call('GET', '/api/reviews')).json()).toMatchObject({ count: 0, items: [] });
    expect((await app.call('GET', '/api/reviews')).statusCode).toBe(401);
  });

  test.each(['limit=0', 'limit=501', 'workflow_id=x', 'search=%20', 'before=%00'])(
    'refuses the query %s with its field',
    async (query) => {
      const answer = await owner.call('GET', `/api/reviews?${query}`);
      expect(answer.statusCode).toBe(422);
      expect(answer.json<{ detail: { loc: string[] }[] }>().detail[0]?.loc[1]).toBe(query.split('=')[0]);
    },
  );
});

describe('an open review', () => {
  test('is read with its draft by people who see the workflow, without its token', async () => {
    const run = await asked('Answer');
    const id = await findReviewId(run);
    const answer = await read(id, member);
    expect(answer.json<OwnReview>()).toMatchObject({
      id,
      workflow_id,
      execution_id: run.run_id,
      summary: 'Answer',
      agent_label: 'ask',
      original_draft_text: 'Dear **Ada**',
    });
    expect(answer.body).not.toContain(run.token);
    // The id is no link.
    expect((await app.call('GET', `/api/hitl/${id}`)).statusCode).toBe(404);
  });

  test.each([
    [{ action: 'accept' }, 'sent: Dear **Ada** by Max Member'],
    [{ action: 'edit', edited_text: 'Hello' }, 'sent: Hello by Max Member'],
    [{ action: 'refuse', refusal_reason: 'too long' }, 'refused: too long by Max Member'],
  ])('is decided by a collaborator: %o', async (body, result) => {
    const run = await asked('Answer');
    const answer = await decide(await findReviewId(run), body, member);
    expect([answer.statusCode, answer.json()]).toMatchObject([202, { status: 'resolved' }]);
    const { outputs } = await endedEntry(owner, run);
    expect(Object.values(outputs as Record<string, object>)).toContainEqual(
      expect.objectContaining({ result }),
    );
  });

  test('has the account as its reviewer, regardless of another name in the body', async () => {
    const run = await asked('Answer');
    await decide(await findReviewId(run), { action: 'accept', reviewer_name: 'Someone Else' });
    expect(await endedEntry(owner, run)).toMatchObject({
      outputs: { out: { result: 'sent: Dear **Ada** by Olga Owner' } },
    });
  });

  test('takes one of many decisions at once, by link or account; the others answer 409 and readers 410', async () => {
    const run = await asked('Answer');
    const id = await findReviewId(run);
    const answers = await Promise.all([
      decide(id, { action: 'accept' }),
      decide(id, { action: 'refuse' }, member),
      app.call('POST', `/api/hitl/${run.token}/decision`, { action: 'accept' }),
    ]);
    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([202, 409, 409]);
    const again = await decide(id, { action: 'accept' });
    expect([again.statusCode, again.json()]).toMatchObject([409, { detail: { reason: 'decided' } }]);
    const late = await read(id);
    expect([late.statusCode, late.json()]).toMatchObject([410, { detail: { reason: 'decided' } }]);
  });

  test('answers 410 once its time is over', async () => {
    const run = await asked('Answer');
    const id = await findReviewId(run);
    await makeDue(run.run_id);
    for (const answer of [await read(id), await decide(id, { action: 'accept' })])
      expect([answer.statusCode, answer.json()]).toMatchObject([410, { detail: { reason: 'expired' } }]);
  });

  test('does not exist for people who do not see the workflow, nor under an unknown id or that of another kind', async () => {
    const run = await asked('Answer');
    const id = await findReviewId(run);
    const other = await createWorkflow(
      owner,
      graph(
        [
          ['start', 'textInput'],
          ['ask', 'callback'],
        ],
        ['start>ask'],
      ),
    );
    await app.call('POST', executeUrl(other), {});
    const { rows } = await app.services.database.sql.query<{ token_hash: string }>({
      text: 'SELECT token_hash FROM waits w JOIN runs r ON r.id = w.run_id WHERE r.workflow_id = $1',
      values: [other],
    });
    const callback = rows[0]?.token_hash ?? '';
    for (const [who, what] of [
      [stranger, id],
      [owner, 'unknown'],
      [owner, 'a'.repeat(64)],
      [owner, run.token],
      [owner, callback],
    ] as const) {
      expect((await read(what, who)).statusCode).toBe(404);
      expect((await decide(what, { action: 'accept' }, who)).statusCode).toBe(404);
    }
    expect((await fetchHistoryEntry(owner, run)).status).toBe('pending');
    // A share that is taken back takes the review back.
    await owner.call('DELETE', `/api/workflows/${workflow_id}/shares/${member.id}`);
    expect((await read(id, member)).statusCode).toBe(404);
  });

  test.each([
    [{}, 'action'],
    [{ action: 'approve' }, 'action'],
    [{ action: 'edit' }, 'edited_text'],
    [{ action: 'edit', edited_text: ' \n' }, 'edited_text'],
    [{ action: 'refuse', refusal_reason: 5 }, 'refusal_reason'],
  ])('refuses the body %o with its field', async (body, field) => {
    const run = await asked('Answer');
    const answer = await decide(await findReviewId(run), body);
    expect(answer.statusCode).toBe(422);
    expect(answer.json<{ detail: { loc: string[] }[] }>().detail[0]?.loc).toEqual(['body', field]);
    expect((await fetchHistoryEntry(owner, run)).status).toBe('pending');
  });
});
