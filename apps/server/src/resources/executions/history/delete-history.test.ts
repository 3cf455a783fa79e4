import type { HistoryList } from '@millrace/contracts';
import { expect, test } from 'vitest';
import { SEARCH_WINDOW } from '../../../execution/store/history/filters.ts';
import { type TestUser, useOwnTestApp } from '../../../testing/test-app.ts';
import { createWorkflow, ECHO, executeUrl, graph } from '../testing/workflows.ts';

const app = await useOwnTestApp();
const FAILING = graph(
  [
    ['start', 'textInput'],
    ['stop', 'throwError', { errorMessage: 'needle in a haystack' }],
  ],
  ['start>stop'],
);

/** Two runs of one workflow, one of them with other words and from elsewhere, and a failed run of another one. */
async function makeRuns(user: TestUser) {
  const echo = await createWorkflow(user, ECHO);
  const failing = await createWorkflow(user, FAILING);
  const run = (id: string, text: string, source: string) =>
    app.call('POST', executeUrl(id), { text }, { 'x-trigger-source': source });
  await run(echo, 'apples', 'API');
  await run(echo, 'pears', 'Canvas');
  await run(failing, 'plums', 'API');
  return { echo, failing };
}

const URL_ALL = '/api/workflows/history/all';
const remove = (user: TestUser, query: string) => user.call('DELETE', `${URL_ALL}${query}`);
const list = async (user: TestUser) => {
  const { items } = (await user.call('GET', URL_ALL)).json<HistoryList>();
  return items.map(({ status, trigger_source }) => `${status} ${trigger_source}`).toSorted();
};

test.each([
  ['a status with an index', '?status=error', ['success API', 'success Canvas']],
  ['the status that most runs have', '?status=success', ['error API']],
  ['a source', '?trigger_source=Canvas', ['error API', 'success API']],
  ['words', '?search=apples', ['error API', 'success Canvas']],
  ['words and a status', '?search=apples&status=error', ['error API', 'success API', 'success Canvas']],
  ['a period that is over', '?to=2020-01-01T00:00:00Z', ['error API', 'success API', 'success Canvas']],
])('DELETE /history/all with %s removes only what the list shows with it', async (_name, query, left) => {
  const user = await app.user();
  await makeRuns(user);
  expect((await remove(user, query)).statusCode).toBe(204);
  expect(await list(user)).toEqual(left);
});

test('DELETE /history/all with words reaches the old runs of a busy workflow beside those of a quiet one', async () => {
  const user = await app.user();
  const { echo, failing } = await makeRuns(user);
  await app.services.database.sql.query({
    text: `INSERT INTO runs (id, workflow_id, state, status, trigger_source, attempt, input, started_at)
      SELECT overlay(md5(n::text) placing lpad(to_hex(n), 12, '0') from 1 for 12)::uuid, $1::uuid, 3, 'success', 'API', 1,
        CASE WHEN n <= 20 OR n % 1000 = 0 THEN '{"text":"plums"}' ELSE '{}' END, now()
      FROM generate_series(1, $2::int) n`,
    values: [echo, SEARCH_WINDOW + 20],
  });
  await app.services.database.sql.query({
    text: `UPDATE runs SET id = '00000000-0000-7000-8000-000000000000' WHERE workflow_id = $1`,
    values: [failing],
  });
  expect((await remove(user, '?search=plums')).statusCode).toBe(204);
  const { rows } = await app.services.database.sql.query<{ left: number }>({
    text: `SELECT count(*)::int AS left FROM runs WHERE workflow_id = ANY ($1::uuid[]) AND input LIKE '%plums%'`,
    values: [[echo, failing]],
  });
  expect(rows).toEqual([{ left: 0 }]);
});

test('DELETE /history/all removes the runs of one workflow that the person can see', async () => {
  const [owner, stranger] = [await app.user(), await app.user()];
  const { echo } = await makeRuns(owner);
  expect((await remove(stranger, `?workflow_id=${echo}`)).statusCode).toBe(404);
  expect((await remove(owner, `?workflow_id=${echo}&status=success`)).statusCode).toBe(204);
  expect(await list(owner)).toEqual(['error API']);
});

test('DELETE /history/all with a filter that it does not know removes nothing', async () => {
  const owner = await app.user();
  await makeRuns(owner);
  expect((await remove(owner, '?state=error')).statusCode).toBe(422);
  expect(await list(owner)).toHaveLength(3);
});
