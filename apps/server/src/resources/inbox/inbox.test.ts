import type { InboxList } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { parkedTexts } from '../../execution/store/queue/requeue/give-up.ts';
import { useTestApp } from '../../testing/test-app.ts';
import {
  createWorkflow,
  executeUrl,
  PICKY,
  RUN_DRAFT,
  saveMovedDraft,
  until,
} from '../executions/testing/workflows.ts';

const app = await useTestApp();
const owner = await app.user();
const member = await app.user();
const stranger = await app.user();

const list = async (query = '', user = owner) => {
  const answer = await user.call('GET', `/api/inbox${query}`);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json<InboxList>();
};
const reasons = ({ items }: InboxList) => items.map(({ reason }) => reason);
async function failing(workflow_id: string, text: string, query = ''): Promise<string> {
  const answer = await owner.call('POST', `${executeUrl(workflow_id)}${query}`, { text });
  return String(answer.headers['x-execution-id']);
}
const act = (what: 'dismiss' | 'restore', execution_ids: string[], user = owner) =>
  user.call('POST', `/api/inbox/${what}`, { execution_ids });
const runAgain = async (workflow_id: string, run_id: string, body: object) => {
  const url = `/api/workflows/${workflow_id}/executions/${run_id}/replay`;
  const answer = await owner.call('POST', url, body);
  expect(answer.statusCode, answer.body).toBe(202);
  const { execution_id } = answer.json<{ execution_id: string }>();
  await until(async () => {
    const entry = await owner.call('GET', `/api/workflows/history/all/${execution_id}`);
    return ['success', 'error'].includes(entry.json<{ status: string }>().status);
  });
  return execution_id;
};

const tryDraft = (id: string, text: string) => owner.call('POST', executeUrl(id), { text }, RUN_DRAFT);

/** A shared workflow, and a failed run of its draft. */
async function failingDraft(): Promise<{ id: string; run: string }> {
  const id = await createWorkflow(owner, PICKY);
  await owner.call('POST', `/api/workflows/${id}/shares`, { email: member.email });
  await saveMovedDraft(owner, id, PICKY);
  const tried = await tryDraft(id, 'tried');
  return { id, run: String(tried.headers['x-execution-id']) };
}

