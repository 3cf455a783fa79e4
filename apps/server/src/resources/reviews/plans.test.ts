import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { newId } from '../../core/ids.ts';
import type { Database } from '../../database/database.ts';
import type { Statement } from '../../database/sql-client.ts';
import { addWorkflows } from '../../execution/journal/testing/add-workflows.ts';
import { describeOnBoth } from '../../execution/journal/testing/databases.ts';
import { type ExplainedPlan, rowsRead } from '../../execution/journal/testing/plan-rows.ts';
import { SEARCH_WINDOW, TOTAL_CAP } from '../../execution/store/history/filters.ts';
import { openReviewCount, openReviewPage, readOpenReviews } from './queries.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

const MANY = 25_000;

describeOnBoth('open reviews of workflows with many runs', (kind) => {
  const [many, few] = [newId(), newId()];
  let database: Database;
  beforeAll(async () => {
    database = await kind.open();
    await addWorkflows(database.sql, [many, few]);
    const add = async (workflow_id: string, prefix: string, count: number, state: number) => {
      await database.sql.query({
        text: `INSERT INTO runs (id, workflow_id, state, status, trigger_source, attempt, input, started_at)
          SELECT md5($2 || n::text)::uuid, $1::uuid, $3, 'pending', 'API', 1, '{}', now() FROM generate_series(1, ${count}) n`,
        values: [workflow_id, prefix, state],
      });
      await database.sql.query({
        text: `INSERT INTO waits (run_id, node_id, kind, payload, sequence, started_at, token_hash, decided_at)
          SELECT md5($1 || n::text)::uuid, 'ask', 'review', '{"decision":null,"summary":"Letter ' || n || '"}', 1, now(),
            md5('t' || $1 || n::text), CASE WHEN $2 = 3 THEN now() END
          FROM generate_series(1, ${count}) n`,
        values: [prefix, state],
      });
    };
    await add(many, 'ended', MANY, 3);
    await add(many, 'open', MANY, 2);
    await add(few, 'few', 3, 2);
    await database.sql.query({ text: 'ANALYZE runs' });
    await database.sql.query({ text: 'ANALYZE waits' });
  });
  afterAll(() => database.close());

  async function read({ text, values }: Statement): Promise<number> {
    const explain = `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`;
    return rowsRead((await database.sql.query<ExplainedPlan>({ text: explain, values: values ?? [] })).rows);
  }

  test('a page reads little more than it shows', async () => {
    const { rows } = await readOpenReviews(database.sql, [many], { limit: 50 });
    expect(await read(openReviewPage([many], { limit: 50 }))).toBeLessThan(500);
    expect(await read(openReviewPage([many], { limit: 50, before: rows.at(-1)?.id }))).toBeLessThan(500);
    expect(await read(openReviewPage([many, few], { limit: 50 }))).toBeLessThan(500);
  });

  test('pages join without a gap', async () => {
    const all = await readOpenReviews(database.sql, [many, few], { limit: 100 });
    const ids = all.rows.map(({ id }) => id);
    const rest = await readOpenReviews(database.sql, [many, few], { limit: 50, before: ids[49] });
    expect(rest.rows.map(({ id }) => id)).toEqual(ids.slice(50));
  });

  test('those of other workflows are not read', async () => {
    expect(await read(openReviewPage([few], { limit: 50 }))).toBeLessThan(50);
    expect(await read(openReviewCount([few], undefined))).toBeLessThan(50);
    expect(await read(openReviewPage([few], { limit: 50, search: 'letter' }))).toBeLessThan(50);
  });

  test('the count stops at its cap', async () => {
    expect(await read(openReviewCount([many], undefined))).toBeLessThan(3 * TOTAL_CAP);
    const found = await readOpenReviews(database.sql, [many], { limit: 1 });
    expect(found).toMatchObject({ count: TOTAL_CAP, is_capped: true });
  });

  test('a search that nothing matches is bounded', async () => {
    const search = 'nothing has this';
    expect(await read(openReviewPage([many], { limit: 50, search }))).toBeLessThan(3 * SEARCH_WINDOW);
    expect(await read(openReviewCount([many], search))).toBeLessThan(3 * SEARCH_WINDOW);
  });
});
