import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { newId } from '../../core/ids.ts';
import type { Database } from '../../database/database.ts';
import type { Statement } from '../../database/sql-client.ts';
import { addWorkflows } from '../../execution/journal/testing/add-workflows.ts';
import { describeOnBoth } from '../../execution/journal/testing/databases.ts';
import { type ExplainedPlan, rowsRead } from '../../execution/journal/testing/plan-rows.ts';
import { SEARCH_WINDOW } from '../../execution/store/history/filters.ts';
import { countInbox, hasOlderEntries, inboxCounts, inboxPage, readInbox } from './queries.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

const SUCCESSES = 20_000;
const DISMISSED = 20_000;
const OPEN = 25_000;
const OUTCOME = JSON.stringify({
  shape: 'labels',
  failure: { kind: 'internal', message: 'It broke' },
  failed_node: null,
});

describeOnBoth('inbox of a workflow with many runs', (kind) => {
  const workflow_id = newId();
  const viewer_id = newId();
  let database: Database;
  beforeAll(async () => {
    database = await kind.open();
    await addWorkflows(database.sql, [workflow_id]);
    const add = (prefix: string, count: number, status: string, dismissed_at: Date | null) =>
      database.sql.query({
        text: `INSERT INTO runs (id, workflow_id, state, status, trigger_source, attempt, input, started_at, outcome, dismissed_at)
          SELECT md5($2 || n::text)::uuid, $1::uuid, 3, $3, 'API', 1, '{}', now(), $4, $5
          FROM generate_series(1, ${count}) n`,
        values: [workflow_id, prefix, status, OUTCOME, dismissed_at],
      });
    await add('s', SUCCESSES, 'success', null);
    await add('d', DISMISSED, 'error', new Date());
    await add('o', OPEN, 'error', null);
    await database.sql.query({ text: 'ANALYZE runs' });
  });
  afterAll(() => database.close());

  async function read({ text, values }: Statement): Promise<number> {
    const explain = `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`;
    return rowsRead((await database.sql.query<ExplainedPlan>({ text: explain, values: values ?? [] })).rows);
  }

  test.each([{}, { dismissed: true }])('a page reads little more than it shows: %o', async (place) => {
    const [last] = await readInbox(
      database.sql,
      inboxPage([workflow_id], { ...place, viewer_id, limit: 50 }),
    );
    expect(await read(inboxPage([workflow_id], { ...place, viewer_id, limit: 50 }))).toBeLessThan(500);
    expect(
      await read(inboxPage([workflow_id], { ...place, viewer_id, limit: 50, before: last?.id })),
    ).toBeLessThan(500);
  });

  test('counts stop at their cap', async () => {
    expect(await read(inboxCounts([workflow_id], { viewer_id }))).toBeLessThan(40_000);
    expect(await countInbox(database.sql, inboxCounts([workflow_id], { viewer_id }))).toEqual({
      failed: 10_000,
      given_up: 0,
      is_capped: true,
    });
  });

  test('counts stop at their cap also where all entries were given up', async () => {
    const counts = await countInbox(database.sql, { text: 'SELECT 10001 AS total, 10001 AS given_up' });
    expect(counts).toEqual({ failed: 0, given_up: 10_000, is_capped: true });
  });

  test('a search that nothing matches is bounded, and says so', async () => {
    const filters = { search: 'nothing has this', viewer_id, limit: 50 };
    expect(await read(inboxPage([workflow_id], filters))).toBeLessThan(3 * SEARCH_WINDOW);
    expect(await hasOlderEntries(database.sql, [workflow_id], filters)).toBe(true);
    expect(await hasOlderEntries(database.sql, [workflow_id], { ...filters, dismissed: true })).toBe(false);
  });
});