describe('the inbox', () => {
  test('lists failed runs with reason, node and source, newest first, page by page; not what succeeded', async () => {
    const id = await createWorkflow(owner, PICKY);
    for (const text of ['one', 'fine', 'two', 'three']) await failing(id, text);
    const first = await list(`?workflow_id=${id}&limit=2`);
    expect(first.items[0]).toMatchObject({
      workflow_id: id,
      kind: 'failed',
      node_label: 'stop',
      trigger_source: 'API',
      replay_of: null,
      dismissed_at: null,
    });
    expect(reasons(first)).toEqual(['three', 'two']);
    expect(first).toMatchObject({ counts: { failed: 3, given_up: 0 }, counts_are_capped: false });
    const second = await list(`?workflow_id=${id}&limit=2&before=${first.next_before}`);
    expect(reasons(second)).toEqual(['one']);
    expect(second.next_before).toBeNull();
  });

  test('is searched by the reason, as it reads, and not by what surrounds it in storage', async () => {
    const id = await createWorkflow(owner, PICKY);
    for (const text of ['Order "7" is 100% gone', 'Connection lost']) await failing(id, text);
    const found = async (search: string) =>
      reasons(await list(`?workflow_id=${id}&search=${encodeURIComponent(search)}`));
    expect(await found('order "7"')).toEqual(['Order "7" is 100% gone']);
    expect(await found('100%')).toEqual(['Order "7" is 100% gone']);
    expect(await found('message')).toEqual([]);
    expect(await found('_')).toEqual([]);
  });

  test('tells runs that were given up from those that failed', async () => {
    const id = await createWorkflow(owner, PICKY);
    const parked = await failing(id, 'parked');
    await failing(id, 'a text with "details":{"reason":"worker_lost"}');
    const { outputs, outcome } = parkedTexts('worker_lost');
    await app.services.database.sql.query({
      text: 'UPDATE runs SET outputs = $2, outcome = $3 WHERE id = $1',
      values: [parked, outputs, outcome],
    });
    const both = await list(`?workflow_id=${id}`);
    expect(both.counts).toEqual({ failed: 1, given_up: 1, refused: 0 });
    const given_up = await list(`?workflow_id=${id}&kind=given_up`);
    expect(given_up.items.map(({ execution_id }) => execution_id)).toEqual([parked]);
    expect(given_up.items[0]?.reason).toMatch(/was given up/);
    expect((await list(`?workflow_id=${id}&kind=failed`)).items).toHaveLength(1);
  });

  test('a dismissed entry is out of it until it is restored, for all who see the workflow', async () => {
    const id = await createWorkflow(owner, PICKY);
    await owner.call('POST', `/api/workflows/${id}/shares`, { email: member.email });
    const run = await failing(id, 'gone');
    expect((await act('dismiss', [run], member)).json()).toEqual({ dismissed: 1 });
    expect((await act('dismiss', [run])).json()).toEqual({ dismissed: 0 });
    expect((await list(`?workflow_id=${id}`)).items).toEqual([]);
    const [entry] = (await list(`?workflow_id=${id}&dismissed=true`)).items;
    expect(entry).toMatchObject({ execution_id: run, dismissed_at: expect.any(String) as string });
    expect((await act('restore', [run])).json()).toEqual({ restored: 1 });
    expect(reasons(await list(`?workflow_id=${id}`, member))).toEqual(['gone']);
  });

  test.each<[string, string, Record<string, string>]>([
    ['a test run', '?test_run=true', {}],
    ['a run of the draft', '', RUN_DRAFT],
  ])('has %s only for the person who started it', async (_what, query, headers) => {
    const id = await createWorkflow(owner, PICKY);
    await owner.call('POST', `/api/workflows/${id}/shares`, { email: member.email });
    await saveMovedDraft(owner, id, PICKY);
    await failing(id, 'real');
    const tried = await owner.call('POST', `${executeUrl(id)}${query}`, { text: 'tried' }, headers);
    expect(tried.headers['x-execution-id']).toBeTruthy();

    expect(reasons(await list(`?workflow_id=${id}`))).toEqual(['tried', 'real']);
    const real = await list(`?workflow_id=${id}&trials=false`);
    expect(reasons(real)).toEqual(['real']);
    expect(real.counts.failed).toBe(1);
    const theirs = await list(`?workflow_id=${id}`, member);
    expect(reasons(theirs)).toEqual(['real']);
    expect(theirs.counts.failed).toBe(1);
    const job = { filter: { workflow_id: id }, from: 'start', version: 'same' };
    expect((await member.call('POST', '/api/replays', job)).json()).toMatchObject({ total: 1 });
  });

  test('still hides a run of the draft from others when the draft was published and deleted', async () => {
    const { id, run } = await failingDraft();
    await runAgain(id, run, { from: 'failed', version: 'same' });
    await tryDraft(id, 'again');
    await owner.call('POST', `/api/workflows/${id}/publish`, {});
    expect((await owner.call('DELETE', `/api/workflows/${id}/versions`)).statusCode).toBe(204);
    const { items } = await list(`?workflow_id=${id}`);
    expect(items).toMatchObject([
      { reason: 'again', is_draft: true, version_number: null },
      { reason: 'tried', is_draft: true, version_number: null },
    ]);
    expect((await list(`?workflow_id=${id}`, member)).items).toEqual([]);
  });

  test('hides a run of the draft that was stored without the mark for it', async () => {
    const { id, run } = await failingDraft();
    await app.services.database.sql.query({
      text: `UPDATE runs SET options = (options::jsonb - 'of_draft')::text WHERE id = $1`,
      values: [run],
    });
    expect((await list(`?workflow_id=${id}`)).items).toMatchObject([{ reason: 'tried', is_draft: true }]);
    expect((await list(`?workflow_id=${id}`, member)).items).toEqual([]);
  });

  test.each([
    { globals: { test_run: true, of_draft: true } },
    { globals: { text: '"test_run":true,"of_draft":true' } },
    { globals: { test_run: true, of_draft: true, text: '\0 \ud800 \\u0000 \\' } },
    { test_run: false, of_draft: false },
  ])('shows everyone a run that only has variables with the names of the marks: %j', async (options) => {
    const id = await createWorkflow(owner, PICKY);
    await owner.call('POST', `/api/workflows/${id}/shares`, { email: member.email });
    const run = await failing(id, 'real');
    await app.services.database.sql.query({
      text: 'UPDATE runs SET options = $2 WHERE id = $1',
      values: [run, JSON.stringify(options)],
    });
    expect((await list(`?workflow_id=${id}`, member)).items).toMatchObject([
      { reason: 'real', is_draft: false },
    ]);
  });

  test('belongs to those who see the workflow', async () => {
    const id = await createWorkflow(owner, PICKY);
    const run = await failing(id, 'private');
    expect((await stranger.call('GET', `/api/inbox?workflow_id=${id}`)).statusCode).toBe(404);
    expect((await list('', stranger)).items).toEqual([]);
    expect((await act('dismiss', [run], stranger)).json()).toEqual({ dismissed: 0 });
    await act('dismiss', [run]);
    expect((await act('restore', [run], stranger)).json()).toEqual({ restored: 0 });
    expect((await list(`?workflow_id=${id}`)).items).toEqual([]);
  });
});

describe('a failed run that is run again', () => {
  test('leaves the inbox when the replay succeeds', async () => {
    const id = await createWorkflow(owner, PICKY);
    const run = await failing(id, 'broken');
    await runAgain(id, run, { from: 'start', input: { body: { text: 'fine' } } });
    expect((await list(`?workflow_id=${id}`)).items).toEqual([]);
  });

  test('leaves the inbox when it was a test run itself, and its replay is one, too', async () => {
    const id = await createWorkflow(owner, PICKY);
    const run = await failing(id, 'broken', '?test_run=true');
    await runAgain(id, run, { from: 'start', input: { body: { text: 'fine' } } });
    expect((await list(`?workflow_id=${id}`)).items).toEqual([]);
  });

  test('leaves the inbox when it was of the draft, and its replay is, too', async () => {
    const { id, run } = await failingDraft();
    await runAgain(id, run, { from: 'start', version: 'draft', input: { body: { text: 'fine' } } });
    expect((await list(`?workflow_id=${id}`)).items).toEqual([]);
  });

  test('is replaced by a replay that fails too, with its lineage', async () => {
    const id = await createWorkflow(owner, PICKY);
    const run = await failing(id, 'broken');
    const second = await runAgain(id, run, { from: 'failed' });
    const { items } = await list(`?workflow_id=${id}`);
    expect(items.map(({ execution_id, replay_of }) => [execution_id, replay_of])).toEqual([[second, run]]);
  });

  test.each([
    { from: 'node', node_id: 'start', only: true },
    { from: 'start', test_run: true, input: { body: { text: 'fine' } } },
    { from: 'start', version: 'draft', input: { body: { text: 'fine' } } },
  ])('stays where the replay is a trial or of one node alone: %o', async (body) => {
    const id = await createWorkflow(owner, PICKY);
    const run = await failing(id, 'broken');
    await runAgain(id, run, body);
    expect((await list(`?workflow_id=${id}`)).items.map(({ execution_id }) => execution_id)).toEqual([run]);
  });
});
